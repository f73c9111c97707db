/* SPDX-License-Identifier: MIT */
#include "gpu/dispatcher.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "gpu/residency.h"

const struct parameter dispatcher_parameters[] = {DISPATCHER_PARAMETERS(DISPATCHER_PARAMETER_ROW)};
const uint32_t dispatcher_parameter_count = ARRAY_COUNT(dispatcher_parameters);

#define STATISTICS_ROW(...) STATISTIC_ROW(struct dispatcher_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {DISPATCHER_STATISTICS(STATISTICS_ROW)};

enum { MAX_ENGINES = 64 };
#define NEVER UINT64_MAX

struct unit_record {
    struct residency residency;
    struct port *launches, *completions;
};

struct shader_engine {
    uint32_t first, count; /* its compute units */
    uint32_t turn;         /* which of them is tried first */
    uint64_t free_at;      /* cycle at which it can start the next wavefront */
};

struct dispatcher {
    struct component component;
    struct dispatcher_statistics statistics;
    const struct dispatcher_parameters *parameters;
    const struct compute_unit_parameters *compute_unit;
    struct unit_record *units;
    uint32_t unit_count;
    struct shader_engine engines[MAX_ENGINES];
    uint32_t engine_count, engine_turn;
    bool fills;                  /* placement: fill */
    const struct launch *launch; /* NULL: idle */
    struct dispatcher_progress progress;
    bool invalidates, flushes;
    bool is_new;                   /* no cache was told of the launch's start */
    enum launch_boundary boundary; /* that is in progress */
    uint32_t boundary_open;        /* compute units that have not answered */
    bool is_full;                  /* a work-group waits and no compute unit has room */
    bool is_blocked;               /* a compute unit's port is full and will wake us */
    uint64_t counted_until;        /* busy and full cycles are counted up to here */
};

void dispatcher_defaults(struct dispatcher_parameters *parameters)
{
    parameters_set_initial(dispatcher_parameters, dispatcher_parameter_count, parameters);
}

PARAMETER_CHOICES(placement_word, {"round_robin", "over engines, then compute units with room"},
                  {"fill", "the first compute unit with room"})

/* ---- counting ---- */

static void count_cycles(struct dispatcher *dispatcher, uint64_t cycle)
{
    if (cycle <= dispatcher->counted_until)
        return;
    if (dispatcher->launch != NULL) {
        dispatcher->statistics.busy_cycles += cycle - dispatcher->counted_until;
        if (dispatcher->is_full)
            dispatcher->statistics.full_cycles += cycle - dispatcher->counted_until;
        if (dispatcher->boundary == BOUNDARY_START)
            dispatcher->statistics.start_cycles += cycle - dispatcher->counted_until;
        if (dispatcher->boundary == BOUNDARY_END)
            dispatcher->statistics.end_cycles += cycle - dispatcher->counted_until;
    }
    dispatcher->counted_until = cycle;
}

static void dispatcher_settle(struct component *component)
{
    struct dispatcher *dispatcher = container_of(component, struct dispatcher, component);

    count_cycles(dispatcher, component_cycle(component));
}

/* ---- placing ---- */

/* Whether work-groups of the launch may go to the compute unit. */
static bool launch_has_unit(const struct launch *launch, uint32_t unit)
{
    return launch->unit_count == 0 || unit - launch->first_unit < launch->unit_count;
}

static void send_group(struct dispatcher *dispatcher, struct unit_record *unit,
                       const struct group_launch *place)
{
    struct group_launch *message =
        port_reserve(unit->launches, (uint32_t)dispatcher->parameters->launch_cycles);

    *message = *place;
    dispatcher->progress.groups_started++;
    dispatcher->statistics.groups++;
    dispatcher->statistics.wavefronts += place->group.wave_count;
}

