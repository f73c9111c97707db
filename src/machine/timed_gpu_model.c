/* SPDX-License-Identifier: MIT */
/* The timed GPU as the machine's model. */
#include "machine/timed_gpu.h"

#include <stdlib.h>
#include <string.h>

static struct timed_gpu *timed_of(const struct model *model)
{
    return container_of((struct model *)(uintptr_t)model, struct timed_gpu, model);
}

static void timed_destroy(struct model *model)
{
    timed_gpu_destroy(timed_of(model));
}

static bool timed_run(struct model *model, const struct isa_launch *launch,
                      const struct machine_launch *request, struct machine_launch_result *result,
                      struct diagnosis *diagnosis)
{
    return timed_gpu_run(timed_of(model), launch, request, result, diagnosis);
}

static bool timed_fits(const struct model *model, const struct isa_launch *isa_launch,
                       const struct machine_launch *request, struct diagnosis *diagnosis)
{
    struct launch launch;

    return timed_gpu_fits(timed_of(model), isa_launch, request, &launch, diagnosis);
}

static void timed_progress(const struct model *model, struct machine_progress *progress)
{
    timed_gpu_progress(timed_of(model), progress);
}

static void timed_visit(const struct model *model, standing_visit *visit, void *context)
{
    const struct timed_gpu *gpu = timed_of(model);

    for (uint32_t i = 0; i < gpu->unit_count; i++)
        compute_unit_visit(gpu->units[i], visit, context);
}

static uint32_t timed_wavefront_slots(const struct model *model, const struct isa_launch *launch)
{
    const struct timed_gpu *gpu = timed_of(model);

    return gpu->unit_count * compute_unit_slots(&gpu->parameters->compute_unit);
}

static void timed_prepare_code(const struct model *model, struct isa_code *code)
{
    const struct timed_gpu *gpu = timed_of(model);

    if (gpu->protocol->flushes_before_releases)
        gpu->machine->isa->fence_releases(code);
}

static void timed_write(struct model *model, uint64_t addr, const void *bytes, uint64_t count)
{
    pump_host_write(&timed_of(model)->pump, addr, bytes, count);
}

static void timed_read(struct model *model, uint64_t addr, void *bytes, uint64_t count)
{
    pump_host_read(&timed_of(model)->pump, addr, bytes, count);
}

static void timed_discard(struct model *model, uint64_t addr, uint64_t count)
{
    pump_discard(&timed_of(model)->pump, addr, count);
}

static uint64_t timed_now_ns(const struct model *model)
{
    return timed_gpu_now_ns(timed_of(model));
}

static void timed_wait_ns(struct model *model, uint64_t nanoseconds)
{
    timed_gpu_wait_ns(timed_of(model), nanoseconds);
}

static void timed_settle(struct model *model)
{
    struct timed_gpu *gpu = timed_of(model);

    for (uint32_t i = 0; i < gpu->engine.domain_count; i++) {
        const struct clock_domain *domain = &gpu->engine.domains[i];

        for (uint32_t j = 0; j < domain->component_count; j++)
            if (domain->components[j]->operations->settle != NULL)
                domain->components[j]->operations->settle(domain->components[j]);
    }
}

static void timed_effort(const struct model *model, struct machine_effort *effort)
{
    const struct timed_gpu *gpu = timed_of(model);

    effort->instants = gpu->engine.instants;
    effort->ticks = gpu->engine.ticks;
}

static uint64_t timed_digest(const struct model *model)
{
    return timed_gpu_digest(timed_of(model));
}

static void timed_print_coverage(const struct model *model, struct text *text)
{
    timed_gpu_print_coverage(timed_of(model), text);
}

static const struct model_operations timed_operations = {
    .has_caches = true,
    .has_time = true,
    .destroy = timed_destroy,
    .run = timed_run,
    .fits = timed_fits,
    .progress = timed_progress,
    .visit = timed_visit,
    .wavefront_slots = timed_wavefront_slots,
    .prepare_code = timed_prepare_code,
    .write = timed_write,
    .read = timed_read,
    .discard = timed_discard,
    .now_ns = timed_now_ns,
    .wait_ns = timed_wait_ns,
    .settle = timed_settle,
    .effort = timed_effort,
    .digest = timed_digest,
    .print_coverage = timed_print_coverage,
};

/* ---- beside a functional GPU ---- */

void timed_gpu_empty_caches(struct timed_gpu *gpu)
{
    pump_empty(&gpu->pump);
}

/* The newest different lines, up to `max`, oldest first. The caller frees. */
static uint64_t *newest_lines(const struct touched *touched, uint64_t max, uint64_t *count)
{
    uint64_t known = touched->count < touched->capacity ? touched->count : touched->capacity;
    uint64_t size = 2 * max + 1, *table = allocate(size, sizeof *table);
    uint64_t *lines = allocate(max, sizeof *lines), at = max;

    for (uint64_t i = 0; i < known && at > 0; i++) {
        uint64_t line = touched->lines[(touched->count - 1 - i) % touched->capacity];
        uint64_t place = line / LINE_BYTES % size;

        while (table[place] != 0 && table[place] != line)
            place = (place + 1) % size;
        if (table[place] == line)
            continue;
        table[place] = lines[--at] = line;
    }
    free(table);
    *count = max - at;
    memmove(lines, lines + at, *count * sizeof *lines);
    return lines;
}

void timed_gpu_warm_caches(struct timed_gpu *gpu, const struct touched *touched)
{
    uint64_t max = (uint64_t)gpu->map.slices * gpu->slices[0].controller.line_count, count;
    uint64_t *lines = newest_lines(touched, max, &count);

    pump_warm(&gpu->pump, gpu->unit_count + gpu->shared_count, lines, count);
    free(lines);
}

struct model *timed_model_create(struct machine *machine, struct diagnosis *diagnosis)
{
    struct timed_gpu *gpu = timed_gpu_create(machine, diagnosis);

    if (gpu == NULL)
        return NULL;
    gpu->model.operations = &timed_operations;
    return &gpu->model;
}
