/* SPDX-License-Identifier: MIT */
#include "gpu/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/check.h"

/* ---- the mock memory ---- */

enum { PORT_VECTOR, PORT_SCALAR, PORT_FETCH };

static void update_word(unsigned char *host, const struct message *request, unsigned offset,
                        struct message *reply)
{
    bool half = request->rmw == RMW_COMPARE_SWAP;
    uint32_t old, operand, compare = 0, new;

    memcpy(&old, host + offset, 4);
    memcpy(&operand, request->data + (half ? offset % 32 : offset), 4);
    if (half)
        memcpy(&compare, request->data + 32 + offset % 32, 4);
    new = rmw_apply_32(request->rmw, old, operand, compare);
    memcpy(host + offset, &new, 4);
    memcpy(reply->data + offset, &old, 4);
}

static void update_line(unsigned char *host, const struct message *request, struct message *reply)
{
    for (unsigned offset = 0; offset < LINE_BYTES; offset += 4)
        if ((request->mask >> offset & 1) != 0)
            update_word(host, request, offset, reply);
}

static void serve(struct rig *rig, const struct message *request, struct message *reply)
{
    unsigned char *host = request->kind == MESSAGE_INVALIDATE || request->addr < BACKING_BASE
                              ? NULL
                              : backing_host(&rig->backing, request->addr);
    uint64_t mask = request->mask;

    *reply = *request;
    reply->kind = request->kind + 1;
    if (request->kind == MESSAGE_LOAD)
        memcpy(reply->data, host, LINE_BYTES);
    else if (request->kind == MESSAGE_ATOMIC)
        update_line(host, request, reply);
    else if (request->kind == MESSAGE_STORE)
        for_each_bit(byte, mask) host[byte] = request->data[byte];
}

static void log_message(struct mock_memory *memory, const struct message *message,
                        struct rig_message *log, uint32_t *count)
{
    if (*count == RIG_MAX_LOG || memory != &memory->rig->memories[0])
        return;
    log[*count].message = *message;
    log[*count].cycle = component_cycle(&memory->component);
    ++*count;
}

static uint64_t latency_of(const struct rig *rig, unsigned kind, const struct message *request)
{
    if (kind == PORT_SCALAR)
        return rig->scalar_latency;
    if (kind == PORT_FETCH)
        return rig->fetch_latency;
    return request->kind == MESSAGE_STORE ? rig->store_latency : rig->vector_latency;
}

/* Takes at most one request of a port. */
static bool answer_port(struct mock_memory *memory, unsigned kind)
{
    struct rig *rig = memory->rig;
    struct port *requests = &memory->ports[2 * kind], *replies = &memory->ports[2 * kind + 1];
    const struct message *request = port_peek(requests);

    if (request == NULL || !port_has_room(replies, 1))
        return false;
    if (kind == PORT_VECTOR)
        log_message(memory, request, rig->log, &rig->log_count);
    if (kind == PORT_FETCH)
        log_message(memory, request, rig->fetches, &rig->fetch_count);
    if (kind == PORT_VECTOR && rig->slow_page != 0 &&
        request->addr / BACKING_PAGE_BYTES == rig->slow_page / BACKING_PAGE_BYTES) {
        check(memory->held_count < RIG_MAX_HELD, "too many slow requests");
        memory->held[memory->held_count].message = *request;
        memory->held[memory->held_count].due =
            component_cycle(&memory->component) + rig->slow_latency;
        component_wake_at(&memory->component, memory->held[memory->held_count++].due);
    } else {
        uint32_t latency = (uint32_t)latency_of(rig, kind, request);

        serve(rig, request, port_reserve(replies, latency));
    }
    port_take(requests);
    return true;
}

static bool answer_held(struct mock_memory *memory)
{
    uint32_t kept = 0;
    bool busy = false;

    for (uint32_t i = 0; i < memory->held_count; i++) {
        if (memory->held[i].due > component_cycle(&memory->component)) {
            memory->held[kept++] = memory->held[i];
            continue;
        }
        serve(memory->rig, &memory->held[i].message, port_reserve(&memory->ports[1], 1));
        busy = true;
    }
    memory->held_count = kept;
    return busy;
}

static bool mock_tick(struct component *component)
{
    struct mock_memory *memory = container_of(component, struct mock_memory, component);
    uint64_t cycle = component_cycle(component), every = memory->rig->vector_take_every;
    bool busy = answer_held(memory);

    if (cycle % every == 0)
        busy |= answer_port(memory, PORT_VECTOR);
    else if (port_peek(&memory->ports[0]) != NULL)
        component_wake_at(component, cycle + every - cycle % every);
    busy |= answer_port(memory, PORT_SCALAR);
    busy |= answer_port(memory, PORT_FETCH);
    return busy;
}

static const struct component_operations mock_operations = {.tick = mock_tick};

/* ---- the rig ---- */

