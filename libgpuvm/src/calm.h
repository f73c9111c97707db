/* SPDX-License-Identifier: MIT */
/*
 * GPUVM_WRITER_SIG_BLOCK: a call of the library takes no signals but those that report an error of
 * its own thread. So who stops threads by a signal never finds one with a lock of ours, and a
 * handler that touches an array has interrupted no call.
 */
#ifndef GPUVM_CALM_H
#define GPUVM_CALM_H

#include "context.h"

#include <signal.h>

struct calm {
    bool is_on;
    sigset_t before;
};

/* *set: all signals but those that an instruction causes. */
void calm_signals(sigset_t *set);
void calm_block(struct calm *calm);
void calm_end(struct calm *calm);

static inline struct calm calm_begin(const struct context *context)
{
    struct calm calm;
    calm.is_on = context && (context->flags & GPUVM_WRITER_SIG_BLOCK);
    if (calm.is_on)
        calm_block(&calm);
    return calm;
}

/* Until the function that says so returns. context may be NULL. */
#define CALM(context)                                                                              \
    struct calm calm __attribute__((cleanup(calm_end), unused)) = calm_begin(context)

#endif
