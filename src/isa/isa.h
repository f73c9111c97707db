/* SPDX-License-Identifier: MIT */
/*
 * The face that an instruction set shows to what executes it: the compute unit of the timed
 * machine and the functional device. It is timeless: nothing here knows a cycle.
 *
 *    decode (once per code object)
 *        bytes ──► struct isa_code: one struct isa_instruction per instruction, an index by address
 *
 * execute (per wavefront and instruction)
 *     unit VALU, SALU, BRANCH, INTERNAL:  isa->execute(wave, instruction)       all of it, at once
 *     unit VMEM, LDS, SMEM:               isa->begin(wave, instruction, request)   addresses, lanes
 *         flag ISA_COUNTS_EXP:            isa->store_data(wave, instruction, request)  operands
 *                                         ... the server of memory fills request->data ...
 *                                         isa->finish(wave, instruction, request)  to registers
 *
 * Between begin and finish only the server of the request reads memory on the wavefront's behalf.
 * So a load sees what the memory system holds when it is served, not when it is issued. What an
 * instruction that raises EXP_CNT stores is read from the registers by store_data, at a time that
 * the server chooses. It stores what the registers hold then. Of the others begin reads it.
 *
 * What belongs to the ISA: registers, program counters, divergence (EXEC masks in GCN; a stack in
 * an ISA with immediate post-dominators), the ABI's initial registers. What does not: when things
 * happen.
 *
 * Left out: exceptions and trap handlers; debugger state.
 * Source: AMD, "Southern Islands Series Instruction Set Architecture" (2012), chapters 2 to 9;
 * LLVM, "User Guide for AMDGPU Backend" (code objects, kernel descriptors, initial registers).
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "base/read_modify_write.h"
#include "base/text.h"

#define ISA_MAX_LANES 64 /* masks are 64 bits whatever the width */

/* The kind of unit that an instruction is issued to: at most one instruction of each kind is issued
 * in a cycle. INTERNAL ones are consumed in the instruction buffer and not counted. */
enum isa_unit {
    ISA_UNIT_VALU,
    ISA_UNIT_SALU,
    ISA_UNIT_SMEM, /* scalar memory reads */
    ISA_UNIT_VMEM, /* vector memory: buffers */
    ISA_UNIT_LDS,
    ISA_UNIT_EXPORT,
    ISA_UNIT_BRANCH,   /* branches and messages */
    ISA_UNIT_INTERNAL, /* s_nop, s_waitcnt, s_barrier, s_endpgm, s_sleep, s_setprio, hints */
    ISA_UNIT_COUNT
};

/* What an instruction costs its unit. The compute unit's parameters give each class its cycles. */
#define ISA_LATENCY_CLASSES(X)                                                                     \
    X(FULL, "full-rate 32-bit vector operation")                                                   \
    X(QUARTER, "quarter-rate 32-bit vector operation (transcendental, 32-bit integer multiply)")   \
    X(CONVERT, "conversion between 32-bit integer and floating point")                             \
    X(DOUBLE_ADD, "half-rate 64-bit operation (add, minimum, compare, shift, conversion)")         \
    X(DOUBLE_MULTIPLY, "quarter-rate 64-bit operation (multiply, fused multiply-add, reciprocal)") \
    X(SCALAR, "scalar operation")                                                                  \
    X(SCALAR_LONG,                                                                                 \
      "scalar operation that writes EXEC after reading it (*_saveexec_b64), s_setreg")             \
    X(BRANCH, "branch")                                                                            \
    X(MEMORY, "memory instruction: the memory units decide")                                       \
    X(NONE, "consumed in the instruction buffer")
enum isa_latency {
#define ISA_LATENCY_ENUM(name, help) ISA_LATENCY_##name,
    ISA_LATENCY_CLASSES(ISA_LATENCY_ENUM)
#undef ISA_LATENCY_ENUM
        ISA_LATENCY_COUNT
};

