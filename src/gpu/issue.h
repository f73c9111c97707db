/* SPDX-License-Identifier: MIT */
/*
 * The issue of a compute unit. In its turn (gpu/turns.h) each SIMD chooses among its wavefronts'
 * next instructions (issue.c). What is consumed in the instruction buffer goes to no unit
 * (control.c).
 *
 *     wavefronts ─► candidates ─► one of each kind, issue_width in all ─┬─► ALUs, branches: at once
 *         ▲                                                             └─► memory units
 *         └── a unit without room: STATE_QUEUE until a place is free
 *
 * It knows the wavefronts, and of each memory unit has_room and issue.
 */
#ifndef GPU_ISSUE_H
#define GPU_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/issue_order.h"
#include "isa/isa.h"
#include "sim/declare.h"

#define ISSUE_PARAMETERS(X)                                                                        \
    /* Front end */                                                                                \
    X(NUMBER, turn_cycles, "cycles", 4, 1, 64,                                                     \
      "from one turn of a SIMD to issue to its next; with more SIMDs than that, several in a "     \
      "cycle")                                                                                     \
    X(WORD, issue_order, "", "oldest_first", issue_order_word, 1,                                  \
      "which wavefront of a SIMD issues first")                                                    \
    X(NUMBER, issue_width, "instructions", 5, 1, 6,                                                \
      "instructions of different kinds issued in a cycle")                                         \
    X(NUMBER, serial_fetch_cycles, "cycles", 0, 0, 1000,                                           \
      "0: a wavefront's instructions are fetched ahead; else each when the one before it lets go " \
      "of the wavefront, and so long takes it")                                                    \
    /* At most what the fields of s_waitcnt hold: no program could wait for more. */               \
    X(NUMBER, vm_count_max, "instructions", 15, 1, 15, "largest value of VM_CNT")                  \
    X(NUMBER, exp_count_max, "instructions", 7, 1, 7, "largest value of EXP_CNT")                  \
    X(NUMBER, lgkm_count_max, "instructions", 15, 2, 15, "largest value of LGKM_CNT")              \
    X(NUMBER, wait_for_all, "", 0, 0, 1,                                                           \
      "1: s_waitcnt waits until all counters are 0, whatever it names; 0: as it says")             \
    X(NUMBER, simd_lanes, "lanes", 16, 1, 64,                                                      \
      "lanes of a SIMD (a power of two): vector operations take 16 / simd_lanes of the cycles "    \
      "below, and half of these with gpu.wavefront_lanes=32")                                      \
    /* Cycles that an instruction of 64 lanes occupies its SIMD of 16, or its wavefront */         \
    X(NUMBER, full_cycles, "cycles", 4, 1, 1000, "full-rate vector operation")                     \
    X(NUMBER, quarter_cycles, "cycles", 16, 1, 1000, "transcendental, 32-bit integer multiply")    \
    X(NUMBER, convert_cycles, "cycles", 16, 1, 1000,                                               \
      "conversion between integer and floating point")                                             \
    X(NUMBER, double_add_cycles, "cycles", 8, 1, 1000, "64-bit add, compare, shift, conversion")   \
    X(NUMBER, double_multiply_cycles, "cycles", 16, 1, 1000,                                       \
      "64-bit multiply, fused multiply-add, reciprocal")                                           \
    X(NUMBER, scalar_cycles, "cycles", 4, 1, 1000, "scalar operation")                             \
    X(NUMBER, scalar_long_cycles, "cycles", 8, 1, 1000,                                            \
      "scalar operation that exchanges EXEC, s_setreg")                                            \
    X(NUMBER, vector_to_scalar_cycles, "cycles", 16, 0, 1000,                                      \
      "more until the scalar unit can read what a vector operation wrote")                         \
    X(NUMBER, branch_cycles, "cycles", 4, 1, 1000, "branch, before a taken one refills the buffer")

struct issue_parameters {
    ISSUE_PARAMETERS(PARAMETER_FIELD)
};

struct issue_order;
struct local_unit;
struct scalar_memory;
struct vector_memory;
struct wavefront;
struct wavefronts;

struct issue {
    const struct issue_parameters *parameters;
    struct wavefronts *waves;
    struct vector_memory *vmem;
    struct local_unit *local;
    struct scalar_memory *smem;
    const struct issue_order *order;
    bool is_by_key; /* the order is that of the keys alone */
    bool sends_releases;
    uint64_t valu_cycles[ISA_LATENCY_COUNT];
};

/* Sets the turns of the wavefronts' SIMDs; all else is set before, and borrowed. `simds` of the
 * compute unit. */
void issue_init(struct issue *issue, uint64_t simds);
/* Instructions of the SIMDs whose turn it is. */
void issue_send(struct issue *issue);
/* The next cycle after this one in which a SIMD may issue; NEVER: none. */
uint64_t issue_next(const struct issue *issue);
/* Counts the slots up to this cycle. */
void issue_settle(struct issue *issue);

/* ---- control.c ---- */
/* Consumes an internal instruction. False: it has to wait, and the wavefront's state says for what.
 */
bool control_consume(struct issue *issue, struct wavefront *wave);

#endif
