/* SPDX-License-Identifier: MIT */
/* Serving a memory request at once, from the device's memory and a work-group's local memory: what
 * the functional device has in place of caches. Lanes in ascending order; an atomic of one lane is
 * seen by the next. */
#ifndef GPU_FUNCTIONAL_MEMORY_H
#define GPU_FUNCTIONAL_MEMORY_H

#include <stdbool.h>

#include "gpu/fault.h"
#include "isa/isa.h"
#include "mem/backing.h"

/* False: an access outside; fault->kind, lane, address, bytes and access say which. `local` has
 * `local_bytes` bytes. */
bool functional_serve(struct backing *backing, unsigned char *local, uint32_t local_bytes,
                      struct isa_memory_request *request, struct fault *fault);

#endif
