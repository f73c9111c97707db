/* SPDX-License-Identifier: MIT */
/* Starts the program, waits for it, and says how it ended. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/guard.h"
#include "cli/run.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

struct run_context {
    const struct run_request *request;
    const struct vendor_folder *folder;
};

static int start_failed(const char *program, int error)
{
    struct diagnosis diagnosis;

    diagnose(&diagnosis, "cannot run %s: %s", program, strerror(error));
    if (error == ENOENT && strchr(program, '/') == NULL)
        diagnose_hint(&diagnosis, "it is not in $PATH; a program of this folder is ./%s", program);
    diagnosis_print(&diagnosis, stderr);
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* A shell tells of crashes of its own children only. Signals that we passed on are no news. */
static void tell_of_crash(const char *program, int signal_number)
{
    if (!guard_passes_on(signal_number))
        fprintf(stderr, "wavetank: %s was ended by signal %d (%s)\n", program, signal_number,
                strsignal(signal_number));
}

/* Others that end meanwhile are children that the program left. */
static int wait_for(pid_t pid, const char *program)
{
    int status;
    pid_t ended;

    while ((ended = waitpid(-1, &status, 0)) != pid)
        if (ended < 0 && errno != EINTR)
            return EXIT_NOT_EXECUTABLE;
    guard_watch(0);
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    tell_of_crash(program, WTERMSIG(status));
    return SIGNAL_STATUS + WTERMSIG(status);
}

_Noreturn static void child_become(char **program, int report)
{
    int error;

    guard_release_program();
    execvp(program[0], program);
    error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(EXIT_NOT_EXECUTABLE);
    _exit(EXIT_NOT_FOUND);
}

/* Gives 0, or the error number of what went wrong. */
static int child_spawn(char **program, pid_t *pid)
{
    int report[2], error = 0;

    *pid = -1;
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *pid = fork();
    if (*pid == 0)
        child_become(program, report[1]);
    if (*pid < 0)
        error = errno;
    guard_watch(*pid > 0 ? *pid : 0);
    close(report[1]);
    if (*pid > 0 && read(report[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(report[0]);
    return error;
}

static int run_guarded(void *argument)
{
    const struct run_context *context = argument;
    char **program = context->request->program;
    pid_t pid;
    int error = child_spawn(program, &pid);
    int status = pid > 0 ? wait_for(pid, program[0]) : EXIT_NOT_EXECUTABLE;

    guard_clean();
    status = error != 0 ? start_failed(program[0], error)
                        : results_conclude(context->request, context->folder, status);
    vendor_folder_remove(context->folder);
    return status;
}

int run_program(const struct run_request *request)
{
    struct diagnosis diagnosis;
    struct vendor_folder folder = {0};
    struct run_context context = {.request = request, .folder = &folder};
    char *driver = driver_find(&diagnosis);
    int status = EXIT_USAGE;

    if (driver == NULL)
        return mistake_print(&diagnosis);
    if (vendor_folder_make(&folder, driver, request->with_platforms, &diagnosis)) {
        environment_set(request, &folder);
        status = guard_run(run_guarded, &context);
    } else {
        mistake_print(&diagnosis);
    }
    vendor_folder_remove(&folder); /* already, unless the guard was killed */
    free(driver);
    return status;
}
