/* SPDX-License-Identifier: MIT */
/* From a run's description to measurements. */
#ifndef REPORT_MEASURE_H
#define REPORT_MEASURE_H

#include "report/metrics.h"
#include "report/run.h"

/* Adds a launch to a measurement. */
void measure_kernel(struct measurement *measurement, const struct run_kernel *kernel);
/* Adds all launches of a run. */
void measure_run(struct measurement *measurement, const struct run_report *run);

#endif
