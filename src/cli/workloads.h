/* SPDX-License-Identifier: MIT */
/*
 * The programs that come with Wavetank: in the folder `workloads` of the build, or installed in
 * libexec. A file `catalogue` beside them has a line for each: its name, a tab, what it does.
 */
#ifndef CLI_WORKLOADS_H
#define CLI_WORKLOADS_H

#include <stdbool.h>

#include "base/diagnosis.h"

/* Calls `visit` for each workload, in the order of names, until it gives false. False and a
 * diagnosis: there is no catalogue. */
bool workloads_visit(bool (*visit)(void *context, const char *name, const char *summary),
                     void *context, struct diagnosis *diagnosis) MUST_USE;

/* The path of a workload's program; NULL and a diagnosis that suggests a name. The caller frees. */
char *workload_path(const char *name, struct diagnosis *diagnosis) MUST_USE;

#endif
