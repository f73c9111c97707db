/* SPDX-License-Identifier: MIT */
/* What a litmus test's outcomes mean: the table `verdicts`, for one protocol. */
#ifndef TESTS_LITMUS_JUDGE_H
#define TESTS_LITMUS_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

enum { JUDGE_REGISTERS = 4, JUDGE_MAX_OUTCOMES = 64, JUDGE_MAX_ROWS = 16 };

enum judge_verdict { VERDICT_ALLOWED, VERDICT_FORBIDDEN, VERDICT_REQUIRED };

/* A line of the table that is about the test. */
struct judge_row {
    char pattern[JUDGE_REGISTERS];
    enum judge_verdict verdict;
    uint64_t seen; /* outcomes that it describes */
};

struct judge {
    struct judge_row rows[JUDGE_MAX_ROWS];
    unsigned row_count;
    struct judge_outcome {
        uint32_t registers[JUDGE_REGISTERS];
        uint64_t count;
        enum judge_verdict verdict;
    } outcomes[JUDGE_MAX_OUTCOMES];
    unsigned outcome_count;
    uint64_t runs, forbidden;
};

/* Reads what the table says of the test under the protocol; NULL: of any memory system, so that
 * nothing is required. False and a line on stderr: the table is wrong, or has no line for the
 * test. */
bool judge_init(struct judge *judge, const char *table, const char *test, const char *protocol);

void judge_add(struct judge *judge, const uint32_t registers[JUDGE_REGISTERS]);

/* Nothing forbidden was seen, and all that is required. */
bool judge_is_right(const struct judge *judge);

const char *judge_verdict_name(enum judge_verdict verdict);

#endif
