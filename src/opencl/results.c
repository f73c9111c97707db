/* SPDX-License-Identifier: MIT */
/*
 * What this process leaves: statistics, table, instruction trace. Under `wavetank run` it tells
 * what it does (report/journal.h) and keeps its results as it goes (report/kept.h). It keeps them
 * when that costs little of the time, so that they are there however the process ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "opencl/driver.h"
#include "opencl/profile.h"
#include "opencl/timeline.h"
#include "report/journal.h"
#include "report/json_file.h"
#include "report/special_file.h"
#include "report/write_guard.h"

/* For keeping, at most this part of the process's time, and so much at its beginning. */
enum { KEEPING_PART = 20 };
static const double keeping_start_seconds = 0.02;

static struct {
    pid_t process;
    bool is_child;       /* of a process that had results of its own */
    const char *journal; /* NULL: there is none */
    char *image;         /* our name there */
    char *json_path, *part;
    bool is_wanted; /* statistics or table: there is something to keep */
    bool has_kernel, has_failed, has_fences, has_traced;
    bool is_trace_lost, is_timeline_lost, is_profile_lost;

    struct summary *summary;
    struct machine *machine;
    FILE *trace; /* NULL: to stderr, or none */
    char *trace_path;
    FILE *timeline; /* NULL: none, or not yet */
    char *timeline_path;
    char *profile_path; /* NULL: it goes to no file */

    double keeping_seconds, latest_seconds;
    /* Of the latest: what it is known by. */
    bool has_kept, kept_compiler;
    cl_ulong kept_ns; /* simulated */
} results;

/* Something has happened that is not kept. Read by signal handlers. */
static atomic_bool is_open;

static void results_tell(enum journal_word word, const char *text)
{
    if (results.journal != NULL)
        journal_add(results.journal, results.image, word, text);
}

/* ---- The beginning ---- */

static void set_part(const char *pattern)
{
    char *path = json_file_expand(pattern, getpid());

    free(results.part);
    results.part = special_file(path) ? format_string("%s.%s.json", results.journal, results.image)
                                      : format_string("%s.%s.part", path, results.image);
    results_tell(JOURNAL_PART, results.part);
    free(path);
}

static void begin_image(void)
{
    results.process = getpid();
    results.journal = session_variable("WAVETANK_STATUS_FILE");
    if (results.journal == NULL)
        return;
    free(results.image);
    results.image = journal_image_name(results.journal);
    if (journal_add(results.journal, results.image, JOURNAL_BEGIN, NULL))
        return;
    /* The folder is gone if the process has outlived `wavetank run`. */
    if (errno != ENOENT)
        fprintf(stderr, "wavetank: WAVETANK_STATUS_FILE=%s: %s\n", results.journal,
                strerror(errno));
    results.journal = NULL;
}

void results_begin(void)
{
    begin_image();
}

void results_begin_child(void)
{
    const char *json = session_variable("WAVETANK_JSON");

    if (results.process == getpid())
        return;
    begin_image();
    results.is_child = true;
    results.has_kernel = results.has_failed = results.has_traced = results.is_trace_lost = false;
    results.has_fences = false;
    results.is_timeline_lost = results.is_profile_lost = false;
    results.timeline = NULL; /* the parent's */
    results.has_kept = false;
    atomic_store(&is_open, false);
    if (json == NULL || results.summary == NULL)
        return;
    if (results.journal != NULL)
        set_part(json);
    summary_move_json(results.summary, json, results.journal != NULL ? results.part : NULL);
}

struct summary *results_create_summary(const struct configuration *configuration,
                                       const struct summary_options *options,
                                       struct diagnosis *diagnosis)
{
    struct summary_options all = *options;

    if (!summary_check(options, diagnosis))
        return NULL;
    if (results.journal != NULL && options->json_path != NULL) {
        set_part(options->json_path);
        all.json_part = results.part;
    }
    results.is_wanted = options->json_path != NULL || !options->is_quiet || profile_is_wanted();
    if (session_variable("WAVETANK_TIMELINE") != NULL)
        timeline_begin(configuration->name);
    results.summary = summary_create(configuration, &all);
    return results.summary;
}

void results_begin_machine(struct machine *machine)
{
    results.machine = machine;
    summary_begin(results.summary, machine);
}

/* ---- Names of files ---- */

