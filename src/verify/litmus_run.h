/* SPDX-License-Identifier: MIT */
/* A tiny program on a small machine: what the files of its search share. */
#ifndef VERIFY_LITMUS_RUN_H
#define VERIFY_LITMUS_RUN_H

#include "verify/litmus.h"
#include "verify/outcomes.h"

struct litmus_state {
    _Alignas(8) uint8_t at[LITMUS_THREADS]; /* the next operation: an access, a barrier, the end */
    uint8_t is_open[LITMUS_THREADS];
    uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS];
    uint8_t locals[LITMUS_THREADS][LITMUS_LOCALS]; /* of each work-group, by its L1 */
};

/* Moves of a path from a state at rest on, which may become one line. */
struct litmus_fold {
    struct text lines;
    uint32_t first, count, requests;
    bool is_whole; /* no remote operation, no probe, no eviction: nothing but one access */
    uint8_t thread, operation;
};

struct run {
    struct traffic traffic;
    const struct litmus *litmus;
    const struct litmus_outcomes *outcomes;
    struct litmus_outcomes *shown;
    uint32_t threads, l1s, lines;
    uint32_t slices, lines_of_slice;
    struct litmus_state state;
    struct litmus_fold fold;
    bool has_columns;             /* a path is told in columns, one for each cache */
    struct litmus_state at_fault; /* at the end of the path that is told */
};

static inline struct run *run_of(const struct traffic *traffic)
{
    return container_of(traffic, struct run, traffic);
}

/* NULL: the thread has ended. */
static inline const struct litmus_operation *run_next(const struct run *run, uint32_t thread)
{
    uint8_t at = run->state.at[thread];

    return at < LITMUS_OPERATIONS && run->litmus->threads[thread][at].kind != LITMUS_END
               ? &run->litmus->threads[thread][at]
               : NULL;
}

/* The machine's number of a line: its slices' lines lie one behind the other. */
static inline uint32_t run_place(const struct run *run, uint32_t line)
{
    return line % run->slices * run->lines_of_slice + line / run->slices;
}

/* What threads ask for, how answers move them on, and what they do without an L1. */
void litmus_traffic_init(struct traffic *traffic);
/* Where they begin, and what memory holds then. */
void litmus_traffic_begin(struct run *run);

/* Adds a move of a path: an access between two states at rest that asks no other L1 is one line. */
void litmus_tell_move(void *context, const struct told_move *told, struct text *text);
/* The program, the path to a fault and what is wrong with the outcome there. */
void litmus_tell_fault(struct run *run, const struct explore_options *options,
                       const struct explore_result *result, struct text *story);

#endif
