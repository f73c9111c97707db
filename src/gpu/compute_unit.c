/* SPDX-License-Identifier: MIT */
/*
 * What lies in which file, each below those that follow it. No file calls another that calls it,
 * also by way of others (tests/tidy/circles.py):
 *
 *     gpu/wavefront.h      wavefront.c, execute.c, group.c, instruction_buffer.c; account.c,
 *                          wavefront_time.c
 *     gpu/boundary.h       boundary.c
 *     gpu/transactions.h   transaction.c and the others of that name
 *     gpu/front_end.h, gpu/scalar_memory.h, gpu/local_unit.h
 *     gpu/vector_memory.h  vector_entries.c, vector_memory.c, vector_return.c, memory_trace.c,
 *                          check_release.c
 *     gpu/issue.h          issue.c, control.c
 *     gpu/compute_unit.h   this file, which runs them in turn, and compute_unit_parameters.c
 *
 * Within a tick: replies, launches, results that fall due, issue, then what the memory units and
 * the fetch send. So an instruction issued in cycle c can be sent in c at the earliest. Data that
 * arrives in c can be used in c.
 */
#include "gpu/compute_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "gpu/boundary.h"
#include "gpu/instruction_count.h"
#include "gpu/standing.h"
#include "gpu/wavefront.h"

/* The bits of the ports that it receives from (sim/port.h). */
struct compute_unit_inputs {
    uint64_t replies, scalar_replies, fetch_replies, launches;
};

struct compute_unit {
    struct component component;
    struct compute_unit_inputs inputs;
    struct compute_unit_statistics statistics;
    const struct compute_unit_parameters *parameters;
    struct wavefronts waves;
    struct compute_unit_ports ports;
    struct boundary boundary;
    struct issue issue;
    struct front_end front_end;
    struct vector_memory vmem;
    struct local_unit local;
    struct scalar_memory smem;
    struct transactions *tm; /* NULL: hints mean nothing */
    bool tm_acts;            /* systems do something by themselves */
};

#define STATISTICS_ROW(...) STATISTIC_ROW(struct compute_unit_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {COMPUTE_UNIT_STATISTICS(STATISTICS_ROW)};

/* ---- the tick ---- */

static void receive_launches(struct compute_unit *unit)
{
    const struct group_launch *launch;

    while ((launch = port_peek(unit->ports.launches)) != NULL) {
        if (launch->boundary == BOUNDARY_NONE)
            group_start(&unit->waves, launch);
        else
            boundary_begin(&unit->boundary, (enum launch_boundary)launch->boundary);
        port_take(unit->ports.launches);
        unit->waves.has_progress = true;
    }
}

static uint64_t earlier_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The next cycle with something to do, as far as it is known; ports wake us for the rest. */
static uint64_t next_cycle(const struct compute_unit *unit, uint64_t now)
{
    uint64_t next = NEVER;

    if (front_end_next(&unit->front_end) <= now + 1)
        return now + 1;
    next = earlier_of(next, issue_next(&unit->issue));
    next = earlier_of(next, vmem_next(&unit->vmem));
    next = earlier_of(next, local_next(&unit->local));
    if (unit->tm_acts)
        next = earlier_of(next, transactions_next(unit->tm));
    return earlier_of(next, smem_next(&unit->smem));
}

/* The watchdog must see that work is done, also by a compute unit that sleeps between two slots. */
static void note_progress(struct compute_unit *unit)
{
    if (unit->waves.has_progress)
        component_progress(&unit->component);
}

static void unit_receive(struct compute_unit *unit)
{
    uint64_t filled = unit->component.filled;

    if ((filled & unit->inputs.replies) != 0)
        vmem_receive(&unit->vmem);
    if ((filled & unit->inputs.scalar_replies) != 0)
        smem_receive(&unit->smem);
    if ((filled & unit->inputs.fetch_replies) != 0)
        front_end_receive(&unit->front_end);
    if ((filled & unit->inputs.launches) != 0)
        receive_launches(unit);
}

