/* SPDX-License-Identifier: MIT */
/*
 * The inside of the GCN 1 (Southern Islands, gfx600) instruction set. It has the registers, the
 * decoded instructions, and what the files of this folder offer each other. No file outside
 * includes it.
 *
 *     *.def          one row per operation, a list per format
 *     operations.*   the rows as an enumeration and a table
 *     decode.c       words to records;  disassemble.c  records to text
 *     exec/          one body per operation; those on vector registers are compiled three times
 *     memory_*.c     begin and finish of the three kinds of memory instruction; formats of buffers
 *     kernel.c       the ABI: kernel descriptor, initial registers, scratch
 *
 * Scalar operand numbers (9 bits; 8 where no vector register may stand):
 *
 *     0-103 SGPR | 106 VCC | 124 M0 | 126 EXEC | 128-208 integers 0..64, -1..-16 | 240-247 floats
 *     251 VCCZ | 252 EXECZ | 253 SCC | 255 literal | 256-511 VGPR
 *
 * Invariant: base.active == EXEC & ~left. Lanes that left (transactions) stay out whatever the
 * program writes to EXEC. VCCZ and EXECZ see `active`, so that a branch around dead code is still
 * taken.
 */
#ifndef ISA_GCN_GCN_H
#define ISA_GCN_GCN_H

#include "isa/gcn/operations.h"
#include "isa/isa.h"

#define GCN_LANES 64
#define GCN_VECTOR_REGISTERS 256
#define GCN_VECTOR_ROWS 260 /* the last ones keep a wide operand at v255 inside the array */
#define GCN_SCALAR_REGISTERS 104
#define GCN_SCALAR_ROWS 144

enum gcn_scalar_register {
    GCN_VCC = 106,
    GCN_M0 = 124,
    GCN_EXEC = 126,
    GCN_SOURCE_ZERO = 128,
    GCN_SOURCE_VCCZ = 251,
    GCN_SOURCE_EXECZ = 252,
    GCN_SOURCE_SCC = 253,
    GCN_SOURCE_LITERAL = 255,
    GCN_SOURCE_VECTOR = 256
};

/* The MODE register. Denormal fields: bit 0 allows them as sources, bit 1 as results. */
enum gcn_mode {
    GCN_MODE_ROUND_32 = 0x3,
    GCN_MODE_ROUND_64 = 0xc,
    GCN_MODE_SOURCE_DENORMALS_32 = 0x10,
    GCN_MODE_RESULT_DENORMALS_32 = 0x20,
    GCN_MODE_SOURCE_DENORMALS_64 = 0x40,
    GCN_MODE_RESULT_DENORMALS_64 = 0x80,
    GCN_MODE_DX10_CLAMP = 0x100,
    GCN_MODE_IEEE = 0x200
};

/* Hints in s_nop's immediate, include/wavetank/hints.cl.h:
 *
 *     | 0x5a | 0 fence | 0 | order 2 | 0 | remote | scope 2 |
 */
enum gcn_hint {
    GCN_HINT_ACCESS = 0x5a00, /* the next access of vector memory that is not to scratch */
    GCN_HINT_FENCE = 0x5a80,  /* a fence here; its acquire is the next buffer_wbinvl1 */
    GCN_HINT_ORDER_MASK = 0x30,
    GCN_HINT_OPERANDS = 0x37 /* order, remote and scope */
};

struct gcn_wave {
    struct isa_wave base;
    uint16_t access_hint;  /* immediate of what the next access is; 0: nothing was said */
    uint16_t acquire_hint; /* the same of the acquire that a buffer_wbinvl1 completes */
    uint64_t left;         /* lanes taken out by leave() */
    uint32_t scc;
    uint32_t mode;
    /* What a denormal number is ANDed with: all ones keep it, the sign bit alone flushes it. */
    uint32_t source_keep_32, result_keep_32;
    uint64_t source_keep_64, result_keep_64;
    uint32_t scalar[GCN_SCALAR_ROWS];
    uint32_t vector[GCN_VECTOR_ROWS][GCN_LANES] __attribute__((aligned(64)));
};

enum gcn_operand_kind {
    GCN_OPERAND_NONE,
    GCN_OPERAND_VECTOR,   /* index: first vector register */
    GCN_OPERAND_SCALAR,   /* index: into gcn_wave.scalar */
    GCN_OPERAND_CONSTANT, /* value: as wide as the operation wants it */
    GCN_OPERAND_FLAG      /* index: GCN_SOURCE_VCCZ, EXECZ or SCC */
};

struct gcn_operand {
    uint8_t kind; /* enum gcn_operand_kind */
    uint8_t type; /* enum gcn_type */
    uint8_t absolute;
    uint8_t negate;
    uint16_t index;
    uint64_t value;
};

struct gcn_instruction;
typedef void gcn_body(struct gcn_wave *wave, const struct gcn_instruction *instruction);

