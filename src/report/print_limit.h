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

/* What shows that it is the limit. */
struct limit_evidence {
    const char *words; /* "bus busy %", "requests in flight"; of a wait "before memory". Borrowed */
    double value;
    bool is_ratio; /* words end in %, but for a wait */
    bool is_wait;  /* the share of their time that accesses wait there */
};
enum { LIMIT_EVIDENCE_MAX = 4 };
/* Of a limit that is not LIMIT_NOTHING. Returns how many there are, in the order in which they are
 * shown. */
uint32_t report_limit_evidence(const struct run_report *run, const struct measurement *measurement,
                               enum limit_name name, struct limit_evidence *evidence);

/* One line: the limit, its evidence in the measurement, and what to try. */
void report_print_limit(FILE *stream, const struct run_report *run,
                        const struct measurement *measurement, const struct limits *limits);
/* A line for each part of the GPU that has one per cent of the time or the work. */
void report_print_limits(FILE *stream, const struct limits *limits);

#endif