static bool compute_unit_tick(struct component *component)
{
    struct compute_unit *unit = container_of(component, struct compute_unit, component);
    uint64_t now = component_cycle(component), next;
    bool can_send;

    if (unit->waves.fault.kind != FAULT_NONE)
        return false;
    unit->waves.has_progress = false;
    if (unit->tm_acts)
        transactions_receive(unit->tm);
    unit_receive(unit);
    vmem_retire(&unit->vmem);
    local_retire(&unit->local);
    smem_retire(&unit->smem);
    issue_send(&unit->issue);
    local_serve(&unit->local);
    can_send = vmem_send(&unit->vmem) > 0;
    if (unit->tm_acts)
        transactions_send(unit->tm, unit->ports.requests, can_send);
    smem_send(&unit->smem);
    front_end_send(&unit->front_end);
    if (unit->waves.completed_groups.count > 0)
        groups_send_completions(&unit->waves, unit->ports.completions);
    note_progress(unit);
    next = next_cycle(unit, now);
    if (next == now + 1)
        return true;
    if (next != NEVER)
        component_wake_at(component, next);
    return false;
}

static void compute_unit_settle(struct component *component)
{
    struct compute_unit *unit = container_of(component, struct compute_unit, component);

    issue_settle(&unit->issue);
    account_residents(&unit->waves);
    wavefront_times_settle(&unit->waves);
    if (unit->tm != NULL)
        transactions_settle(unit->tm);
    vmem_settle(&unit->vmem);
}

static void compute_unit_explain(const struct component *component, struct text *text)
{
    static const char *const names[STATE_COUNT] = {[STATE_RUNNABLE] = "runnable",
                                                   [STATE_PAUSED] = "paused",
                                                   [STATE_TRANSACTION] = "waiting in a transaction",
                                                   [STATE_QUEUE] = "waiting for a memory queue",
                                                   [STATE_FETCH] = "waiting for instructions",
                                                   [STATE_LGKM] = "waiting for LGKM_CNT",
                                                   [STATE_VM] = "waiting for VM_CNT",
                                                   [STATE_EXP] = "waiting for EXP_CNT",
                                                   [STATE_BARRIER] = "at a barrier",
                                                   [STATE_END] = "ended"};
    const struct compute_unit *unit =
        container_of((struct component *)(uintptr_t)component, struct compute_unit, component);
    const char *separator = "wavefronts: ";

    for (unsigned state = STATE_RUNNABLE; state < STATE_COUNT; state++) {
        if (unit->waves.in_state[state] == 0)
            continue;
        text_add(text, "%s%u %s", separator, count_bits(unit->waves.in_state[state]), names[state]);
        separator = ", ";
    }
    vmem_explain(&unit->vmem, text);
    if (unit->tm != NULL)
        transactions_explain(unit->tm, text);
}

static const struct component_operations operations = {
    .tick = compute_unit_tick, .settle = compute_unit_settle, .explain = compute_unit_explain};

/* ---- life ---- */

static void create_wavefronts(struct compute_unit *unit)
{
    size_t wave_bytes = (size_t)align_up(unit->waves.isa->wave_bytes, 64);
    uint32_t per_simd = (uint32_t)unit->parameters->wavefronts_per_simd;
    unsigned char *waves;

    unit->waves.slot_count = compute_unit_slots(unit->parameters);
    unit->waves.list =
        records_create(unit->waves.slot_count, sizeof *unit->waves.list, &unit->waves.list_memory);
    waves = records_create(unit->waves.slot_count, wave_bytes, &unit->waves.wave_memory);
    for (uint32_t i = 0; i < unit->waves.slot_count; i++) {
        struct wavefront *wave = &unit->waves.list[i];

        wave->registers = (void *)(waves + i * wave_bytes);
        wave->slot = (uint16_t)i;
        wave->simd = (uint8_t)(i / per_simd);
        wave->time = TIME_NONE;
        unit->waves.simds[wave->simd].slots |= UINT64_C(1) << i;
    }
    unit->waves.in_state[STATE_FREE] = low_mask(unit->waves.slot_count);
}