/* What the wavefront scheduler itself must do for an instruction. */
enum isa_control {
    ISA_CONTROL_NONE,
    ISA_CONTROL_WAIT,     /* wait until the counters fall to isa_instruction.wait_* */
    ISA_CONTROL_BARRIER,  /* wait for the work-group */
    ISA_CONTROL_END,      /* the wavefront is done (its stores may be in flight) */
    ISA_CONTROL_SLEEP,    /* idle for about 64 * argument cycles */
    ISA_CONTROL_PRIORITY, /* the wavefront's priority becomes argument (0 to 3) */
    ISA_CONTROL_NOP,      /* idle for argument + 1 issue slots */
    ISA_CONTROL_HINT,     /* s_nop 0x5Axx: a hint to Wavetank; `hint` holds the immediate */
    ISA_CONTROL_RELEASE,  /* a hint of unit VMEM: a release fence; ISA_MEMORY_FLUSH at begin. See
                             fence_releases */
    ISA_CONTROL_REFUSED   /* the model's limit: refusing it is a named diagnosis (isa->refusal) */
};

/* The counters that guard results not interlocked by the hardware (GCN: VM_CNT, EXP_CNT, LGKM_CNT).
 * An ISA with a scoreboard declares ISA_DEPENDENCE_SCOREBOARD instead, and reads/writes below. */
enum isa_dependence { ISA_DEPENDENCE_COUNTERS, ISA_DEPENDENCE_SCOREBOARD };

enum isa_instruction_flags {
    ISA_WRITES_SCALAR_FROM_VECTOR = 1u << 0, /* a VALU op that writes an SGPR or VCC */
    ISA_READS_SCALAR = 1u << 1, /* any SALU/branch op that reads an SGPR, VCC, EXEC or SCC */
    ISA_WRITES_MEMORY = 1u << 4,
    ISA_IS_ATOMIC = 1u << 5,
    ISA_COUNTS_VM = 1u << 6,  /* the counters that it raises at issue */
    ISA_COUNTS_EXP = 1u << 7, /* store_data reads what it stores; falls when that has been read */
    ISA_COUNTS_LGKM = 1u << 8
};

/* One decoded instruction. The public part; an ISA keeps its own operands behind it
 * (isa_code.stride). */
struct isa_instruction {
    uint16_t op;      /* the ISA's own number: isa->name_of(op) */
    uint8_t unit;     /* enum isa_unit */
    uint8_t latency;  /* enum isa_latency */
    uint8_t control;  /* enum isa_control */
    uint8_t bytes;    /* 4 or 8 (with a literal or a second word), also 12 in principle */
    uint8_t argument; /* of SLEEP, PRIORITY, NOP */
    uint8_t lgkm;     /* how much LGKM_CNT rises (SMRD of more than one dword: 2) */
    uint16_t flags;   /* enum isa_instruction_flags */
    uint16_t hint;
    uint8_t wait_vm, wait_exp, wait_lgkm; /* WAIT: go on when each counter is at most this */
    uint8_t data_bytes;                   /* memory: bytes per lane, of SMEM bytes in all */
    uint32_t offset;                      /* bytes from the start of the code */
};

/* A decoded code object. Immutable after decode; shared by all machines that run it. */
struct isa_code {
    uint64_t address; /* device address of byte 0 */
    uint32_t bytes;   /* size of the code */
    uint32_t stride;  /* bytes from one decoded instruction to the next */
    unsigned char
        *decoded; /* one record per 4-byte word; `bytes` 0 inside an instruction or in padding */
};

static inline const struct isa_instruction *isa_code_at(const struct isa_code *code, uint64_t pc)
{
    uint64_t offset = pc - code->address;

    if (offset >= code->bytes || (offset & 3) != 0)
        return NULL;
    return (const struct isa_instruction *)(const void *)(code->decoded +
                                                          (offset >> 2) * code->stride);
}

/* A kernel as the ISA needs it: what the code object's kernel descriptor says. Filled by
 * isa->kernel_init; read-only afterwards. Register counts are after the allocation granule. */
struct isa_kernel {
    const struct isa_code *code;
    uint64_t entry;            /* device address of the first instruction */
    uint32_t vector_registers; /* per lane */
    uint32_t scalar_registers;
    uint32_t lds_bytes;     /* static; the launch adds dynamic local memory */
    uint32_t scratch_bytes; /* private segment per work-item */
    uint32_t kernarg_bytes;
    bool has_transactions; /* a hint in its code begins one; set by who knows where the code ends */
    uint8_t descriptor[64]; /* as in the code object (AMDGPU: kernel_descriptor_t) */
};

