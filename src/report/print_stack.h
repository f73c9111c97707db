/* SPDX-License-Identifier: MIT */
/* Part of the table: where vector memory instructions have spent their time. A latency stack is a
 * level of the kind "latency_stack" (mem/journey.h). It has `instructions`, `cycles`, and the parts
 * in the order in which they come, whose sum is `cycles`. */
#ifndef REPORT_PRINT_STACK_H
#define REPORT_PRINT_STACK_H

#include <stdio.h>

#include "report/metrics.h"

/* Nothing when no instruction has a stack. */
void report_print_stacks(FILE *stream, const struct measurement *all);

#endif