static void register_times(struct compute_unit *unit, const struct compute_unit_options *options)
{
    char *path = format_string("%s.wavefront_time", options->path);

    registry_add(options->registry, path, "wavefront_time", wavefront_time_statistics,
                 wavefront_time_statistic_count, &unit->waves.times, sizeof unit->waves.times);
    free(path);
}

static void create_transactions(struct compute_unit *unit,
                                const struct compute_unit_options *options)
{
    const struct transactions_options transactions = {
        .set = options->tm,
        .systems = {.parameters = options->tm_parameters,
                    .facts = options->tm_facts,
                    .registry = options->registry,
                    .path = options->path,
                    .clock = options->clock,
                    .breaks = options->breaks},
        .component = &unit->component,
        .counts = &unit->statistics.transactions,
        .global_oracle = options->global_oracle,
        .scalar_words = options->scalar_words,
        .checks_local = options->checks_transactions};

    unit->tm = unit->waves.tm = transactions_create(&unit->waves, &transactions);
    unit->waves.tm_is_global = transactions_isolate_global(unit->tm);
    unit->tm_acts = transactions_act(unit->tm);
}

struct compute_unit *compute_unit_create(const struct compute_unit_options *options)
{
    struct compute_unit *unit = allocate(1, sizeof *unit);

    unit->parameters = unit->waves.parameters = options->parameters;
    unit->waves.statistics = &unit->statistics;
    unit->waves.clock = options->clock;
    unit->waves.isa = options->isa;
    unit->waves.lanes = options->wave_lanes != 0 ? options->wave_lanes : options->isa->wave_lanes;
    unit->waves.bounds = options->bounds;
    unit->boundary = (struct boundary){.ports = &unit->ports,
                                       .parameters = options->parameters,
                                       .statistics = &unit->statistics,
                                       .breaks = options->breaks,
                                       .tells_shared_caches = options->tells_shared_caches};
    unit->waves.number = options->number;
    unit->waves.breaks = options->breaks;
    check(unit->waves.isa->dependence == ISA_DEPENDENCE_COUNTERS,
          "no scoreboard is modelled for %s", unit->waves.isa->name);
    component_init(&unit->component, &operations, options->clock, options->path);
    unit->waves.fetch_shift = lowest_bit(unit->parameters->fetch_bytes);
    unit->issue = (struct issue){.parameters = &unit->parameters->issue,
                                 .waves = &unit->waves,
                                 .vmem = &unit->vmem,
                                 .local = &unit->local,
                                 .smem = &unit->smem,
                                 .sends_releases = options->sends_releases};
    issue_init(&unit->issue, unit->parameters->simds);
    create_wavefronts(unit);
    if (options->tm != NULL)
        create_transactions(unit, options);
    front_end_init(&unit->front_end, &unit->parameters->front_end, &unit->statistics.front_end,
                   &unit->waves, &unit->boundary);
    vmem_init(&unit->vmem, &unit->parameters->vector_memory, &unit->statistics.vector_memory,
              &unit->waves, &unit->boundary, options->shadow);
    local_init(&unit->local, &unit->parameters->local, &unit->statistics.local, &unit->waves,
               unit->parameters->lds_bytes);
    unit->waves.lds = unit->local.bytes;
    if (unit->tm != NULL)
        transactions_connect_units(unit->tm, &unit->local.free_at, &unit->vmem.free_at);
    smem_init(&unit->smem, &unit->parameters->scalar_memory, &unit->statistics.scalar_memory,
              &unit->waves, &unit->boundary);
    index_ring_init(&unit->waves.completed_groups, GPU_MAX_GROUPS);
    for (uint32_t i = 0; i < unit->waves.turns.simds; i++) {
        unit->waves.simds[i] =
            (struct simd){.slots = unit->waves.simds[i].slots, .last = GPU_MAX_SLOTS - 1};
        unit->waves.next_issue[i] = NEVER;
    }
    registry_add(options->registry, options->path, "compute_unit", statistics,
                 ARRAY_COUNT(statistics), &unit->statistics, sizeof unit->statistics);
    vmem_register(&unit->vmem, options->registry, options->path);
    register_times(unit, options);
    return unit;
}