/* One launch (NDRange) of a kernel; the same for all its work-groups. Sizes in work-items. */
struct isa_launch {
    const struct isa_kernel *kernel;
    uint32_t dimensions;
    uint32_t global_size[3]; /* work-items; 1 beyond `dimensions` */
    uint32_t group_size[3];
    uint32_t wave_lanes;     /* work-items of a wavefront, isa->wave_lanes at most; 0: that many */
    uint32_t group_count[3]; /* rounded up: the last group of a dimension may be partial */
    uint64_t global_offset[3];
    uint64_t kernarg_address;  /* device address of the kernel arguments, hidden ones included */
    uint64_t dispatch_address; /* device address of the 64-byte AQL dispatch packet */
    uint64_t queue_address;    /* device address of the queue record (256 zero bytes will do) */
    uint64_t dispatch_id;
    uint32_t lds_bytes;       /* static + dynamic, what a work-group gets */
    uint32_t scratch_bytes;   /* per work-item, after rounding */
    uint64_t scratch_address; /* device address of the scratch backing of wavefront slot 0 */
};

struct isa_group {
    uint32_t id[3];      /* work-group coordinates */
    uint32_t wave_count; /* wavefronts of the group */
};

/* The register state of one wavefront. The public part stands first; the ISA's registers follow.
 * One is isa->wave_bytes long, 64-byte aligned, plain data without pointers into itself: it may be
 * copied. */
struct isa_wave {
    uint64_t pc;     /* device address of the next instruction */
    uint64_t active; /* lanes that execute the next vector instruction (GCN: EXEC) */
    const struct isa_launch *launch;
    unsigned char
        *lds; /* the work-group's local memory (host address), for ISAs that need it at finish */
    uint32_t lds_bytes;
    bool ended;
    /* Set by execute or begin when registers or a descriptor ask for what the model does not do:
     * why, in words, and where. `pc` is then ISA_REFUSED_PC, at which there never is an
     * instruction, so that nothing has to be asked after each instruction. */
    const char *refusal;
    uint64_t refused_pc;
};

#define ISA_REFUSED_PC UINT64_MAX

enum isa_space { ISA_SPACE_GLOBAL, ISA_SPACE_LOCAL, ISA_SPACE_SCRATCH, ISA_SPACE_CONSTANT };

enum isa_memory_kind {
    ISA_MEMORY_LOAD,
    ISA_MEMORY_STORE,
    ISA_MEMORY_ATOMIC,
    ISA_MEMORY_INVALIDATE, /* buffer_wbinvl1: drop what this CU's L1 holds; no lanes, no data */
    ISA_MEMORY_FLUSH,      /* release fence: what is dirty in this CU's L1 must reach `scope` */
    ISA_MEMORY_SCALAR_LOAD
};

/* Scopes and orders of an access, in rising strength; what the instruction itself cannot say comes
 * from a hint that precedes it.
 *
 * INVALIDATE: RELAXED if it completes the acquire that the access before it was said to be, ACQUIRE
 * if it is that of a fence. In both cases the hint gives the scope and remoteness. Without a hint
 * it is an acquire of the device in a program that says no releases either (ACQUIRE_RELEASE).
 * FLUSH: the scope that the fence names. */
enum isa_scope { ISA_SCOPE_WAVEFRONT, ISA_SCOPE_WORK_GROUP, ISA_SCOPE_DEVICE, ISA_SCOPE_SYSTEM };
enum isa_order {
    ISA_ORDER_RELAXED,
    ISA_ORDER_ACQUIRE,
    ISA_ORDER_RELEASE,
    ISA_ORDER_ACQUIRE_RELEASE
};

