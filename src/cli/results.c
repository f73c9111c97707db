/* SPDX-License-Identifier: MIT */
/* The files that a run writes. Before: none of an earlier run stays, and each can be written. At
 * the end: what a process could not finish itself. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/guard.h"
#include "cli/run.h"
#include "report/journal.h"
#include "report/json_file.h"
#include "report/kept.h"
#include "report/special_file.h"
#include "report/write_guard.h"

enum { PROBE_BYTES = 4096, RESULTS_MAX = 4, ROUNDS_MAX = 500, ROUND_NS = 10000000 };

struct result {
    const char *option, *path;
};

static const char *profile_file(const struct run_request *request)
{
    bool is_file = request->profile != NULL && strcmp(request->profile, "-") != 0;

    return is_file ? request->profile : NULL;
}

/* The one list of what a run writes. */
static unsigned list_results(const struct run_request *request, struct result *results)
{
    const struct result all[RESULTS_MAX] = {{"--json", request->json},
                                            {"--trace-file", request->trace_file},
                                            {"--timeline", request->timeline},
                                            {"--profile", profile_file(request)}};
    unsigned count = 0;

    for (unsigned i = 0; i < RESULTS_MAX; i++)
        if (all[i].path != NULL)
            results[count++] = all[i];
    return count;
}

/* ---- Before the program starts ---- */

static bool result_refuse(const struct result *result, const char *reason,
                          struct diagnosis *diagnosis)
{
    return diagnose(diagnosis, "%s %s: %s", result->option, result->path, reason);
}

static bool refuse_by_number(const struct result *result, int error, struct diagnosis *diagnosis)
{
    return diagnose(diagnosis, "%s %s: cannot write there: %s", result->option, result->path,
                    strerror(error));
}

/* Writes as much as a small result has. Gives an error number, 0: done. A limit on the size of
 * files is an answer like a full disk. */
static int write_probe(int file)
{
    const char bytes[PROBE_BYTES] = {0};
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    size_t count = 0;
    int error = 0;

    while (count < sizeof bytes && error == 0) {
        ssize_t written = write(file, bytes + count, sizeof bytes - count);

        if (written > 0)
            count += (size_t)written;
        else
            error = written < 0 ? errno : ENOSPC;
    }
    signal(SIGXFSZ, before);
    return error;
}

/* Makes and removes a file beside the result. Gives an error number, 0: it can be done. */
static int try_beside(const char *path)
{
    char *beside = format_string("%s.%ld.part", path, (long)getpid());
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    int error = file < 0 ? errno : write_probe(file);

    if (file >= 0) {
        close(file);
        unlink(beside);
    }
    free(beside);
    return error;
}

static bool result_prepare(const struct result *result, struct diagnosis *diagnosis)
{
    struct stat status;
    bool is_there = stat(result->path, &status) == 0;
    int error;

    if (result->path[0] == '\0' || strchr(result->path, '\n') != NULL)
        return result_refuse(result, "this is no name for a file", diagnosis);
    if (is_there && S_ISDIR(status.st_mode))
        return result_refuse(result, "this is a folder", diagnosis);
    if (is_there && access(result->path, W_OK) != 0)
        return refuse_by_number(result, errno, diagnosis);
    if (special_file(result->path))
        return true;
    error = try_beside(result->path);
    if (error != 0)
        return refuse_by_number(result, error, diagnosis);
    if (unlink(result->path) == 0 || errno == ENOENT)
        return true;
    return refuse_by_number(result, errno, diagnosis);
}

bool results_prepare(const struct run_request *request, struct diagnosis *diagnosis)
{
    struct result results[RESULTS_MAX];
    unsigned count = list_results(request, results);

    for (unsigned i = 0; i < count; i++) {
        if (!result_prepare(&results[i], diagnosis))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (strcmp(results[i].path, results[j].path) == 0 &&
                strncmp(results[i].path, "/dev/", 5) != 0)
                return diagnose(diagnosis, "%s and %s name the same file, %s", results[j].option,
                                results[i].option, results[i].path);
    }
    return true;
}