void compute_unit_destroy(struct compute_unit *unit)
{
    if (unit == NULL)
        return;
    transactions_destroy(unit->tm);
    vmem_finish(&unit->vmem);
    local_finish(&unit->local);
    smem_finish(&unit->smem);
    index_ring_finish(&unit->waves.completed_groups);
    free(unit->waves.wave_memory);
    free(unit->waves.list_memory);
    component_finish(&unit->component);
    free(unit);
}

struct component *compute_unit_component(struct compute_unit *unit)
{
    return &unit->component;
}

void compute_unit_connect(struct compute_unit *unit, const struct compute_unit_ports *ports)
{
    unit->ports = *ports;
    unit->inputs = (struct compute_unit_inputs){.replies = port_bit(ports->replies),
                                                .scalar_replies = port_bit(ports->scalar_replies),
                                                .fetch_replies = port_bit(ports->fetch_replies),
                                                .launches = port_bit(ports->launches)};
    front_end_connect(&unit->front_end, ports->fetch_requests, ports->fetch_replies);
    vmem_connect(&unit->vmem, ports->requests, ports->replies);
    smem_connect(&unit->smem, ports->scalar_requests, ports->scalar_replies);
}

void compute_unit_connect_centre(struct compute_unit *unit, uint32_t system, struct port *to_centre,
                                 struct port *from_centre)
{
    transactions_connect_centre(unit->tm, system, to_centre, from_centre);
}

void compute_unit_connect_network(struct compute_unit *unit, uint32_t system,
                                  struct port *to_network, struct port *from_network)
{
    transactions_connect_network(unit->tm, system, to_network, from_network);
}

const struct fault *compute_unit_fault(const struct compute_unit *unit)
{
    return unit->waves.fault.kind == FAULT_NONE ? NULL : &unit->waves.fault;
}

struct outside compute_unit_take_outside(struct compute_unit *unit)
{
    struct outside outside = unit->waves.outside;

    unit->waves.outside = (struct outside){.accesses = 0};
    return outside;
}

struct outside compute_unit_take_old_bytes(struct compute_unit *unit)
{
    struct outside old = unit->vmem.old_bytes;

    unit->vmem.old_bytes = (struct outside){.accesses = 0};
    return old;
}

uint64_t compute_unit_instructions(const struct compute_unit *unit)
{
    return SUM_INSTRUCTIONS(&unit->statistics);
}

const struct compute_unit_statistics *compute_unit_statistics(const struct compute_unit *unit)
{
    return &unit->statistics;
}

void compute_unit_visit(const struct compute_unit *unit, standing_visit *visit, void *context)
{
    static const char *const names[STATE_COUNT] = {
        [STATE_RUNNABLE] = "running",
        [STATE_PAUSED] = "pausing",
        [STATE_TRANSACTION] = "waiting in a transaction",
        [STATE_QUEUE] = "waiting for room in a memory unit's queue",
        [STATE_FETCH] = "waiting for instructions",
        [STATE_LGKM] = "waiting for local memory or scalar loads",
        [STATE_VM] = "waiting for vector memory",
        [STATE_EXP] = "waiting until store data has been read",
        [STATE_BARRIER] = "waiting at a barrier",
        [STATE_END] = "ended, with stores or others of their work-group awaited"};

    for (uint32_t i = 0; i < unit->waves.slot_count; i++)
        if (unit->waves.list[i].state != STATE_FREE)
            visit(context, unit->waves.list[i].registers->pc, names[unit->waves.list[i].state]);
}
