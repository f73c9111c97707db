/* SPDX-License-Identifier: MIT */
/* Wavefront slots of a compute unit in the order in which they came; each at most once. */
#ifndef TM_SLOT_QUEUE_H
#define TM_SLOT_QUEUE_H

#include <string.h>

#include "tm/tm.h"

struct slot_queue {
    uint8_t slots[TM_MAX_WAVEFRONTS];
    uint32_t count;
};

static inline void slot_queue_put(struct slot_queue *queue, uint32_t slot)
{
    queue->slots[queue->count++] = (uint8_t)slot;
}

static inline bool slot_queue_has(const struct slot_queue *queue, uint32_t slot)
{
    return memchr(queue->slots, (int)slot, queue->count) != NULL;
}

/* It is in the queue. */
static inline void slot_queue_take(struct slot_queue *queue, uint32_t slot)
{
    uint8_t *place = memchr(queue->slots, (int)slot, queue->count);

    memmove(place, place + 1, --queue->count - (uint32_t)(place - queue->slots));
}

#endif