/* ---- At the end ---- */

struct conclusion {
    const struct run_request *request;
    const struct vendor_folder *folder;
    struct journal journal;
    bool is_lost;     /* a file that was asked for is missing, or not whole */
    bool has_written; /* statistics of some process are where they belong */
    bool has_driver;  /* some process loaded it */
    bool has_kernel, has_traced, has_unbuilt;
    const char *failed; /* a kernel */
    const char *fences; /* a setting: JOURNAL_FENCES */
};

/* Gives an error number, 0: done. */
static int send_bytes(const char *part, const char *path)
{
    int descriptor = special_file_open(path);
    FILE *from = fopen(part, "re"), *to = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    int error = from == NULL || to == NULL ? errno : 0;
    char bytes[65536];
    size_t count;

    while (error == 0 && (count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) != count)
            error = errno;
    if (to != NULL && fclose(to) != 0 && error == 0)
        error = errno;
    if (from != NULL)
        fclose(from);
    return error;
}

/* Makes a whole report of what the image kept. Gives an error number, 0: done. */
static int put_in_place(const struct conclusion *conclusion, const struct journal_image *image,
                        const char *path)
{
    char *kept_path = journal_kept_path(conclusion->folder->status, image->name);
    struct kept kept;
    int error = ENOENT;

    if (image->part != NULL && kept_read(kept_path, &kept)) {
        if (!kept_complete(&kept, image->part))
            error = errno;
        else if (special_file(path))
            error = send_bytes(image->part, path);
        else
            error = rename(image->part, path) == 0 ? 0 : errno;
        kept_finish(&kept);
    }
    free(kept_path);
    return error;
}

static void result_lose(struct conclusion *conclusion, const char *path, const char *reason)
{
    fprintf(stderr, "wavetank: %s: %s\n", path, reason);
    conclusion->is_lost = true;
}

static bool is_running(const struct journal_image *image)
{
    return kill((pid_t)atol(image->name), 0) == 0;
}

/* Statistics that the process itself kept and did not put in place. */
static void finish_json(struct conclusion *conclusion, const struct journal_image *image)
{
    int error;

    if (image->has[JOURNAL_WRITTEN]) {
        conclusion->has_written = true;
        return;
    }
    if (image->has[JOURNAL_LOST])
        return; /* was said */
    if (!image->has[JOURNAL_KEPT] || image->part == NULL) {
        result_lose(conclusion, image->json,
                    is_running(image)
                        ? "not written: the program has ended, and left a process that still runs"
                        : "not written: the process ended before it could be");
        return;
    }
    error = put_in_place(conclusion, image, image->json);
    if (error != 0) {
        result_lose(conclusion, image->json, strerror(error));
        return;
    }
    conclusion->has_written = true;
    if (image->is_open || is_running(image))
        result_lose(conclusion, image->json,
                    is_running(image)
                        ? "not whole: the program has ended, and left a process that still runs"
                        : "not whole: the process ended without a chance to add what came last");
}

static void finish_table(const struct conclusion *conclusion, const struct journal_image *image)
{
    struct kept kept;
    char *path;

    if (conclusion->request->is_quiet || image->has[JOURNAL_TOLD] || !image->has[JOURNAL_KEPT])
        return;
    path = journal_kept_path(conclusion->folder->status, image->name);
    if (kept_read(path, &kept)) {
        fputs(text_chars(&kept.table), stderr);
        kept_finish(&kept);
    }
    free(path);
    if (image->is_open)
        fprintf(stderr, "wavetank: process %ld ended without a chance to add what came last\n",
                atol(image->name));
}

