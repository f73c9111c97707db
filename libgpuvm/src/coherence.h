/* SPDX-License-Identifier: MIT */
/*
 * What a kernel's use of arrays does to them, on one device. All arrays are locked.
 *
 * Begin: what the device lacks is uploaded, edges that the host changed and pages that it does not
 * have. A use that only reads leaves host and device equal, so the host's first writes are tracked
 * from here on.
 *
 * End: after a use that wrote, edges and hot pages come back, and the rest of the interior is taken
 * from the host.
 */
#ifndef GPUVM_COHERENCE_H
#define GPUVM_COHERENCE_H

#include "array.h"

struct use {
    struct array *array;
    struct link *link;
    int flags; /* of begin */
};

/* Buffers exist. 0, GPUVM_ERROR or GPUVM_ESALLOC: then nothing is begun. */
int coherence_begin(struct use *uses, size_t count, struct device *device, struct site here);

/* All are begun. 0, GPUVM_ERROR or GPUVM_ESALLOC: then all are still begun. */
int coherence_end(struct use *uses, size_t count, struct device *device, struct site here);

/* Removes the link; its data come to the host first if no other link has them and is_kept. 0 or
 * GPUVM_ERROR (still linked). */
int coherence_unlink(struct array *array, struct link *link, bool is_kept);

/* No kernel has the link's array. What only its device has comes to the host; its buffer is not
 * needed any more. Returns 0 or GPUVM_ERROR (nothing is lost). */
int coherence_evict(struct array *array, struct link *link);

/* The data are on the link's device alone: takes the interior from the host and fetches the edges
 * (GPUVM_ON_DEVICE). */
int coherence_adopt(struct array *array, struct link *link);

#endif
