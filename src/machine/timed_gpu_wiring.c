/* SPDX-License-Identifier: MIT */
/* Ports between the parts of the timed GPU. A port has as many slots as are on the wire at full
 * rate, and a queue. */
#include "base/check.h"
#include "machine/timed_gpu.h"

enum { UNFELT_QUEUE = 8 }; /* in front of caches that have no parameter for it: see mem/cache.h */

static struct port *make_port(struct timed_gpu *gpu, const char *name, struct component *sender,
                              struct component *receiver, uint64_t latency, uint64_t queue,
                              uint32_t element_bytes)
{
    struct port *port = &gpu->ports[gpu->port_count++];

    check(gpu->port_count <= gpu->port_capacity, "more ports than were counted");
    port_init(port, name, sender, receiver, (uint32_t)(latency + 1 + queue), element_bytes);
    return port;
}

static struct port *make_link(struct timed_gpu *gpu, const char *name, struct component *sender,
                              struct component *receiver, uint64_t latency, uint64_t queue)
{
    return make_port(gpu, name, sender, receiver, latency, queue, sizeof(struct message));
}

/* A compute unit's link to a cache above the crossbar that `links` of them share. `rate`: requests
 * a cycle. */
static void join_cache(struct timed_gpu *gpu, struct compute_unit *unit, struct cache *cache,
                       uint64_t links, uint64_t request_cycles, uint64_t rate,
                       struct port **requests, struct port **replies)
{
    struct component *component = compute_unit_component(unit);
    uint64_t reply_rate =
        cache->parameters.ports / links + 1; /* as the cache's links, rounded up */
    uint64_t queue =
        cache->parameters.request_slots > 0 ? cache->parameters.request_slots : UNFELT_QUEUE;

    *requests = make_link(gpu, "requests", component, &cache->component,
                          rate * (request_cycles + 1), queue);
    *replies = make_link(gpu, "replies", &cache->component, component,
                         reply_rate * (cache->parameters.reply_cycles + 1), 1);
    cache_connect_above(cache, *requests, *replies);
}

static void join_unit(struct timed_gpu *gpu, uint32_t number)
{
    const struct compute_unit_parameters *parameters = &gpu->parameters->compute_unit;
    uint32_t shared = number / (uint32_t)gpu->parameters->gpu.units_per_shared_cache;
    struct compute_unit *unit = gpu->units[number];
    struct component *component = compute_unit_component(unit);
    struct component *dispatcher = dispatcher_component(gpu->dispatcher);
    uint64_t links = gpu->parameters->gpu.units_per_shared_cache;
    struct cache *scalar = &gpu->uppers[gpu->unit_count + shared];
    struct compute_unit_ports ports;

    join_cache(gpu, unit, &gpu->uppers[number], 1, parameters->vmem_request_cycles,
               parameters->vmem_requests_per_cycle, &ports.requests, &ports.replies);
    join_cache(gpu, unit, scalar, links, parameters->smem_request_cycles, 1, &ports.scalar_requests,
               &ports.scalar_replies);
    join_cache(gpu, unit, scalar + gpu->shared_count, links, parameters->fetch_request_cycles, 1,
               &ports.fetch_requests, &ports.fetch_replies);
    ports.launches =
        make_port(gpu, "launches", dispatcher, component, gpu->parameters->dispatcher.launch_cycles,
                  1, sizeof(struct group_launch));
    ports.completions =
        make_port(gpu, "completions", component, dispatcher, parameters->completion_cycles,
                  GPU_MAX_GROUPS, sizeof(struct group_done));
    compute_unit_connect(unit, &ports);
    dispatcher_connect(gpu->dispatcher, number, ports.launches, ports.completions);
}

static void join_upper(struct timed_gpu *gpu, struct cache *cache)
{
    const struct crossbar_parameters *crossbar = &gpu->parameters->crossbar;
    struct port *requests = make_link(gpu, "requests", &cache->component, &gpu->requests.component,
                                      cache->parameters.forward_cycles, 1);
    struct port *replies = make_link(gpu, "replies", &gpu->responses.component, &cache->component,
                                     crossbar->latency_cycles, 2);

    crossbar_connect_input(&gpu->requests, requests);
    crossbar_connect_output(&gpu->responses, replies);
    cache_connect_below(cache, requests, replies);
}

static void join_channel(struct timed_gpu *gpu, uint32_t number)
{
    const struct crossbar_parameters *crossbar = &gpu->parameters->crossbar;
    struct cache *slice = &gpu->slices[number / gpu->map.ports];
    struct dram_channel *channel = &gpu->channels[number];
    struct port *requests = make_link(gpu, "requests", &gpu->requests.component, &slice->component,
                                      crossbar->latency_cycles, slice->parameters.request_slots);
    struct port *replies = make_link(gpu, "replies", &slice->component, &gpu->responses.component,
                                     slice->parameters.reply_cycles, 1);
    struct port *reads = make_link(gpu, "requests", &slice->component, &channel->component,
                                   slice->parameters.forward_cycles, 4);
    struct port *fills = make_link(gpu, "replies", &channel->component, &slice->component,
                                   dram_reply_slots(&gpu->parameters->dram), 0);

    crossbar_connect_output(&gpu->requests, requests);
    crossbar_connect_input(&gpu->responses, replies);
    cache_connect_above(slice, requests, replies);
    cache_connect_below(slice, reads, fills);
    dram_connect(channel, reads, fills);
}

void timed_gpu_wire(struct timed_gpu *gpu)
{
    gpu->port_capacity = gpu->unit_count * 8 + gpu->upper_count * 2 + gpu->map.channels * 4;
    gpu->ports = allocate(gpu->port_capacity, sizeof *gpu->ports);
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        join_unit(gpu, i);
    for (uint32_t i = 0; i < gpu->upper_count; i++)
        join_upper(gpu, &gpu->uppers[i]);
    for (uint32_t i = 0; i < gpu->map.channels; i++)
        join_channel(gpu, i);
}
