/* SPDX-License-Identifier: MIT */
/* The parts of transactional memories that a machine has once, joined by ports to each compute unit. */
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

void timed_gpu_add_centres(struct timed_gpu *gpu)
{
    struct tm_options options = {.parameters = &gpu->parameters->tm,
                                 .facts = parameters_tm_facts(gpu->parameters),
                                 .registry = &gpu->machine->registry,
                                 .path = "tm",
                                 .clock = gpu->core,
                                 .breaks = gpu->machine->breaks};

    gpu->centre_ports =
        allocate((size_t)gpu->tm.count * gpu->unit_count * 2 + 1, sizeof *gpu->centre_ports);
    for (uint32_t i = 0; i < gpu->tm.count; i++) {
        const struct tm_system *system = gpu->tm.systems[i];

        if (system->create_centre == NULL)
            continue;
        gpu->centres[i] = system->create_centre(system, &options);
        for (uint32_t j = 0; j < gpu->unit_count; j++)
            join_centre(gpu, i, j);
    }
}

void timed_gpu_remove_centres(struct timed_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->centre_port_count; i++)
        port_finish(&gpu->centre_ports[i]);
    for (uint32_t i = 0; i < gpu->tm.count; i++)
        if (gpu->centres[i] != NULL)
            gpu->tm.systems[i]->destroy_centre(gpu->centres[i]);
    free(gpu->centre_ports);
}
