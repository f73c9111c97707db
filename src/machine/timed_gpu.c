/* SPDX-License-Identifier: MIT */
#include "machine/timed_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "gpu/scalar_words.h"
#include "gpu/shadow.h"
#include "tm/global_oracle.h"

enum { PUMP_MESSAGES = 4096 };

static bool add_cache(struct timed_gpu *gpu, struct cache *cache, const char *path,
                      const char *kind, const struct cache_parameters *parameters,
                      enum protocol_role_kind role, uint32_t node, struct diagnosis *diagnosis)
{
    struct cache_options options = {
        .path = path,
        .clock = gpu->core,
        .parameters = parameters,
        .protocol = gpu->protocol,
        .protocol_parameters = parameters_of_protocol(gpu->parameters, gpu->protocol),
        .l1s = (uint16_t)gpu->unit_count,
        .role = role,
        .map = &gpu->map,
        .node = (uint16_t)node,
        .breaks = gpu->machine->breaks,
        .memory = role == ROLE_L2 ? &gpu->machine->backing : NULL,
    };

    if (!cache_init(cache, &options, diagnosis))
        return false;
    cache_register(cache, &gpu->machine->registry, kind);
    return true;
}

static bool add_uppers(struct timed_gpu *gpu, struct diagnosis *diagnosis)
{
    const struct machine_parameters *parameters = gpu->parameters;
    char path[32];

    for (uint32_t node = 0; node < gpu->upper_count; node++) {
        uint32_t shared = node - gpu->unit_count;
        struct cache *cache = &gpu->uppers[node];
        bool is_good;

        if (node < gpu->unit_count) {
            snprintf(path, sizeof path, "cu%u.l1", node);
            is_good = add_cache(gpu, cache, path, "l1", &parameters->l1, ROLE_L1, node, diagnosis);
        } else if (shared < gpu->shared_count) {
            snprintf(path, sizeof path, "scalar%u", shared);
            is_good = add_cache(gpu, cache, path, "scalar", &parameters->scalar, ROLE_SCALAR, node,
                                diagnosis);
        } else {
            snprintf(path, sizeof path, "instruction%u", shared - gpu->shared_count);
            is_good = add_cache(gpu, cache, path, "instruction", &parameters->instruction,
                                ROLE_INSTRUCTION, node, diagnosis);
        }
        if (!is_good)
            return false;
        gpu->upper_controllers[node] = &cache->controller;
    }
    return true;
}

static bool add_lowers(struct timed_gpu *gpu, struct diagnosis *diagnosis)
{
    char path[32];

    for (uint32_t i = 0; i < gpu->map.slices; i++) {
        snprintf(path, sizeof path, "l2_%u", i);
        if (!add_cache(gpu, &gpu->slices[i], path, "l2", &gpu->parameters->l2, ROLE_L2, i,
                       diagnosis))
            return false;
        gpu->slice_controllers[i] = &gpu->slices[i].controller;
    }
    for (uint32_t i = 0; i < gpu->map.channels; i++) {
        snprintf(path, sizeof path, "dram%u", i);
        if (!dram_init(&gpu->channels[i], path, gpu->memory, &gpu->parameters->dram, &gpu->map,
                       &gpu->machine->backing, diagnosis))
            return false;
        dram_register(&gpu->channels[i], &gpu->machine->registry);
    }
    return true;
}

static void add_units(struct timed_gpu *gpu)
{
    struct dispatcher_options dispatcher = {
        .parameters = &gpu->parameters->dispatcher,
        .compute_unit = &gpu->parameters->compute_unit,
        .compute_unit_count = gpu->unit_count,
        .clock = gpu->core,
        .registry = &gpu->machine->registry,
        .path = "dispatcher",
        .invalidates = true,
        .flushes = gpu->protocol->flushes_at_release,
    };
    char path[32];

    gpu->dispatcher = dispatcher_create(&dispatcher);
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        struct compute_unit_options options = {
            .parameters = &gpu->parameters->compute_unit,
            .isa = gpu->machine->isa,
            .wave_lanes = (uint32_t)gpu->parameters->gpu.wavefront_lanes,
            .bounds = machine_bounds(gpu->machine),
            .tm = &gpu->tm,
            .tm_parameters = &gpu->parameters->tm,
            .tm_facts = gpu->tm_facts,
            .checks_transactions = gpu->parameters->sim.check_transactions != 0,
            .global_oracle = gpu->global_oracle,
            .scalar_words = gpu->scalar_words,
            .clock = gpu->core,
            .registry = &gpu->machine->registry,
            .path = path,
            .shadow = gpu->shadow,
            .sends_releases = gpu->protocol->flushes_at_release,
            .tells_shared_caches = i % gpu->parameters->gpu.units_per_shared_cache == 0,
            .number = (uint16_t)i,
            .breaks = gpu->machine->breaks,
        };

        snprintf(path, sizeof path, "cu%u", i);
        gpu->units[i] = compute_unit_create(&options);
    }
}