static void finish_image(struct conclusion *conclusion, const struct journal_image *image)
{
    finish_table(conclusion, image);
    if (conclusion->request->json != NULL && image->json != NULL)
        finish_json(conclusion, image);
    conclusion->is_lost = conclusion->is_lost || image->has[JOURNAL_LOST];
    conclusion->has_kernel = conclusion->has_kernel || image->has[JOURNAL_KERNEL];
    conclusion->has_unbuilt = conclusion->has_unbuilt || image->has[JOURNAL_UNBUILT];
    conclusion->has_traced = conclusion->has_traced || image->has[JOURNAL_TRACED];
    if (conclusion->failed == NULL)
        conclusion->failed = image->failed;
    if (conclusion->fences == NULL)
        conclusion->fences = image->fences;
}

/* A process that ran no kernel claims no file: its statistics are taken when there are no others.
 */
static void take_any_json(struct conclusion *conclusion)
{
    for (uint32_t i = 0; i < conclusion->journal.image_count && !conclusion->has_written; i++) {
        const struct journal_image *image = &conclusion->journal.images[i];
        char *path = json_file_expand(conclusion->request->json, (pid_t)atol(image->name));

        if (image->json == NULL && image->has[JOURNAL_KEPT])
            conclusion->has_written = put_in_place(conclusion, image, path) == 0;
        free(path);
    }
}

/* A process of our own loads the driver, and reports what it did: nothing. */
static void report_nothing(const struct vendor_folder *folder)
{
    int (*get_platforms)(unsigned, void **, unsigned *);
    pid_t process;
    void *driver;

    fflush(NULL);
    process = fork();
    if (process > 0)
        waitpid(process, NULL, 0);
    if (process != 0)
        return;
    driver = dlopen(folder->driver, RTLD_NOW);
    *(void **)&get_platforms = driver != NULL ? dlsym(driver, "clIcdGetPlatformIDsKHR") : NULL;
    if (get_platforms != NULL)
        get_platforms(0, NULL, &(unsigned){0});
    exit(0);
}

static bool has_open_image(const struct journal *journal)
{
    for (uint32_t i = 0; i < journal->image_count; i++)
        if (journal->images[i].is_open)
            return true;
    return false;
}

/* Nothing is where it belongs. Where no kernel ran, the statistics of nothing are whole too. */
static void find_json(struct conclusion *conclusion)
{
    take_any_json(conclusion);
    if (!conclusion->has_written && !conclusion->has_kernel &&
        !has_open_image(&conclusion->journal)) {
        report_nothing(conclusion->folder);
        journal_finish(&conclusion->journal);
        journal_read(&conclusion->journal, conclusion->folder->status);
        take_any_json(conclusion);
    }
    if (!conclusion->has_written && !conclusion->is_lost)
        result_lose(conclusion, conclusion->request->json,
                    "not written: the program ended before it could be");
}

/* The trace of no kernel is an empty file. */
static void make_empty_trace(struct conclusion *conclusion)
{
    const char *path = conclusion->request->trace_file;
    int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;

    if (file >= 0)
        close(file);
    else if (path != NULL)
        result_lose(conclusion, path, strerror(errno));
}

static void check_trace(struct conclusion *conclusion)
{
    const struct run_request *request = conclusion->request;

    if (!conclusion->has_kernel)
        make_empty_trace(conclusion);
    if ((request->trace == NULL && request->trace_memory == NULL) || !conclusion->has_kernel ||
        conclusion->has_traced || conclusion->is_lost)
        return;
    if (request->trace != NULL)
        fprintf(
            stderr,
            "wavetank: --trace-instructions %s selected no instruction of any kernel that ran\n"
            "  hint: kernel=NAME, group=X:Y:Z and wave=N must all name something that there is\n",
            request->trace);
    else
        fprintf(stderr,
                "wavetank: --trace-memory %s selected no access of any kernel that ran\n"
                "  hint: only the timed model has accesses; all that is chosen by must be there\n",
                request->trace_memory);
    conclusion->is_lost = true;
}

