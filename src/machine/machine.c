/* SPDX-License-Identifier: MIT */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "machine/machine_private.h"

static bool open_trace(struct machine *machine, struct diagnosis *diagnosis)
{
    const struct machine_options *options = &machine->options;
    FILE *stream = options->trace_stream != NULL ? options->trace_stream : stderr;

    machine->trace.stream = stream;
    if (options->trace_selection == NULL && options->memory_trace_selection == NULL)
        return true;
    machine->traced = &machine->trace;
    return (options->trace_selection == NULL ||
            trace_parse(&machine->trace, options->trace_selection, stream, diagnosis)) &&
           (options->memory_trace_selection == NULL ||
            trace_parse_accesses(&machine->trace, options->memory_trace_selection, diagnosis));
}

static bool machine_build(struct machine *machine, struct diagnosis *diagnosis)
{
    const struct gpu_parameters *gpu = &machine->parameters->gpu;

    if (!debug_parse(machine->parameters->debug.break_, &machine->breaks, diagnosis) ||
        !open_trace(machine, diagnosis) || !machine_slices_open(machine, diagnosis) ||
        !backing_init(&machine->backing, gpu->memory_mb << 20, true, diagnosis))
        return false;
    if (machine->options.model == MACHINE_FUNCTIONAL)
        machine->model = functional_model_create(machine, &machine->registry, NULL);
    else
        machine->model = machine->options.timed_launches != NULL
                             ? mixed_model_create(machine, diagnosis)
                             : timed_model_create(machine, diagnosis);
    return machine->model != NULL;
}

struct machine *machine_create(const struct machine_options *options, struct diagnosis *diagnosis)
{
    struct machine *machine = allocate(1, sizeof *machine);

    machine->options = *options;
    machine->parameters = options->configuration->parameters;
    machine->isa = isa_gcn(machine->parameters->sim.generic_lanes != 0);
    if (machine_build(machine, diagnosis))
        return machine;
    machine_destroy(machine);
    return NULL;
}

void machine_destroy(struct machine *machine)
{
    if (machine == NULL)
        return;
    snapshot_finish(&machine->counted);
    sample_finish(machine);
    machine_profile_finish(machine);
    slices_finish(&machine->slices);
    changes_finish(&machine->changes);
    for (uint32_t i = 0; i < machine->outside_count; i++)
        free(machine->outside[i].kernel);
    free(machine->outside);
    if (machine->model != NULL)
        machine->model->operations->destroy(machine->model);
    registry_finish(&machine->registry);
    backing_finish(&machine->backing);
    free(machine);
}

enum machine_model machine_model(const struct machine *machine)
{
    return machine->options.model;
}

struct backing *machine_backing(struct machine *machine)
{
    return &machine->backing;
}

const struct registry *machine_registry(const struct machine *machine)
{
    return &machine->registry;
}

/* Brings statistics that count cycles up to the present. */
void machine_settle(struct machine *machine)
{
    machine->model->operations->settle(machine->model);
}

void machine_snapshot(struct machine *machine, struct snapshot *snapshot)
{
    machine_settle(machine);
    snapshot_take(snapshot, &machine->registry);
}

uint64_t machine_time_ns(const struct machine *machine)
{
    return machine->model->operations->now_ns(machine->model);
}

uint64_t machine_traced(const struct machine *machine)
{
    return machine->trace.lines;
}

struct machine_effort machine_effort(const struct machine *machine)
{
    struct machine_effort effort = {.run_seconds = machine->run_seconds};

    machine->model->operations->effort(machine->model, &effort);
    return effort;
}