/* A wavefront's memory instruction between begin and finish: the form in which every server of
 * memory (vector memory unit, LDS, functional device) sees it.
 *
 * Lane i of `lanes` accesses element_bytes bytes at address[i] (a device address, or a byte offset
 * into the LDS). Data is by dword, then lane: data[d][i] is the lane's dword d. Elements shorter
 * than a dword are zero-extended in data[0] (the ISA sign-extends at finish). Atomics carry the
 * operand in data[0] (64-bit: data[0..1]) and the compare value in compare[0] (64-bit:
 * compare[0..1]). With `returns` the server puts the old value into data.
 *
 * second_delta != 0 (DS read2/write2): there is a second element at address + second_delta, for the
 * lanes of second_lanes. Its dwords follow the first's in data (element of 4 bytes: data[1]; of 8
 * bytes: data[2..3]).
 *
 * SCALAR_LOAD: address[0], element_bytes (4 to 64) in all, data in scalar[].
 *
 * What of a descriptor store_data and finish need to know is kept in `format`, because the
 * registers may have changed by then. Data is as memory has it; the ISA converts it.
 *
 * `written` are the lanes whose registers finish writes: `lanes` plus those whose access the ISA
 * dropped (out of range of a buffer descriptor). For the dropped ones the ISA has put zero into
 * data. Servers look at `lanes` (and second_lanes) only, which may be 0. Then there is nothing to
 * serve, and finish must still be called (a scalar load or ds_swizzle too).
 *
 * Addresses have 64 bits: those of a pointer that no device memory has are not cut to 48. */
struct isa_memory_request {
    uint8_t kind;  /* enum isa_memory_kind */
    uint8_t space; /* enum isa_space */
    uint8_t element_bytes;
    uint8_t rmw; /* enum rmw_op */
    bool returns;
    bool glc, slc;
    bool remote;     /* remote scope promotion */
    bool keeps;      /* a store that costs what it does, and changes nothing: of transactions */
    uint8_t scope;   /* enum isa_scope */
    uint8_t order;   /* enum isa_order */
    uint32_t format; /* the ISA's own */
    int32_t second_delta;
    uint64_t lanes, second_lanes;
    uint64_t written;
    uint64_t address[ISA_MAX_LANES];
    uint32_t data[4][ISA_MAX_LANES] __attribute__((aligned(64)));
    uint32_t compare[2][ISA_MAX_LANES];
    uint32_t scalar[16];
};

/* Whether it ends with data in registers. */
static inline bool request_returns(const struct isa_memory_request *request)
{
    return request->kind == ISA_MEMORY_LOAD || request->kind == ISA_MEMORY_SCALAR_LOAD ||
           (request->kind == ISA_MEMORY_ATOMIC && request->returns);
}

/* Room for a wavefront's state at a point it may have to return to (a transaction's begin). */
struct isa_snapshot; /* isa->snapshot_bytes long */

/* Registers, a bit for each number. */
struct isa_registers {
    uint64_t vector[4];
    uint64_t scalar[2];
};

struct isa {
    const char *name;    /* "gcn1" */
    uint32_t wave_lanes; /* that its registers have; a machine's wavefronts may have fewer */
    enum isa_dependence dependence;
    size_t wave_bytes;
    size_t snapshot_bytes;

    /* Decodes `bytes` of machine code that the program loader placed at device address `address`.
     * The caller owns the result and ends it with code_destroy. Undecodable words (padding, data)
     * get records of unit INTERNAL and control REFUSED, so that only a run that reaches them stops.
     * Never fails. */
    struct isa_code *(*decode)(const void *code, uint32_t bytes, uint64_t address);
    void (*code_destroy)(struct isa_code *code);
    /* Before the code runs: an access that a hint says to release, to the device or beyond, gets a
     * release fence before it. The fence has that scope and stands where the hint does
     * (ISA_CONTROL_RELEASE). For machines whose L1s keep stores to themselves. */
    void (*fence_releases)(struct isa_code *code);

    /* Reads a kernel descriptor of the code object (64 bytes). `entry` is a device address inside
     * `code`. */
    bool (*kernel_init)(struct isa_kernel *kernel, const struct isa_code *code,
                        const uint8_t descriptor[64], uint64_t entry,
                        struct diagnosis *diagnosis) MUST_USE;

    /* Sets the registers as the ABI wants them when wavefront `index` of `group` starts. Lanes from
     * launch->wave_lanes on have left (see leave) for good, whatever the program makes active.
     * Lanes beyond the work-group's or the NDRange's end stay inactive. A work-group that the end
     * cuts has its work-items numbered without gaps. A wavefront without an active lane is `ended`
     * from the start and must not run: a loop waiting for a lane would not end. The scratch
     * backing is chosen by slot_index. `lds` and `lds_bytes` of the wave stay as they are. */
    void (*wave_init)(struct isa_wave *wave, const struct isa_launch *launch,
                      const struct isa_group *group, uint32_t index, uint32_t slot_index);