enum gcn_output {
    GCN_OUTPUT_MULTIPLIER = 0x3, /* 1: times 2, 2: times 4, 3: half */
    GCN_OUTPUT_CLAMP = 0x4
};

/* A decoded instruction: what isa_code.stride steps over. */
struct gcn_instruction {
    struct isa_instruction base;
    gcn_body *body;
    uint32_t word[2]; /* as in the code object */
    uint8_t format; /* enum gcn_format: VOP3 for the long form of a VOP1, VOP2 or VOPC operation */
    uint8_t output; /* enum gcn_output */
    bool rounds;    /* its result depends on the rounding mode */
    uint8_t destination_type;  /* enum gcn_type */
    uint16_t destination;      /* vector or scalar register */
    uint16_t mask_destination; /* scalar register pair that takes a carry, a comparison, a flag */
    int32_t immediate;         /* SOPK, SOPP: signed 16 bits; memory: the offset(s) */
    const char *reason;        /* REFUSED: why; NULL: the operation is not implemented */
    struct gcn_operand source[3];
};

static inline struct gcn_wave *gcn_wave_of(struct isa_wave *wave)
{
    return (struct gcn_wave *)(void *)wave;
}

static inline const struct gcn_wave *gcn_wave_of_const(const struct isa_wave *wave)
{
    return (const struct gcn_wave *)(const void *)wave;
}

static inline const struct gcn_instruction *gcn_of(const struct isa_instruction *instruction)
{
    return (const struct gcn_instruction *)(const void *)instruction;
}

/* A pair of scalar registers as one number. */
static inline uint64_t gcn_scalar_pair(const struct gcn_wave *wave, unsigned index)
{
    return wave->scalar[index] | (uint64_t)wave->scalar[index + 1] << 32;
}

static inline uint64_t gcn_exec(const struct gcn_wave *wave)
{
    return gcn_scalar_pair(wave, GCN_EXEC);
}

static inline void gcn_update_active(struct gcn_wave *wave)
{
    wave->base.active = gcn_exec(wave) & ~wave->left;
}

static inline void gcn_write_scalar(struct gcn_wave *wave, unsigned index, uint32_t value)
{
    wave->scalar[index] = value;
    if (index >= GCN_EXEC)
        gcn_update_active(wave);
}

static inline void gcn_write_scalar_pair(struct gcn_wave *wave, unsigned index, uint64_t value)
{
    wave->scalar[index] = (uint32_t)value;
    wave->scalar[index + 1] = (uint32_t)(value >> 32);
    if (index + 1 >= GCN_EXEC)
        gcn_update_active(wave);
}

static inline uint32_t gcn_flag(const struct gcn_wave *wave, unsigned index)
{
    if (index == GCN_SOURCE_SCC)
        return wave->scc;
    if (index == GCN_SOURCE_EXECZ)
        return wave->base.active == 0;
    return gcn_scalar_pair(wave, GCN_VCC) == 0;
}

/* The value of an operand that is not a vector register. */
static inline uint32_t gcn_scalar_value(const struct gcn_wave *wave,
                                        const struct gcn_operand *operand)
{
    if (operand->kind == GCN_OPERAND_SCALAR)
        return wave->scalar[operand->index];
    if (operand->kind == GCN_OPERAND_CONSTANT)
        return (uint32_t)operand->value;
    return gcn_flag(wave, operand->index);
}

static inline uint64_t gcn_scalar_value_64(const struct gcn_wave *wave,
                                           const struct gcn_operand *operand)
{
    if (operand->kind == GCN_OPERAND_SCALAR)
        return gcn_scalar_pair(wave, operand->index);
    if (operand->kind == GCN_OPERAND_CONSTANT)
        return operand->value;
    return gcn_flag(wave, operand->index);
}

/* The instruction at refused_pc, whose execution has begun, cannot be done: see struct isa_wave. */
static inline void gcn_refuse(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                              const char *reason)
{
    wave->base.refusal = reason;
    wave->base.refused_pc = wave->base.pc - instruction->base.bytes;
    wave->base.pc = ISA_REFUSED_PC;
}

/* Sets MODE and what is derived from it. */
void gcn_set_mode(struct gcn_wave *wave, uint32_t mode);

/* memory.c */
void gcn_begin(struct isa_wave *wave, const struct isa_instruction *instruction,
               struct isa_memory_request *request);
void gcn_finish(struct isa_wave *wave, const struct isa_instruction *instruction,
                const struct isa_memory_request *request);

/* memory_buffer.c: stores and atomics of buffers, the only ones that raise EXP_CNT. */
void gcn_store_data(const struct isa_wave *wave, const struct isa_instruction *instruction,
                    struct isa_memory_request *request);

/* decode.c. `bodies` has the body of each vector operation, NULL elsewhere. */
struct isa_code *gcn_decode(const void *code, uint32_t bytes, uint64_t address,
                            gcn_body *const *bodies);