static bool place_on(struct dispatcher *dispatcher, struct unit_record *unit)
{
    struct group_launch place;

    memset(&place, 0, sizeof place);
    if (!port_has_room(unit->launches, 1)) {
        dispatcher->is_blocked = true;
        return false;
    }
    if (!residency_place(&unit->residency, dispatcher->launch, &place))
        return false;
    place.launch = dispatcher->launch;
    place.group = launch_group(dispatcher->launch, dispatcher->progress.groups_started);
    send_group(dispatcher, unit, &place);
    return true;
}

/* Tries the engine's compute units, in turn or from the first. */
static bool place_in_engine(struct dispatcher *dispatcher, struct shader_engine *engine,
                            uint64_t cycle)
{
    for (uint32_t i = 0; i < engine->count; i++) {
        uint32_t place = dispatcher->fills ? i : (engine->turn + i) % engine->count;

        if (!launch_has_unit(dispatcher->launch, engine->first + place) ||
            !place_on(dispatcher, &dispatcher->units[engine->first + place]))
            continue;
        engine->turn = (place + 1) % engine->count;
        engine->free_at =
            cycle + dispatcher->launch->wave_count * dispatcher->parameters->wavefront_cycles;
        return true;
    }
    return false;
}

static bool engine_has_room(const struct dispatcher *dispatcher, const struct shader_engine *engine)
{
    for (uint32_t i = 0; i < engine->count; i++)
        if (launch_has_unit(dispatcher->launch, engine->first + i) &&
            residency_has_room(&dispatcher->units[engine->first + i].residency, dispatcher->launch))
            return true;
    return false;
}

/* Places one work-group on an engine that is free, in turn. Filling waits for the first engine with
 * room instead. */
static bool place_one(struct dispatcher *dispatcher, uint64_t cycle)
{
    for (uint32_t i = 0; i < dispatcher->engine_count; i++) {
        uint32_t number =
            dispatcher->fills ? i : (dispatcher->engine_turn + i) % dispatcher->engine_count;
        struct shader_engine *engine = &dispatcher->engines[number];

        if (dispatcher->fills && engine->free_at > cycle && engine_has_room(dispatcher, engine))
            return false;
        if (engine->free_at > cycle || !place_in_engine(dispatcher, engine, cycle))
            continue;
        dispatcher->engine_turn = (number + 1) % dispatcher->engine_count;
        return true;
    }
    return false;
}

static bool has_waiting(const struct dispatcher *dispatcher)
{
    return dispatcher->launch != NULL &&
           dispatcher->progress.groups_started < dispatcher->progress.groups_total;
}

static bool none_has_room(const struct dispatcher *dispatcher)
{
    for (uint32_t i = 0; i < dispatcher->engine_count; i++)
        if (engine_has_room(dispatcher, &dispatcher->engines[i]))
            return false;
    return true;
}

static uint64_t next_free_engine(const struct dispatcher *dispatcher, uint64_t cycle)
{
    uint64_t next = NEVER;

    for (uint32_t i = 0; i < dispatcher->engine_count; i++)
        if (dispatcher->engines[i].free_at > cycle && dispatcher->engines[i].free_at < next)
            next = dispatcher->engines[i].free_at;
    return next;
}

/* ---- the tick ---- */

static void take_completion(struct dispatcher *dispatcher, struct unit_record *unit, uint32_t slot)
{
    if (slot == BOUNDARY_SLOT) {
        dispatcher->boundary_open--;
        return;
    }
    residency_release(&unit->residency, slot);
    dispatcher->progress.groups_done++;
    dispatcher->is_full = false;
}

static void receive_completions(struct dispatcher *dispatcher)
{
    for (uint32_t i = 0; i < dispatcher->unit_count; i++) {
        struct unit_record *unit = &dispatcher->units[i];
        const struct group_done *done;

        while ((done = port_peek(unit->completions)) != NULL) {
            take_completion(dispatcher, unit, done->slot);
            port_take(unit->completions);
            component_progress(&dispatcher->component);
        }
    }
}

