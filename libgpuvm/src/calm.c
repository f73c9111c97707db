/* SPDX-License-Identifier: MIT */
#include "calm.h"

#include <pthread.h>

void calm_signals(sigset_t *set)
{
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
        sigdelset(set, synchronous[i]);
}

void calm_block(struct calm *calm)
{
    sigset_t all;
    calm_signals(&all);
    pthread_sigmask(SIG_SETMASK, &all, &calm->before);
}

void calm_end(struct calm *calm)
{
    if (calm->is_on)
        pthread_sigmask(SIG_SETMASK, &calm->before, NULL);
}
