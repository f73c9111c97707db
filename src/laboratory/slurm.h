/* SPDX-License-Identifier: MIT */
/*
 * A plan on a cluster that Slurm manages. It is an array of jobs, each with its part of the points
 * and a database of its own below RESULTS.parts/. One job behind them merges, whatever became of
 * them. No two jobs write one file. The folder must be one that all nodes see.
 *
 * Source: Slurm documentation, sbatch(1), job arrays, https://slurm.schedmd.com/sbatch.html.
 */
#ifndef LABORATORY_SLURM_H
#define LABORATORY_SLURM_H

#include "laboratory/sweep.h"

struct slurm_options {
    const struct sweep_options *sweep;
    unsigned tasks; /* parts, at most; 0: one for every four open points, 100 at most */
    bool waits;     /* until the merge has ended */
    char **words;   /* for sbatch, NULL-terminated */
};

/* Records the plan, and submits what is open. SWEEP_DONE: submitted, nothing to do, or (with
 * `waits`) all points are there. */
enum sweep_result slurm_submit(const struct plan *plan, const struct points *points,
                               const struct slurm_options *options, struct diagnosis *diagnosis);

#endif