/* The path, or one of this process's own where another process has it. The caller frees. */
static char *claim_path(const char *pattern, const char *what)
{
    char *path = json_file_expand(pattern, getpid()), *own;
    bool is_own = strcmp(path, pattern) != 0;
    const char *name = results.journal != NULL ? results.image : NULL;
    bool has_become = name != NULL && strchr(name, '.')[1] != '0'; /* by exec */

    if (special_file(path))
        return path;
    if (name != NULL ? journal_claim(results.journal, name, path) : is_own || !results.is_child)
        return path;
    own = has_become ? format_string("%s.%s", path, name)
                     : format_string("%s.%ld", path, (long)getpid());
    fprintf(stderr,
            "wavetank: process %ld writes its %s to %s: another process of this run has %s\n",
            (long)getpid(), what, own, path);
    free(path);
    return own;
}

static void claim_json(void)
{
    const char *json = session_variable("WAVETANK_JSON");

    if (json == NULL)
        return;
    free(results.json_path);
    results.json_path = claim_path(json, "statistics");
    results_tell(JOURNAL_JSON, results.json_path);
    summary_move_json(results.summary, results.json_path,
                      results.journal != NULL ? results.part : NULL);
}

/* ---- The trace ---- */

static void lose_trace(const char *reason)
{
    if (results.is_trace_lost)
        return;
    results.is_trace_lost = true;
    fprintf(stderr, "wavetank: cannot write the instruction trace to %s: %s\n", results.trace_path,
            reason);
    results_tell(JOURNAL_LOST, results.trace_path);
}

/* Until the first kernel nothing is traced, and which file it is depends on who runs one. */
bool results_open_trace(struct machine_options *options, struct diagnosis *diagnosis)
{
    int file;

    options->trace_selection = session_variable("WAVETANK_TRACE");
    options->memory_trace_selection = session_variable("WAVETANK_TRACE_MEMORY");
    if ((options->trace_selection == NULL && options->memory_trace_selection == NULL) ||
        session_variable("WAVETANK_TRACE_FILE") == NULL)
        return true;
    file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    options->trace_stream = results.trace =
        file >= 0 ? fdopen(fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "w") : NULL;
    if (file >= 0)
        close(file);
    return results.trace != NULL || diagnose(diagnosis, "/dev/null: %s", strerror(errno));
}

static void claim_trace(void)
{
    int file;

    if (results.trace == NULL)
        return;
    free(results.trace_path);
    results.trace_path = claim_path(session_variable("WAVETANK_TRACE_FILE"), "instruction trace");
    file = open(results.trace_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || dup3(file, fileno(results.trace), O_CLOEXEC) < 0)
        lose_trace(strerror(errno));
    if (file >= 0)
        close(file);
}

/* What a launch has traced is in the file when it ends. So no end of the process loses it, and no
 * child has it a second time. */
static void flush_trace(void)
{
    uint64_t lines = results.machine != NULL ? machine_traced(results.machine) : 0;
    struct write_guard guard;
    bool is_good;

    if (lines > 0 && !results.has_traced) {
        results.has_traced = true;
        results_tell(JOURNAL_TRACED, NULL);
    }
    if (results.trace == NULL)
        return;
    write_guard_begin(&guard);
    errno = 0;
    is_good = fflush(results.trace) == 0 && ferror(results.trace) == 0;
    write_guard_end(&guard);
    if (!is_good)
        lose_trace(errno != 0 ? strerror(errno) : "a write failed");
}

/* ---- The timeline ---- */

static void lose_timeline(const char *reason)
{
    if (results.is_timeline_lost)
        return;
    results.is_timeline_lost = true;
    fprintf(stderr, "wavetank: cannot write the timeline to %s: %s\n", results.timeline_path,
            reason);
    results_tell(JOURNAL_LOST, results.timeline_path);
}

static void claim_timeline(void)
{
    const char *path = session_variable("WAVETANK_TIMELINE");

    if (path == NULL)
        return;
    free(results.timeline_path);
    results.timeline_path = claim_path(path, "timeline");
    results.timeline = fopen(results.timeline_path, "we");
    if (results.timeline == NULL)
        lose_timeline(strerror(errno));
}

static void flush_timeline(void)
{
    struct write_guard guard;

    if (results.timeline == NULL)
        return;
    write_guard_begin(&guard);
    if (!timeline_flush(results.timeline))
        lose_timeline(strerror(errno));
    write_guard_end(&guard);
}

/* ---- The profile ---- */

static void claim_profile(void)
{
    const char *path = session_variable("WAVETANK_PROFILE");

    if (path == NULL || strcmp(path, "-") == 0)
        return;
    free(results.profile_path);
    results.profile_path = claim_path(path, "profile");
}

