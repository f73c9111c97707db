/* SPDX-License-Identifier: MIT */
/*
 * svm: every device sees the host's memory itself, so an array that is linked without a buffer
 * needs nothing done. One that is linked with a buffer is copied eagerly: nothing is watched,
 * attach refuses.
 */
#include "context.h"

static bool svm_open(struct rung *rung)
{
    for (unsigned i = 0; i < rung->context->device_count; i++)
        if (!rung->context->devices[i].is_svm)
            return false;
    return true;
}

static void svm_close(struct rung *rung) {}

static int svm_attach(struct rung *rung, struct array *array)
{
    return -1;
}

static void svm_release_child(struct rung *rung, struct array *array) {}

static void svm_resume(struct rung *rung, struct array *array) {}

const struct rung_ops rung_svm = {.name = "svm",
                                  .flag = GPUVM_RUNG_SVM,
                                  .open = svm_open,
                                  .close = svm_close,
                                  .attach = svm_attach,
                                  .resume = svm_resume,
                                  .release_child = svm_release_child};
