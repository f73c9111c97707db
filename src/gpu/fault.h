/* SPDX-License-Identifier: MIT */
/*
 * Why a launch cannot go on, found while an instruction was executed. It is an access outside
 * device memory, an instruction that the model refuses, or a program counter that left the code.
 * The first one found in a compute unit is kept and stops the engine. Of several compute units in
 * one instant the machine reports the one of the lowest number.
 */
#ifndef GPU_FAULT_H
#define GPU_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "gpu/launch.h"
#include "mem/backing.h"

enum fault_kind {
    FAULT_NONE,
    FAULT_UNMAPPED,    /* address and bytes belong to no buffer */
    FAULT_MISALIGNED,  /* an atomic's address is no multiple of its bytes */
    FAULT_LOCAL,       /* address and bytes lie beyond the work-group's local memory */
    FAULT_REFUSED,     /* `reason` says why, or isa->refusal */
    FAULT_TRANSACTION, /* `reason` says what no transaction can undo or contain */
    FAULT_OLD_BYTE,    /* none, but told like one: a load is older than another unit's store */
    FAULT_NO_CODE      /* the program counter points at no instruction */
};

/* Why a transaction cannot go on. */
#define TM_REASON_END "the wavefront ends in an open transaction"
#define TM_REASON_BARRIER "a barrier in a transaction: lanes that abort never come to it"
#define TM_REASON_NO_BEGIN "a commit without a begin"
#define TM_REASON_OTHERS "a commit of lanes that did not begin"
#define TM_REASON_PART "only part of the transaction's lanes reach this commit"
#define TM_REASON_PRIVATE                                                                          \
    "a store to private memory in a transaction: a lane that starts again would find it"

#define TM_REASON_SCALAR                                                                           \
    "a scalar load reads what a transaction of this kernel writes: it passes transactional "       \
    "memory "                                                                                      \
    "by; use a pointer to volatile, and no `const restrict` or __constant one"
#define TM_REASON_DIFFERS                                                                          \
    "it reads a scalar register that the attempts of a transaction left behind differently: what " \
    "is used behind a commit must pass through it (WAVETANK_COMMIT_KEEP)"
#define TM_REASON_UNEVEN                                                                           \
    "the compiler took its condition for equal in all lanes, and it is not: what is used behind "  \
    "a "                                                                                           \
    "commit must pass through it (WAVETANK_COMMIT_KEEP)"

struct fault {
    enum fault_kind kind;
    const struct launch *launch;
    uint32_t group[3];
    uint32_t wavefront; /* of the work-group */
    uint32_t lane;
    uint32_t bytes;
    uint64_t pc;
    uint64_t address;
    uint64_t other_pc;                 /* TRANSACTION: of the access that it met; 0: none */
    uint8_t access;                    /* enum isa_memory_kind */
    uint64_t stored_pc, stored_cycles; /* OLD_BYTE: the store; its answer came so long before */
    uint32_t stored_unit;              /* by which compute unit */
    const char *reason;                /* REFUSED when it was executed; NULL: when it was decoded */
};

/* Of a wavefront that has no instruction at its program counter: why, and where. */
void fault_of_no_instruction(const struct isa_wave *wave, struct fault *fault);

/* Gives the source line of the instruction at device address `pc`, as "FILE:LINE"; false: not
 * known. */
typedef bool fault_source_line(void *context, uint64_t pc, char *place, size_t place_bytes);

/* Fills the diagnosis: kernel, instruction (disassembled), lane and its work-item's global id,
 * address, nearest buffer, source line. Returns false. `backing` and `source_line` may be NULL. */
bool fault_diagnose(const struct fault *fault, const struct isa *isa, const struct backing *backing,
                    fault_source_line *source_line, void *context, struct diagnosis *diagnosis);

#endif
