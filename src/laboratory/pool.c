/* SPDX-License-Identifier: MIT */
#include "laboratory/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/words.h"

enum { SIGNAL_STATUS = 128, EXIT_NO_START = 126, LOG_BYTES = 1500, GRACE_SECONDS = 10 };
static const char folder_prefix[] = "wavetank-sweep-";

double pool_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t milliseconds_since_1970(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- The folder ---- */

static const char *temporary_folder(void)
{
    const char *named = getenv("TMPDIR");

    return named != NULL && named[0] == '/' && strlen(named) < 150 ? named : "/tmp";
}

/* Removes a folder of plain files and of such folders. */
static void remove_folder(const char *path, unsigned depth)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char *inner;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        inner = format_string("%s/%s", path, entry->d_name);
        if (unlink(inner) != 0 && depth > 0)
            remove_folder(inner, depth - 1);
        free(inner);
    }
    if (directory != NULL)
        closedir(directory);
    rmdir(path);
}

/* A folder whose lock can be had belongs to no process. */
static void remove_if_left(const char *path)
{
    char *name = format_string("%s/lock", path);
    int lock = open(name, O_RDWR | O_CLOEXEC);

    free(name);
    if (lock < 0)
        return; /* just being made, or not ours */
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        remove_folder(path, 3);
    close(lock);
}

static void remove_left_folders(void)
{
    DIR *directory = opendir(temporary_folder());
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL)
        if (strncmp(entry->d_name, folder_prefix, strlen(folder_prefix)) == 0) {
            char *path = format_string("%s/%s", temporary_folder(), entry->d_name);

            remove_if_left(path);
            free(path);
        }
    if (directory != NULL)
        closedir(directory);
}

static bool make_folder(struct pool *pool, struct diagnosis *diagnosis)
{
    char *name;

    pool->folder = format_string("%s/%sXXXXXX", temporary_folder(), folder_prefix);
    if (mkdtemp(pool->folder) == NULL) {
        diagnose(diagnosis, "cannot make a folder %s: %s", pool->folder, strerror(errno));
        free(pool->folder);
        pool->folder = NULL;
        return false;
    }
    name = format_string("%s/lock", pool->folder);
    pool->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (pool->lock < 0 || flock(pool->lock, LOCK_EX) != 0)
        diagnose(diagnosis, "cannot write %s: %s", name, strerror(errno));
    free(name);
    return pool->lock >= 0;
}

/* ---- Signals ---- */

static void own_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

bool pool_init(struct pool *pool, unsigned max, unsigned timeout_seconds,
               struct diagnosis *diagnosis)
{
    sigset_t set;

    memset(pool, 0, sizeof *pool);
    pool->lock = -1;
    pool->max = max;
    pool->timeout_seconds = timeout_seconds;
    pool->jobs = allocate(max, sizeof *pool->jobs);
    own_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &pool->before);
    remove_left_folders();
    return make_folder(pool, diagnosis);
}

/* ---- Jobs ---- */

static void set_environment(const struct pool *pool)
{
    static const char *const cleared[] = {"WAVETANK_GPU",
                                          "WAVETANK_SET",
                                          "WAVETANK_MODEL",
                                          "WAVETANK_JSON",
                                          "WAVETANK_JSON_KERNELS",
                                          "WAVETANK_TRACE",
                                          "WAVETANK_TRACE_FILE",
                                          "WAVETANK_QUIET",
                                          "WAVETANK_HOST_POINTERS",
                                          "WAVETANK_BUILD_OPTIONS",
                                          "WAVETANK_MAX_CYCLES",
                                          "WAVETANK_OUT_OF_BOUNDS",
                                          "WAVETANK_EXACT_BOUNDS",
                                          "WAVETANK_SAMPLE",
                                          "WAVETANK_TIMED_KERNELS",
                                          "WAVETANK_WARM_CACHES",
                                          "WAVETANK_TIMELINE",
                                          "WAVETANK_PROFILE",
                                          "WAVETANK_TIMELINE_DETAIL"};

    for (unsigned i = 0; i < sizeof cleared / sizeof cleared[0]; i++)
        unsetenv(cleared[i]);
    setenv("TMPDIR", pool->folder, 1);
}

/* In the child: its output goes to the log, and it ends with this process. */
_Noreturn static void job_become(const struct pool *pool, const struct job *job, pid_t parent,
                                 const char *directory, char **words)
{
    int log = open(job->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int nothing = open("/dev/null", O_RDONLY);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_NO_START);
    setpgid(0, 0);
    dup2(nothing, 0);
    dup2(log, 1);
    dup2(log, 2);
    set_environment(pool);
    sigprocmask(SIG_SETMASK, &pool->before, NULL);
    if (chdir(directory) == 0)
        execv(words[0], words);
    fprintf(stderr, "cannot start %s in %s: %s\n", words[0], directory, strerror(errno));
    fflush(stderr);
    _exit(EXIT_NO_START);
}

/* The text of a point's profile: its numbers come with the JSON. The caller frees. */
static char *profile_path(const struct job *job)
{
    return format_string("%s.profile", job->json);
}

static void remove_profile(const struct job *job)
{
    char *path = profile_path(job);

    unlink(path);
    free(path);
}

