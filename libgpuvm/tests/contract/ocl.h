/* SPDX-License-Identifier: MIT */
/* OpenCL devices for the tests that need a runtime with threads and a heap of its own: PoCL, one or
 * two devices. */
#ifndef CONTRACT_OCL_H
#define CONTRACT_OCL_H

#define CL_TARGET_OPENCL_VERSION 120

#include "contract.h"
#include "gpuvm.h"

#include <CL/cl.h>
#include <stdint.h>

#define OCL_DEVICES 2

struct ocl {
    unsigned devices;
    bool has_reach;
    cl_device_id ids[OCL_DEVICES];
    cl_context context;
    cl_command_queue queues[OCL_DEVICES];
    cl_program program;
};

/* Devices, a context, a queue a device, the kernels below. */
void ocl_open(struct ocl *ocl, const struct setting *setting);
void ocl_close(struct ocl *ocl);
/* gpuvm_init with the queues; skips the test if the rung does not work. Without reach: with
 * GPUVM_NO_REACH. */
void ocl_init(struct ocl *ocl, int flags);

cl_mem ocl_buffer(struct ocl *ocl, size_t nbytes);
/* Makes a buffer on each device and links. */
void ocl_link(struct ocl *ocl, void *host, size_t nbytes, cl_mem *buffers, int flags);
void ocl_unlink(struct ocl *ocl, void *host, cl_mem *buffers);

/*
 * Enqueues a kernel by name with `count` work items; returns at once. The buffers, as many as the
 * kernel has, then `number`.
 *
 *     affine(a, x, b, y; n)  y[i] = b[i] + sum over j of a[i * n + j] * x[j], modulo 2^32
 *     add(a, b, c; 0)        c[i] = a[i] + b[i]
 *     advance(x; s)             x[i] = x[i] * 1664525 + 1013904223 + i + s
 *     number(x; s)           x[i] = i * 2654435761 + s
 */
void ocl_run(struct ocl *ocl, unsigned device, const char *name, const cl_mem *buffers,
             unsigned number, size_t count);
/* The same on the host; `advance` and `number` only. */
void ocl_advance(uint32_t *x, size_t count, uint32_t s);
void ocl_number(uint32_t *x, size_t count, uint32_t s);

#define expect_cl(call) expect_equal((call), CL_SUCCESS)

#endif
