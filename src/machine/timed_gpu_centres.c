/* SPDX-License-Identifier: MIT */
/* The parts of transactional memories outside of the compute units. Those that a machine has once
 * are joined by ports to each compute unit. Those at each memory channel are joined to the network
 * by junctions. */
#include <stdlib.h>

#include "base/check.h"
#include "machine/timed_gpu.h"

enum { CENTRE_SLOTS = 64 }; /* as many as a compute unit has wavefronts: never felt */

static struct port *make_port(struct timed_gpu *gpu, const char *name, struct component *sender,
                              struct component *receiver)
{
    struct port *port = &gpu->centre_ports[gpu->centre_port_count++];

    port_init(port, name, sender, receiver, 1, CENTRE_SLOTS, sizeof(struct tm_packet));
    return port;
}

static void join_centre(struct timed_gpu *gpu, uint32_t system, uint32_t number)
{
    struct tm_centre *centre = gpu->centres[system];
    struct component *unit = compute_unit_component(gpu->units[number]);

    centre->from_unit[number] = make_port(gpu, "to centre", unit, &centre->component);
    centre->to_unit[number] = make_port(gpu, "from centre", &centre->component, unit);
    compute_unit_connect_centre(gpu->units[number], system, centre->from_unit[number],
                                centre->to_unit[number]);
}

static uint32_t channel_of(const void *map, uint64_t address)
{
    return address_place(map, address).channel;
}

static void write_now(void *memory, uint64_t line, uint64_t mask, const unsigned char *data)
{
    struct timed_gpu *gpu = memory;
    struct address_place place = address_place(&gpu->map, line);

    cache_write_now(&gpu->slices[place.slice], line, mask, data);
    dram_write_now(&gpu->channels[place.channel], line, mask, data);
}

void timed_gpu_tell_systems(struct timed_gpu *gpu)
{
    struct tm_facts *facts = &gpu->tm_facts;

    *facts = parameters_tm_facts(gpu->parameters);
    facts->channel_of = channel_of;
    facts->map = &gpu->map;
    facts->write_now = write_now;
    facts->memory = gpu;
    for (uint32_t i = 0; i < gpu->tm.count; i++) {
        const struct tm_system *system = gpu->tm.systems[i];
        uint64_t bytes = system->private_bytes == NULL
                             ? 0
                             : system->private_bytes(&gpu->parameters->tm, facts) * gpu->unit_count;

        if (bytes == 0)
            continue;
        facts->private_address =
            machine_allocate(gpu->machine, bytes, BACKING_PAGE_BYTES, "transaction logs");
        check(facts->private_address != 0, "no room for %llu bytes of transaction logs",
              (unsigned long long)bytes);
        backing_hide(&gpu->machine->backing, facts->private_address, 0);
    }
}

static struct junction *join_units(struct timed_gpu *gpu, uint32_t system)
{
    struct junction *junctions = allocate(gpu->unit_count, sizeof *junctions);
    char path[32];

    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        snprintf(path, sizeof path, "cu%u.junction", i);
        junction_init(&junctions[i], path, gpu->core, REQUESTER_LOG,
                      compute_unit_component(gpu->units[i]));
        compute_unit_connect_network(gpu->units[i], system, &junctions[i].ports.to_below,
                                     &junctions[i].ports.from_below);
    }
    return junctions;
}

static struct junction *join_partitions(struct timed_gpu *gpu)
{
    struct junction *junctions = allocate(gpu->map.channels, sizeof *junctions);
    char path[32];

    for (uint32_t i = 0; i < gpu->map.channels; i++) {
        struct tm_partition *partition = gpu->partitions[i];
        struct junction_ports *ports = &junctions[i].ports;

        snprintf(path, sizeof path, "junction%u", i);
        junction_init(&junctions[i], path, gpu->core, REQUESTER_COMMIT, &partition->component);
        partition->number = i;
        partition->from_units = &ports->from_above;
        partition->to_units = &ports->to_above;
        partition->from_slice = &ports->from_below;
        partition->to_slice = &ports->to_below;
    }
    return junctions;
}

static void add_partitions(struct timed_gpu *gpu, uint32_t number, struct tm_options *options)
{
    const struct tm_system *system = gpu->tm.systems[number];
    char path[32];

    gpu->partitions = allocate(gpu->map.channels, sizeof *gpu->partitions);
    for (uint32_t i = 0; i < gpu->map.channels; i++) {
        snprintf(path, sizeof path, "tm%u", i);
        options->path = path;
        gpu->partitions[i] = system->create_partition(system, options, i);
    }
    gpu->unit_junctions = join_units(gpu, number);
    gpu->channel_junctions = join_partitions(gpu);
}

static void remove_partitions(struct timed_gpu *gpu, const struct tm_system *system)
{
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        junction_finish(&gpu->unit_junctions[i]);
    for (uint32_t i = 0; i < gpu->map.channels; i++) {
        junction_finish(&gpu->channel_junctions[i]);
        system->destroy_partition(gpu->partitions[i]);
    }
    free(gpu->unit_junctions);
    free(gpu->channel_junctions);
    free(gpu->partitions);
}

void timed_gpu_add_centres(struct timed_gpu *gpu)
{
    struct tm_options options = {.parameters = &gpu->parameters->tm,
                                 .facts = gpu->tm_facts,
                                 .registry = &gpu->machine->registry,
                                 .path = "tm",
                                 .clock = gpu->core,
                                 .breaks = gpu->machine->breaks};

    gpu->centre_ports =
        allocate((size_t)gpu->tm.count * gpu->unit_count * 2 + 1, sizeof *gpu->centre_ports);
    for (uint32_t i = 0; i < gpu->tm.count; i++) {
        const struct tm_system *system = gpu->tm.systems[i];

        if (system->uses_network)
            add_partitions(gpu, i, &options);
        options.path = "tm";
        if (system->create_centre == NULL)
            continue;
        gpu->centres[i] = system->create_centre(system, &options);
        for (uint32_t j = 0; j < gpu->unit_count; j++)
            join_centre(gpu, i, j);
    }
}

void timed_gpu_remove_centres(struct timed_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->tm.count; i++)
        if (gpu->partitions != NULL && gpu->tm.systems[i]->uses_network)
            remove_partitions(gpu, gpu->tm.systems[i]);
    for (uint32_t i = 0; i < gpu->centre_port_count; i++)
        port_finish(&gpu->centre_ports[i]);
    for (uint32_t i = 0; i < gpu->tm.count; i++)
        if (gpu->centres[i] != NULL)
            gpu->tm.systems[i]->destroy_centre(gpu->centres[i]);
    free(gpu->centre_ports);
}
