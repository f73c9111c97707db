/* SPDX-License-Identifier: MIT */
/* Parameters in formulas over a measurement, as "set.PATH": "set.l1.ports". */
#ifndef REPORT_SETTINGS_H
#define REPORT_SETTINGS_H

#include "report/metrics.h"
#include "report/run.h"

struct settings_names {
    struct formula_names names;
    const struct run_report *run;
    const struct measurement *measurement;
};

/* The measurement's names and the run's parameters; both borrowed. */
struct settings_names settings_names(const struct run_report *run,
                                     const struct measurement *measurement);

#endif
