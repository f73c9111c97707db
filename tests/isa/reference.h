/* SPDX-License-Identifier: MIT */
/*
 * What Southern Islands instructions mean, a second time: one lane, one value after the other, as
 * slow and as plain as the manual puts it. Written from AMD's "Southern Islands Series Instruction
 * Set Architecture" (chapters 5 to 12). Where that is silent, it follows AMD's later manuals and
 * CLRX's documentation of GCN instructions. It does not follow src/isa, whose mistakes it would
 * share.
 *
 * Floating point is the host's, in the rounding that MODE asks for. Where the hardware approximates
 * (rcp, exp, sin, ...) the reference gives the correctly rounded value and the op is marked
 * REFERENCE_APPROXIMATE.
 *
 * NaN: an operation gives its first NaN operand, made quiet; if none is a NaN, 0xffc00000 or
 * 0xfff8000000000000. (AMD documents the second; the first is a choice, for determinism.)
 */
#ifndef TESTS_ISA_REFERENCE_H
#define TESTS_ISA_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MODE: rounding of binary32 (bits 0, 1) and binary64 (2, 3): to nearest, up, down, to zero. A
 * denormal field's lower bit allows denormal sources, its upper one denormal results. */
#define REFERENCE_MODE_SOURCES_32 0x10u
#define REFERENCE_MODE_RESULTS_32 0x20u
#define REFERENCE_MODE_SOURCES_64 0x40u
#define REFERENCE_MODE_RESULTS_64 0x80u
#define REFERENCE_MODE_DX10_CLAMP 0x100u
#define REFERENCE_MODE_IEEE 0x200u

enum reference_traits {
    REFERENCE_LONG_ONLY = 1u << 0,   /* only the 64-bit encoding exists */
    REFERENCE_SHORT_ONLY = 1u << 1,  /* only the 32-bit one */
    REFERENCE_FLAG_OUT = 1u << 2,    /* writes a lane mask beside its result */
    REFERENCE_FLAG_IN = 1u << 3,     /* reads a lane mask: VCC, or an operand of the long form */
    REFERENCE_READS_VCC = 1u << 4,   /* reads VCC in any form */
    REFERENCE_APPROXIMATE = 1u << 5, /* within one unit in the last place */
    REFERENCE_KEEPS_DENORMALS = 1u << 6, /* MODE's flushing does not apply */
    REFERENCE_WRITES_EXEC = 1u << 7,     /* comparisons: v_cmpx */
    REFERENCE_LITERAL_MIDDLE = 1u << 8,  /* v_madmk */
    REFERENCE_LITERAL_LAST = 1u << 9,    /* v_madak */
    REFERENCE_SCALES_FIRST = 1u << 10,   /* v_div_scale: source 0 is source 1 or 2 again */
    REFERENCE_REGISTERS_ONLY = 1u << 11, /* the assembler wants other constants than we know */
    REFERENCE_ROUNDS = 1u << 12          /* by MODE; the others are tested to nearest only */
};

/* One lane of a vector instruction. Sources and results are bits, zero-extended. */
struct reference_lane {
    uint64_t source[3];
    uint64_t old;   /* the destination before */
    bool flag_in;   /* this lane's bit of VCC or of the mask operand */
    uint32_t index; /* 0 to 63 */
    uint32_t mode;
    uint64_t result;
    bool flag_out;
};

/* `shape` has a letter for the destination and each source: f binary32, d binary64, i 32 bits, l 64
 * bits, m a lane mask (comparisons). */
struct reference_op {
    const char *name;
    const char *shape;
    unsigned traits;
    void (*lane)(struct reference_lane *lane);
};

struct reference_modifiers {
    bool absolute[3], negate[3];
    bool clamp;
    unsigned multiplier; /* 1: times 2, 2: times 4, 3: half */
};

/* The lists of vector operations; that of comparisons is made on the first call. */
const struct reference_op *reference_float_ops(size_t *count);
const struct reference_op *reference_approximate_ops(size_t *count);
const struct reference_op *reference_divide_ops(size_t *count);
const struct reference_op *reference_integer_ops(size_t *count);
const struct reference_op *reference_compare_ops(size_t *count);

/* Runs one lane: source modifiers and flushing, the operation, flushing and output modifiers. */
void reference_run_lane(const struct reference_op *op, const struct reference_modifiers *modifiers,
                        struct reference_lane *lane);

/* Flushes a denormal to the zero of its sign. */
uint64_t reference_flush(uint64_t bits, char type);

/* A scalar instruction. */
struct reference_scalar {
    uint64_t source[2]; /* SOPK: source 0 is the destination before, source 1 the 16 bits,
                           zero-extended */
    uint64_t old;
    uint64_t exec;
    uint64_t next_pc;
    bool scc;
    uint64_t result;
    bool writes; /* the destination */
    uint64_t target;
    bool jumps;
};

/* `shape`: destination (- none), then sources: i 32 bits, l 64 bits, k 16 bits of the instruction.
 */
struct reference_scalar_op {
    const char *name;
    const char *shape;
    void (*run)(struct reference_scalar *scalar);
};

const struct reference_scalar_op *reference_scalar_ops(size_t *count);

/* What an atomic named as in the ISA ("add", "cmpst", "mskor", ...) with a type suffix ("u32",
 * "x2", ...) leaves in memory. `first` and `second` are the data operands in the instruction's
 * order. Sets *known to false for names that it does not know. */
uint64_t reference_atomic(const char *name, unsigned bits, uint64_t old, uint64_t first,
                          uint64_t second, bool *known);

#endif
