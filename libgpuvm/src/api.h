/* SPDX-License-Identifier: MIT */
/* What the files of the public interface share. */
#ifndef GPUVM_API_H
#define GPUVM_API_H

#include "array.h"
#include "calm.h"
#include "lifecycle.h"

/* The device with this index, or NULL. */
static inline struct device *api_device(struct context *context, unsigned index)
{
    return index < context->device_count ? &context->devices[index] : NULL;
}

#endif
