/* SPDX-License-Identifier: MIT */
/* Paths of threads and the executions that are made of them: what the files of axioms.h share. */
#ifndef VERIFY_AXIOMS_PRIVATE_H
#define VERIFY_AXIOMS_PRIVATE_H

#include "verify/axioms.h"

enum {
    AXIOM_EVENTS = 64,
    AXIOM_PATH_EVENTS = 2 * LITMUS_OPERATIONS,
    AXIOM_PATHS_MAX = 1 << 16, /* of a thread */
    AXIOM_TRIES_MAX = 1 << 24, /* executions that are looked at */
    AXIOM_VALUES = 255         /* of a word: 0 to 254 */
};

enum axiom_kind {
    AXIOM_FIRST /* what the word holds at the start */,
    AXIOM_ACCESS,
    AXIOM_ENTRY,
    AXIOM_EXIT
};

struct axiom_event {
    uint8_t kind, thread, operation;
    uint8_t word;
    bool reads, writes;
    uint8_t read, written; /* values */
    uint8_t number;        /* of a barrier, among those of its thread */
    uint8_t reach, order, regions;
};

/* What a thread does if its loads return what they do here. */
struct axiom_path {
    uint8_t returned[LITMUS_OPERATIONS];
    uint8_t count;
    struct axiom_event events[AXIOM_PATH_EVENTS];
};

struct axiom_paths {
    struct axiom_path *list;
    uint32_t count, capacity;
};

/* All paths of all threads whose loads return values that some path stores. */
bool axiom_find_paths(const struct litmus *litmus, struct axiom_paths paths[LITMUS_THREADS],
                      struct diagnosis *diagnosis) MUST_USE;
void axiom_paths_finish(struct axiom_paths paths[LITMUS_THREADS]);

/* An execution: a path of each thread, for each load its source, for each word its stores in their
 * order. Sets of events are bits. */
struct axiom_execution {
    const struct litmus *litmus;
    uint32_t count;
    struct axiom_event events[AXIOM_EVENTS];
    uint8_t source[AXIOM_EVENTS];     /* of what reads: the event whose value it takes */
    uint64_t behind[AXIOM_EVENTS];    /* of a store: those of its word after it */
    uint64_t of_word[LITMUS_WORDS];   /* the word's accesses, the first one too */
    uint64_t stores[LITMUS_WORDS];    /* of these what writes */
    uint64_t before[2][AXIOM_EVENTS]; /* global, local: what happens after the event */
    struct litmus_outcome outcome;
    uint8_t broken[2]; /* AXIOM_IMPOSSIBLE: the first happens before the second, which is older */
};

enum axiom_verdict { AXIOM_IMPOSSIBLE, AXIOM_DEFINED, AXIOM_UNDEFINED };

/* What the axioms say of it. Undefined: why. */
enum axiom_verdict axiom_judge(struct axiom_execution *execution, struct axioms_found *found);

#endif