void gcn_code_destroy(struct isa_code *code);
void gcn_fence_releases(struct isa_code *code);
void gcn_refusal(const struct isa_instruction *instruction, struct text *text);

/* kernel.c */
bool gcn_kernel_init(struct isa_kernel *kernel, const struct isa_code *code,
                     const uint8_t descriptor[64], uint64_t entry,
                     struct diagnosis *diagnosis) MUST_USE;
void gcn_wave_init(struct isa_wave *wave, const struct isa_launch *launch,
                   const struct isa_group *group, uint32_t index, uint32_t slot_index);
uint64_t gcn_scratch_slot_bytes(const struct isa_launch *launch);

/* memory_scalar.c, memory_lds.c, memory_buffer.c: begin and finish by unit. The request's counts,
 * kind and flags are set by gcn_begin; these add addresses and data. */
void gcn_begin_scalar(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                      struct isa_memory_request *request);
void gcn_finish_scalar(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                       const struct isa_memory_request *request);
void gcn_begin_lds(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                   struct isa_memory_request *request);
void gcn_finish_lds(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                    const struct isa_memory_request *request);
void gcn_begin_buffer(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                      struct isa_memory_request *request);
void gcn_finish_buffer(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                       const struct isa_memory_request *request);

/* memory.c: what hints have said of an access that is not to scratch, and of buffer_wbinvl1. */
void gcn_note_hint(struct gcn_wave *wave, uint16_t hint);
void gcn_hint_access(struct gcn_wave *wave, struct isa_memory_request *request);
void gcn_begin_invalidate(struct gcn_wave *wave, struct isa_memory_request *request);

/* Puts zero into `count` dwords from request->data[first] on, for lanes that are written but not
 * `served`: their access was out of range. */
void gcn_clear_dropped(struct isa_memory_request *request, unsigned first, unsigned count,
                       uint64_t served);

/* Writes `count` rows to vector registers, in the lanes that are written. */
void gcn_write_rows(struct gcn_wave *wave, unsigned destination, uint64_t written,
                    const uint32_t (*rows)[ISA_MAX_LANES], unsigned count);
/* The same of loaded data. */
void gcn_write_loaded(struct gcn_wave *wave, unsigned destination,
                      const struct isa_memory_request *request, unsigned count);
/* Afterwards, for signed elements shorter than a dword. */
void gcn_extend_signs(struct gcn_wave *wave, unsigned destination,
                      const struct isa_memory_request *request);

/* disassemble.c, trace.c */
void gcn_disassemble(const struct isa_code *code, const struct isa_instruction *instruction,
                     struct text *text);
void gcn_trace(const struct isa_wave *wave, const struct isa_instruction *instruction,
               struct text *text);

/* The state that a wavefront can return to. `left` is not part of it: who takes part in a retry is
 * the transactional system's business. */
struct gcn_scalar_set {
    uint64_t bits[3];
};

struct gcn_snapshot {
    uint64_t pc;
    uint32_t scc, mode;
    uint32_t ended_scc, ended[GCN_SCALAR_ROWS]; /* as the first attempt that committed left them */
    struct gcn_scalar_set differing;            /* later ones left them otherwise */
    uint32_t scalar[GCN_SCALAR_ROWS];
    uint32_t vector[GCN_VECTOR_REGISTERS][GCN_LANES] __attribute__((aligned(64)));
};

/* transaction.c */
void gcn_snapshot(const struct isa_wave *wave, struct isa_snapshot *snapshot);
void gcn_restore(struct isa_wave *wave, const struct isa_snapshot *snapshot, uint64_t lanes);
void gcn_leave(struct isa_wave *wave, uint64_t lanes);
void gcn_rejoin(struct isa_wave *wave, uint64_t lanes);

/* attempts.c */
bool gcn_attempt_ended(const struct isa_wave *wave, struct isa_snapshot *snapshot, bool is_first);
bool gcn_reads_differing(const struct isa_instruction *instruction, struct isa_snapshot *snapshot);
bool gcn_lanes_disagree(const struct isa_wave *wave, const struct isa_instruction *instruction);
/* Scalar registers that an instruction reads, and writes; SCC has a bit that no register has. */
struct gcn_scalar_set gcn_scalars_read(const struct gcn_instruction *record);
struct gcn_scalar_set gcn_scalars_written(const struct gcn_instruction *record);

/* registers.c */
void gcn_registers(const struct isa_instruction *instruction, struct isa_registers *read,
                   struct isa_registers *written);

/* The instruction set with one build of the vector bodies, for tests that compare them. NULL where
 * the processor cannot run it. isa_gcn() chooses the last that it can. */
enum gcn_variant { GCN_VARIANT_GENERIC, GCN_VARIANT_AVX2, GCN_VARIANT_AVX512, GCN_VARIANT_COUNT };
const struct isa *gcn_isa_variant(enum gcn_variant variant);

#endif