    /* Bytes of scratch backing that one wavefront slot needs, and what wave_init multiplies
     * slot_index by. */
    uint64_t (*scratch_slot_bytes)(const struct isa_launch *launch);

    /* Executes an instruction of a unit that has no memory. Sets wave->pc: next instruction or
     * target. */
    void (*execute)(struct isa_wave *wave, const struct isa_instruction *instruction);

    /* First half of a memory instruction: fills the request (all of it but loaded data, and what
     * store_data reads) and sets wave->pc. Addresses, descriptor, offsets and active lanes are
     * those of now. */
    void (*begin)(struct isa_wave *wave, const struct isa_instruction *instruction,
                  struct isa_memory_request *request);
    /* Of an instruction with ISA_COUNTS_EXP, once between begin and the service of the request:
     * reads what it stores, or an atomic's operands. They go from the registers, as they are now,
     * into data and compare. Lanes that are written but no longer among request->lanes get zero, as
     * begin does. */
    void (*store_data)(const struct isa_wave *wave, const struct isa_instruction *instruction,
                       struct isa_memory_request *request);
    /* Second half: loaded data into registers. Not called for requests that return nothing. */
    void (*finish)(struct isa_wave *wave, const struct isa_instruction *instruction,
                   const struct isa_memory_request *request);

    /* Transactions. `snapshot` copies what a lane may have to be given back: vector registers of
     * all lanes, scalars, VCC, SCC, M0 and the program counter. `restore` gives `lanes` their
     * vector registers back and the wavefront its scalars and program counter. The other lanes keep
     * theirs. `leave` takes lanes out of execution until `rejoin` brings them back. A wavefront all
     * of whose lanes left executes no vector instruction. */
    void (*snapshot)(const struct isa_wave *wave, struct isa_snapshot *snapshot);
    void (*restore)(struct isa_wave *wave, const struct isa_snapshot *snapshot, uint64_t lanes);
    void (*leave)(struct isa_wave *wave, uint64_t lanes);
    void (*rejoin)(struct isa_wave *wave, uint64_t lanes);
    /* An attempt has committed lanes: the first of its transaction, or a later one. Returns whether
     * such attempts left scalar registers behind differently. Those stay in the snapshot. */
    bool (*attempt_ended)(const struct isa_wave *wave, struct isa_snapshot *snapshot,
                          bool is_first);
    /* Whether the instruction reads such a register; those that it writes are no longer such. */
    bool (*reads_differing)(const struct isa_instruction *instruction,
                            struct isa_snapshot *snapshot);
    /* Whether it is a branch of the whole wavefront on a condition that active lanes disagree
     * about: the compiler took it for uniform. */
    bool (*lanes_disagree)(const struct isa_wave *wave, const struct isa_instruction *instruction);

    /* Which registers the instruction reads and which it writes, a memory instruction's finish
     * included. Left out: flags, EXEC, and registers that another register chooses. NULL: nothing
     * says so. */
    void (*registers)(const struct isa_instruction *instruction, struct isa_registers *read,
                      struct isa_registers *written);

    /* For people. `name_of` is static. `disassemble` appends one instruction in the assembler's
     * syntax (no newline). `trace` appends the registers that the instruction wrote, with their
     * values now. `refusal` says why a REFUSED instruction cannot run. */
    const char *(*name_of)(uint16_t op);
    void (*disassemble)(const struct isa_code *code, const struct isa_instruction *instruction,
                        struct text *text);
    void (*trace)(const struct isa_wave *wave, const struct isa_instruction *instruction,
                  struct text *text);
    void (*refusal)(const struct isa_instruction *instruction, struct text *text);
};

/* GCN 1 (Southern Islands, gfx600). With `generic` the lane loops of the plain C build are used
 * even where the processor has AVX2 or AVX-512. The results are the same; a test compares them. */
const struct isa *isa_gcn(bool generic);

#endif
