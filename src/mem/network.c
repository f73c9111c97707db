/* SPDX-License-Identifier: MIT */
#include "mem/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

/* ---- Wiring ---- */

enum { MEMORY_QUEUE = 4 };

static uint64_t network_fifos(bool are_apart)
{
    return are_apart ? 2 : 1;
}

static bool is_allowed(const struct crossbar_parameters *parameters, const struct wiring *wiring)
{
    uint64_t down = network_fifos(wiring->write_backs_apart),
             up = network_fifos(wiring->probes_apart);

    return (parameters->down_fifos == 0 || parameters->down_fifos == down) &&
           (parameters->up_fifos == 0 || parameters->up_fifos == up);
}

/* Fewest FIFOs first. */
static const struct wiring wirings[] = {{false, false}, {true, false}, {false, true}, {true, true}};
enum { WIRINGS = sizeof wirings / sizeof wirings[0] };

static bool hint_at_wiring(const struct protocol *protocol, struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < WIRINGS; i++)
        if (protocol_can_be_wired(protocol, &wirings[i], NULL))
            return diagnose_hint(diagnosis,
                                 "the protocol '%s' needs crossbar.down_fifos %llu and "
                                 "crossbar.up_fifos %llu",
                                 protocol->name,
                                 (unsigned long long)network_fifos(wirings[i].write_backs_apart),
                                 (unsigned long long)network_fifos(wirings[i].probes_apart));
    return diagnose_hint(diagnosis, "the protocol '%s' cannot run on any wiring", protocol->name);
}

bool network_choose_wiring(const struct protocol *protocol,
                           const struct crossbar_parameters *parameters, struct wiring *wiring,
                           struct diagnosis *diagnosis)
{
    struct diagnosis *complaint = diagnosis; /* of the first wiring, the one with fewest FIFOs */

    for (unsigned i = 0; i < WIRINGS; i++) {
        if (!is_allowed(parameters, &wirings[i]))
            continue;
        *wiring = wirings[i];
        if (protocol_may_be_built(protocol, wiring, complaint))
            return true;
        complaint = NULL;
    }
    return hint_at_wiring(protocol, diagnosis);
}

/* ---- Building ---- */

static bool has_crossbar(const struct network *network, enum lane lane)
{
    return wiring_fifo(&network->wiring, lane) == lane;
}

static void build_crossbars(struct network *network, const struct network_options *options)
{
    static const char *const names[LANE_COUNT] = {"requests", "write_backs", "responses", "probes"};
    uint32_t per_port = (uint32_t)options->parameters->nodes_per_port;
    const struct crossbar_shape down = {options->nodes, per_port, options->channels, 1};
    const struct crossbar_shape up = {options->channels, 1, options->nodes, per_port};

    for (enum lane lane = 0; lane < LANE_COUNT; lane++) {
        struct text path = {0};

        text_add(&path, "%s.%s", options->path, names[lane]);
        network->paths[lane] = copy_string(text_chars(&path));
        text_finish(&path);
        if (!has_crossbar(network, lane))
            continue;
        crossbar_init(&network->crossbars[lane], network->paths[lane], options->clock,
                      options->parameters, options->protocol, lane >= LANE_RESPONSES ? &up : &down);
        if (lane >= LANE_RESPONSES)
            crossbar_carry_answers(&network->crossbars[lane]);
    }
}

static void build_peers(struct network *network, const struct network_options *options)
{
    uint32_t nodes = options->nodes, per_port = (uint32_t)options->parameters->nodes_per_port;
    const struct crossbar_shape shape = {nodes, per_port, nodes, per_port};

    network->has_peers = protocol_sends_across(options->protocol, options->protocol_parameters);
    if (!network->has_peers)
        return;
    network->peers_path = format_string("%s.peers", options->path);
    network->peer_ports = allocate(2 * nodes, sizeof *network->peer_ports);
    crossbar_init(&network->peers, network->peers_path, options->clock, options->parameters,
                  options->protocol, &shape);
    crossbar_carry_answers(&network->peers);
}

bool network_init(struct network *network, const struct network_options *options,
                  struct diagnosis *diagnosis)
{
    memset(network, 0, sizeof *network);
    if (!network_choose_wiring(options->protocol, options->parameters, &network->wiring, diagnosis))
        return false;
    network->parameters = *options->parameters;
    network->memory_reply_slots = dram_reply_slots(options->dram);
    network->memory_reply_cycles = dram_reply_cycles(options->dram);
    network->nodes = options->nodes;
    network->channels = options->channels;
    network->upper_links = allocate(options->nodes, sizeof(struct link));
    network->slice_links = allocate(options->channels, sizeof(struct link));
    network->memory_links = allocate(options->channels, sizeof(struct link));
    build_crossbars(network, options);
    build_peers(network, options);
    return true;
}

static void finish_links(struct link *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        link_finish(&links[i]);
    free(links);
}

static void finish_peers(struct network *network)
{
    if (!network->has_peers)
        return;
    for (uint32_t i = 0; i < 2 * network->nodes_joined; i++)
        port_finish(&network->peer_ports[i]);
    free(network->peer_ports);
    crossbar_finish(&network->peers);
    free(network->peers_path);
}

void network_finish(struct network *network)
{
    finish_peers(network);
    finish_links(network->upper_links, network->nodes_joined);
    finish_links(network->slice_links, network->channels_joined);
    finish_links(network->memory_links, network->channels_joined);
    for (enum lane lane = 0; lane < LANE_COUNT && network->nodes > 0; lane++) {
        if (has_crossbar(network, lane))
            crossbar_finish(&network->crossbars[lane]);
        free(network->paths[lane]);
    }
    memset(network, 0, sizeof *network);
}

