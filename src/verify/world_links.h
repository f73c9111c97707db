/* SPDX-License-Identifier: MIT */
/* The FIFOs of a small machine by number. First come those of each L1 and slice, one for each lane.
 * Then one from memory to each slice, and, where L1s send to each other, one from each L1 to each.
 * For the files that make its moves. */
#ifndef VERIFY_WORLD_LINKS_H
#define VERIFY_WORLD_LINKS_H

#include "verify/world.h"

static inline uint32_t fifo_of(const struct world *world, uint32_t l1, uint32_t slice,
                               enum lane lane)
{
    return (l1 * world->shape.slices + slice) * LANE_COUNT +
           wiring_fifo(&world->shape.wiring, lane);
}

static inline bool is_upward(uint32_t fifo)
{
    return fifo % LANE_COUNT == LANE_RESPONSES || fifo % LANE_COUNT == LANE_PROBES;
}

static inline uint32_t fifo_memory(const struct world *world, uint32_t slice)
{
    return world->shape.l1s * world->shape.slices * LANE_COUNT + slice;
}

static inline uint32_t fifo_across(const struct world *world, uint32_t from, uint32_t to)
{
    return fifo_memory(world, world->shape.slices) + from * world->shape.l1s + to;
}

static inline bool is_across(const struct world *world, uint32_t fifo)
{
    return fifo >= fifo_across(world, 0, 0);
}

/* The controller that takes what comes by it. */
static inline uint32_t fifo_receiver(const struct world *world, uint32_t fifo)
{
    uint32_t pair = fifo / LANE_COUNT;

    if (is_across(world, fifo))
        return (fifo - fifo_across(world, 0, 0)) % world->shape.l1s;
    if (fifo >= fifo_memory(world, 0))
        return world->shape.l1s + fifo - fifo_memory(world, 0);
    return is_upward(fifo) ? pair / world->shape.slices
                           : world->shape.l1s + pair % world->shape.slices;
}

#endif
