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

static int spawn(char *const *words, const char *folder, int output, pid_t *child)
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
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
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

bool child_process_run(char *const *words, const char *folder, struct text *output, int *status,
                       struct diagnosis *diagnosis)
{
    int ends[2];
    pid_t child;
    int error;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return diagnose(diagnosis, "cannot make a pipe: %s", strerror(errno));
    error = spawn(words, folder, ends[1], &child);
    close(ends[1]);
    if (error == 0) {
        read_all(ends[0], output);
        *status = wait_for(child);
    }
    close(ends[0]);
    return error == 0 || diagnose(diagnosis, "cannot run %s: %s", words[0], strerror(error));
}
