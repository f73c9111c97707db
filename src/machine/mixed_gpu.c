/* SPDX-License-Identifier: MIT */
/*
 * Both models on one memory: the chosen launches run on the timed GPU, the others functionally. The
 * host sees the timed one.
 *
 *     timed launch ─► caches are full ─► [empty them into memory ─► functional launch
 *                                             ─► warm L2] ─► timed launch
 */
#include <stdlib.h>

#include "machine/machine_private.h"
#include "machine/timed_gpu.h"

/* Enough that the lines of a whole L2 are among the latest accesses nearly always. */
enum { TOUCHED_LINES = 1 << 20 };

struct mixed_gpu {
    struct model model;
    struct timed_gpu *timed;
    struct model *timed_model, *functional_model;
    struct registry registry; /* of the functional one: its statistics are shown nowhere */
    struct launch_selection selection;
    struct touched touched; /* by the latest functional launch; no room: it is not noted */
    bool is_functional;     /* the running launch, or the latest */
};

static struct mixed_gpu *mixed_of(const struct model *model)
{
    return container_of((struct model *)(uintptr_t)model, struct mixed_gpu, model);
}

static struct model *running_model(const struct mixed_gpu *gpu)
{
    return gpu->is_functional ? gpu->functional_model : gpu->timed_model;
}

static void mixed_destroy(struct model *model)
{
    struct mixed_gpu *gpu = mixed_of(model);

    if (gpu->functional_model != NULL)
        gpu->functional_model->operations->destroy(gpu->functional_model);
    if (gpu->timed_model != NULL)
        gpu->timed_model->operations->destroy(gpu->timed_model);
    registry_finish(&gpu->registry);
    launch_selection_finish(&gpu->selection);
    free(gpu->touched.lines);
    free(gpu);
}

/* It takes no simulated time, and what it does to caches is in no statistic of a launch. */
static bool run_untimed(struct mixed_gpu *gpu, const struct isa_launch *launch,
                        const struct machine_launch *request, struct machine_launch_result *result,
                        struct diagnosis *diagnosis)
{
    bool is_good;

    timed_gpu_empty_caches(gpu->timed);
    gpu->touched.count = 0;
    is_good = gpu->functional_model->operations->run(gpu->functional_model, launch, request, result,
                                                     diagnosis);
    result->start_ns = result->end_ns = timed_gpu_now_ns(gpu->timed);
    if (is_good && result->outcome == LAUNCH_DONE && gpu->touched.capacity > 0)
        timed_gpu_warm_caches(gpu->timed, &gpu->touched);
    return is_good;
}

static bool mixed_run(struct model *model, const struct isa_launch *launch,
                      const struct machine_launch *request, struct machine_launch_result *result,
                      struct diagnosis *diagnosis)
{
    struct mixed_gpu *gpu = mixed_of(model);

    gpu->is_functional = !launch_selection_next(&gpu->selection, request->kernel->name);
    result->is_untimed = gpu->is_functional;
    if (gpu->is_functional)
        return run_untimed(gpu, launch, request, result, diagnosis);
    return gpu->timed_model->operations->run(gpu->timed_model, launch, request, result, diagnosis);
}

/* Which model will run the launch is not known yet. The functional one asks for less. */
static bool mixed_fits(const struct model *model, const struct isa_launch *launch,
                       const struct machine_launch *request, struct diagnosis *diagnosis)
{
    const struct model *functional = mixed_of(model)->functional_model;

    return functional->operations->fits(functional, launch, request, diagnosis);
}

static void mixed_progress(const struct model *model, struct machine_progress *progress)
{
    const struct model *running = running_model(mixed_of(model));

    running->operations->progress(running, progress);
}

static void mixed_visit(const struct model *model, standing_visit *visit, void *context)
{
    const struct model *running = running_model(mixed_of(model));

    running->operations->visit(running, visit, context);
}

