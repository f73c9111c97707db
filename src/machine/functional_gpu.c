/* SPDX-License-Identifier: MIT */
/*
 * The functional model behind machine.h. It has no time; so that events are still ordered, its
 * clock advances by one nanosecond for each wavefront instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/machine_private.h"

struct functional_gpu {
    struct machine *machine;
    struct functional_device *device;
    uint32_t beats;
};

/* A beat may be a few instructions only. */
enum { BEATS = 32 };

static void beat(void *context)
{
    struct functional_gpu *gpu = context;

    if (gpu->beats++ % BEATS == 0)
        machine_beat(gpu->machine);
}

void functional_gpu_progress(const struct functional_gpu *gpu, struct machine_progress *progress)
{
    struct functional_progress now = functional_progress(gpu->device);

    *progress = (struct machine_progress){.groups_done = now.groups_done,
                                          .groups_started = now.groups_started,
                                          .groups_total = now.groups_total,
                                          .instructions = now.instructions};
}

void functional_gpu_visit(const struct functional_gpu *gpu, standing_visit *visit, void *context)
{
    functional_visit(gpu->device, visit, context);
}

struct functional_gpu *functional_gpu_create(struct machine *machine, struct diagnosis *diagnosis)
{
    struct functional_gpu *gpu = allocate(1, sizeof *gpu);
    struct functional_options options = {
        .parameters = &machine->parameters->functional,
        .compute_unit = &machine->parameters->compute_unit,
        .compute_unit_count = (uint32_t)machine->parameters->gpu.compute_units,
        .isa = machine->isa,
        .bounds = machine_bounds(machine),
        .registry = &machine->registry,
        .path = "device",
        .interrupt = machine->options.interrupt,
        .breaks = machine->breaks,
        .beat = beat,
        .beat_context = gpu,
    };

    gpu->machine = machine;
    gpu->device = functional_create(&options);
    return gpu;
}

void functional_gpu_destroy(struct functional_gpu *gpu)
{
    functional_destroy(gpu->device);
    free(gpu);
}

uint32_t functional_gpu_wavefront_slots(const struct functional_gpu *gpu,
                                        const struct isa_launch *isa_launch)
{
    struct launch launch;

    launch_init(&launch, isa_launch, isa_launch->wave_lanes, "", NULL);
    return functional_scratch_slots(gpu->device, &launch);
}

static enum machine_outcome outcome_of(enum functional_outcome outcome)
{
    switch (outcome) {
    case FUNCTIONAL_DONE:
        return LAUNCH_DONE;
    case FUNCTIONAL_INTERRUPTED:
        return LAUNCH_INTERRUPTED;
    case FUNCTIONAL_LIMIT:
        return LAUNCH_CYCLE_LIMIT;
    case FUNCTIONAL_FAULT:
        break;
    }
    return LAUNCH_FAILED;
}

/* One cycle an instruction, as the clock above: over all launches together. At least one, since 0
 * means no limit. */
static uint64_t instruction_limit(const struct machine *machine)
{
    uint64_t most = machine->options.max_cycles;

    if (most == 0)
        return 0;
    return most > machine->functional_ns ? most - machine->functional_ns : 1;
}

bool functional_gpu_run(struct functional_gpu *gpu, const struct isa_launch *isa_launch,
                        const struct machine_launch *request, struct machine_launch_result *result,
                        struct diagnosis *diagnosis)
{
    struct machine *machine = gpu->machine;
    struct launch launch;
    struct functional_progress progress;

    launch_init(&launch, isa_launch, isa_launch->wave_lanes, request->kernel->name,
                machine->traced);
    if (!dispatcher_can_run(&machine->parameters->compute_unit, &launch, diagnosis))
        return false;
    result->outcome = outcome_of(functional_run(gpu->device, &launch, instruction_limit(machine)));
    progress = functional_progress(gpu->device);
    result->start_ns = machine->functional_ns;
    machine->functional_ns += progress.instructions;
    result->end_ns = machine->functional_ns;
    result->instructions = progress.instructions;
    result->groups_done = progress.groups_done;
    result->groups_total = progress.groups_total;
    machine_note_outside(machine, request, functional_outside(gpu->device), false);
    if (result->outcome != LAUNCH_FAILED)
        return true;
    return fault_diagnose(functional_fault(gpu->device), machine->isa, &machine->backing,
                          code_source_line, request->code, diagnosis);
}
