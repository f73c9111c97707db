/* SPDX-License-Identifier: MIT */
/*
 * A back end: how data move to and from one kind of device. OpenCL's is backend_opencl.c; the
 * caller's own functions (GPUVM_OPS) are wrapped by backend_ops.c. Functions return 0 or
 * GPUVM_ERROR and may be called from any thread, several at once.
 */
#ifndef GPUVM_BACKEND_H
#define GPUVM_BACKEND_H

#include "context.h"

struct backend {
    int api; /* GPUVM_OPENCL ... */
    /* Fills in device->state and device->is_svm from the pointer given to gpuvm_init; 0 or an
     * error. */
    int (*open)(struct device *device, void *given, int flags);
    void (*close)(struct device *device);
    /* Copy segments, all as one batch, and return when they are there. Ordered after the kernels
     * given to the device before. With is_fault a thread waits that may itself have to finish
     * kernels given since the last mark. Do not wait for those. */
    int (*read)(struct device *device, const struct gpuvm_segment *segments, size_t count,
                bool is_fault);
    int (*write)(struct device *device, const struct gpuvm_segment *segments, size_t count);
    /* Makes finish, mark and transfers come after these events, too. 0, GPUVM_ERROR, GPUVM_EAPI. */
    int (*after)(struct device *device, unsigned count, void *const *events);
    /* Waits for all kernels given so far. */
    int (*finish)(struct device *device);
    /* Remembers the kernels given so far without waiting: later reads come after them. */
    int (*mark)(struct device *device);
    /* The buffer's memory, if the host can reach it, or NULL. */
    void *(*reach)(struct device *device, void *buffer, size_t bytes);
    /* The kind's own allocator, if the caller brings none; NULL: there is none. */
    void *(*allocate)(void *device, unsigned index, size_t bytes);
    void (*release)(void *device, unsigned index, void *buffer);
    /* A linked buffer must not go away before its link; NULL: the caller sees to that. */
    void (*hold)(void *buffer);
    void (*let_go)(void *buffer);
};

extern const struct backend backend_opencl, backend_ops;

#endif
