/* SPDX-License-Identifier: MIT */
/*
 * The fastest of a plan's points, without running all of them to the end: successive halving.
 *
 *     first point ─► to its end
 *     all ─► a short beginning ─► those that did most ─► a longer beginning ─► those that did most
 *     these ─► to the end, or until they are slower than the best so far
 *
 * What a point has done after some cycles is its wavefront instructions: all points execute the
 * same program. A program that spins while it waits has others; then a point may be left that
 * should not be.
 *
 * The first rung takes a quarter of the share of cycles that may be simulated. It tells how long
 * the runs of all points would be, and so how much is left for the second and for whole runs. A
 * point that fails is left.
 *
 * Source: K. Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter
 * Optimization", AISTATS 2016, https://proceedings.mlr.press/v51/jamieson16.html (the order of
 * rungs; lengths are ours).
 */
#ifndef LABORATORY_TUNE_H
#define LABORATORY_TUNE_H

#include <stdint.h>

#include "laboratory/point.h"

struct candidate {
    uint64_t cycles;       /* of the whole program; 0: it was not run to the end */
    uint64_t seen_cycles;  /* of the longest prefix that was run */
    uint64_t instructions; /* done in that */
    bool is_slower;        /* than the best, when it was stopped in the last rung */
    double behind;         /* of the best of the rung in which it was left, as a share of that */
    char *message;         /* why it failed; NULL: it did not */
};

struct tuning {
    struct candidate *candidates; /* in the order of the points */
    unsigned count;
    unsigned best;         /* index */
    uint64_t total_cycles; /* simulated in all */
    double behind_min; /* of those left in an early rung, of the one nearest to the best; 1: none */
    double largest_shift; /* of any point's place from a rung to the next, as a share */
};

struct tune_options {
    const char *executable;
    unsigned jobs;
    double share; /* of the cycles of running all */
    bool is_quiet;
};

/* False and a diagnosis: the first point fails, or nothing can be run. The caller ends it with
 * tuning_finish, also after a failure. */
bool tune_points(const struct plan *plan, const struct points *points,
                 const struct tune_options *options, struct tuning *tuning,
                 struct diagnosis *diagnosis) MUST_USE;
void tuning_finish(struct tuning *tuning);

#endif
