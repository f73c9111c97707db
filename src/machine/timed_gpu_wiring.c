/* SPDX-License-Identifier: MIT */
/* What joins the parts of the timed GPU: links above the upper caches, the dispatcher's ports, and
 * the network below. */
#include <stdlib.h>

#include "machine/timed_gpu.h"

enum { UNFELT_QUEUE = 8 }; /* in front of caches that have no parameter for it: see mem/cache.h */

/* A compute unit's link to a cache that `sharers` of them share. `rate`: requests a cycle. */
static const struct lanes *join_cache(struct link *link, struct component *unit,
                                      struct cache *cache, uint64_t sharers,
                                      uint64_t request_cycles, uint64_t rate)
{
    uint64_t queue =
        cache->parameters.request_slots > 0 ? cache->parameters.request_slots : UNFELT_QUEUE;
    struct link_options options = {
        .down = {.cycles = request_cycles, .width = rate, .queue = queue + 1},
        .up = {.cycles = cache->parameters.reply_cycles,
               .width = cache->parameters.ports / sharers + 1, /* the cache's rate, rounded up */
               .queue = 2},
    };

    link_set_end(options.above, unit);
    link_set_end(options.below, &cache->component);
    link_init(link, &options);
    cache_connect_above(cache, &link->lanes);
    return &link->lanes;
}

static void join_dispatcher(struct timed_gpu *gpu, uint32_t number,
                            struct compute_unit_ports *ports)
{
    struct unit_links *links = &gpu->unit_links[number];
    struct component *component = compute_unit_component(gpu->units[number]);
    struct component *dispatcher = dispatcher_component(gpu->dispatcher);
    uint32_t launch_cycles = (uint32_t)gpu->parameters->dispatcher.launch_cycles;
    uint32_t completion_cycles = (uint32_t)gpu->parameters->compute_unit.completion_cycles;

    port_init(&links->launches, "launches", dispatcher, component, launch_cycles,
              2 * launch_cycles + 1, sizeof(struct group_launch));
    port_init(&links->completions, "completions", component, dispatcher, completion_cycles,
              2 * completion_cycles + GPU_MAX_GROUPS, sizeof(struct group_done));
    ports->launches = &links->launches;
    ports->completions = &links->completions;
    dispatcher_connect(gpu->dispatcher, number, ports->launches, ports->completions);
}

static void join_unit(struct timed_gpu *gpu, uint32_t number)
{
    const struct compute_unit_parameters *parameters = &gpu->parameters->compute_unit;
    uint64_t sharers = gpu->parameters->gpu.units_per_shared_cache;
    struct cache *scalar = &gpu->uppers[gpu->unit_count + number / (uint32_t)sharers];
    struct component *component = compute_unit_component(gpu->units[number]);
    struct unit_links *links = &gpu->unit_links[number];
    struct compute_unit_ports ports;
    const struct lanes *lanes;

    lanes = join_cache(&links->vector, component, &gpu->uppers[number], 1,
                       parameters->vmem_request_cycles, parameters->vmem_requests_per_cycle);
    ports.requests = lanes->ports[LANE_REQUESTS];
    ports.replies = lanes->ports[LANE_RESPONSES];
    lanes =
        join_cache(&links->scalar, component, scalar, sharers, parameters->smem_request_cycles, 1);
    ports.scalar_requests = lanes->ports[LANE_REQUESTS];
    ports.scalar_replies = lanes->ports[LANE_RESPONSES];
    lanes = join_cache(&links->fetch, component, scalar + gpu->shared_count, sharers,
                       parameters->fetch_request_cycles, 1);
    ports.fetch_requests = lanes->ports[LANE_REQUESTS];
    ports.fetch_replies = lanes->ports[LANE_RESPONSES];
    join_dispatcher(gpu, number, &ports);
    compute_unit_connect(gpu->units[number], &ports);
}

void timed_gpu_wire(struct timed_gpu *gpu)
{
    gpu->unit_links = allocate(gpu->unit_count, sizeof *gpu->unit_links);
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        join_unit(gpu, i);
    for (uint32_t i = 0; i < gpu->upper_count; i++)
        network_join_upper(
            &gpu->network, &gpu->uppers[i],
            gpu->unit_junctions != NULL && i < gpu->unit_count ? &gpu->unit_junctions[i] : NULL);
    for (uint32_t i = 0; i < gpu->map.channels; i++)
        network_join_channel(&gpu->network, &gpu->slices[i / gpu->map.ports], &gpu->channels[i],
                             gpu->channel_junctions != NULL ? &gpu->channel_junctions[i] : NULL);
}

void timed_gpu_unwire(struct timed_gpu *gpu)
{
    for (uint32_t i = 0; gpu->unit_links != NULL && i < gpu->unit_count; i++) {
        struct unit_links *links = &gpu->unit_links[i];

        link_finish(&links->vector);
        link_finish(&links->scalar);
        link_finish(&links->fetch);
        port_finish(&links->launches);
        port_finish(&links->completions);
    }
    free(gpu->unit_links);
    network_finish(&gpu->network);
}

void timed_gpu_visit_ports(const struct timed_gpu *gpu,
                           void (*visit)(void *context, const struct port *port), void *context)
{
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        const struct unit_links *links = &gpu->unit_links[i];

        link_visit(&links->vector, visit, context);
        link_visit(&links->scalar, visit, context);
        link_visit(&links->fetch, visit, context);
        visit(context, &links->launches);
        visit(context, &links->completions);
    }
    network_visit(&gpu->network, visit, context);
    for (uint32_t i = 0; gpu->unit_junctions != NULL && i < gpu->unit_count; i++)
        junction_visit(&gpu->unit_junctions[i], visit, context);
    for (uint32_t i = 0; gpu->channel_junctions != NULL && i < gpu->map.channels; i++)
        junction_visit(&gpu->channel_junctions[i], visit, context);
}
