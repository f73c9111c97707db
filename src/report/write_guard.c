/* SPDX-License-Identifier: MIT */
#include "report/write_guard.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static const int guarded[2] = {SIGPIPE, SIGXFSZ};

void write_guard_begin(struct write_guard *guard)
{
    sigset_t pending, held;

    sigemptyset(&held);
    sigpending(&pending);
    for (unsigned i = 0; i < 2; i++) {
        guard->was_pending[i] = sigismember(&pending, guarded[i]) == 1;
        sigaddset(&held, guarded[i]);
    }
    pthread_sigmask(SIG_BLOCK, &held, &guard->before);
}

void write_guard_end(struct write_guard *guard)
{
    const struct timespec at_once = {0};
    int error = errno;

    for (unsigned i = 0; i < 2; i++) {
        sigset_t one;

        sigemptyset(&one);
        sigaddset(&one, guarded[i]);
        if (!guard->was_pending[i])
            while (sigtimedwait(&one, NULL, &at_once) < 0 && errno == EINTR)
                continue;
    }
    pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
    errno = error;
}