static bool add_network(struct timed_gpu *gpu, struct diagnosis *diagnosis)
{
    struct network_options options = {
        .path = "crossbar",
        .clock = gpu->core,
        .parameters = &gpu->parameters->crossbar,
        .protocol = gpu->protocol,
        .protocol_parameters = parameters_of_protocol(gpu->parameters, gpu->protocol),
        .dram = &gpu->parameters->dram,
        .nodes = gpu->upper_count,
        .channels = gpu->map.channels,
    };

    if (!network_init(&gpu->network, &options, diagnosis))
        return false;
    network_register(&gpu->network, &gpu->machine->registry);
    return true;
}

static void count_parts(struct timed_gpu *gpu)
{
    const struct gpu_parameters *parameters = &gpu->parameters->gpu;

    gpu->unit_count = (uint32_t)parameters->compute_units;
    gpu->shared_count = parameters_shared_caches(parameters);
    gpu->upper_count = gpu->unit_count + 2 * gpu->shared_count;
    gpu->units = allocate(gpu->unit_count, sizeof *gpu->units);
    gpu->uppers = allocate(gpu->upper_count, sizeof *gpu->uppers);
    gpu->upper_controllers = allocate(gpu->upper_count, sizeof *gpu->upper_controllers);
    gpu->slices = allocate(gpu->map.slices, sizeof *gpu->slices);
    gpu->slice_controllers = allocate(gpu->map.slices, sizeof *gpu->slice_controllers);
    gpu->channels = allocate(gpu->map.channels, sizeof *gpu->channels);
}

static uint64_t all_instructions(const struct timed_gpu *gpu)
{
    uint64_t instructions = 0;

    for (uint32_t i = 0; i < gpu->unit_count; i++)
        instructions += compute_unit_instructions(gpu->units[i]);
    return instructions;
}

void timed_gpu_progress(const struct timed_gpu *gpu, struct machine_progress *progress)
{
    struct dispatcher_progress now = dispatcher_progress(gpu->dispatcher);

    *progress =
        (struct machine_progress){.groups_done = now.groups_done,
                                  .groups_started = now.groups_started,
                                  .groups_total = now.groups_total,
                                  .cycles = gpu->core->cycle - now.start_cycle,
                                  .instructions = all_instructions(gpu) - gpu->instructions_before};
}

/* Samples end at marks; see sample.c. */
static void set_mark(struct timed_gpu *gpu, uint64_t cycle)
{
    if (gpu->machine->options.sample != NULL)
        engine_set_mark(&gpu->engine, cycle + gpu->machine->options.sample_cycles);
}

static void reach_mark(void *context)
{
    struct timed_gpu *gpu = context;
    uint64_t cycle = gpu->core->cycle;

    sample_take(gpu->machine, cycle - dispatcher_progress(gpu->dispatcher).start_cycle,
                all_instructions(gpu) - gpu->instructions_before);
    set_mark(gpu, cycle);
}

static void start_engine(struct timed_gpu *gpu)
{
    const struct sim_parameters *sim = &gpu->parameters->sim;

    gpu->engine.sleep = sim->sleep != 0;
    gpu->engine.order_seed = sim->order_seed;
    gpu->engine.stall_cycles = sim->stall_cycles;
    gpu->engine.interrupt = gpu->machine->options.interrupt;
    gpu->engine.beat = machine_beat;
    gpu->engine.beat_context = gpu->machine;
    gpu->engine.at_mark = reach_mark;
    gpu->engine.mark_context = gpu;
    engine_start(&gpu->engine);
    check(engine_run(&gpu->engine, UINT64_MAX) == ENGINE_IDLE, "a new GPU does not come to rest");
}

struct timed_gpu *timed_gpu_create(struct machine *machine, struct diagnosis *diagnosis)
{
    struct timed_gpu *gpu = allocate(1, sizeof *gpu);

