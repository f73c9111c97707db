/* SPDX-License-Identifier: MIT */
/* What the two halves of the oracle on global memory share: what was seen, and the judge. */
#ifndef TM_GLOBAL_ORACLE_PRIVATE_H
#define TM_GLOBAL_ORACLE_PRIVATE_H

#include "base/text.h"
#include "sim/registry.h"
#include "tm/global_oracle.h"

#define GLOBAL_ORACLE_STATISTICS(X)                                                                \
    X(COUNTER, attempts, "lanes", "attempts that were judged")                                     \
    X(COUNTER, commits, "lanes", "of those that committed")                                        \
    X(COUNTER, doomed, "lanes", "of those that read what was never in memory at one time")         \
    X(COUNTER, doomed_cycles, "cycles", "from the begins of doomed attempts to their ends")        \
    X(COUNTER, doomed_longest, "cycles", "the longest of those")

struct global_oracle_statistics {
    GLOBAL_ORACLE_STATISTICS(STATISTIC_FIELD)
};

/* What a lane did with a word, in program order. */
enum oracle_action { ACTION_READ, ACTION_WRITE, ACTION_UPDATE };

struct global_step {
    uint64_t word;                    /* device address / 4; UPDATE of 64 bits: and the next */
    uint64_t value, operand, compare; /* value: stored, or loaded (UPDATE: the old one) */
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
    uint64_t began, ended;
    uint64_t order; /* of those that committed */
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
    uint32_t unit_count;
    struct global_witness *units;
    struct global_image *images;
    uint32_t image_count, image_capacity;
    struct oracle_violation violation;
    struct oracle_place place;
    struct text text;
    struct global_oracle_statistics statistics;
};

#endif
