/* SPDX-License-Identifier: MIT */
/*
 * Rungs on which nothing is watched: attach refuses, so that arrays with buffers are copied whole.
 *
 * svm: every device sees the host's memory itself, so an array that is linked without a buffer
 * needs nothing done.
 *
 * eager: the last rung, which works everywhere. A use uploads what the device may lack. The end of
 * one that writes waits for it and brings everything back.
 */
#include "context.h"

static bool svm_open(struct rung *rung)
{
    for (unsigned i = 0; i < rung->context->device_count; i++)
        if (!rung->context->devices[i].is_svm)
            return false;
    return true;
}

static bool eager_open(struct rung *rung)
{
    return true;
}

static void unwatched_close(struct rung *rung) {}

static int unwatched_attach(struct rung *rung, struct array *array)
{
    return -1;
}

static void unwatched_release_child(struct rung *rung, struct array *array) {}

static void unwatched_resume(struct rung *rung, struct array *array) {}

#define UNWATCHED_OPS(title, number, opener)                                                       \
    {                                                                                              \
        .name = title, .flag = number, .open = opener, .close = unwatched_close,                   \
        .attach = unwatched_attach, .resume = unwatched_resume,                                    \
        .release_child = unwatched_release_child                                                   \
    }

const struct rung_ops rung_svm = UNWATCHED_OPS("svm", GPUVM_RUNG_SVM, svm_open);
const struct rung_ops rung_eager = UNWATCHED_OPS("eager", GPUVM_RUNG_EAGER, eager_open);
