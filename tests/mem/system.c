/* SPDX-License-Identifier: MIT */
#include "system.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

/* ---- Agents ---- */

static bool take_answers(struct agent *agent, uint64_t cycle)
{
    struct port *replies = agent->link.lanes.ports[LANE_RESPONSES];
    const struct message *answer;
    bool progress = false;

    while ((answer = port_peek(replies)) != NULL) {
        uint32_t which = answer->requester.entry;

        check(which < agent->sent && agent->answered_at[which] == 0, "an answer to nothing");
        memcpy(&agent->answers[which], answer, sizeof *answer);
        agent->answered_at[which] = cycle;
        check(agent->journeys[which].since == cycle &&
                  journey_cycles(&agent->journeys[which]) == cycle - agent->sent_at[which],
              "a request of %llu cycles has parts of %llu",
              (unsigned long long)(cycle - agent->sent_at[which]),
              (unsigned long long)journey_cycles(&agent->journeys[which]));
        agent->answered++;
        port_take(replies);
        progress = true;
    }
    return progress;
}

static void send_next(struct agent *agent, struct message *message, uint64_t arrival)
{
    struct journey *journey = &agent->journeys[agent->sent];

    memcpy(message, &agent->script[agent->sent], sizeof *message);
    journey_begin(journey, component_cycle(&agent->component));
    journey_until(journey, PART_ADDRESS, arrival);
    message_set_journey(message, journey);
}

static bool agent_tick(struct component *component)
{
    struct agent *agent = container_of(component, struct agent, component);
    struct system *system = container_of(component->clock->engine, struct system, engine);
    struct port *requests = agent->link.lanes.ports[LANE_REQUESTS];
    uint64_t cycle = component_cycle(component);
    bool progress = take_answers(agent, cycle);

    if (agent->sent == agent->count || (agent->is_serial && agent->sent > agent->answered))
        return progress;
    if (agent->not_before[agent->sent] > cycle) {
        component_wake_at(component, agent->not_before[agent->sent]);
        return progress;
    }
    if (!port_has_room(requests, 1))
        return progress;
    send_next(agent, port_reserve(requests, system->options.request_cycles),
              cycle + system->options.request_cycles);
    agent->sent_at[agent->sent++] = cycle;
    return true;
}

static const struct component_operations agent_operations = {.tick = agent_tick};

/* ---- Beside junctions ---- */

static bool beside_tick(struct component *component)
{
    struct beside *beside = container_of(component, struct beside, component);
    struct junction_ports *ports = &beside->junction.ports;
    bool is_down = port_peek(&ports->from_above) != NULL;
    bool is_up = port_peek(&ports->from_below) != NULL;

    if (is_down)
        port_take(&ports->from_above);
    if (is_up)
        port_take(&ports->from_below);
    beside->taken_down += is_down;
    beside->taken_up += is_up;
    return is_down || is_up;
}

static const struct component_operations beside_operations = {.tick = beside_tick};

/* NULL: the system has none. */
static struct junction *build_junction(struct system *system, struct beside *beside,
                                       const char *path, uint16_t unit)
{
    if (!system->options.has_junctions)
        return NULL;
    component_init(&beside->component, &beside_operations, system->core, path);
    junction_init(&beside->junction, path, system->core, unit, &beside->component);
    return &beside->junction;
}

static void finish_junction(struct system *system, struct beside *beside)
{
    if (!system->options.has_junctions)
        return;
    junction_finish(&beside->junction);
    component_finish(&beside->component);
}

/* ---- Building ---- */

static void set_defaults(const struct parameter *parameters, uint32_t count, void *values)
{
    for (uint32_t i = 0; i < count; i++) {
        char *field = (char *)values + parameters[i].offset;

        if (parameters[i].kind == PARAMETER_NUMBER)
            memcpy(field, &parameters[i].initial, sizeof(uint64_t));
        else
            strcpy(field, parameters[i].initial_text);
    }
}