static void set_crossbars(struct network *network, struct component *end[LANE_COUNT])
{
    for (enum lane lane = 0; lane < LANE_COUNT; lane++)
        end[lane] = &network->crossbars[wiring_fifo(&network->wiring, lane)].component;
}

static void connect_crossbars(struct network *network, const struct lanes *lanes, bool is_above)
{
    for (enum lane lane = 0; lane < LANE_COUNT; lane++) {
        if (!has_crossbar(network, lane))
            continue;
        if ((lane < LANE_RESPONSES) == is_above)
            crossbar_connect_input(&network->crossbars[lane], lanes->ports[lane]);
        else
            crossbar_connect_output(&network->crossbars[lane], lanes->ports[lane]);
    }
}

static const struct link_direction beside_junction = {
    .cycles = JUNCTION_CYCLES, .width = 1, .queue = 2};

/* The cache's lanes: the network's, or those of the junction between them. */
static const struct lanes *join_junction(struct network *network, struct junction *junction,
                                         struct cache *cache, bool is_above,
                                         const struct lanes *lanes)
{
    struct link_options options = {.wiring = network->wiring};

    if (junction == NULL)
        return lanes;
    options.down = options.up = beside_junction;
    if (is_above)
        options.down.cycles = cache->parameters.forward_cycles;
    else
        options.up.cycles = cache->parameters.reply_cycles;
    junction_connect(junction, lanes, !is_above);
    return junction_join(junction, &cache->component, is_above, &options);
}

static void join_peers(struct network *network, struct cache *cache, uint32_t node)
{
    struct port *to = &network->peer_ports[2 * node], *from = to + 1;
    uint32_t down = (uint32_t)cache->parameters.forward_cycles;
    uint32_t up = (uint32_t)network->parameters.latency_cycles;

    port_init(to, "to peers", &cache->component, &network->peers.component, down, 2 * down + 1,
              sizeof(struct message));
    port_init(from, "from peers", &network->peers.component, &cache->component, up, 2 * up + 2,
              sizeof(struct message));
    crossbar_connect_input(&network->peers, to);
    crossbar_connect_output(&network->peers, from);
    cache_connect_across(cache, to, from);
}

void network_join_upper(struct network *network, struct cache *cache, struct junction *junction)
{
    struct link *link = &network->upper_links[network->nodes_joined++];
    struct link_options options = {
        .wiring = network->wiring,
        .down = {.cycles = cache->parameters.forward_cycles, .width = 1, .queue = 1},
        .up = {.cycles = network->parameters.latency_cycles, .width = 1, .queue = 2},
    };

    check(network->nodes_joined <= network->nodes, "more caches than the network has nodes");
    if (junction != NULL)
        options.down = beside_junction;
    link_set_end(options.above, junction != NULL ? &junction->component : &cache->component);
    set_crossbars(network, options.below);
    link_init(link, &options);
    connect_crossbars(network, &link->lanes, true);
    cache_connect_below(cache, join_junction(network, junction, cache, true, &link->lanes));
    if (network->has_peers)
        join_peers(network, cache, network->nodes_joined - 1);
}

static void join_memory(struct network *network, struct link *link, struct cache *slice,
                        struct dram_channel *channel)
{
    struct link_options options = {
        .down = {.cycles = slice->parameters.forward_cycles, .width = 1, .queue = MEMORY_QUEUE},
        .up = {.cycles = network->memory_reply_cycles,
               .width = 0,
               .queue = network->memory_reply_slots},
    };

    link_set_end(options.above, &slice->component);
    link_set_end(options.below, &channel->component);
    link_init(link, &options);
    cache_connect_below(slice, &link->lanes);
    dram_connect(channel, link->lanes.ports[LANE_REQUESTS], link->lanes.ports[LANE_RESPONSES]);
}

void network_join_channel(struct network *network, struct cache *slice,
                          struct dram_channel *channel, struct junction *junction)
{
    uint32_t number = network->channels_joined++;
    struct link *link = &network->slice_links[number];
    struct link_options options = {
        .wiring = network->wiring,
        .down = {.cycles = network->parameters.latency_cycles,
                 .width = 1,
                 .queue = slice->parameters.request_slots},
        .up = {.cycles = slice->parameters.reply_cycles, .width = 1, .queue = 1},
    };

    check(network->channels_joined <= network->channels, "more channels than the network has");
    if (junction != NULL)
        options.up = beside_junction;
    set_crossbars(network, options.above);
    link_set_end(options.below, junction != NULL ? &junction->component : &slice->component);
    link_init(link, &options);
    connect_crossbars(network, &link->lanes, false);
    cache_connect_above(slice, join_junction(network, junction, slice, false, &link->lanes));
    join_memory(network, &network->memory_links[number], slice, channel);
}

void network_register(struct network *network, struct registry *registry)
{
    for (enum lane lane = 0; lane < LANE_COUNT; lane++)
        crossbar_register(&network->crossbars[lane], network->paths[lane], registry, "crossbar");
    if (network->has_peers)
        crossbar_register(&network->peers, network->peers_path, registry, "crossbar");
}

static void visit_links(const struct link *links, uint32_t count,
                        void (*visit)(void *context, const struct port *port), void *context)
{
    for (uint32_t i = 0; i < count; i++)
        link_visit(&links[i], visit, context);
}

void network_visit(const struct network *network,
                   void (*visit)(void *context, const struct port *port), void *context)
{
    visit_links(network->upper_links, network->nodes_joined, visit, context);
    visit_links(network->slice_links, network->channels_joined, visit, context);
    visit_links(network->memory_links, network->channels_joined, visit, context);
    for (uint32_t i = 0; network->has_peers && i < 2 * network->nodes_joined; i++)
        visit(context, &network->peer_ports[i]);
}
