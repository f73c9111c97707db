/* SPDX-License-Identifier: MIT */
/*
 * Tiny programs of scoped synchronisation, through every order of messages, and of evictions, that
 * a small machine allows. A program is a list of operations for each thread, each thread on an L1
 * of its own, and an outcome of its loads that happens-before, with scopes, forbids. Each operation
 * waits for the one before it.
 */
#ifndef VERIFY_LITMUS_H
#define VERIFY_LITMUS_H

#include "verify/explore.h"

enum { LITMUS_THREADS = 3, LITMUS_OPERATIONS = 9, LITMUS_TERMS = 3 };

enum litmus_kind {
    LITMUS_END,
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_STORE_NEXT,
    LITMUS_CAS,
    LITMUS_ADD
};
enum litmus_reach { REACH_PLAIN, REACH_GROUP, REACH_DEVICE, REACH_REMOTE };

struct litmus_operation {
    uint8_t kind, reach, order; /* order: enum message_order */
    uint8_t line;               /* its first word: 0 is x, 1 is y, 2 is z */
    uint8_t value; /* STORE, ADD; CAS: from 0 to this. STORE_NEXT: the latest loaded and this */
    uint8_t skip;  /* CAS: so many operations are left out if it fails */
};

/* The value that an operation has returned. */
struct litmus_term {
    uint8_t thread, operation, value;
};

struct litmus {
    const char *name, *help;
    bool is_remote; /* for protocols that have that scope */
    struct litmus_operation threads[LITMUS_THREADS][LITMUS_OPERATIONS];
    struct litmus_term forbidden[LITMUS_TERMS]; /* all of these together */
    uint8_t term_count;
};

extern const struct litmus litmus_programs[];
extern const uint32_t litmus_program_count;

/* How many operations its threads have together. */
uint32_t litmus_operations(const struct litmus *litmus);

/* Explores the program. `evicts`: any cache may give up any line at any time. `story`: the shortest
 * path to what is forbidden, and the program. */
bool litmus_explore(const struct litmus *litmus, const struct protocol *protocol, bool evicts,
                    uint64_t most_states, struct explore_result *result, struct text *story,
                    struct diagnosis *diagnosis) MUST_USE;

#endif