void system_defaults(struct system_options *options)
{
    memset(options, 0, sizeof *options);
    options->protocol = protocol_find("si");
    set_defaults(cache_parameters, cache_parameter_count, &options->l1);
    set_defaults(cache_parameters, cache_parameter_count, &options->l2);
    set_defaults(request_queue_parameters, request_queue_parameter_count, &options->l1);
    set_defaults(request_queue_parameters, request_queue_parameter_count, &options->l2);
    set_defaults(crossbar_parameters, crossbar_parameter_count, &options->crossbar);
    set_defaults(dram_parameters, dram_parameter_count, &options->dram);
    options->l2.size_kb = 128;
    options->l2.ways = 16;
    options->l2.ports = 2;
    options->l2.mshr_entries = 128;
    options->nodes = 2;
    options->slices = 1;
    options->rule = "modulo";
    options->core_khz = options->memory_khz = 1000000;
    options->request_cycles = 3;
}

static void build_node(struct system *system, uint32_t node)
{
    const struct system_options *options = &system->options;
    struct agent *agent = &system->agents[node];
    struct cache *l1 = &system->l1s[node];
    struct link_options link = {
        .down = {.cycles = options->request_cycles,
                 .width = 1,
                 .queue = options->l1.request_slots},
        .up = {.cycles = options->l1.reply_cycles, .width = 1, .queue = 1},
    };
    struct diagnosis diagnosis;
    char path[32];

    snprintf(path, sizeof path, "agent%u", node);
    component_init(&agent->component, &agent_operations, system->core, path);
    snprintf(path, sizeof path, "l1_%u", node);
    check(cache_init(l1,
                     &(struct cache_options){.path = path,
                                             .clock = system->core,
                                             .parameters = &options->l1,
                                             .protocol = options->protocol,
                                             .role = ROLE_L1,
                                             .map = &system->map,
                                             .node = (uint16_t)node,
                                             .breaks = options->breaks},
                     &diagnosis),
          "%s", diagnosis.message);
    link_set_end(link.above, &agent->component);
    link_set_end(link.below, &l1->component);
    link_init(&agent->link, &link);
    cache_connect_above(l1, &agent->link.lanes);
    network_join_upper(&system->network, l1,
                       build_junction(system, &system->at_l1s[node], path, REQUESTER_LOG));
    cache_register(l1, &system->registry, "l1");
}

static void build_channel(struct system *system, struct cache *slice, uint32_t number)
{
    const struct system_options *options = &system->options;
    struct dram_channel *channel = &system->channels[number];
    struct diagnosis diagnosis;
    char path[32];

    snprintf(path, sizeof path, "dram%u", number);
    check(dram_init(channel, path, system->memory, &options->dram, &system->map, &system->backing,
                    &diagnosis),
          "%s", diagnosis.message);
    network_join_channel(
        &system->network, slice, channel,
        build_junction(system, &system->at_channels[number], path, REQUESTER_COMMIT));
    dram_register(channel, &system->registry);
}

static void build_slice(struct system *system, uint32_t number)
{
    struct cache *slice = &system->slices[number];
    struct diagnosis diagnosis;
    char path[32];

    snprintf(path, sizeof path, "l2_%u", number);
    check(cache_init(slice,
                     &(struct cache_options){.path = path,
                                             .clock = system->core,
                                             .parameters = &system->options.l2,
                                             .protocol = system->options.protocol,
                                             .l1s = (uint16_t)system->options.nodes,
                                             .role = ROLE_L2,
                                             .map = &system->map,
                                             .node = (uint16_t)number,
                                             .memory = &system->backing,
                                             .breaks = system->options.breaks},
                     &diagnosis),
          "%s", diagnosis.message);
    for (uint32_t port = 0; port < 2; port++)
        build_channel(system, slice, number * 2 + port);
    cache_register(slice, &system->registry, "l2");
}

struct system *system_create(const struct system_options *options)
{
    struct system *system = calloc(1, sizeof *system);
    struct address_map_parameters map = {.slices = options->slices, .channels_per_slice = 2,
        .interleave_bytes = ADDRESS_INTERLEAVE_BYTES};
    struct diagnosis diagnosis;

