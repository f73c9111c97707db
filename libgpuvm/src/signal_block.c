/* SPDX-License-Identifier: MIT */
#include "signal_block.h"

#include <pthread.h>

void signal_block_all(sigset_t *set)
{
    static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
        sigdelset(set, synchronous[i]);
}

/* Of this thread: how many blocks it is in. Only the outermost asks the kernel. */
static _Thread_local unsigned depth __attribute__((tls_model("initial-exec")));

void signal_block_set(struct signal_block *block)
{
    sigset_t all;
    if (depth++)
        return;
    signal_block_all(&all);
    pthread_sigmask(SIG_SETMASK, &all, &block->before);
}

void signal_block_end(struct signal_block *block)
{
    if (block->is_on && --depth == 0)
        pthread_sigmask(SIG_SETMASK, &block->before, NULL);
}