/* Which model will run the launch is not known yet. */
static uint32_t mixed_wavefront_slots(const struct model *model, const struct isa_launch *launch)
{
    const struct model *timed = mixed_of(model)->timed_model;
    const struct model *functional = mixed_of(model)->functional_model;
    uint32_t slots = timed->operations->wavefront_slots(timed, launch);
    uint32_t others = functional->operations->wavefront_slots(functional, launch);

    return slots > others ? slots : others;
}

/* ---- what the timed GPU does ---- */

static void mixed_prepare_code(const struct model *model, struct isa_code *code)
{
    const struct model *timed = mixed_of(model)->timed_model;

    timed->operations->prepare_code(timed, code);
}

static void mixed_write(struct model *model, uint64_t addr, const void *bytes, uint64_t count)
{
    struct model *timed = mixed_of(model)->timed_model;

    timed->operations->write(timed, addr, bytes, count);
}

static void mixed_read(struct model *model, uint64_t addr, void *bytes, uint64_t count)
{
    struct model *timed = mixed_of(model)->timed_model;

    timed->operations->read(timed, addr, bytes, count);
}

static void mixed_discard(struct model *model, uint64_t addr, uint64_t count)
{
    struct model *timed = mixed_of(model)->timed_model;

    timed->operations->discard(timed, addr, count);
}

static uint64_t mixed_now_ns(const struct model *model)
{
    return timed_gpu_now_ns(mixed_of(model)->timed);
}

static void mixed_wait_ns(struct model *model, uint64_t nanoseconds)
{
    timed_gpu_wait_ns(mixed_of(model)->timed, nanoseconds);
}

static void mixed_settle(struct model *model)
{
    struct model *timed = mixed_of(model)->timed_model;

    timed->operations->settle(timed);
}

static void mixed_effort(const struct model *model, struct machine_effort *effort)
{
    const struct model *timed = mixed_of(model)->timed_model;

    timed->operations->effort(timed, effort);
}

static uint64_t mixed_digest(const struct model *model)
{
    const struct model *timed = mixed_of(model)->timed_model;

    return timed->operations->digest(timed);
}

static void mixed_print_coverage(const struct model *model, struct text *text)
{
    const struct model *timed = mixed_of(model)->timed_model;

    timed->operations->print_coverage(timed, text);
}

static const struct model_operations mixed_operations = {
    .has_caches = true,
    .has_time = true,
    .destroy = mixed_destroy,
    .run = mixed_run,
    .fits = mixed_fits,
    .progress = mixed_progress,
    .visit = mixed_visit,
    .wavefront_slots = mixed_wavefront_slots,
    .prepare_code = mixed_prepare_code,
    .write = mixed_write,
    .read = mixed_read,
    .discard = mixed_discard,
    .now_ns = mixed_now_ns,
    .wait_ns = mixed_wait_ns,
    .settle = mixed_settle,
    .effort = mixed_effort,
    .digest = mixed_digest,
    .print_coverage = mixed_print_coverage,
};

struct model *mixed_model_create(struct machine *machine, struct diagnosis *diagnosis)
{
    struct mixed_gpu *gpu = allocate(1, sizeof *gpu);
    bool is_good =
        launch_selection_parse(&gpu->selection, machine->options.timed_launches, diagnosis);

    gpu->model.operations = &mixed_operations;
    if (is_good)
        gpu->timed_model = timed_model_create(machine, diagnosis);
    if (gpu->timed_model == NULL) {
        mixed_destroy(&gpu->model);
        return NULL;
    }
    gpu->timed = container_of(gpu->timed_model, struct timed_gpu, model);
    if (machine->options.warms_caches)
        gpu->touched = (struct touched){.lines = allocate(TOUCHED_LINES, sizeof(uint64_t)),
                                        .capacity = TOUCHED_LINES,
                                        .line_bytes = LINE_BYTES};
    gpu->functional_model = functional_model_create(
        machine, &gpu->registry, gpu->touched.capacity > 0 ? &gpu->touched : NULL);
    return &gpu->model;
}
