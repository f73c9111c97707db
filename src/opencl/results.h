/* SPDX-License-Identifier: MIT */
/*
 * What the process leaves, and how it ends when a signal asks for that.
 *
 *     session.c ─► results.c   who writes which file; what is kept meanwhile, and told
 *                  summary.c   from a machine to the plain data that report/ prints
 *                  signals.c   SIGINT, SIGTERM, SIGHUP
 *
 * Under `wavetank run` (WAVETANK_STATUS_FILE) a process may end without a chance to make its report
 * (_exit, exec, a crash). It has then kept the report: after each call of the driver, unless
 * keeping would take more than a twentieth of the time. What is missing then is told
 * (report/journal.h).
 */
#ifndef OPENCL_RESULTS_H
#define OPENCL_RESULTS_H

#include <signal.h>
#include <stdio.h>

#include "machine/machine.h"
#include "report/kept.h"
#include "report/samples.h"

/* ---- What src/report is told of a machine (summary.c) ---- */

struct summary_options {
    bool is_quiet;
    const char *json_path, *json_kernels, *command; /* NULL: not asked for, not known */
    const char *json_part;                          /* of json_file_begin */
    const struct sample_request *samples;           /* NULL: none are taken; borrowed */
    bool samples_are_wanted;                        /* in the JSON file */
    const char *timed_launches;                     /* NULL: all; borrowed */
    bool warms_caches;
    int64_t started; /* seconds since 1970 */
};
/* What stands at the end and not before. */
struct summary_end {
    double process_seconds;
    const struct program_compiler *compiler; /* NULL: none was found or needed */
};
struct summary;

/* Whether the options can be followed. */
bool summary_check(const struct summary_options *options, struct diagnosis *diagnosis) MUST_USE;
/* Strings of the options are borrowed, and so is the configuration. */
struct summary *summary_create(const struct configuration *configuration,
                               const struct summary_options *options);
void summary_destroy(struct summary *summary);
/* The machine is there: to be called before its first launch. */
void summary_begin(struct summary *summary, struct machine *machine);
/* machine_options.record; `context` is a struct summary. */
void summary_record(void *context, const struct machine_kernel_record *record);
/* machine_options.sample; likewise. */
void summary_sample(void *context, const struct machine_sample *sample);
/* Completes the JSON file as it is now. It may be called again, also after more launches, and in a
 * child that has launched something itself. False and a diagnosis: it could not be written. */
bool summary_complete_json(struct summary *summary, const struct summary_end *end,
                           struct diagnosis *diagnosis) MUST_USE;
/* Another name for the JSON file when it is completed, and another part in a child (json_file.h);
 * borrowed. */
void summary_move_json(struct summary *summary, const char *path, const char *part);
/* Prints the table, if it is wanted and a kernel ran. */
void summary_print_table(const struct summary *summary, const struct summary_end *end,
                         FILE *stream);
/* All that a report of now would say, for another process (report/kept.h); kept_finish frees.
 * False: the JSON file has an error. */
bool summary_keep(struct summary *summary, const struct summary_end *end, struct kept *kept);

/* ---- Results (results.c): who writes which file, and what is kept of it meanwhile ---- */

void results_begin(void);
/* In a child of fork that will run something: files of its own. */
void results_begin_child(void);
/* NULL and a diagnosis: the options cannot be followed. */
struct summary *results_create_summary(const struct configuration *configuration,
                                       const struct summary_options *options,
                                       struct diagnosis *diagnosis);
/* Fills in what is traced, and where to. */
bool results_open_trace(struct machine_options *options, struct diagnosis *diagnosis) MUST_USE;
void results_begin_machine(struct machine *machine);
void results_begin_launch(const char *kernel);
void results_end_launch(const char *kernel, bool has_failed);
/* Keeps what has happened since the last time, unless too much time has gone into keeping. */
void results_keep_if_due(void);
/* Whether something happened that is not kept. May be called by a signal handler. */
bool results_are_open(void);
/* Makes the report. */
void results_end(void);
/* A program could not be built: `wavetank run` says so if no kernel runs. */
void results_note_unbuilt(void);

/* ---- Signals that end the process (signals.c) ---- */

void signals_listen(void);
/* The number of the signal that asks for an end; 0: none did. */
const volatile sig_atomic_t *signals_stopping(void);
/* Between these a thread is in the driver, and looks at signals_stopping before it leaves. */
void signals_enter(void);
void signals_leave(void);
/* Ends the process by that signal. */
_Noreturn void signals_die(void);

#endif
