/* SPDX-License-Identifier: MIT */
/*
 * Cases: an instruction as assembler text with what the test knows of its operands. The harness has
 * all of them assembled at once, decodes them with each variant of the ISA,
 * and runs each on random wavefronts. The group that made a case says what the wavefront must look
 * like afterwards. The whole register state is compared, so that a write that should not be is
 * found too.
 */
#ifndef TESTS_ISA_REFERENCE_CASES_H
#define TESTS_ISA_REFERENCE_CASES_H

#include "isa/gcn/gcn.h"
#include "reference.h"

#define HARNESS_VARIANTS 3 /* plain, AVX2, AVX-512: the last ones where the processor has them */
#define HARNESS_ADDRESS 0x4000000000ull
#define HARNESS_SLOT_BYTES 16 /* from one case's code to the next */
#define HARNESS_REGISTERS 32  /* registers that cases use, of each kind */

struct case_operand {
    enum { CASE_NONE, CASE_VECTOR, CASE_SCALAR, CASE_CONSTANT } kind;
    unsigned index;
    uint64_t value;
    char type; /* as in reference_op.shape */
};

struct harness;

struct harness_case {
    char text[112];
    char name[32]; /* the mnemonic */
    const struct reference_op *op;
    const struct reference_scalar_op *scalar_op;
    struct case_operand source[3];
    unsigned destination;
    unsigned mask_destination, mask_source; /* scalar registers */
    struct reference_modifiers modifiers;
    unsigned rounds;
    unsigned extra; /* of the group */
    void (*special)(struct harness *harness, const struct harness_case *this);
    /* Prepares h->start, sets h->expected, or does all by itself and returns true. */
    bool (*run)(struct harness *harness, const struct harness_case *this);
    const struct isa_instruction *decoded[HARNESS_VARIANTS];
    uint64_t pc;
};

struct harness {
    const struct isa *isa[HARNESS_VARIANTS];
    struct isa_code *code[HARNESS_VARIANTS];
    struct harness_case *cases;
    size_t case_count, case_capacity;
    struct gcn_wave *start, *expected, *after;
    uint64_t random;
    size_t runs, failures;
    unsigned char *memory, *expected_memory; /* HARNESS_MEMORY_BYTES each */
};

#define HARNESS_MEMORY_BYTES 65536u
#define HARNESS_MEMORY_ADDRESS 0x1234567000ull

/* A zeroed new case, borrowed until the next call. The name is the text up to a space. */
struct harness_case *harness_add(struct harness *harness, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* xorshift64*; never the host's. */
uint64_t harness_random(struct harness *harness);
/* A value of a type with many special ones: zeros, infinities, NaNs, denormals, limits. */
uint64_t harness_value(struct harness *harness, char type);
/* The value, one more or one less. */
uint64_t harness_neighbour(struct harness *harness, uint64_t value);
/* Fills start with random registers, EXEC, VCC, SCC and this case's program counter. */
void harness_fill(struct harness *harness, const struct harness_case *this);
/* Fills the source registers of a case with values of their types. */
void harness_fill_sources(struct harness *harness, const struct harness_case *this);

bool case_is_wide(char type);
uint64_t case_read(const struct gcn_wave *wave, const struct case_operand *operand, unsigned lane);
void case_write_vector(struct gcn_wave *wave, unsigned index, char type, unsigned lane,
                       uint64_t value);
void case_write_scalar(struct gcn_wave *wave, unsigned index, char type, uint64_t value);

/* Reports a failure of a case: once a case. */
void harness_fail(struct harness *harness, const struct harness_case *this, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Compares h->after with h->expected. */
bool harness_compare(struct harness *harness, const struct harness_case *this, int variant);

/* The groups. */
void add_vector_cases(struct harness *harness);
void add_scalar_cases(struct harness *harness);
void add_control_cases(struct harness *harness);
void add_memory_cases(struct harness *harness);
void add_format_cases(struct harness *harness);

/* A server of loads, stores and atomics over a plain array: knows nothing of instructions. */
void reference_serve(unsigned char *memory, struct isa_memory_request *request);

/* Assembles, decodes and runs everything. False: the assembler is missing. */
bool harness_run(struct harness *harness);
void harness_init(struct harness *harness);
void harness_finish(struct harness *harness);

#endif
