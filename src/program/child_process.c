/* SPDX-License-Identifier: MIT */
#include "program/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"

#define OUTPUT_BYTES_MAX (1u << 20)

extern char **environ;

/* What would change the compiler's results or messages without standing in the cache key. */
static bool is_dropped(const char *variable)
{
    static const char *const dropped[] = {
        "LD_PRELOAD=",           "TMPDIR=",       "CPATH=",         "C_INCLUDE_PATH=",
        "CPLUS_INCLUDE_PATH=",   "LIBRARY_PATH=", "COMPILER_PATH=", "GCC_EXEC_PREFIX=",
        "CCC_OVERRIDE_OPTIONS=", "LC_",           "LANG=",          "LANGUAGE=",
        "SOURCE_DATE_EPOCH="};

    for (unsigned i = 0; i < ARRAY_COUNT(dropped); i++)
        if (strncmp(variable, dropped[i], strlen(dropped[i])) == 0)
            return true;
    return false;
}

/* The environment for the child; strings are borrowed, the array and its first two strings owned.
 */
static char **make_environment(const char *folder)
{
    unsigned count = 0, used = 0;
    char **environment;

    while (environ != NULL && environ[count] != NULL)
        count++;
    environment = allocate(count + 3, sizeof *environment);
    environment[used++] = format_string("LC_ALL=C");
    environment[used++] = format_string("TMPDIR=%s", folder != NULL ? folder : "/tmp");
    for (unsigned i = 0; i < count; i++)
        if (!is_dropped(environ[i]))
            environment[used++] = environ[i];
    return environment;
}

static void free_environment(char **environment)
{
    free(environment[0]);
    free(environment[1]);
    free(environment);
}

/* Its stdin, stdout and stderr. */
static void child_direct(posix_spawn_file_actions_t *actions, int input, int output, int messages)
{
    if (input >= 0)
        posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(actions, output >= 0 ? output : messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions, messages, STDERR_FILENO);
}

static int child_spawn(char *const *words, const char *folder, const int ends[3], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **environment = make_environment(folder);
    sigset_t none, usual;
    int error;

    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    posix_spawn_file_actions_init(&actions);
    child_direct(&actions, ends[0], ends[1], ends[2]);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = posix_spawn(child, words[0], &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free_environment(environment);
    return error;
}

static void read_all(int pipe_end, struct text *output)
{
    size_t room = OUTPUT_BYTES_MAX;
    char bytes[4096];

    for (;;) {
        ssize_t count = read(pipe_end, bytes, sizeof bytes);
        size_t kept;

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return;
        kept = (size_t)count < room ? (size_t)count : room;
        text_add_bytes(output, bytes, kept);
        room -= kept;
    }
}

static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void close_pipe(int ends[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

bool child_process_start(struct child_process *child, char *const *words, const char *folder,
                         const struct child_ends *ends, struct diagnosis *diagnosis)
{
    int messages[2], signal[2] = {-1, -1};
    pid_t id;
    int error;

    if (pipe2(messages, O_CLOEXEC) != 0)
        return diagnose(diagnosis, "cannot make a pipe: %s", strerror(errno));
    if (ends->has_signal && pipe2(signal, O_CLOEXEC) != 0) {
        error = errno;
        close_pipe(messages);
        return diagnose(diagnosis, "cannot make a pipe: %s", strerror(error));
    }
    error = child_spawn(
        words, folder,
        (const int[]){ends->has_signal ? signal[0] : ends->input, ends->output, messages[1]}, &id);
    close(messages[1]);
    *child = (struct child_process){
        .id = id, .messages = messages[0], .signal = signal[1], .signal_guard = signal[0]};
    if (error == 0)
        return true;
    close(messages[0]);
    close_pipe(signal);
    return diagnose(diagnosis, "cannot run %s: %s", words[0], strerror(error));
}

void child_process_signal(struct child_process *child, char byte)
{
    ssize_t written = write(child->signal, &byte, 1);

    (void)written; /* a pipe that is empty and has a reader takes a byte */
    close(child->signal);
    close(child->signal_guard);
    child->signal = child->signal_guard = -1;
}

int child_process_finish(struct child_process *child, struct text *output)
{
    read_all(child->messages, output);
    close(child->messages);
    return wait_for((pid_t)child->id);
}

bool child_process_run(char *const *words, const char *folder, struct text *output, int *status,
                       struct diagnosis *diagnosis)
{
    static const struct child_ends usual = {.input = -1, .output = -1};
    struct child_process child;

    if (!child_process_start(&child, words, folder, &usual, diagnosis))
        return false;
    *status = child_process_finish(&child, output);
    return true;
}
