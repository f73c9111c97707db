/* SPDX-License-Identifier: MIT */
/* Devices whose functions the caller brings (struct gpuvm_device_ops). */
#include "backend.h"

/* The structure of functions as it was before `wait`. */
#define LEAST_BYTES offsetof(struct gpuvm_device_ops, wait)

static const struct gpuvm_device *ops_given(const struct device *device)
{
    return device->state;
}

static int ops_open(struct device *device, void *state, int flags)
{
    const struct gpuvm_device *mine = state;
    if (!mine->ops || !mine->ops->read || !mine->ops->write)
        return GPUVM_ENULL;
    if (mine->ops->size < LEAST_BYTES)
        return GPUVM_EARG;
    device->state = state;
    device->is_svm = mine->ops->features & GPUVM_DEVICE_SVM;
    return 0;
}

static void ops_close(struct device *device) {}

static int ops_read(struct device *device, const struct gpuvm_segment *segments, size_t count,
                    bool is_fault)
{
    return ops_given(device)->ops->read(ops_given(device)->device, segments, count) ? GPUVM_ERROR
                                                                                    : 0;
}

static int ops_write(struct device *device, const struct gpuvm_segment *segments, size_t count)
{
    return ops_given(device)->ops->write(ops_given(device)->device, segments, count) ? GPUVM_ERROR
                                                                                     : 0;
}

static int ops_after(struct device *device, unsigned count, void *const *events)
{
    const struct gpuvm_device_ops *ops = ops_given(device)->ops;
    if (ops->size < sizeof(*ops) || !ops->wait)
        return GPUVM_EAPI;
    return ops->wait(ops_given(device)->device, count, events) ? GPUVM_ERROR : 0;
}

static int ops_finish(struct device *device)
{
    const struct gpuvm_device_ops *ops = ops_given(device)->ops;
    return ops->finish && ops->finish(ops_given(device)->device) ? GPUVM_ERROR : 0;
}

static int ops_mark(struct device *device)
{
    return 0; /* its reads come after all kernels */
}

static void *ops_reach(struct device *device, void *buffer, size_t bytes)
{
    const struct gpuvm_device_ops *ops = ops_given(device)->ops;
    return ops->reach ? ops->reach(ops_given(device)->device, buffer, bytes) : NULL;
}

const struct backend backend_ops = {.api = GPUVM_OPS,
                                    .open = ops_open,
                                    .close = ops_close,
                                    .read = ops_read,
                                    .write = ops_write,
                                    .after = ops_after,
                                    .finish = ops_finish,
                                    .mark = ops_mark,
                                    .reach = ops_reach};
