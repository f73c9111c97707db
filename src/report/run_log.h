/* SPDX-License-Identifier: MIT */
/*
 * What is kept of launches: sums, of all together and by kernel name, and which did not finish. It
 * grows with the number of different kernels, not with the number of launches.
 */
#ifndef REPORT_RUN_LOG_H
#define REPORT_RUN_LOG_H

#include "report/metrics.h"
#include "report/run.h"

/* Launches of a timed run that ran functionally: in no measurement. */
struct untimed_launches {
    uint64_t launches, instructions;
};

/* All launches of one name. */
struct kernel_total {
    char *name;
    uint32_t first; /* launch, from 0 */
    struct measurement all;
    struct measurement unlisted; /* launches without a JSON object of their own; empty: sums NULL */
    struct untimed_launches untimed;
};

/* Numbers of launches, from 1. */
struct launch_range {
    uint64_t first, last;
};

struct unfinished_launch {
    uint32_t launch; /* from 0 */
    char *name;
    const char *outcome;
    uint64_t groups_done, groups_total;
};

struct code_hash {
    uint64_t words[2];
};

struct run_log {
    struct levels levels;
    struct measurement all;
    struct untimed_launches untimed;
    struct launch_range *timed; /* where some are untimed: the others, in ascending order */
    uint32_t timed_count;
    struct kernel_total *kernels; /* in the order of their first launches */
    uint32_t kernel_count, latest;
    struct code_hash *hashes; /* of code objects, each once, in the order of their first launches */
    uint32_t hash_count;
    struct unfinished_launch *unfinished;
    uint32_t unfinished_count;
};

/* The registry must outlive it. core_khz as in struct run_report. */
void run_log_init(struct run_log *log, const struct registry *registry, uint64_t core_khz);
void run_log_finish(struct run_log *log);

/* Adds a launch. `is_listed`: it has a JSON object of its own, or no place in the file at all. */
void run_log_add(struct run_log *log, const struct run_kernel *kernel, bool is_listed);
/* Adds one that was not timed. */
void run_log_add_untimed(struct run_log *log, const struct run_kernel *kernel);

/* Adds a launch to one measurement. */
void measurement_add(struct measurement *measurement, const struct run_kernel *kernel);

#endif
