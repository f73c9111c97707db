/* SPDX-License-Identifier: MIT */
/*
 * The functional model behind machine.h. It has no time; so that events are still ordered, its
 * clock advances by one nanosecond for each wavefront instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/machine_private.h"

struct functional_gpu {
    struct model model;
    struct machine *machine;
    uint64_t now_ns;
    struct functional_device *device;
    uint32_t beats;
};

static struct functional_gpu *functional_of(const struct model *model)
{
    return container_of((struct model *)(uintptr_t)model, struct functional_gpu, model);
}

/* A beat may be a few instructions only. */
enum { BEATS = 32 };

static void functional_beat(void *context)
{
    struct functional_gpu *gpu = context;

    if (gpu->beats++ % BEATS == 0)
        machine_beat(gpu->machine);
}

static void functional_model_progress(const struct model *model, struct machine_progress *progress)
{
    struct functional_progress now = functional_progress(functional_of(model)->device);

    *progress = (struct machine_progress){.groups_done = now.groups_done,
                                          .groups_started = now.groups_started,
                                          .groups_total = now.groups_total,
                                          .instructions = now.instructions};
}

static void functional_model_visit(const struct model *model, standing_visit *visit, void *context)
{
    functional_visit(functional_of(model)->device, visit, context);
}

static void functional_model_destroy(struct model *model)
{
    struct functional_gpu *gpu = functional_of(model);

    functional_destroy(gpu->device);
    free(gpu);
}

static uint32_t functional_wavefront_slots(const struct model *model,
                                           const struct isa_launch *isa_launch)
{
    struct launch launch;

    launch_init(&launch, isa_launch, isa_launch->wave_lanes, "", NULL);
    return functional_scratch_slots(functional_of(model)->device, &launch);
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
 * means no limit. Beside a timed GPU the limit is of its cycles. */
static uint64_t instruction_limit(const struct functional_gpu *gpu)
{
    uint64_t max = gpu->machine->options.max_cycles;

    if (max == 0 || gpu->machine->options.model == MACHINE_TIMED)
        return 0;
    return max > gpu->now_ns ? max - gpu->now_ns : 1;
}

static bool functional_model_fits(const struct model *model, const struct isa_launch *isa_launch,
                                  const struct machine_launch *request, struct diagnosis *diagnosis)
{
    const struct machine *machine = functional_of(model)->machine;
    struct launch launch;

    launch_init(&launch, isa_launch, isa_launch->wave_lanes, request->kernel->name, NULL);
    return dispatcher_can_run(&machine->parameters->compute_unit, &launch, diagnosis);
}

static bool functional_model_run(struct model *model, const struct isa_launch *isa_launch,
                                 const struct machine_launch *request,
                                 struct machine_launch_result *result, struct diagnosis *diagnosis)
{
    struct functional_gpu *gpu = functional_of(model);
    struct machine *machine = gpu->machine;
    struct launch launch;
    struct functional_progress progress;

    launch_init(&launch, isa_launch, isa_launch->wave_lanes, request->kernel->name,
                machine->traced);
    if (!dispatcher_can_run(&machine->parameters->compute_unit, &launch, diagnosis))
        return false;
    result->outcome = outcome_of(functional_run(gpu->device, &launch, instruction_limit(gpu)));
    progress = functional_progress(gpu->device);
    result->start_ns = gpu->now_ns;
    gpu->now_ns += progress.instructions;
    result->end_ns = gpu->now_ns;
    result->instructions = progress.instructions;
    result->groups_done = progress.groups_done;
    result->groups_total = progress.groups_total;
    machine_note_outside(machine, request, functional_outside(gpu->device), false);
    if (result->outcome != LAUNCH_FAILED)
        return true;
    return fault_diagnose(functional_fault(gpu->device), machine->isa, &machine->backing,
                          code_source_line, request->code, diagnosis);
}

/* ---- what a model without caches and cycles need not do ---- */

static void prepare_no_code(const struct model *model, struct isa_code *code) {}

static void functional_write(struct model *model, uint64_t addr, const void *bytes, uint64_t count)
{
    memcpy(backing_host(&functional_of(model)->machine->backing, addr), bytes, count);
}

static void functional_read(struct model *model, uint64_t addr, void *bytes, uint64_t count)
{
    memcpy(bytes, backing_host(&functional_of(model)->machine->backing, addr), count);
}

static void discard_nothing(struct model *model, uint64_t addr, uint64_t count) {}

static uint64_t functional_now_ns(const struct model *model)
{
    return functional_of(model)->now_ns;
}

static void wait_not(struct model *model, uint64_t nanoseconds) {}

static void settle_nothing(struct model *model) {}

static void add_no_effort(const struct model *model, struct machine_effort *effort) {}

static uint64_t digest_no_cache(const struct model *model)
{
    return 0;
}

static void print_no_coverage(const struct model *model, struct text *text) {}

static const struct model_operations functional_operations = {
    .has_caches = false,
    .has_time = false,
    .destroy = functional_model_destroy,
    .run = functional_model_run,
    .fits = functional_model_fits,
    .progress = functional_model_progress,
    .visit = functional_model_visit,
    .wavefront_slots = functional_wavefront_slots,
    .prepare_code = prepare_no_code,
    .write = functional_write,
    .read = functional_read,
    .discard = discard_nothing,
    .now_ns = functional_now_ns,
    .wait_ns = wait_not,
    .settle = settle_nothing,
    .effort = add_no_effort,
    .digest = digest_no_cache,
    .print_coverage = print_no_coverage,
};

struct model *functional_model_create(struct machine *machine, struct registry *registry,
                                      struct touched *touched)
{
    struct functional_gpu *gpu = allocate(1, sizeof *gpu);
    struct functional_options options = {
        .parameters = &machine->parameters->functional,
        .compute_unit = &machine->parameters->compute_unit,
        .compute_unit_count = (uint32_t)machine->parameters->gpu.compute_units,
        .isa = machine->isa,
        .bounds = machine_bounds(machine),
        .registry = registry,
        .path = "device",
        .interrupt = machine->options.interrupt,
        .breaks = machine->breaks,
        .beat = functional_beat,
        .beat_context = gpu,
        .touched = touched,
    };

    gpu->machine = machine;
    gpu->device = functional_create(&options);
    gpu->model.operations = &functional_operations;
    return &gpu->model;
}