static void begin_boundary(struct dispatcher *dispatcher, enum launch_boundary boundary)
{
    dispatcher->boundary = boundary;
    dispatcher->boundary_open = dispatcher->unit_count;
    for (uint32_t i = 0; i < dispatcher->unit_count; i++) {
        struct group_launch *message = port_reserve(
            dispatcher->units[i].launches, (uint32_t)dispatcher->parameters->launch_cycles);

        memset(message, 0, sizeof *message);
        message->boundary = (uint8_t)boundary;
    }
    component_progress(&dispatcher->component);
}

static void end_launch(struct dispatcher *dispatcher, uint64_t cycle)
{
    dispatcher->progress.end_cycle = cycle;
    dispatcher->progress.is_done = true;
    dispatcher->boundary = BOUNDARY_NONE;
    dispatcher->statistics.launches++;
    dispatcher->launch = NULL;
    engine_stop(dispatcher->component.clock->engine);
}

/* Whether work-groups may be started: the launch's start is over, and its end has not come. */
static bool pass_boundary(struct dispatcher *dispatcher, uint64_t cycle)
{
    bool is_done = dispatcher->progress.groups_done == dispatcher->progress.groups_total;

    if (dispatcher->is_new) {
        dispatcher->is_new = false;
        if (dispatcher->invalidates)
            begin_boundary(dispatcher, BOUNDARY_START);
    }
    if (dispatcher->boundary_open > 0)
        return false;
    if (is_done && dispatcher->flushes && dispatcher->boundary != BOUNDARY_END) {
        begin_boundary(dispatcher, BOUNDARY_END);
        return false;
    }
    if (is_done)
        end_launch(dispatcher, cycle);
    else
        dispatcher->boundary = BOUNDARY_NONE;
    return !is_done;
}

static bool dispatcher_tick(struct component *component)
{
    struct dispatcher *dispatcher = container_of(component, struct dispatcher, component);
    uint64_t cycle = component_cycle(component), next;

    count_cycles(dispatcher, cycle);
    receive_completions(dispatcher);
    if (dispatcher->launch == NULL || !pass_boundary(dispatcher, cycle))
        return false;
    if (!has_waiting(dispatcher) || dispatcher->is_full)
        return false;
    dispatcher->is_blocked = false;
    while (has_waiting(dispatcher) && place_one(dispatcher, cycle))
        component_progress(component);
    if (!has_waiting(dispatcher))
        return false;
    next = next_free_engine(dispatcher, cycle);
    dispatcher->is_full = !dispatcher->is_blocked && none_has_room(dispatcher);
    if (next != NEVER && !dispatcher->is_full)
        component_wake_at(component, next);
    return false;
}

static void dispatcher_explain(const struct component *component, struct text *text)
{
    const struct dispatcher *dispatcher =
        container_of((struct component *)(uintptr_t)component, struct dispatcher, component);

    if (dispatcher->launch == NULL)
        return;
    text_add(text, "kernel %s: %llu of %llu work-groups done, %llu running%s",
             dispatcher->launch->kernel, (unsigned long long)dispatcher->progress.groups_done,
             (unsigned long long)dispatcher->progress.groups_total,
             (unsigned long long)(dispatcher->progress.groups_started -
                                  dispatcher->progress.groups_done),
             dispatcher->is_full ? "; no compute unit has room for more" : "");
    if (dispatcher->boundary_open > 0)
        text_add(text, "; %u compute units' caches have not %s", dispatcher->boundary_open,
                 dispatcher->boundary == BOUNDARY_START ? "invalidated" : "flushed");
}

static const struct component_operations operations = {
    .tick = dispatcher_tick, .settle = dispatcher_settle, .explain = dispatcher_explain};

/* ---- life ---- */

