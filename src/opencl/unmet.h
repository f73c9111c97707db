/* SPDX-License-Identifier: MIT */
/* What the user chose among launches and no launch was: a misspelt kernel gives no figure, and
 * says so. */
#ifndef OPENCL_UNMET_H
#define OPENCL_UNMET_H

#include <stdio.h>

#include "report/run_log.h"

/* A line for each choice that no launch of the process met: of the timed launches
 * (machine/selection.h; NULL: all are timed), and of a kernel in the timeline's detail. Nothing
 * where no kernel was launched. */
void unmet_print(const struct run_log *log, const char *timed_launches, FILE *stream);

#endif