    system->options = *options;
    strcpy(map.rule, options->rule);
    check(address_map_init(&system->map, &map, &diagnosis), "%s", diagnosis.message);
    check(backing_init(&system->backing, 16 << 20, true, &diagnosis), "%s", diagnosis.message);
    system->buffer = backing_allocate(&system->backing, 4 << 20, 1 << 20, "test");
    engine_init(&system->engine);
    system->engine.sleep = !options->is_sleepless;
    system->engine.order_seed = options->order_seed;
    system->core = engine_add_domain(&system->engine, "core", options->core_khz);
    system->memory = options->memory_khz == options->core_khz
                         ? system->core
                         : engine_add_domain(&system->engine, "memory", options->memory_khz);
    check(network_init(&system->network,
                       &(struct network_options){.path = "crossbar",
                                                 .clock = system->core,
                                                 .parameters = &options->crossbar,
                                                 .protocol = options->protocol,
                                                 .dram = &options->dram,
                                                 .nodes = options->nodes,
                                                 .channels = options->slices * 2},
                       &diagnosis),
          "%s", diagnosis.message);
    for (uint32_t i = 0; i < options->nodes; i++)
        build_node(system, i);
    for (uint32_t i = 0; i < options->slices; i++)
        build_slice(system, i);
    network_register(&system->network, &system->registry);
    return system;
}

void system_destroy(struct system *system)
{
    for (uint32_t i = 0; i < system->options.nodes; i++) {
        component_finish(&system->agents[i].component);
        link_finish(&system->agents[i].link);
        cache_finish(&system->l1s[i]);
        finish_junction(system, &system->at_l1s[i]);
    }
    for (uint32_t i = 0; i < system->options.slices; i++)
        cache_finish(&system->slices[i]);
    for (uint32_t i = 0; i < system->options.slices * 2; i++) {
        dram_finish(&system->channels[i]);
        finish_junction(system, &system->at_channels[i]);
    }
    network_finish(&system->network);
    registry_finish(&system->registry);
    backing_finish(&system->backing);
    engine_finish(&system->engine);
    free(system);
}

struct message *system_add(struct system *system, uint32_t node, uint8_t kind, uint64_t offset,
                           unsigned count, uint64_t not_before)
{
    struct agent *agent = &system->agents[node];
    struct message *message = &agent->script[agent->count];
    uint64_t addr = system->buffer + offset;

    check(agent->count < AGENT_MAX, "the script is full");
    message->kind = kind;
    message->addr = addr & ~(uint64_t)(LINE_BYTES - 1);
    message->mask = low_mask(count) << (addr % LINE_BYTES);
    message->requester.unit = (uint16_t)node;
    message->requester.entry = (uint16_t)agent->count;
    agent->not_before[agent->count++] = not_before;
    return message;
}

void system_run(struct system *system)
{
    if (!system->engine.started)
        engine_start(&system->engine);
    else
        for (uint32_t i = 0; i < system->options.nodes; i++)
            component_wake(&system->agents[i].component);
    check(engine_run(&system->engine, UINT64_MAX) == ENGINE_IDLE, "the run did not end");
    for (uint32_t i = 0; i < system->options.nodes; i++)
        check(system->agents[i].answered == system->agents[i].count, "agent %u: %u of %u answered",
              i, system->agents[i].answered, system->agents[i].count);
}

uint64_t system_digest(struct system *system)
{
    struct snapshot snapshot;
    uint64_t digest;

    for (uint32_t i = 0; i < system->engine.domain_count; i++)
        for (uint32_t j = 0; j < system->engine.domains[i].component_count; j++) {
            struct component *component = system->engine.domains[i].components[j];

            if (component->operations->settle != NULL)
                component->operations->settle(component);
        }
    snapshot_take(&snapshot, &system->registry);
    digest = snapshot_digest(&snapshot, &system->registry);
    snapshot_finish(&snapshot);
    return digest;
}

uint64_t system_part(const struct system *system, uint32_t node, uint32_t which, unsigned part)
{
    const struct journey *journey = &system->agents[node].journeys[which];
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < journey->leg_count; i++)
        if (journey_leg_part(journey->legs[i]) == part)
            cycles += journey_leg_cycles(journey->legs[i]);
    return cycles;
}

uint64_t system_latency(const struct system *system, uint32_t node, uint32_t which)
{
    return system->agents[node].answered_at[which] - system->agents[node].sent_at[which];
}