    gpu->machine = machine;
    gpu->parameters = machine->parameters;
    gpu->protocol = protocol_find(gpu->parameters->gpu.protocol);
    if (!tm_parse(gpu->parameters->gpu.transactional_memory, &gpu->tm, diagnosis) ||
        !address_map_init(&gpu->map, &gpu->parameters->address, diagnosis)) {
        free(gpu);
        return NULL;
    }
    engine_init(&gpu->engine);
    gpu->core = engine_add_domain(&gpu->engine, "core", gpu->parameters->gpu.core_khz);
    gpu->memory = engine_add_domain(&gpu->engine, "memory", gpu->parameters->gpu.memory_khz);
    count_parts(gpu);
    if (machine->options.checks_release)
        gpu->shadow = shadow_create();
    timed_gpu_add_oracle(gpu);
    timed_gpu_tell_systems(gpu);
    add_units(gpu);
    timed_gpu_add_centres(gpu);
    if (!add_network(gpu, diagnosis) || !add_uppers(gpu, diagnosis) ||
        !add_lowers(gpu, diagnosis)) {
        timed_gpu_destroy(gpu);
        return NULL;
    }
    for (uint32_t i = 0; i < gpu->upper_count && machine->options.counts_coverage; i++)
        controller_count_coverage(gpu->upper_controllers[i]);
    for (uint32_t i = 0; i < gpu->map.slices && machine->options.counts_coverage; i++)
        controller_count_coverage(gpu->slice_controllers[i]);
    timed_gpu_wire(gpu);
    pump_init(&gpu->pump, gpu->upper_controllers, gpu->upper_count, gpu->slice_controllers,
              gpu->map.slices, &gpu->map, &machine->backing, PUMP_MESSAGES);
    gpu->pump.breaks = machine->breaks;
    start_engine(gpu);
    return gpu;
}

void timed_gpu_destroy(struct timed_gpu *gpu)
{
    timed_gpu_unwire(gpu);
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        compute_unit_destroy(gpu->units[i]);
    timed_gpu_remove_centres(gpu);
    for (uint32_t i = 0; i < gpu->upper_count; i++)
        cache_finish(&gpu->uppers[i]);
    for (uint32_t i = 0; i < gpu->map.slices; i++)
        cache_finish(&gpu->slices[i]);
    for (uint32_t i = 0; i < gpu->map.channels; i++)
        dram_finish(&gpu->channels[i]);
    dispatcher_destroy(gpu->dispatcher);
    pump_finish(&gpu->pump);
    shadow_destroy(gpu->shadow);
    global_oracle_destroy(gpu->global_oracle);
    scalar_words_destroy(gpu->scalar_words);
    engine_finish(&gpu->engine);
    free(gpu->units);
    free(gpu->uppers);
    free(gpu->slices);
    free(gpu->upper_controllers);
    free(gpu->slice_controllers);
    free(gpu->channels);
    free(gpu);
}

uint64_t timed_gpu_now_ns(const struct timed_gpu *gpu)
{
    return engine_nanoseconds(&gpu->engine);
}

void timed_gpu_wait_ns(struct timed_gpu *gpu, uint64_t nanoseconds)
{
    enum { NS_PER_MS = 1000000 };
    uint64_t units_per_ms = gpu->core->period * gpu->core->frequency_khz;
    unsigned __int128 wait = (unsigned __int128)nanoseconds * units_per_ms + gpu->wait_remainder;

    gpu->wait_remainder = (uint64_t)(wait % NS_PER_MS);
    engine_skip(&gpu->engine, (uint64_t)(wait / NS_PER_MS));
}

static const struct fault *first_fault(const struct timed_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        if (compute_unit_fault(gpu->units[i]) != NULL)
            return compute_unit_fault(gpu->units[i]);
    return NULL;
}

/* A mistake of Wavetank, or a latency beyond the limit. A program cannot do it: a barrier counts
 * only wavefronts that have not ended, and one that spins moves. */
static bool report_stall(struct timed_gpu *gpu, const struct machine_launch *request,
                         struct diagnosis *diagnosis)
{
    struct text page = {0};

    engine_explain(&gpu->engine, &page);
    page_wires(gpu, &page);
    fprintf(stderr, "wavetank: nothing moves any more; who waits for whom:\n%s", text_chars(&page));
    text_finish(&page);
    diagnose(diagnosis, "%s made no progress for %llu cycles", request->kernel->name,
             (unsigned long long)gpu->engine.stall_cycles);
    return diagnose_hint(diagnosis, "if no latency of this GPU is that long, this is a mistake of "
                                    "Wavetank; else enlarge sim.stall_cycles");
}

static bool launch_conclude(struct timed_gpu *gpu, enum engine_outcome outcome,
                            const struct launch *launch, const struct machine_launch *request,
                            struct machine_launch_result *result, struct diagnosis *diagnosis)
{
    const struct fault *fault = first_fault(gpu);