void rig_init(struct rig *rig)
{
    struct diagnosis diagnosis;

    memset(rig, 0, sizeof *rig);
    compute_unit_defaults(&rig->parameters);
    dispatcher_defaults(&rig->dispatch);
    functional_defaults(&rig->functional);
    tm_defaults(&rig->tm_parameters);
    rig->isa = &tape_isa;
    rig->unit_count = 1;
    rig->wave_lanes = ISA_MAX_LANES;
    rig->sleep = true;
    rig->vector_latency = 40;
    rig->store_latency = 60;
    rig->scalar_latency = 10;
    rig->fetch_latency = 4;
    rig->vector_take_every = 1;
    rig->port_capacity = 8;
    rig->cycle_limit = 2000000;
    assert_true(backing_init(&rig->backing, 64 << 20, false, &diagnosis));
}

static void build_unit(struct rig *rig, uint32_t number)
{
    char path[16];
    struct tm_set set = {.systems = {rig->tm, rig->second_tm},
                         .count = rig->second_tm != NULL ? 2 : 1,
                         .spaces = (rig->tm != NULL ? rig->tm->spaces : 0) |
                                   (rig->second_tm != NULL ? rig->second_tm->spaces : 0)};
    struct compute_unit_options options = {
        .parameters = &rig->parameters,
        .isa = rig->isa,
        .wave_lanes = rig->wave_lanes,
        .bounds = {.backing = &rig->backing,
                   .is_exact = rig->has_exact_bounds,
                   .drops = rig->drops_outside},
        .tm = rig->tm != NULL ? &set : NULL,
        .tm_parameters = &rig->tm_parameters,
        .tm_facts = {.units = rig->unit_count,
                     .banks = (uint32_t)rig->parameters.lds_banks,
                     .lds_bytes = (uint32_t)rig->parameters.lds_bytes,
                     .group_lds_bytes = (uint32_t)rig->parameters.lds_bytes},
        .clock = rig->clock,
        .registry = &rig->registry,
        .path = path,
        .number = (uint16_t)number,
        .sends_releases = rig->sends_releases,
        .tells_shared_caches = number == 0,
        .breaks = rig->breaks,
    };

    snprintf(path, sizeof path, "cu%u", number);
    rig->units[number] = compute_unit_create(&options);
}

static void connect_unit(struct rig *rig, uint32_t number)
{
    static const char *const names[] = {"requests",       "replies",        "scalar requests",
                                        "scalar replies", "fetch requests", "fetch replies"};
    struct mock_memory *memory = &rig->memories[number];
    struct component *unit = compute_unit_component(rig->units[number]);
    struct component *dispatcher = dispatcher_component(rig->dispatcher);
    struct compute_unit_ports ports = {
        &memory->ports[0], &memory->ports[1], &memory->ports[2],      &memory->ports[3],
        &memory->ports[4], &memory->ports[5], &rig->launches[number], &rig->completions[number]};

    component_init(&memory->component, &mock_operations, rig->clock, "memory");
    memory->rig = rig;
    for (unsigned i = 0; i < 6; i++)
        port_init(&memory->ports[i], names[i], i % 2 == 0 ? unit : &memory->component,
                  i % 2 == 0 ? &memory->component : unit, 1, i % 2 == 0 ? rig->port_capacity : 1024,
                  sizeof(struct message));
    port_init(&rig->launches[number], "launches", dispatcher, unit, 1, 8, sizeof(struct group_launch));
    port_init(&rig->completions[number], "completions", unit, dispatcher, 1, 8,
              sizeof(struct group_done));
    compute_unit_connect(rig->units[number], &ports);
    dispatcher_connect(rig->dispatcher, number, &rig->launches[number], &rig->completions[number]);
}

void rig_build(struct rig *rig)
{
    struct dispatcher_options options = {.parameters = &rig->dispatch,
                                         .compute_unit = &rig->parameters,
                                         .compute_unit_count = rig->unit_count,
                                         .registry = &rig->registry,
                                         .path = "dispatcher",
                                         .invalidates = rig->invalidates,
                                         .flushes = rig->flushes};

    struct functional_options functional = {
        .parameters = &rig->functional,
        .compute_unit = &rig->parameters,
        .compute_unit_count = rig->unit_count,
        .isa = rig->isa,
        .bounds = {.backing = &rig->backing, .is_exact = true, .drops = rig->drops_outside},
        .registry = &rig->registry,
        .path = "device",
        .breaks = rig->breaks};

    engine_init(&rig->engine);
    rig->engine.sleep = rig->sleep;
    rig->engine.order_seed = rig->order_seed;
    rig->clock = engine_add_domain(&rig->engine, "core", 925000);
    options.clock = rig->clock;
    for (uint32_t i = 0; i < rig->unit_count; i++)
        build_unit(rig, i);
    rig->dispatcher = dispatcher_create(&options);
    for (uint32_t i = 0; i < rig->unit_count; i++)
        connect_unit(rig, i);
    if (rig->add_components != NULL)
        rig->add_components(rig);
    engine_start(&rig->engine);
    rig->device = functional_create(&functional);
    rig->is_built = true;
}

