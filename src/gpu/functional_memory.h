/* SPDX-License-Identifier: MIT */
/* Serving a memory request at once, from the device's memory and a work-group's local memory: what
 * the functional device has in place of caches. Lanes in ascending order; an atomic of one lane is
 * seen by the next. */
#ifndef GPU_FUNCTIONAL_MEMORY_H
#define GPU_FUNCTIONAL_MEMORY_H

#include <stdbool.h>

#include "gpu/bounds.h"

enum functional_access {
    FUNCTIONAL_SERVED,
    FUNCTIONAL_DROPPED, /* lanes outside were left out: *outside of them, the first in the fault */
    FUNCTIONAL_STOPPED  /* fault->kind, lane, address, bytes and access say why */
};

/* `local` has `local_bytes` bytes. */
enum functional_access functional_serve(struct bounds *bounds, unsigned char *local,
                                        uint32_t local_bytes, struct isa_memory_request *request,
                                        struct fault *fault, uint32_t *outside);

#endif