static void write_profile(void)
{
    struct write_guard guard;
    int error;

    if (results.profile_path == NULL || results.is_profile_lost)
        return;
    write_guard_begin(&guard);
    error = profile_write(results.machine, results.profile_path) ? 0 : errno;
    write_guard_end(&guard);
    if (error == 0)
        return;
    results.is_profile_lost = true;
    fprintf(stderr, "wavetank: cannot write the profile to %s: %s\n", results.profile_path,
            strerror(error));
    results_tell(JOURNAL_LOST, results.profile_path);
}

/* ---- Keeping ---- */

/* Of this thread alone: what other processes take is no cost of keeping. */
static double own_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool can_keep(void)
{
    return results.journal != NULL && results.machine != NULL && results.is_wanted;
}

static void results_keep(void)
{
    char *path = journal_kept_path(results.journal, results.image);
    struct summary_end end = session_summary_end();
    double begin = own_seconds();
    cl_ulong now_ns = machine_time_ns(results.machine);
    struct kept kept;

    if (summary_keep(results.summary, &end, &kept) && kept_write(path, &kept)) {
        results_tell(JOURNAL_KEPT, NULL);
        atomic_store(&is_open, false);
        results.has_kept = true;
        results.kept_ns = now_ns;
        results.kept_compiler = end.compiler != NULL;
    }
    write_profile();
    kept_finish(&kept);
    free(path);
    results.latest_seconds = own_seconds() - begin;
    results.keeping_seconds += results.latest_seconds;
}

static void open_kept(void)
{
    if (atomic_exchange(&is_open, true))
        return;
    results_tell(JOURNAL_OPEN, NULL);
}

bool results_are_open(void)
{
    return atomic_load(&is_open);
}

/* Transfers are seen by the simulated time that they take. */
static bool is_kept(const struct summary_end *end)
{
    return !results_are_open() && results.has_kept &&
           results.kept_compiler == (end->compiler != NULL) &&
           results.kept_ns == machine_time_ns(results.machine);
}

void results_keep_if_due(void)
{
    struct summary_end end;
    double max;

    if (!can_keep())
        return;
    end = session_summary_end();
    if (is_kept(&end) || results.process != getpid())
        return;
    max = keeping_start_seconds + end.process_seconds / KEEPING_PART;
    if (results.keeping_seconds + results.latest_seconds <= max)
        results_keep();
    else
        open_kept();
}

/* ---- Launches ---- */

void results_begin_launch(const char *kernel)
{
    if (!results.has_kernel) {
        results.has_kernel = true;
        results_tell(JOURNAL_KERNEL, kernel);
        claim_json();
        claim_trace();
        claim_timeline();
        claim_profile();
    }
    if (can_keep())
        open_kept();
}

/* Whether that was the fault is known when the program has ended. */
static void tell_fences(void)
{
    const char *setting = results.has_fences ? NULL : machine_wide_fences(results.machine);

    if (setting == NULL)
        return;
    results.has_fences = true;
    results_tell(JOURNAL_FENCES, setting);
}

void results_end_launch(const char *kernel, bool has_failed)
{
    flush_trace();
    flush_timeline();
    tell_fences();
    if (!has_failed || results.has_failed)
        return;
    results.has_failed = true;
    results_tell(JOURNAL_FAILED, kernel);
}

/* ---- The end ---- */

/* A process that ran nothing only keeps what it has: the files are for one that does. */
static void end_json(const struct summary_end *end, struct diagnosis *diagnosis)
{
    if (results.part == NULL && session_variable("WAVETANK_JSON") == NULL)
        return;
    if (results.journal != NULL && !results.has_kernel) {
        results_keep();
    } else if (summary_complete_json(results.summary, end, diagnosis)) {
        results_tell(JOURNAL_WRITTEN, NULL);
    } else {
        results_tell(JOURNAL_LOST, session_variable("WAVETANK_JSON"));
    }
}

void results_note_unbuilt(void)
{
    results_tell(JOURNAL_UNBUILT, NULL);
}

void results_end(void)
{
    struct summary_end end = session_summary_end();
    struct diagnosis diagnosis = {0};
    struct write_guard guard;

    if (results.machine == NULL)
        return;
    flush_timeline();
    write_profile();
    write_guard_begin(&guard);
    end_json(&end, &diagnosis);
    summary_print_table(results.summary, &end, stderr);
    results_tell(JOURNAL_TOLD, NULL);
    if (diagnosis.message[0] != '\0')
        diagnosis_print(&diagnosis, stderr);
    write_guard_end(&guard);
}
