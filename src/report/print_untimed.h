/* SPDX-License-Identifier: MIT */
/* The part of the table that says which launches were timed, where the user has chosen some. */
#ifndef REPORT_PRINT_UNTIMED_H
#define REPORT_PRINT_UNTIMED_H

#include "report/run_log.h"

/* Prints nothing where all launches are timed. */
void report_print_untimed(FILE *stream, const struct run_report *run, const struct run_log *log);

#endif
