/* SPDX-License-Identifier: MIT */
/*
 * Tiny programs of scoped synchronisation, through every order of messages, and of evictions, that
 * a small machine allows. A program is a list of operations for each thread, and an outcome of its
 * loads. Happens-before, with scopes, forbids that outcome, or the protocols must be able to show
 * it. Where a program has no race every outcome is judged, with what is in memory at the end
 * (outcomes.h). Threads have L1s of their own or share one; those that share one are of one
 * work-group. Each operation waits for the one of its thread before it.
 */
#ifndef VERIFY_LITMUS_H
#define VERIFY_LITMUS_H

#include "verify/explore.h"

enum {
    LITMUS_THREADS = 4,
    LITMUS_OPERATIONS = 9,
    LITMUS_TERMS = 4,
    LITMUS_LINES = 3,
    LITMUS_WORDS = 2 * LITMUS_LINES, /* two of each line */
    LITMUS_WORD_BYTES = 4,
    LITMUS_NO_VALUE = 255
};

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
    uint8_t line, word;         /* word 0 of the lines: x, y, z; word 1: X, Y, Z */
    uint8_t value; /* STORE, ADD; CAS: from 0 to this. STORE_NEXT: the latest loaded and this */
    uint8_t skip;  /* so many operations are left out if a CAS fails, or a LOAD or ADD gets 0 */
};

/* The value that an operation has returned. */
struct litmus_term {
    uint8_t thread, operation, value;
};

enum litmus_verdict {
    VERDICT_FORBIDDEN, /* all terms together */
    VERDICT_SHOWN,     /* the search must find them: a race, and what is too weak for it */
    VERDICT_ALLOWED    /* nothing is said of them: the search looks for other faults */
};

struct litmus {
    const char *name, *help;
    bool is_remote; /* for protocols that have that scope */
    struct litmus_operation threads[LITMUS_THREADS][LITMUS_OPERATIONS];
    struct litmus_term terms[LITMUS_TERMS];
    uint8_t term_count;
    uint8_t verdict;
    uint8_t l1s[LITMUS_THREADS]; /* of each thread; all 0: one of its own for each */
    bool shares_l1s;             /* l1s counts, though all are 0 */
    bool needs_evictions;        /* VERDICT_SHOWN: it is shown only where caches give up lines */
};

extern const struct litmus litmus_programs[];
extern const uint32_t litmus_program_count;

/* How many threads it has, how many operations these have together, and of a thread its L1. */
uint32_t litmus_threads(const struct litmus *litmus);
uint32_t litmus_operations(const struct litmus *litmus);
uint32_t litmus_l1(const struct litmus *litmus, uint32_t thread);

/* Whether two atomic operations reach each other: by their scopes, or since one is remote. */
bool litmus_meet(const struct litmus *litmus, uint32_t thread,
                 const struct litmus_operation *operation, uint32_t other_thread,
                 const struct litmus_operation *other);

/* An operation, and the program, a thread after the other; `R_g y` is an acquire load of y. */
void litmus_print_operation(const struct litmus_operation *operation, struct text *text);
void litmus_print(const struct litmus *litmus, struct text *text);

struct litmus_outcomes;
struct litmus_search {
    const struct protocol *protocol;
    uint64_t breaks, states_max, bytes_max;
    uint32_t slices;                        /* x and z are of the first, y of the last */
    bool evicts;                            /* any cache may give up any line at any time */
    const struct litmus_outcomes *outcomes; /* NULL: only the program's terms are judged */
    /* Called with the machine at the end, for its rows; NULL: they are not counted. */
    void (*look)(void *context, const struct world *world);
    void *context;
};

/* Explores the program. `story`: the shortest path to what is forbidden, and the program. A program
 * whose terms must be shown and were not ends as EXPLORE_EXHAUSTED with `is_shown` false. */
struct litmus_result {
    struct explore_result explored;
    bool is_shown;
};
bool litmus_explore(const struct litmus *litmus, const struct litmus_search *search,
                    struct litmus_result *result, struct text *story,
                    struct diagnosis *diagnosis) MUST_USE;

#endif
