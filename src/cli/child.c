/* SPDX-License-Identifier: MIT */
/* Starts the program, waits for it, passes signals on. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "cli/run.h"

enum { EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127, SIGNAL_STATUS = 128 };

static volatile sig_atomic_t child;

/* A terminal sends Ctrl-C and Ctrl-\ to the program as well as to us (SI_KERNEL): those are only
 * outlived. What somebody sends to us alone is passed on. */
static void pass_on(int number, siginfo_t *information, void *context)
{
    if (child > 0 && information->si_code != SI_KERNEL)
        kill((pid_t)child, number);
}

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

static void listen_to_signals(void)
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < ARRAY_COUNT(passed_on); i++) {
        struct sigaction before;

        /* nohup's SIG_IGN stays, for us and for the program */
        if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(passed_on[i], &action, NULL);
    }
}

static bool has_run_a_kernel(const struct vendor_folder *folder)
{
    struct stat status;

    return stat(folder->status, &status) == 0 && status.st_size > 0;
}

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
    for (unsigned i = 0; i < ARRAY_COUNT(passed_on); i++)
        if (passed_on[i] == signal_number)
            return;
    fprintf(stderr, "wavetank: %s was ended by signal %d (%s)\n", program, signal_number,
            strsignal(signal_number));
}

static int wait_for(pid_t pid, const char *program)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_NOT_EXECUTABLE;
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    tell_of_crash(program, WTERMSIG(status));
    return SIGNAL_STATUS + WTERMSIG(status);
}

/* In the new process: what is ignored stays so, what we listen to gets its default again. */
_Noreturn static void become(char **program, const sigset_t *mask, int report)
{
    int error;

    for (unsigned i = 0; i < ARRAY_COUNT(passed_on); i++) {
        struct sigaction before;

        if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            signal(passed_on[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(program[0], program);
    error = errno;
    if (write(report, &error, sizeof error) < 0)
        _exit(EXIT_NOT_EXECUTABLE);
    _exit(EXIT_NOT_FOUND);
}

/* Gives 0, or the error number of what went wrong. Signals wait until the new process is known, so
 * that none is lost. */
static int spawn(char **program)
{
    int report[2], error = 0;
    sigset_t all, before;
    pid_t pid;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    listen_to_signals();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid = fork();
    if (pid == 0)
        become(program, &before, report[1]);
    if (pid < 0)
        error = errno;
    child = (sig_atomic_t)pid;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(report[1]);
    if (pid > 0 && read(report[0], &error, sizeof error) != sizeof error)
        error = 0;
    close(report[0]);
    return error;
}

static int no_kernel(const char *program)
{
    fprintf(
        stderr,
        "wavetank: no kernel of %s ran on Wavetank\n"
        "  hint: does it use OpenCL through the ICD loader (libOpenCL.so.1), and its GPU device?\n",
        program);
    return EXIT_NO_KERNEL;
}

static int run_with(const struct run_request *request, const struct vendor_folder *folder)
{
    int status, error;

    environment_set(request, folder);
    fflush(NULL);
    error = spawn(request->program);
    status = child > 0 ? wait_for((pid_t)child, request->program[0]) : EXIT_NOT_EXECUTABLE;
    if (error != 0)
        status = start_failed(request->program[0], error);
    else if (status == 0 && !has_run_a_kernel(folder))
        status = no_kernel(request->program[0]);
    return status;
}

int run_program(const struct run_request *request)
{
    struct diagnosis diagnosis;
    struct vendor_folder folder = {0};
    char *driver = driver_find(&diagnosis);
    int status;

    if (driver == NULL)
        return complain(&diagnosis);
    status = vendor_folder_make(&folder, driver, request->with_platforms, &diagnosis)
                 ? run_with(request, &folder)
                 : complain(&diagnosis);
    vendor_folder_remove(&folder);
    free(driver);
    return status;
}