static void collect_words(struct words *all, const struct job *job, const char *program,
                          char **words)
{
    static const char *const fixed[] = {
        "run", "--quiet", "--no-progress", "--json-kernels", "sum", "--require-kernels", "--json"};

    words_add_copy(all, program);
    for (unsigned i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        words_add_copy(all, fixed[i]);
    words_add_copy(all, job->json);
    for (; *words != NULL; words++) {
        bool is_profile = strcmp(*words, "--profile") == 0;
        char *path = profile_path(job);
        char *word = is_profile ? format_string("%s=%s", *words, path) : copy_string(*words);

        words_add_copy(all, word);
        free(word);
        free(path);
    }
}

bool pool_start(struct pool *pool, unsigned point, const char *program, char **words,
                const char *directory, struct diagnosis *diagnosis)
{
    struct words all = {0};
    struct job *job = pool->jobs;
    pid_t parent = getpid();

    while (job->process != 0)
        job++;
    pool->serial++;
    job->point = point;
    job->is_late = false;
    job->json = format_string("%s/%u.json", pool->folder, pool->serial);
    job->log = format_string("%s/%u.log", pool->folder, pool->serial);
    job->began = pool_clock();
    job->started_ms = milliseconds_since_1970();
    collect_words(&all, job, program, words);
    fflush(NULL);
    job->process = fork();
    if (job->process == 0)
        job_become(pool, job, parent, directory, all.list);
    words_finish(&all);
    if (job->process > 0) {
        pool->busy++;
        return true;
    }
    job->process = 0;
    free(job->json);
    free(job->log);
    return diagnose(diagnosis, "no process can be started: %s", strerror(errno));
}

/* The last lines of a log. The caller frees. */
static char *last_lines(const char *path)
{
    FILE *stream = fopen(path, "rbe");
    char bytes[LOG_BYTES + 1];
    size_t count = 0;
    char *start = bytes;

    if (stream != NULL) {
        if (fseek(stream, -LOG_BYTES, SEEK_END) != 0)
            rewind(stream);
        count = fread(bytes, 1, LOG_BYTES, stream);
        fclose(stream);
    }
    while (count > 0 && (bytes[count - 1] == '\n' || bytes[count - 1] == ' '))
        count--;
    bytes[count] = '\0';
    if (count == LOG_BYTES && strchr(bytes, '\n') != NULL)
        start = strchr(bytes, '\n') + 1; /* the first line is cut */
    return copy_string(start);
}

static char *message_of(const struct pool *pool, const struct job *job, int status)
{
    char *lines, *message;

    if (job->is_late)
        return format_string("stopped after %u seconds (timeout_seconds)", pool->timeout_seconds);
    if (status == 0)
        return NULL;
    lines = last_lines(job->log);
    message = lines[0] != '\0' ? copy_string(lines)
                               : format_string("it ended with status %d and said nothing", status);
    free(lines);
    return message;
}

static void job_conclude(struct pool *pool, struct job *job, int wait_status, struct ended *ended)
{
    int status =
        WIFSIGNALED(wait_status) ? SIGNAL_STATUS + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);

    *ended = (struct ended){.point = job->point,
                            .status = status,
                            .message = message_of(pool, job, status),
                            .json = job->json,
                            .seconds = pool_clock() - job->began,
                            .started_ms = job->started_ms};
    unlink(job->log);
    remove_profile(job);
    free(job->log);
    memset(job, 0, sizeof *job);
    pool->busy--;
}

/* One that has ended already. */
static bool job_reap(struct pool *pool, struct ended *ended)
{
    int status;
    pid_t process = pool->busy > 0 ? waitpid(-1, &status, WNOHANG) : 0;

    for (unsigned i = 0; process > 0 && i < pool->max; i++)
        if (pool->jobs[i].process == process) {
            job_conclude(pool, &pool->jobs[i], status, ended);
            return true;
        }
    return false;
}

static void end_late_jobs(struct pool *pool)
{
    double now = pool_clock();

    for (unsigned i = 0; pool->timeout_seconds > 0 && i < pool->max; i++) {
        struct job *job = &pool->jobs[i];

        if (job->process == 0 || now - job->began < pool->timeout_seconds)
            continue;
        kill(job->process,
             now - job->began < pool->timeout_seconds + GRACE_SECONDS ? SIGTERM : SIGKILL);
        job->is_late = true;
    }
}

bool pool_wait(struct pool *pool, struct ended *ended)
{
    const struct timespec second = {.tv_sec = 1};
    sigset_t set;
    int number;

    if (job_reap(pool, ended))
        return true;
    own_signals(&set);
    number = sigtimedwait(&set, NULL, &second);
    if (number > 0 && number != SIGCHLD)
        pool->interrupted = number;
    end_late_jobs(pool);
    return job_reap(pool, ended);
}

/* `wavetank run` ends its program, and its guard what that left. */
static void end_jobs(struct pool *pool, int number)
{
    for (unsigned i = 0; i < pool->max; i++)
        if (pool->jobs[i].process > 0)
            kill(pool->jobs[i].process, number);
}

void pool_finish(struct pool *pool)
{
    double began = pool_clock();
    struct ended ended;

    end_jobs(pool, SIGTERM);
    while (pool->busy > 0) {
        if (pool_wait(pool, &ended)) {
            free(ended.message);
            free(ended.json);
        }
        if (pool_clock() - began > GRACE_SECONDS)
            end_jobs(pool, SIGKILL);
    }
    if (pool->folder != NULL)
        remove_folder(pool->folder, 3);
    if (pool->lock >= 0)
        close(pool->lock);
    sigprocmask(SIG_SETMASK, &pool->before, NULL);
    free(pool->folder);
    free(pool->jobs);
    memset(pool, 0, sizeof *pool);
}
