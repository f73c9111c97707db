/* SPDX-License-Identifier: MIT */
/* Signals that ask the process to end. The machine stops, the report is made, and then the signal
 * has the effect that it would have had. SIGUSR1 asks how far the kernel is, and ends nothing. */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/progress.h"

/* A second signal within this time is the first one again. A signal to the whole process group
 * comes directly and, passed on, from `wavetank run`. */
enum { SAME_SIGNAL_NS = 300000000 };

/* How long a program that is outside the driver may take to come back, when that is what it takes
 * to make the report whole. */
enum { PATIENCE_SECONDS = 1 };

static const int listened[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t stopping; /* the signal's number */
static atomic_bool is_inside;          /* a thread is in the driver: it will see `stopping` */
static bool has_timer[ARRAY_COUNT(listened)];
static timer_t timers[ARRAY_COUNT(listened)];

const volatile sig_atomic_t *signals_stopping(void)
{
    return &stopping;
}

/* Takes effect when the handler returns. */
static void die_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static bool is_first(void)
{
    static atomic_llong first_ns;
    long long first = 0, now_ns;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    now_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    return atomic_compare_exchange_strong(&first_ns, &first, now_ns) ||
           now_ns - first < SAME_SIGNAL_NS;
}

static void say_stopping(int number)
{
    static const char by_key[] = "\nwavetank: stopping (press Ctrl-C again to end at once)\n";
    static const char by_signal[] = "wavetank: stopping\n";
    const char *message = number == SIGINT ? by_key : by_signal;

    if (write(STDERR_FILENO, message, strlen(message)) < 0)
        return;
}

/* Comes back by the same signal, if the process has not ended before. */
static bool start_timer(int number)
{
    const struct itimerspec time = {.it_value.tv_sec = PATIENCE_SECONDS};

    for (unsigned i = 0; i < ARRAY_COUNT(listened); i++)
        if (listened[i] == number && has_timer[i])
            return timer_settime(timers[i], 0, &time, NULL) == 0;
    return false;
}

/* The first stops the machine; a second ends the process as if we did not listen. Outside the
 * driver the process ends at once when all is kept: there may be no other time for it. */
static void on_signal(int number, siginfo_t *information, void *context)
{
    int error = errno;
    bool was_stopping = stopping != 0;

    if (information->si_code == SI_TIMER || !is_first()) {
        die_by(number);
    } else if (!was_stopping) {
        stopping = number;
        atomic_thread_fence(memory_order_seq_cst);
        if (atomic_load(&is_inside))
            say_stopping(number);
        else if (results_are_open() && start_timer(number))
            say_stopping(number);
        else
            die_by(number);
    }
    errno = error;
}

static void on_question(int number)
{
    static const char nothing[] = "wavetank: no kernel is running\n";
    int error = errno;

    if (!progress_ask() && write(STDERR_FILENO, nothing, sizeof nothing - 1) < 0)
        error = errno;
    errno = error;
}

static void listen_to_questions(void)
{
    struct sigaction action = {.sa_handler = on_question, .sa_flags = SA_RESTART};
    struct sigaction before;

    if (sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
        return;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

void signals_listen(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    if (!session_flag("WAVETANK_SIGINT", false))
        return;
    listen_to_questions();
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < ARRAY_COUNT(listened); i++) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = listened[i]};
        struct sigaction before;

        if (sigaction(listened[i], NULL, &before) != 0 || before.sa_handler != SIG_DFL)
            continue;
        has_timer[i] = timer_create(CLOCK_MONOTONIC, &event, &timers[i]) == 0;
        sigaction(listened[i], &action, NULL);
    }
}

void signals_enter(void)
{
    atomic_store(&is_inside, true);
}

void signals_leave(void)
{
    atomic_store(&is_inside, false);
    atomic_thread_fence(memory_order_seq_cst);
}

_Noreturn void signals_die(void)
{
    int number = stopping;
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    _exit(128 + number);
}
