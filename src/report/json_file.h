/* SPDX-License-Identifier: MIT */
/*
 * The JSON file of a process, written as its launches end:
 *
 *     begin ─► add, add, ... ─► complete      (and again: add, ... ─► complete)
 *
 * What is written so far stands in PATH.PID.part beside the file. Completing adds the end of the
 * report and gives the file its name, so that it appears whole or not at all. A file that was
 * completed goes on from where it was before: a launch after that makes it longer, and it is not
 * whole until it is completed again.
 *
 * After fork() a child that adds or completes gets a file of its own, with what its parent had
 * written before; "%p" in the path becomes the number of the process that writes. A terminal, a
 * pipe or a device is never replaced: it is given the report at completion.
 *
 * At most so much is in memory as one write holds; errors are kept until completion.
 */
#ifndef REPORT_JSON_FILE_H
#define REPORT_JSON_FILE_H

#include "report/run.h"
#include "report/run_log.h"

/* Which launches have objects of their own; the others are added up by kernel. */
enum json_kernels {
    JSON_KERNELS_FIRST, /* the first JSON_FIRST_LAUNCHES */
    JSON_KERNELS_ALL,
    JSON_KERNELS_SUM, /* none */
    JSON_KERNELS_NONE /* none, and there are no sums by kernel either */
};
enum { JSON_FIRST_LAUNCHES = 1000 };

struct json_file;

/* Begins a report; of `run` what is known from the start, borrowed for the call. Never NULL. */
struct json_file *json_file_begin(const char *path, enum json_kernels kernels,
                                  const struct run_report *run);
/* Adds a launch. False: it has no object of its own (run_log_add wants to know). */
bool json_file_add(struct json_file *file, const struct run_kernel *kernel,
                   const struct run_log *log);
/* Completes the file. False and a diagnosis if something could not be written, now or before. */
bool json_file_complete(struct json_file *file, const struct run_report *run,
                        const struct run_log *log, struct diagnosis *diagnosis) MUST_USE;
/* Frees the memory. A file that was not completed stays beside as it is. NULL is allowed. */
void json_file_destroy(struct json_file *file);

#endif
