/* SPDX-License-Identifier: MIT */
/* Runs the points of a plan that a database lacks, and stores each as it ends. */
#ifndef LABORATORY_SWEEP_H
#define LABORATORY_SWEEP_H

#include "laboratory/database.h"

struct sweep_options {
    const char *output;     /* the database */
    const char *known;      /* another database, whose points are not run again; NULL: none */
    const char *executable; /* of `wavetank` */
    unsigned jobs;
    unsigned shard, shards; /* of so many parts this one, from 1; shards 0: all */
    bool is_quiet, without_progress;
    const struct point_context *context; /* what the points were resolved against */
};

enum sweep_result {
    SWEEP_DONE,
    SWEEP_FAILED_POINTS,
    SWEEP_STOPPED, /* by a signal: options say which */
    SWEEP_REFUSED, /* a diagnosis: something is wrong with the plan or the files */
    SWEEP_LOST     /* a diagnosis: results cannot be written any more */
};

/* `*signal_number` is set for SWEEP_STOPPED. */
enum sweep_result sweep_run(const struct plan *plan, const struct points *points,
                            const struct sweep_options *options, int *signal_number,
                            struct diagnosis *diagnosis);

#endif
