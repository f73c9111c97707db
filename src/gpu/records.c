/* SPDX-License-Identifier: MIT */
#include "gpu/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void *records_create(size_t count, size_t bytes, void **memory)
{
    unsigned char *start = allocate(count * bytes + 64, 1);

    *memory = start;
    return start + (64 - (uintptr_t)start % 64) % 64;
}

void index_ring_init(struct index_ring *ring, uint32_t capacity)
{
    memset(ring, 0, sizeof *ring);
    ring->items = allocate(capacity, sizeof *ring->items);
    ring->times = allocate(capacity, sizeof *ring->times);
    ring->capacity = capacity;
    ring->next = NEVER;
}

void index_ring_finish(struct index_ring *ring)
{
    free(ring->items);
    free(ring->times);
}
