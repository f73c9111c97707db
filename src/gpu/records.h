/* SPDX-License-Identifier: MIT */
/* Records of fixed number, and rings of their indices. */
#ifndef GPU_RECORDS_H
#define GPU_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

#define NEVER UINT64_MAX

enum { NO_ENTRY = 0xffff };

/* Indices in the order in which they were put in. */
struct index_ring {
    uint64_t next; /* when the first falls due; NEVER: there is none */
    uint16_t *items;
    uint64_t *times; /* when each falls due; never falling */
    uint32_t capacity, head, count;
};

/* Zeroed records at a 64-byte boundary. *memory is what to free. Large ones are not resident until
 * used. */
void *records_create(size_t count, size_t bytes, void **memory);

void index_ring_init(struct index_ring *ring, uint32_t capacity);
void index_ring_finish(struct index_ring *ring);

static inline void index_ring_put(struct index_ring *ring, uint16_t item, uint64_t time)
{
    uint32_t place = ring->head + ring->count;

    check(ring->count < ring->capacity, "an index ring of %u is full", ring->capacity);
    place -= place >= ring->capacity ? ring->capacity : 0;
    ring->items[place] = item;
    ring->times[place] = time;
    if (ring->count++ == 0)
        ring->next = time;
}

static inline uint64_t index_ring_time(const struct index_ring *ring)
{
    return ring->next;
}

static inline uint16_t index_ring_take(struct index_ring *ring)
{
    uint16_t item = ring->items[ring->head];

    ring->head = ring->head + 1 == ring->capacity ? 0 : ring->head + 1;
    ring->next = --ring->count == 0 ? NEVER : ring->times[ring->head];
    return item;
}

#endif
