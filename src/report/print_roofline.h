/* SPDX-License-Identifier: MIT */
/*
 * The roofline of a kernel: its operations and bytes against what the machine can do at most, by
 * its parameters. An operation is an active lane of a vector instruction, or a scalar instruction.
 *
 *     operations a cycle <= the least of: vector ALUs' peak, memory's peak * operations a byte
 *
 * Source of the idea: S. Williams, A. Waterman, D. Patterson, Roofline: An Insightful Visual
 * Performance Model for Multicore Architectures, CACM 52(4), 2009.
 */
#ifndef REPORT_PRINT_ROOFLINE_H
#define REPORT_PRINT_ROOFLINE_H

#include <stdio.h>

#include "report/metrics.h"
#include "report/run.h"

void report_print_roofline(FILE *stream, const struct run_report *run,
                           const struct measurement *kernel);

#endif
