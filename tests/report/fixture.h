/* SPDX-License-Identifier: MIT */
/* A registry with the places and statistics of a small machine, and a run of two kernels on it.
 * Values are set by name. */
#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/run_log.h"

struct fixture {
    struct registry registry;
    void **values; /* of each group; owned */
    struct levels levels;
};

/* Two compute units with their L1s, one scalar and one instruction cache, two L2 slices and memory
 * channels, four crossbars, a dispatcher. */
void fixture_init(struct fixture *fixture);
void fixture_finish(struct fixture *fixture);

/* Sets a counter ("cu1.l1.loads"), or adds to a histogram `weight` times `value`. Stops the test on
 * an unknown path. */
void fixture_set(struct fixture *fixture, const char *path, uint64_t value);
void fixture_add(struct fixture *fixture, const char *path, uint64_t value, uint64_t weight);

/* What the fixture holds now, as a launch would have added it. changes_finish frees it. */
struct changes fixture_changes(const struct fixture *fixture);

/* A run of two equal launches of `transpose`, whose changes are what the fixture holds now; two
 * calls of it make the same run. The strings and numbers are fixed. The log is empty until
 * sample_run_log. Everything but the fixture's registry is its own. */
struct sample_run {
    struct snapshot snapshot;
    struct changes changes;
    struct run_kernel kernels[2];
    struct run_setting settings[2];
    struct run_report report;
    struct run_log log;
};
void sample_run_init(struct sample_run *sample, const struct fixture *fixture);
void sample_run_finish(struct sample_run *sample);
/* Adds both launches to the log. */
void sample_run_log(struct sample_run *sample);

/* The whole JSON report, its launches listed, and the table; logs the launches. The caller frees.
 */
char *printed_json(struct sample_run *sample);
char *printed_table(struct sample_run *sample);

#endif
