/* SPDX-License-Identifier: MIT */
#include "tm/limit.h"

#include "base/bits.h"

static uint32_t size_of(const struct tm_limit *limit, const struct tm_wavefront *wavefront)
{
    uint64_t lanes = wavefront->is_open ? wavefront->lanes : wavefront->running;

    return limit->counts_lanes ? count_bits(lanes) : 1;
}

bool tm_limit_allows(struct tm_limit *limit, const struct tm_wavefront *wavefront)
{
    uint32_t slot = wavefront->slot;
    bool has_room = limit->taken + size_of(limit, wavefront) <= limit->max;

    if (limit->max == 0 || limit->has[slot] != 0)
        return true;
    if (!slot_queue_has(&limit->queue, slot)) {
        slot_queue_put(&limit->queue, slot);
        *limit->waits += !has_room || limit->queue.count > 1;
    }
    return has_room && limit->queue.slots[0] == slot;
}

static void wake_next(const struct tm_limit *limit, struct tm_host *host)
{
    if (limit->queue.count > 0)
        host->wake(host, limit->queue.slots[0]);
}

void tm_limit_enter(struct tm_limit *limit, struct tm_host *host,
                    const struct tm_wavefront *wavefront)
{
    uint32_t slot = wavefront->slot;

    if (limit->max == 0 || limit->has[slot] != 0)
        return;
    limit->has[slot] = size_of(limit, wavefront);
    limit->taken += limit->has[slot];
    slot_queue_take(&limit->queue, slot);
    if (limit->taken < limit->max)
        wake_next(limit, host);
}

void tm_limit_leave(struct tm_limit *limit, struct tm_host *host, uint32_t slot)
{
    if (limit->has[slot] == 0)
        return;
    limit->taken -= limit->has[slot];
    limit->has[slot] = 0;
    wake_next(limit, host);
}
