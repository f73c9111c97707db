/* SPDX-License-Identifier: MIT */
/*
 * Buffers that the library makes, by the device's allocator, when they are first needed. With a
 * budget (gpuvm_set_budget) device memory is a cache of them: the least recently used go to make
 * room.
 */
#ifndef GPUVM_BUFFER_H
#define GPUVM_BUFFER_H

#include "array.h"

/* Makes the buffer of the array's link with the device, if there is none yet. No array is locked,
 * since the allocator's functions may need locks of theirs, or unlink other arrays. 0,
 * GPUVM_EDEVALLOC or GPUVM_ENULL (no allocator). */
int buffer_make(struct array *array, struct device *device);

#endif
