/* SPDX-License-Identifier: MIT */
/*
 * GPUVM_WRITER_SIG_BLOCK: a call of the library takes no signals but those that report an error of
 * its own thread. So a thread that is stopped by a signal never has a lock of the library. A
 * handler that touches an array has interrupted no call.
 */
#ifndef GPUVM_SIGNAL_BLOCK_H
#define GPUVM_SIGNAL_BLOCK_H

#include "context.h"

#include <signal.h>

struct signal_block {
    bool is_on;
    sigset_t before;
};

/* *set: all signals but those that an instruction causes. */
void signal_block_all(sigset_t *set);
void signal_block_set(struct signal_block *block);
void signal_block_end(struct signal_block *block);

static inline struct signal_block signal_block_begin(const struct context *context)
{
    struct signal_block block;
    block.is_on = context && (context->flags & GPUVM_WRITER_SIG_BLOCK);
    if (block.is_on)
        signal_block_set(&block);
    return block;
}

/* Until the function that says so returns. context may be NULL. */
#define BLOCK_SIGNALS(context)                                                                     \
    struct signal_block block __attribute__((cleanup(signal_block_end), unused)) =                 \
        signal_block_begin(context)

#endif
