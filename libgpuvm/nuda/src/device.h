/* SPDX-License-Identifier: MIT */
/* The device of the program: chosen once, by NUDA_DEVICE, when a loop first needs it; libgpuvm
 * starts with it. */
#ifndef NUDA_SRC_DEVICE_H
#define NUDA_SRC_DEVICE_H

#include "nuda_device.h"

/* NULL: there is none, loops run on the host (why is told with NUDA_TRACE). */
struct nuda_device *device_get(void);

/* An OpenCL device whose "platform: name" contains `wanted`, in letters of either case (NULL:
 * any, GPUs first); NULL: none. */
struct nuda_device *device_opencl_open(const char *wanted);

/* For a device that computes with another one: buffers of memory that exists, and waiting. */
void *device_opencl_wrap(struct nuda_device *device, void *memory, size_t nbytes);
bool device_opencl_finish(struct nuda_device *device);

#endif
