/* SPDX-License-Identifier: MIT */
/*
 * Where wavefronts spend their time: each cycle of each resident wavefront counts once, by what the
 * wavefront does or waits for. A change of state ends an interval, so that a compute unit that
 * sleeps counts the same.
 *
 * `go` holds what executes and what could but is not chosen. The difference to the cycles of the
 * instructions issued is the time in which other wavefronts had the units. A wait for LGKM_CNT with
 * local memory instructions outstanding is local memory's.
 */
#ifndef GPU_WAVEFRONT_TIME_H
#define GPU_WAVEFRONT_TIME_H

#include <stdint.h>

#include "sim/declare.h"

#define WAVEFRONT_TIMES(X)                                                                         \
    X(GO, go, "executing, or able to: other wavefronts have the unit")                             \
    X(QUEUE_VMEM, queue_vmem, "vector memory's queue is full")                                     \
    X(QUEUE_LDS, queue_lds, "local memory's queue is full")                                        \
    X(QUEUE_SMEM, queue_smem, "scalar memory's queue is full")                                     \
    X(FETCH, fetch, "waiting for instructions")                                                    \
    X(VM, vm, "waiting for VM_CNT (vector memory)")                                                \
    X(LDS, lds, "waiting for LGKM_CNT, local memory among it")                                     \
    X(SCALAR, scalar, "waiting for LGKM_CNT, scalar loads alone")                                  \
    X(EXP, exp, "waiting for EXP_CNT (store data)")                                                \
    X(BARRIER, barrier, "waiting at a barrier")                                                    \
    X(PAUSE, pause, "s_sleep, s_nop")                                                              \
    X(TRANSACTION, transaction, "a transaction may not begin or commit yet")                       \
    X(STORES, stores, "ended, its memory instructions are not")                                    \
    X(GROUP, group, "ended, others of its work-group are not")

enum wavefront_time {
#define WAVEFRONT_TIME_ENUM(NAME, name, help) TIME_##NAME,
    WAVEFRONT_TIMES(WAVEFRONT_TIME_ENUM)
#undef WAVEFRONT_TIME_ENUM
        TIME_COUNT,
    TIME_NONE = TIME_COUNT /* no wavefront */
};

struct wavefront_times {
    uint64_t cycles[TIME_COUNT + 1]; /* the last: nothing's */
};
extern const struct statistic wavefront_time_statistics[];
extern const uint32_t wavefront_time_statistic_count;

struct wavefronts;
struct wavefront;
struct isa_instruction;

/* The wavefront's time from now on counts for what its state says. */
void wavefront_time_change(struct wavefronts *waves, struct wavefront *wave);
/* Cycles that it has executed or waited for instructions since it began. */
uint64_t wavefront_active(const struct wavefronts *waves, const struct wavefront *wave);
/* A wait has ended with the instruction, at whose issue the wavefront had been active for `since`
 * cycles. What it did since then lies in the shadow of the latency. Counted once where shadows
 * overlap. */
void wavefront_time_hidden(struct wavefronts *waves, struct wavefront *wave,
                           const struct isa_instruction *instruction, uint64_t since);
/* Counts all wavefronts' time up to now. */
void wavefront_times_settle(struct wavefronts *waves);

#endif
