/* SPDX-License-Identifier: MIT */
/* What the files of the public interface share. */
#ifndef GPUVM_API_H
#define GPUVM_API_H

#include "array.h"
#include "lifecycle.h"
#include "service.h"
#include "signal_block.h"

/* The device with this index, or NULL. */
static inline struct device *api_device(struct context *context, unsigned index)
{
    return index < context->device_count ? &context->devices[index] : NULL;
}

/* array_find for the program's threads: not an array whose memory the caller knows to be unmapped.
 */
static inline struct array *api_find(struct context *context, const void *host)
{
    service_await_unmaps(context, (uintptr_t)host, 1);
    return array_find(context, host);
}

/* The program is about to allow itself to read a range, or also to write it, by mprotect. Where a
 * rung rests on protections, what a device has of it comes to the host first. 0 or an error. */
int api_opening(void *start, size_t bytes, bool is_write);

#endif
