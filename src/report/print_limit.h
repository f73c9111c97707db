/* SPDX-License-Identifier: MIT */
/* Part of the table: what limits the run (report/limit.h), in a line or at length. */
#ifndef REPORT_PRINT_LIMIT_H
#define REPORT_PRINT_LIMIT_H

#include <stdio.h>

#include "report/limit.h"
#include "report/run.h"
#include "report/run_log.h"

/* Of all kernels of the run together. */
void report_limits(const struct run_report *run, const struct run_log *log, struct limits *limits);
/* Of one. */
void report_kernel_limits(const struct run_report *run, const struct measurement *kernel,
                          struct limits *limits);

/* One line: the limit, its evidence in the measurement, and what to try. */
void report_print_limit(FILE *stream, const struct run_report *run,
                        const struct measurement *measurement, const struct limits *limits);
/* A line for each part of the GPU that has one per cent of the time or the work. */
void report_print_limits(FILE *stream, const struct limits *limits);

#endif
