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
    LITMUS_OPERATIONS = 16,
    LITMUS_TERMS = 4,
    LITMUS_LINES = 4,
    LITMUS_LOCALS = 4,                 /* words of local memory */
    LITMUS_GLOBALS = 2 * LITMUS_LINES, /* two words of each line */
    LITMUS_WORDS = LITMUS_GLOBALS + LITMUS_LOCALS,
    LITMUS_REGISTERS = 8,
    LITMUS_NAME = 24,
    LITMUS_WORD_BYTES = 4,
    LITMUS_NO_VALUE = 255
};

enum litmus_kind {
    LITMUS_END,
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_STORE_NEXT,
    LITMUS_CAS,
    LITMUS_ADD,
    LITMUS_EXCHANGE,
    LITMUS_BARRIER, /* of the work-group, for what `regions` says */
    LITMUS_SET,     /* a register: `number`, and register `from` if there is one */
    LITMUS_BRANCH   /* leaves out `skip` operations unless register `from` compares with `number` */
};
enum litmus_reach { REACH_PLAIN, REACH_GROUP, REACH_DEVICE, REACH_REMOTE };
enum litmus_test { TEST_EQUAL, TEST_NOT_EQUAL, TEST_MAX, TEST_MIN };
enum litmus_region { REGION_GLOBAL = 1, REGION_LOCAL = 2 };

struct litmus_operation {
    uint8_t kind, reach, order; /* order: enum message_order */
    uint8_t line, word;         /* word 0 of the lines: x, y, z; word 1: X, Y, Z */
    uint8_t value; /* STORE, ADD; CAS: from 0 to this. STORE_NEXT: the latest loaded and this */
    uint8_t skip;  /* so many operations are left out if a CAS fails, or a LOAD or ADD gets 0 */
    /* Of registers: their number and 1. */
    uint8_t into;     /* takes what is returned: of a CAS 1 if it swaps, else 0 */
    uint8_t from;     /* its value is added to `value` */
    uint8_t expected; /* CAS: swaps if this is there, and register expected_from with it */
    uint8_t expected_from;
    uint8_t test, regions;
    bool is_local;      /* `line` is the number of a word of local memory */
    bool reaches_all;   /* DEVICE, REMOTE: of all devices */
    bool fails_relaxed; /* CAS: it acquires only if it swaps */
    int16_t number;
};

/* What a file calls its words and registers. */
struct litmus_names {
    char words[LITMUS_WORDS][LITMUS_NAME];
    char registers[LITMUS_THREADS][LITMUS_REGISTERS][LITMUS_NAME];
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
    /* Of those from files. */
    const struct litmus_names *names; /* NULL: x, y, z */
    uint8_t devices[LITMUS_THREADS];  /* of each thread; the machine is one, whatever this says */
    uint8_t initial[LITMUS_WORDS];
    bool is_plain[LITMUS_WORDS]; /* not declared atomic: loads see what happens before them */
};

extern const struct litmus litmus_programs[];
extern const uint32_t litmus_program_count;

/* How many threads it has, how many accesses these have together, and of a thread its L1. */
uint32_t litmus_threads(const struct litmus *litmus);
uint32_t litmus_operations(const struct litmus *litmus);
uint32_t litmus_l1(const struct litmus *litmus, uint32_t thread);
/* Number of the operation's word: the globals, then the locals. */
uint32_t litmus_word(const struct litmus_operation *operation);
bool litmus_is_access(const struct litmus_operation *operation);

struct litmus_registers {
    int16_t of[LITMUS_REGISTERS];
};

/* The thread's first operation from `at` on that is an access, a barrier or the end, with all
 * before `at` done: what these returned. And the registers there. */
uint8_t litmus_settle(const struct litmus *litmus, uint32_t thread, uint8_t at,
                      const uint8_t returned[LITMUS_OPERATIONS],
                      struct litmus_registers *registers);
/* What an operation stores or adds, and what a CAS expects. */
int16_t litmus_operand(const struct litmus_operation *operation,
                       const struct litmus_registers *registers);
int16_t litmus_expected(const struct litmus_operation *operation,
                        const struct litmus_registers *registers);

/* Whether two atomic operations reach each other: by their scopes, or since one is remote. */
bool litmus_meet(const struct litmus *litmus, uint32_t thread,
                 const struct litmus_operation *operation, uint32_t other_thread,
                 const struct litmus_operation *other);

/* An operation of the thread, and the program, a thread after the other. */
void litmus_print_operation(const struct litmus *litmus, uint32_t thread,
                            const struct litmus_operation *operation, struct text *text);
void litmus_print_word(const struct litmus *litmus, uint32_t word, struct text *text);
void litmus_print(const struct litmus *litmus, struct text *text);

struct litmus_outcomes;
struct litmus_search {
    const struct protocol *protocol;
    uint64_t breaks, states_max, bytes_max;
    uint32_t slices;                        /* x and z are of the first, y of the last */
    bool evicts;                            /* any cache may give up any line at any time */
    bool has_columns;                       /* the story's path has a column for each cache */
    const struct litmus_outcomes *outcomes; /* NULL: only the program's terms are judged */
    struct litmus_outcomes *shown;          /* what the search finds is added; NULL: it is not */
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
