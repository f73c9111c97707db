/* SPDX-License-Identifier: MIT */
/*
 * Derived metrics: ratios and rates, which no component counts. They are a declared list
 * (metrics.def), each with unit, meaning and the formula that is evaluated. Formulas are over sums
 * of counters (report/level.h) and four facts of what is measured:
 *
 *     kernel.cycles         core cycles
 *     kernel.ns             the same in nanoseconds
 *     kernel.instructions   wavefront instructions
 *     places.NAME           how many places the level NAME has ("places.cu")
 *
 * A metric of several kernels is the formula over their sums, never a mean of ratios.
 */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/formula.h"
#include "report/level.h"

struct metric {
    const char *name; /* "l1.hit_ratio" */
    const char *unit; /* "ratio": 0 to 1 */
    const char *formula;
    const char *help;
};

extern const struct metric metrics[];
extern const unsigned metric_count;

/* What was measured: one kernel, or several together. */
struct measurement {
    struct formula_names names; /* set by measurement_init */
    const struct levels *levels;
    uint64_t *sums; /* levels->word_count words; owned */
    uint64_t core_khz;
    uint64_t cycles, instructions, time_ns;
    uint64_t groups_done, groups_total;
    uint32_t launches;
};

/* An empty measurement; end it with measurement_finish. */
void measurement_init(struct measurement *measurement, const struct levels *levels,
                      uint64_t core_khz);
void measurement_finish(struct measurement *measurement);

/* The metric of that name, or NULL. */
const struct metric *metric_find(const char *name);
/* False: not defined for this measurement. */
bool metric_value(const struct metric *metric, const struct measurement *measurement,
                  double *value);
/* The same by name; stops the program when there is no metric of that name. */
bool measurement_metric(const struct measurement *measurement, const char *name, double *value);

#endif