static void tell_no_kernel(const struct conclusion *conclusion)
{
    const char *program = conclusion->request->program[0];

    fprintf(stderr, "wavetank: no kernel of %s ran on Wavetank\n", program);
    if (conclusion->has_unbuilt)
        fprintf(stderr, "  hint: a program of it could not be built: its first error is above\n");
    else if (!conclusion->has_driver)
        fprintf(stderr, "  hint: does it use OpenCL through the ICD loader (libOpenCL.so.1)?\n");
}

static int choose_status(const struct conclusion *conclusion, int status)
{
    const char *program = conclusion->request->program[0];
    bool is_required = conclusion->request->requires_kernels && status == 0;

    if (!conclusion->has_kernel && (conclusion->has_unbuilt || is_required)) {
        tell_no_kernel(conclusion);
        if (is_required)
            return EXIT_NO_KERNEL;
    }
    if (status != 0)
        return status;
    if (conclusion->failed != NULL) {
        fprintf(stderr, "wavetank: kernel %s failed, and %s ended with status 0\n",
                conclusion->failed, program);
        return EXIT_KERNEL_FAILED;
    }
    return conclusion->is_lost ? EXIT_RESULT_LOST : 0;
}

/* The program says itself that something went wrong, and there is a cause that it cannot know. */
static void hint_at_fences(const struct conclusion *conclusion, int status)
{
    bool was_stopped = status > SIGNAL_STATUS && guard_passes_on(status - SIGNAL_STATUS);

    if (status == 0 || was_stopped || conclusion->fences == NULL)
        return;
    fprintf(stderr,
            "wavetank: barrier and mem_fence were of the work-group alone, and %s ended with "
            "status %d\n"
            "  hint: if work-groups pass data to each other by mem_fence and atomics, add -o %s\n",
            conclusion->request->program[0], status, conclusion->fences);
}

static bool has_running(const struct vendor_folder *folder)
{
    struct journal journal;
    bool found = false;

    journal_read(&journal, folder->status);
    for (uint32_t i = 0; i < journal.image_count; i++)
        found = found || (journal.images[i].has[JOURNAL_KERNEL] && is_running(&journal.images[i]));
    journal_finish(&journal);
    return found;
}

/* A signal to all of a program's processes ends the first of them while others are still writing:
 * they have ROUNDS_MAX rounds. Children that the program left are ours, and we wait for them. */
static void wait_for_others(const struct vendor_folder *folder, int status)
{
    const struct timespec pause = {.tv_nsec = ROUND_NS};
    bool by_signal = status > SIGNAL_STATUS && guard_passes_on(status - SIGNAL_STATUS);

    for (unsigned round = 0; by_signal && round < ROUNDS_MAX; round++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        if (!has_running(folder))
            return;
        nanosleep(&pause, NULL);
    }
}

int results_conclude(const struct run_request *request, const struct vendor_folder *folder,
                     int status)
{
    struct conclusion conclusion = {.request = request, .folder = folder};
    struct write_guard guard;

    wait_for_others(folder, status);
    write_guard_begin(&guard);
    journal_read(&conclusion.journal, folder->status);
    for (uint32_t i = 0; i < conclusion.journal.image_count; i++)
        finish_image(&conclusion, &conclusion.journal.images[i]);
    conclusion.has_driver = conclusion.journal.image_count > 0;
    if (request->json != NULL && !conclusion.has_written)
        find_json(&conclusion);
    for (uint32_t i = 0; i < conclusion.journal.image_count; i++)
        if (conclusion.journal.images[i].part != NULL)
            unlink(conclusion.journal.images[i].part);
    check_trace(&conclusion);
    hint_at_fences(&conclusion, status);
    status = choose_status(&conclusion, status);
    journal_finish(&conclusion.journal);
    write_guard_end(&guard);
    return status;
}
