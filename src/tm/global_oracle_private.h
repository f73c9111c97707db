/* SPDX-License-Identifier: MIT */
/* What the parts of the oracle on global memory share: what was seen, and the judge. */
#ifndef TM_GLOBAL_ORACLE_PRIVATE_H
#define TM_GLOBAL_ORACLE_PRIVATE_H

#include "base/text.h"
#include "sim/registry.h"
#include "tm/global_oracle.h"

#define GLOBAL_ORACLE_STATISTICS(X)                                                                \
    X(COUNTER, attempts, "lanes", "attempts that were judged")                                     \
    X(COUNTER, commits, "lanes", "of those that committed")                                        \
    X(COUNTER, doomed, "lanes", "of those that read what was never in memory at one time")         \
    X(COUNTER, doomed_cycles, "cycles", "from the loads that doomed these to their ends")          \
    X(COUNTER, doomed_longest, "cycles", "the longest of those")                                   \
    X(COUNTER, doomed_ran, "cycles", "of those cycles, before their commits")                      \
    X(COUNTER, doomed_ran_longest, "cycles", "the longest of those")

struct global_oracle_statistics {
    GLOBAL_ORACLE_STATISTICS(STATISTIC_FIELD)
};

/* What a lane did with a word, in program order. */
enum oracle_action { ACTION_READ, ACTION_WRITE, ACTION_UPDATE };

struct global_step {
    uint64_t word;                    /* device address / 4; UPDATE of 64 bits: and the next */
    uint64_t value, operand, compare; /* value: stored, or loaded (UPDATE: the old one) */
    uint64_t landed;                  /* cycle in which `value` came, of a load */
    uint32_t mask;
    uint8_t action, rmw;
    bool is_wide, is_known; /* known: `value` has come */
    uint16_t tag;
    uint64_t pc;
};

struct global_attempt {
    struct global_step *steps;
    uint32_t count, capacity;
    struct oracle_place place;
    uint64_t began, stopped, ended; /* stopped: at its commit; 0: it aborted before */
    uint64_t order;                 /* of those that committed */
    uint32_t unit, sequence;
    bool is_open, has_committed;
};

/* Of a compute unit. */
struct global_witness {
    struct global_attempt open[TM_MAX_WAVEFRONTS][ISA_MAX_LANES];
    struct global_attempt *ended;
    uint32_t ended_count, ended_capacity;
    uint64_t *plain; /* words */
    uint32_t plain_count, plain_capacity;
};

struct global_image {
    uint64_t address, count;
    unsigned char *bytes;
};

struct global_oracle {
    enum tm_promise promise;
    uint64_t doomed_max;
    uint32_t unit_count;
    struct global_witness *units;
    struct global_image *images;
    uint32_t image_count, image_capacity;
    struct oracle_violation violation;
    struct oracle_place place;
    struct text text;
    struct global_oracle_statistics statistics;
};

/* A word's value from the replay's place `from` on. */
struct judged_version {
    uint64_t from;
    uint32_t value;
};

struct judged_word {
    uint64_t word; /* + 1; 0: the place is free */
    uint32_t initial, now;
    bool is_mixed;    /* also stored to outside of transactions */
    uint64_t writer;  /* program counter of the latest store in the replay */
    uint64_t toucher; /* of some access to it */
    struct judged_version *versions;
    uint32_t count, capacity;
};

struct judge {
    struct global_oracle *oracle;
    struct judged_word *words;
    uint32_t capacity, count;
    uint64_t length; /* transactions replayed */
    const struct global_attempt **order;
    uint32_t order_count;
};

/* What an attempt has stored so far: a word each. */
struct own_word {
    uint64_t word;
    uint32_t mask, value, unknown; /* bytes; unknown: of an update whose old value did not come */
};

struct replayed {
    struct own_word *own;
    uint32_t count, capacity;
};

/* A read of what others left. */
struct foreign {
    uint64_t word, pc;
    uint64_t landed;
    uint32_t mask, value;
};

/* ---- global_judge.c ---- */
/* Borrowed until the next is asked for. */
struct judged_word *judge_word(struct judge *judge, uint64_t word);
/* The first one stays. */
void judge_violate(struct judge *judge, const struct global_attempt *attempt,
                   const struct foreign *read, uint32_t expected, uint64_t other_pc,
                   const char *what);
/* Calls `look` for each read of what others left. `judge`: old values that did not come are taken
 * from the replay as it stands; NULL: they stay unknown. False: the attempt did not read what it
 * had stored. */
bool judge_run(struct judge *judge, const struct global_attempt *attempt, struct replayed *replayed,
               void (*look)(void *context, const struct foreign *read), void *context,
               struct foreign *wrong);

/* ---- global_doom.c ---- */
/* Whether each attempt's reads fit one point of the replay; if not, for how long it ran on. */
void judge_attempts(struct judge *judge, struct replayed *replayed);

#endif
