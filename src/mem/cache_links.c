/* SPDX-License-Identifier: MIT */
/* A cache's neighbours: links above and below, and the way to other upper caches. */
#include "base/check.h"
#include "mem/cache.h"

void cache_connect_above(struct cache *cache, const struct lanes *lanes)
{
    check(cache->above_count < CACHE_MAX_ABOVE, "%s: too many links above", cache->component.path);
    stall_log_init(&cache->stalls[cache->above_count].log, lanes->ports[LANE_REQUESTS]->capacity);
    cache->above[cache->above_count++] = *lanes;
    cache->from_above[LANE_REQUESTS] |= port_bit(lanes->ports[LANE_REQUESTS]);
    cache->from_above[LANE_WRITE_BACKS] |= port_bit(lanes->ports[LANE_WRITE_BACKS]);
    cache->link_rate = (uint32_t)cache->parameters.ports / cache->above_count;
    if (cache->link_rate == 0)
        cache->link_rate = 1;
}

void cache_connect_below(struct cache *cache, const struct lanes *lanes)
{
    check(cache->below_count < CACHE_MAX_BELOW, "%s: too many links below", cache->component.path);
    cache->below[cache->below_count++] = *lanes;
    cache->from_others |=
        port_bit(lanes->ports[LANE_RESPONSES]) | port_bit(lanes->ports[LANE_PROBES]);
}

void cache_connect_across(struct cache *cache, struct port *to_peers, struct port *from_peers)
{
    cache->to_peers = to_peers;
    cache->from_peers = from_peers;
    cache->from_others |= port_bit(from_peers);
}