    if (fault != NULL)
        return fault_diagnose(fault, gpu->machine->isa, &gpu->machine->backing, code_source_line,
                              request->code, diagnosis);
    if (!timed_gpu_judge_scalars(gpu, launch, request, diagnosis))
        return false;
    if (outcome == ENGINE_STALLED || outcome == ENGINE_IDLE)
        return report_stall(gpu, request, diagnosis);
    result->outcome = outcome == ENGINE_INTERRUPTED ? LAUNCH_INTERRUPTED
                      : outcome == ENGINE_LIMIT     ? LAUNCH_CYCLE_LIMIT
                                                    : LAUNCH_DONE;
    return true;
}

/* What the compute units dropped, or loaded old; the first in time, and of one cycle the lowest
 * number's. */
static void note_outside(struct timed_gpu *gpu, const struct machine_launch *request,
                         struct outside (*take)(struct compute_unit *unit), bool is_old_bytes)
{
    struct outside all = {.accesses = 0};

    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        struct outside outside = take(gpu->units[i]);

        if (outside.accesses != 0 && (all.accesses == 0 || outside.cycle < all.cycle)) {
            all.first = outside.first;
            all.cycle = outside.cycle;
        }
        all.accesses += outside.accesses;
    }
    machine_note_outside(gpu->machine, request, &all, is_old_bytes);
}

/* What is in flight when the last work-group has ended: write-backs. An interrupt that comes
 * now is for the next launch to see. */
static void engine_drain(struct timed_gpu *gpu)
{
    enum engine_outcome outcome;

    do
        outcome = engine_run(&gpu->engine, UINT64_MAX);
    while (outcome == ENGINE_INTERRUPTED);
    check(outcome == ENGINE_IDLE, "something goes on after a kernel's end");
}

/* max_cycles counts the cycles of kernels; the clock also moves between them. */
static uint64_t cycle_limit(const struct timed_gpu *gpu)
{
    uint64_t max = gpu->machine->options.max_cycles;

    if (max == 0)
        return UINT64_MAX;
    max = max > gpu->kernel_cycles ? max - gpu->kernel_cycles : 0;
    return max < UINT64_MAX - gpu->core->cycle ? gpu->core->cycle + max : UINT64_MAX;
}

bool timed_gpu_fits(const struct timed_gpu *gpu, const struct isa_launch *isa_launch,
                    const struct machine_launch *request, struct launch *launch,
                    struct diagnosis *diagnosis)
{
    launch_init(launch, isa_launch, isa_launch->wave_lanes, request->kernel->name,
                gpu->machine->traced);
    return launch_add_transactions(launch, &gpu->tm, &gpu->parameters->tm, &gpu->tm_facts,
                                   diagnosis) &&
           dispatcher_can_run(&gpu->parameters->compute_unit, launch, diagnosis);
}

bool timed_gpu_run(struct timed_gpu *gpu, const struct isa_launch *isa_launch,
                   const struct machine_launch *request, struct machine_launch_result *result,
                   struct diagnosis *diagnosis)
{
    struct launch launch;
    uint64_t instructions = all_instructions(gpu);
    struct dispatcher_progress progress;
    enum engine_outcome outcome;
    bool is_good;

    if (!timed_gpu_fits(gpu, isa_launch, request, &launch, diagnosis))
        return false;
    launch.profile = machine_profile_of(gpu->machine, request);
    launch.first_unit = request->first_compute_unit;
    launch.unit_count = request->compute_unit_count;
    timed_gpu_wait_ns(gpu, gpu->parameters->host.launch_latency_ns);
    if (gpu->shadow != NULL)
        shadow_clear(gpu->shadow);
    gpu->instructions_before = instructions;
    result->start_ns = timed_gpu_now_ns(gpu);
    timed_gpu_oracle_start(gpu, &launch);
    dispatcher_start(gpu->dispatcher, &launch);
    set_mark(gpu, dispatcher_progress(gpu->dispatcher).start_cycle);
    outcome = engine_run(&gpu->engine, cycle_limit(gpu));
    engine_set_mark(&gpu->engine, UINT64_MAX);
    is_good = launch_conclude(gpu, outcome, &launch, request, result, diagnosis);
    note_outside(gpu, request, compute_unit_take_outside, false);
    note_outside(gpu, request, compute_unit_take_old_bytes, true);
    progress = dispatcher_progress(gpu->dispatcher);
    result->end_ns = timed_gpu_now_ns(gpu);
    result->cycles =
        (progress.is_done ? progress.end_cycle : gpu->core->cycle) - progress.start_cycle;
    gpu->kernel_cycles += result->cycles;
    result->instructions = all_instructions(gpu) - instructions;
    result->groups_done = progress.groups_done;
    result->groups_total = progress.groups_total;
    if (is_good && result->outcome == LAUNCH_DONE)
        engine_drain(gpu);
    return is_good && (result->outcome != LAUNCH_DONE ||
                       timed_gpu_oracle_judge(gpu, &launch, request, diagnosis));
}