struct dispatcher *dispatcher_create(const struct dispatcher_options *options)
{
    struct dispatcher *dispatcher = allocate(1, sizeof *dispatcher);
    uint32_t engines = (uint32_t)options->parameters->shader_engines, first = 0;

    if (engines > options->compute_unit_count)
        engines = options->compute_unit_count;
    check(engines > 0, "a dispatcher without compute units");
    component_init(&dispatcher->component, &operations, options->clock, options->path);
    dispatcher->parameters = options->parameters;
    dispatcher->compute_unit = options->compute_unit;
    dispatcher->unit_count = options->compute_unit_count;
    dispatcher->invalidates = options->invalidates;
    dispatcher->flushes = options->flushes;
    dispatcher->units = allocate(dispatcher->unit_count, sizeof *dispatcher->units);
    dispatcher->fills = strcmp(options->parameters->placement, "fill") == 0;
    dispatcher->engine_count = engines;
    for (uint32_t i = 0; i < engines; i++) {
        uint32_t end = (uint32_t)((uint64_t)dispatcher->unit_count * (i + 1) / engines);

        dispatcher->engines[i] = (struct shader_engine){.first = first, .count = end - first};
        first = end;
    }
    for (uint32_t i = 0; i < dispatcher->unit_count; i++)
        residency_init(&dispatcher->units[i].residency, options->compute_unit);
    registry_add(options->registry, options->path, "dispatcher", statistics,
                 ARRAY_COUNT(statistics), &dispatcher->statistics, sizeof dispatcher->statistics);
    return dispatcher;
}

void dispatcher_destroy(struct dispatcher *dispatcher)
{
    if (dispatcher == NULL)
        return;
    free(dispatcher->units);
    component_finish(&dispatcher->component);
    free(dispatcher);
}

struct component *dispatcher_component(struct dispatcher *dispatcher)
{
    return &dispatcher->component;
}

void dispatcher_connect(struct dispatcher *dispatcher, uint32_t number, struct port *launches,
                        struct port *completions)
{
    check(number < dispatcher->unit_count, "there is no compute unit %u", number);
    dispatcher->units[number].launches = launches;
    dispatcher->units[number].completions = completions;
}

bool dispatcher_can_run(const struct compute_unit_parameters *parameters,
                        const struct launch *launch, struct diagnosis *diagnosis)
{
    uint32_t slots = compute_unit_slots(parameters);
    uint32_t max = slots < GPU_MAX_GROUP_WAVES ? slots : GPU_MAX_GROUP_WAVES;
    struct residency residency;

    residency_init(&residency, parameters);
    if (residency_has_room(&residency, launch))
        return true;
    if (launch->wave_count > max)
        return diagnose(diagnosis,
                        "a work-group of %u wavefronts is too large: it may have %u at most",
                        launch->wave_count, max);
    if (launch->lds_bytes > parameters->lds_bytes)
        return diagnose(diagnosis,
                        "a work-group needs %u bytes of local memory, a compute unit has %llu",
                        launch->lds_bytes, (unsigned long long)parameters->lds_bytes);
    return diagnose(diagnosis,
                    "a work-group of %u wavefronts with %u vector and %u scalar registers each "
                    "does not fit into a compute unit",
                    launch->wave_count, launch->vector_registers, launch->scalar_registers);
}

void dispatcher_start(struct dispatcher *dispatcher, const struct launch *launch)
{
    uint64_t cycle = component_cycle(&dispatcher->component);

    check(dispatcher->launch == NULL, "a launch was started while another runs");
    count_cycles(dispatcher, cycle);
    dispatcher->launch = launch;
    dispatcher->is_new = true;
    dispatcher->is_full = false;
    dispatcher->progress =
        (struct dispatcher_progress){.groups_total = launch->group_count, .start_cycle = cycle};
    component_wake(&dispatcher->component);
}

struct dispatcher_progress dispatcher_progress(const struct dispatcher *dispatcher)
{
    return dispatcher->progress;
}