/* Hands over what the launch added to the statistics. */
static void give_record(struct machine *machine, const struct machine_launch *launch,
                        const struct isa_kernel *kernel, const struct isa_launch *isa_launch,
                        const struct machine_launch_result *result)
{
    struct machine_kernel_record record = {
        .name = launch->kernel->name,
        .result = *result,
        .dimensions = launch->dimensions,
        .vector_registers = kernel->vector_registers,
        .scalar_registers = kernel->scalar_registers,
        .lds_bytes = isa_launch->lds_bytes,
        .scratch_bytes = isa_launch->scratch_bytes,
        .changes = &machine->changes,
    };

    memcpy(record.code_hash, launch->code->program->hash, sizeof record.code_hash);
    for (unsigned axis = 0; axis < 3; axis++) {
        record.global_size[axis] = isa_launch->global_size[axis];
        record.group_size[axis] = isa_launch->group_size[axis];
    }
    machine_settle(machine);
    changes_take(&machine->changes, &machine->counted, &machine->registry);
    machine_slices_give(machine, launch);
    machine->options.record(machine->options.record_context, &record);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void machine_progress(const struct machine *machine, struct machine_progress *progress)
{
    machine->model->operations->progress(machine->model, progress);
    progress->kernel = machine->running->kernel->name;
}

void machine_say(const struct machine *machine, struct text *lines)
{
    if (machine->options.say != NULL)
        machine->options.say(machine->options.progress_context, text_chars(lines));
    else
        fputs(text_chars(lines), stderr);
    text_finish(lines);
}

void machine_beat(void *context)
{
    struct machine *machine = context;
    struct machine_progress progress;
    struct text line = {0};
    double seconds;

    if (machine->running == NULL)
        return;
    machine_progress(machine, &progress);
    if (machine->options.progress != NULL)
        machine->options.progress(machine->options.progress_context, &progress);
    if (!watch_look(&machine->watch, progress.groups_done, machine_digest, machine, &seconds))
        return;
    page_no_progress(machine, seconds, &line);
    machine_say(machine, &line);
}

/* Where a launch stood that the user has stopped. */
static void explain_stop(const struct machine *machine, enum machine_outcome outcome)
{
    struct text page = {0};

    if (outcome != LAUNCH_INTERRUPTED && outcome != LAUNCH_CYCLE_LIMIT)
        return;
    machine_explain(machine, &page);
    machine_say(machine, &page);
}

static bool run_model(struct machine *machine, const struct isa_launch *isa_launch,
                      const struct machine_launch *launch, struct machine_launch_result *result,
                      struct diagnosis *diagnosis)
{
    double start = seconds_now();
    bool is_good;

    machine->running = launch;
    watch_start(&machine->watch, (double)machine->parameters->sim.watch_ms * 1e-3);
    is_good =
        machine->model->operations->run(machine->model, isa_launch, launch, result, diagnosis);
    explain_stop(machine, result->outcome);
    machine->running = NULL;
    if (!result->is_untimed)
        machine->run_seconds += seconds_now() - start;
    if (result->outcome != LAUNCH_DONE)
        machine->is_lost = true;
    if (print_buffer_is_used(launch))
        print_buffer_deliver(machine, launch, result);
    return is_good;
}

bool machine_run(struct machine *machine, const struct machine_launch *launch,
                 struct machine_launch_result *result, struct diagnosis *diagnosis)
{
    struct isa_kernel kernel;
    struct isa_launch isa_launch;
    bool is_good;

    memset(result, 0, sizeof *result);
    result->outcome = LAUNCH_FAILED;
    if (machine->is_lost) {
        diagnose(diagnosis, "%s: the simulated GPU was stopped in the middle of an earlier kernel",
                 launch->kernel->name);
        return false;
    }
    if (!launch_prepare(machine, launch, &kernel, &isa_launch, diagnosis))
        return false;
    machine->launch_count++;
    if (machine->options.record == NULL)
        return run_model(machine, &isa_launch, launch, result, diagnosis);
    machine_settle(machine);
    snapshot_refresh(&machine->counted, &machine->registry);
    sample_begin(machine);
    is_good = run_model(machine, &isa_launch, launch, result, diagnosis);
    if (!result->is_untimed)
        sample_end(machine, launch, result);
    give_record(machine, launch, &kernel, &isa_launch, result);
    return is_good;
}