void rig_finish(struct rig *rig)
{
    if (rig->is_built) {
        for (uint32_t i = 0; i < rig->unit_count; i++) {
            for (unsigned j = 0; j < 6; j++)
                port_finish(&rig->memories[i].ports[j]);
            port_finish(&rig->launches[i]);
            port_finish(&rig->completions[i]);
            component_finish(&rig->memories[i].component);
            compute_unit_destroy(rig->units[i]);
        }
        dispatcher_destroy(rig->dispatcher);
        functional_destroy(rig->device);
        registry_finish(&rig->registry);
        engine_finish(&rig->engine);
    }
    backing_finish(&rig->backing);
}

void rig_set_launch(struct rig *rig, const struct isa_kernel *kernel, uint32_t groups,
                    uint32_t items)
{
    rig->isa_launch = (struct isa_launch){.kernel = kernel,
                                          .dimensions = 1,
                                          .global_size = {groups * items, 1, 1},
                                          .group_size = {items, 1, 1},
                                          .wave_lanes = rig->wave_lanes,
                                          .group_count = {groups, 1, 1},
                                          .kernarg_address = rig->isa_launch.kernarg_address,
                                          .dispatch_address = rig->isa_launch.dispatch_address,
                                          .queue_address = rig->isa_launch.queue_address,
                                          .lds_bytes = kernel->lds_bytes,
                                          .scratch_bytes = kernel->scratch_bytes,
                                          .scratch_address = rig->isa_launch.scratch_address};
    launch_init(&rig->launch, &rig->isa_launch, rig->wave_lanes, "kernel", rig->trace);
    rig->launch.first_unit = rig->first_unit;
    rig->launch.unit_count = rig->range_units;
}

enum engine_outcome rig_try(struct rig *rig)
{
    rig->log_count = rig->fetch_count = 0;
    dispatcher_start(rig->dispatcher, &rig->launch);
    return engine_run(&rig->engine, rig->clock->cycle + rig->cycle_limit);
}

static void fail_on_fault(struct rig *rig)
{
    for (uint32_t i = 0; i < rig->unit_count; i++) {
        const struct fault *fault = compute_unit_fault(rig->units[i]);
        struct diagnosis diagnosis;

        if (fault == NULL)
            continue;
        fault_diagnose(fault, rig->isa, &rig->backing, NULL, NULL, &diagnosis);
        fail_msg("%s", diagnosis.message);
    }
}

static void fail_stalled(struct rig *rig, enum engine_outcome outcome)
{
    struct text text = {0};

    engine_explain(&rig->engine, &text);
    fail_msg("the run ended with outcome %d:\n%s", outcome, text_chars(&text));
}

uint64_t rig_run(struct rig *rig, const struct isa_kernel *kernel, uint32_t groups, uint32_t items)
{
    rig_set_launch(rig, kernel, groups, items);
    return rig_run_launch(rig);
}

uint64_t rig_run_launch(struct rig *rig)
{
    struct dispatcher_progress progress;
    enum engine_outcome outcome;

    outcome = rig_try(rig);
    fail_on_fault(rig);
    if (outcome != ENGINE_STOPPED)
        fail_stalled(rig, outcome);
    assert_int_equal(engine_run(&rig->engine, UINT64_MAX), ENGINE_IDLE);
    progress = dispatcher_progress(rig->dispatcher);
    assert_true(progress.is_done);
    return progress.end_cycle - progress.start_cycle;
}

uint64_t rig_run_tape(struct rig *rig, const struct tape *tape, uint32_t groups, uint32_t items)
{
    return rig_run(rig, &tape->kernel, groups, items);
}

enum functional_outcome rig_run_functional(struct rig *rig)
{
    return functional_run(rig->device, &rig->launch, 0);
}

static void settle(struct rig *rig)
{
    for (uint32_t i = 0; i < rig->clock->component_count; i++) {
        struct component *component = rig->clock->components[i];

        if (component->operations->settle != NULL)
            component->operations->settle(component);
    }
}

uint64_t rig_counter(struct rig *rig, const char *path)
{
    struct snapshot snapshot;
    uint64_t value;

    settle(rig);
    snapshot_take(&snapshot, &rig->registry);
    value = snapshot_counter(&snapshot, &rig->registry, path);
    snapshot_finish(&snapshot);
    return value;
}

uint64_t rig_digest(struct rig *rig)
{
    struct snapshot snapshot;
    uint64_t digest;

    settle(rig);
    snapshot_take(&snapshot, &rig->registry);
    digest = snapshot_digest(&snapshot, &rig->registry);
    snapshot_finish(&snapshot);
    return digest;
}

uint32_t *rig_words(struct rig *rig, uint64_t addr)
{
    return (uint32_t *)(void *)backing_host(&rig->backing, addr);
}

uint64_t rig_allocate(struct rig *rig, uint64_t bytes)
{
    uint64_t addr = backing_allocate(&rig->backing, bytes, 256, "buffer");

    assert_true(addr != 0);
    return addr;
}

uint32_t rig_count_messages(const struct rig *rig, unsigned kind)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rig->log_count; i++)
        count += rig->log[i].message.kind == kind;
    return count;
}
