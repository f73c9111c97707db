/* SPDX-License-Identifier: MIT */
/*
 * The limit of a run: the part of the GPU whose relief would make the run shorter than any other's.
 * A relief makes one part twice as fast, wide or deep and moves nothing else (tests/limits.yaml).
 *
 * It is not the part that most wait for: a full MSHR file waits for what is behind it. So time is
 * followed to where it is spent (report/limit*.def hold the rules, docs/models/limit.md says why):
 *
 *     wavefronts' time ─► units ─► instructions' places ─► what is behind these ─► limits
 *
 * A part in front of which others queue counts for more than its share, by 1 / (1 - crowd). This is
 * an open queue's answer to a small change. No relief makes a run shorter than another part's work.
 *
 * Left out: hot spots in space, since sums over all places are looked at; capacities and policies,
 * which are no rates. What other kernels of the run do meanwhile is left out too, since each is
 * judged by itself.
 */
#ifndef REPORT_LIMIT_H
#define REPORT_LIMIT_H

#include "report/formula.h"

enum limit_name {
#define LIMIT(NAME, ...) LIMIT_##NAME,
#include "report/limit.def"
    LIMIT_COUNT,
    LIMIT_NOTHING = LIMIT_COUNT
};

struct limit_description {
    const char *name;                    /* "l1_mshr" */
    const char *what;                    /* what it is, in a few words */
    const char *busy, *crowd, *relieved; /* formulas */
    /* Formulas that show it, and what their values are: a ratio where the words end in %. */
    struct limit_fact {
        const char *formula, *words; /* words NULL: there is no second */
    } facts[2];
    const char *attempt; /* what to try */
};
extern const struct limit_description limit_descriptions[LIMIT_COUNT];

/* One kernel's, or several kernels' together. */
struct limits {
    double cycles;
    double time[LIMIT_COUNT];     /* share of wavefronts' time that it would shorten */
    double share[LIMIT_COUNT];    /* the same, weighed by how crowded each is */
    double busy[LIMIT_COUNT];     /* share of the time in which it works */
    double relieved[LIMIT_COUNT]; /* cycles that the run would take with it relieved, estimated */
};

/* Estimates a kernel's limits from its statistics and the machine's parameters
 * (report/settings.h). */
void limits_estimate(struct limits *limits, const struct formula_names *kernel);
/* Adds one kernel's to those of several. */
void limits_add(struct limits *sum, const struct limits *limits);

/* The one whose relief is estimated to gain most; LIMIT_NOTHING: none would gain a tenth. */
enum limit_name limits_choose(const struct limits *limits);
/* Cycles more that the run takes than it would with it relieved, as a share of the latter. */
double limits_gain(const struct limits *limits, enum limit_name name);

#endif
