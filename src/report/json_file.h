/* SPDX-License-Identifier: MIT */
/*
 * The JSON file of a process, written as its launches end:
 *
 *     begin ─► add, keep, add, ... ─► complete      (and again: add, ... ─► complete)
 *
 * What is written so far stands in PATH.PID.part beside the file. Completing adds the end of the
 * report and gives the file its name, so that it appears whole or not at all. A file that was
 * completed goes on from where it was before. A launch after that makes it longer, and it is not
 * whole until it is completed again.
 *
 * Keeping gives the end of the report as it would be now. It touches the file only to bring it up
 * to the latest launch. What was added so far and that end are the whole report. Another process
 * puts them together when this one ended too early (kept.h).
 *
 * After fork() a child that adds or completes gets a file of its own, with what its parent had
 * written before. A "%p" in the path becomes the number of the process that writes. A terminal, a
 * pipe or a device is never replaced: it is given the report at completion.
 *
 * At most so much is in memory as one write holds; errors are kept until completion.
 */
#ifndef REPORT_JSON_FILE_H
#define REPORT_JSON_FILE_H

#include <sys/types.h>

#include "base/text.h"
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

/* The path with the process's number for each %p. The caller frees. */
char *json_file_expand(const char *path, pid_t process);
/* Begins a report; of `run` what is known from the start, borrowed for the call. Never NULL.
 * `part`: where it is written before it has its name, instead of PATH.PID.part; NULL. */
struct json_file *json_file_begin(const char *path, const char *part, enum json_kernels kernels,
                                  const struct run_report *run);
/* Another name for the file at its completion, and in a child another part. */
void json_file_move(struct json_file *file, const char *path, const char *part);
/* Adds a launch. False: it has no object of its own (run_log_add wants to know). */
bool json_file_add(struct json_file *file, const struct run_kernel *kernel,
                   const struct run_log *log);
/* Appends to `end` what now belongs behind the first `offset` bytes of the part. False: an error,
 * which completion will tell. */
bool json_file_keep(struct json_file *file, const struct run_report *run, const struct run_log *log,
                    struct text *end, uint64_t *offset) MUST_USE;
/* Completes the file. False and a diagnosis if something could not be written, now or before. */
bool json_file_complete(struct json_file *file, const struct run_report *run,
                        const struct run_log *log, struct diagnosis *diagnosis) MUST_USE;
/* Frees the memory. A file that was not completed stays beside as it is. NULL is allowed. */
void json_file_destroy(struct json_file *file);

#endif
