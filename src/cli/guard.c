/* SPDX-License-Identifier: MIT */
#include "cli/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"

enum { STATUS_NO_GUARD = 126, ROUNDS_MAX = 2000, ROUND_NS = 1000000, KILLED_STATUS = 137 };

/* Whom signals go to: the guard in the command, the program in the guard. */
static volatile sig_atomic_t target;
static volatile sig_atomic_t command_is_gone;
static pid_t command_group, guard_process;
static sigset_t command_mask;
static void (*terminal_output_action)(int); /* of the command, for SIGTTOU */

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

static int gone_signal(void)
{
    return SIGRTMAX - 1;
}

bool guard_passes_on(int number)
{
    for (unsigned i = 0; i < ARRAY_COUNT(passed_on); i++)
        if (passed_on[i] == number)
            return true;
    return false;
}

/* ---- Signals ---- */

/* A terminal sends Ctrl-C and Ctrl-\ to the program as well as to us (SI_KERNEL): those are only
 * outlived. What is sent to us alone is passed on. */
static void pass_on(int number, siginfo_t *information, void *context)
{
    int error = errno;

    if (target > 0 && information->si_code != SI_KERNEL)
        kill((pid_t)target, number);
    errno = error;
}

static void on_command_gone(int number)
{
    command_is_gone = 1;
    if (target > 0)
        kill((pid_t)target, SIGKILL);
}

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

/* ---- The guard ---- */

static void become_guard(pid_t command)
{
    struct sigaction action = {.sa_handler = on_command_gone, .sa_flags = SA_RESTART};

    guard_process = getpid();
    target = 0;
    sigemptyset(&action.sa_mask);
    sigaction(gone_signal(), &action, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, gone_signal());
    if (getppid() != command)
        command_is_gone = 1; /* before there was something to tell us */
    setpgid(0, 0);
    /* Messages at the end come from outside the terminal's group. */
    terminal_output_action = signal(SIGTTOU, SIG_IGN);
}

void guard_watch(pid_t program)
{
    target = (sig_atomic_t)program;
    sigprocmask(SIG_SETMASK, &command_mask, NULL);
    if (command_is_gone && program > 0)
        kill(program, SIGKILL);
}

static void kill_children(void)
{
    char path[64];
    FILE *stream;
    long process;

    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    stream = fopen(path, "re");
    while (stream != NULL && fscanf(stream, "%ld", &process) == 1)
        kill((pid_t)process, SIGKILL);
    if (stream != NULL)
        fclose(stream);
}

/* A child's own children are ours when it has ended: until there are none. */
bool guard_clean(void)
{
    const struct timespec pause = {.tv_nsec = ROUND_NS};

    if (!command_is_gone)
        return false;
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        pid_t ended;

        kill_children();
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (ended < 0 && errno == ECHILD)
            return true;
        nanosleep(&pause, NULL);
    }
    return true;
}

void guard_release_program(void)
{
    for (unsigned i = 0; i < ARRAY_COUNT(passed_on); i++) {
        struct sigaction before;

        if (sigaction(passed_on[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            signal(passed_on[i], SIG_DFL);
    }
    signal(SIGTTOU, terminal_output_action);
    setpgid(0, command_group);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard_process)
        _exit(KILLED_STATUS);
    sigprocmask(SIG_SETMASK, &command_mask, NULL);
}

/* ---- The command ---- */

static int wait_for_guard(pid_t guard)
{
    int status;

    while (waitpid(guard, &status, 0) < 0)
        if (errno != EINTR)
            return STATUS_NO_GUARD;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Signals wait until both know whom to pass them on to, so that none is lost. */
int guard_run(int (*work)(void *context), void *context)
{
    sigset_t all;
    pid_t command = getpid(), guard;

    fflush(NULL);
    command_group = getpgrp();
    listen_to_signals();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &command_mask);
    guard = fork();
    if (guard == 0) {
        become_guard(command);
        exit(work(context));
    }
    target = guard > 0 ? (sig_atomic_t)guard : 0;
    sigprocmask(SIG_SETMASK, &command_mask, NULL);
    if (guard > 0)
        return wait_for_guard(guard);
    fprintf(stderr, "wavetank: cannot start a process: %s\n", strerror(errno));
    return STATUS_NO_GUARD;
}
