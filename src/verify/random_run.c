/* SPDX-License-Identifier: MIT */
#include "verify/random_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

/* ---- Requests ---- */

static struct expectation *run_expect(struct run *run, uint32_t node, struct message *message)
{
    struct expectation *expected = &run->expected[run->next_expected];

    check(run->next_expected < run->expected_count, "too many requests");
    message->requester.entry = (uint16_t)run->next_expected++;
    expected->is_open = true;
    expected->kind = message->kind;
    expected->node = node;
    expected->number = run->next_expected;
    expected->mask = message->mask;
    run->open++;
    return expected;
}

static struct message operation_request(const struct run *run, const struct operation *operation,
                                        uint8_t kind)
{
    struct message message;

    memset(&message, 0, sizeof message);
    message.kind = kind;
    message.addr = run->buffer + operation->offset;
    message.mask = operation->mask;
    message.glc = operation->glc;
    message.slc = operation->slc;
    message.scope = operation->scope;
    message.order = operation->order;
    message.requester.unit = operation->node;
    return message;
}

static void send_load(struct run *run, const struct operation *operation)
{
    const struct promise *promise = &run->tester->promise;
    struct message message = operation_request(run, operation, MESSAGE_LOAD);
    struct expectation *expected = run_expect(run, operation->node, &message);
    bool is_code = operation->node >= run->program->nodes - run->program->instructions;
    bool is_coherent = (promise->is_coherent && !is_code) || operation->glc ||
                       (operation->slc && promise->publishes_stores);

    for (unsigned i = 0; i < LINE_BYTES; i++) {
        uint64_t offset = operation->offset + i;
        const struct thing *thing = &run->things[offset];

        expected->floor[i] = run_view(run, operation->node, offset)->floor;
        if (thing->writer == operation->node + 1)
            expected->floor[i] = thing->sent;
        if (is_coherent)
            run_raise(&expected->floor[i], thing->published);
    }
    pump_send(&run->pump, operation->node, &message);
}

static void make_swap(const struct operation *operation, struct message *message)
{
    message->rmw = RMW_SWAP;
    message->word_bytes = 4;
    message->returns = operation->returns;
    message->scope = SCOPE_DEVICE;
}

static void send_store(struct run *run, const struct operation *operation)
{
    bool is_swap = operation->kind == OPERATION_SWAP;
    struct message message =
        operation_request(run, operation, is_swap ? MESSAGE_ATOMIC : MESSAGE_STORE);
    struct expectation *expected = run_expect(run, operation->node, &message);

    if (is_swap)
        make_swap(operation, &message);
    for (uint64_t set = message.mask; set != 0; set &= set - 1) {
        unsigned byte = lowest_bit(set);
        uint64_t offset = operation->offset + byte;
        struct thing *thing = &run->things[offset];

        run->is_invalid |=
            run_is_counter(offset) || (thing->writer != 0 && thing->writer != operation->node + 1);
        expected->floor[byte] = thing->sent; /* a swap sees its node's own bytes as it left them */
        thing->writer = (uint8_t)(operation->node + 1);
        expected->sent[byte] = ++thing->sent;
        message.data[byte] = run_value_after(offset, expected->sent[byte]);
    }
    if (!run->is_invalid)
        pump_send(&run->pump, operation->node, &message);
}

static void send_addition(struct run *run, const struct operation *operation)
{
    struct message message = operation_request(run, operation, MESSAGE_ATOMIC);
    uint32_t offset = operation->offset + LINE_BYTES - 4;
    struct expectation *expected;
    const uint32_t one = 1;

    message.mask = UINT64_C(0xf) << (LINE_BYTES - 4);
    expected = run_expect(run, operation->node, &message);
    message.rmw = RMW_ADD;
    message.word_bytes = 4;
    message.returns = operation->returns;
    memcpy(message.data + LINE_BYTES - 4, &one, sizeof one);
    expected->floor[LINE_BYTES - 4] = run->things[offset].answered; /* done where all see it */
    run_raise(&expected->floor[LINE_BYTES - 4], run_view(run, operation->node, offset)->floor);
    run->things[offset].sent++;
    pump_send(&run->pump, operation->node, &message);
}

/* The stores that the node was sent before, answered or not: what a release publishes. */
static uint32_t *sent_to(const struct run *run, uint32_t node)
{
    uint32_t *sent = allocate(run->bytes, sizeof *sent);

    for (uint32_t i = 0; i < run->bytes; i++)
        if (run->things[i].writer == node + 1)
            sent[i] = run->things[i].sent;
    return sent;
}

static void send_whole(struct run *run, const struct operation *operation, uint8_t kind)
{
    const struct controller *cache = &run->uppers[operation->node];
    struct message message = operation_request(run, operation, kind);
    bool is_fence = kind == MESSAGE_INVALIDATE && operation->order == ORDER_ACQUIRE_RELEASE;
    bool is_local = operation->scope == SCOPE_WORK_GROUP || /* which shares the L1 */
                    (is_fence && protocol_has_local_fences(cache->protocol, cache->parameters));
    bool releases = kind == MESSAGE_FLUSH || operation->order == ORDER_ACQUIRE_RELEASE;
    struct expectation *expected;

    message.addr = 0;
    message.scope = operation->scope == SCOPE_WORK_GROUP ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    if (message.order == ORDER_RELAXED)
        message.order = releases ? ORDER_RELEASE : ORDER_ACQUIRE;
    expected = run_expect(run, operation->node, &message);
    if (releases && !is_local && !run->tester->promise.publishes_stores)
        expected->publishes = sent_to(run, operation->node);
    for (uint64_t offset = 0; offset < run->bytes && kind == MESSAGE_INVALIDATE && !is_local;
         offset++)
        run_raise(&run_view(run, operation->node, offset)->floor, run->things[offset].published);
    pump_send(&run->pump, operation->node, &message);
}

/* ---- What waits for the machine to be still ---- */

static void be_still(struct run *run)
{
    enum { STEPS_MAX = 20000000 };
    uint32_t steps = 0;
    bool is_idle = true;

    while (run->fault->check == VERIFY_NOTHING && pump_step(&run->pump))
        if (++steps == STEPS_MAX)
            fault_note(run->fault, VERIFY_LIVELOCK, "messages move without end");
    for (uint32_t i = 0; i < run->program->nodes; i++)
        is_idle &= controller_is_idle(&run->uppers[i]);
    for (uint32_t i = 0; i < run->program->slices; i++)
        is_idle &= controller_is_idle(&run->slices[i]);
    if (run->pump.in_flight > 0 || !is_idle)
        fault_note(run->fault, VERIFY_DEADLOCK, "%u messages wait, and nothing can be delivered",
                   run->pump.in_flight);
    else if (run->open > 0)
        fault_note(run->fault, VERIFY_DEADLOCK, "%u requests are never answered", run->open);
}

static void run_settle(struct run *run)
{
    be_still(run);
    for (uint8_t node = 0; node < run->program->nodes - run->program->scalars; node++)
        send_whole(run, &(struct operation){.node = node}, MESSAGE_FLUSH);
    be_still(run);
    for (uint8_t node = 0; node < run->program->nodes; node++)
        send_whole(run, &(struct operation){.node = node}, MESSAGE_INVALIDATE);
    be_still(run);
    for (uint32_t i = 0; i < run->bytes; i++)
        run->things[i].writer = 0;
}

/* A counter is stored as it is: so a line of which L2 has only that word can come to be. */
static void store_counters(struct run *run)
{
    be_still(run);
    for (uint32_t i = 0; i < PROGRAM_COUNTERS; i++) {
        struct operation operation = {.offset = i * LINE_BYTES,
                                      .mask = UINT64_C(0xf) << (LINE_BYTES - 4)};
        struct message message = operation_request(run, &operation, MESSAGE_STORE);

        memcpy(message.data + LINE_BYTES - 4, &run->things[operation.offset + LINE_BYTES - 4].sent,
               4);
        run_expect(run, 0, &message);
        pump_send(&run->pump, 0, &message);
    }
    be_still(run);
    send_whole(run, &(struct operation){.node = 0}, MESSAGE_FLUSH);
    be_still(run);
}

static void check_host(struct run *run, const unsigned char *bytes)
{
    for (uint32_t i = 0; i < run->bytes; i++) {
        uint32_t sent = run->things[i & ~3u].sent >> i % 4 * 8;
        uint32_t seen = run_is_counter(i) ? (uint32_t)bytes[i] : run_stores_of(i, bytes[i]);

        if (seen != (run_is_counter(i) ? sent & 0xff : run->things[i].sent))
            run_complain(run, VERIFY_DIRTY, "the host reads what is not the newest", i);
    }
}

/* The host reads all, and writes some. */
static void let_host(struct run *run, const struct operation *operation)
{
    uint32_t first = operation->offset, end = first + operation->count;
    unsigned char *bytes = run->host_bytes;

    be_still(run);
    if (run->fault->check == VERIFY_NOTHING) {
        pump_host_read(&run->pump, run->buffer, bytes, run->bytes);
        check_host(run, bytes);
    }
    for (uint32_t i = first; i < end; i++) {
        struct thing *thing = &run->things[i];

        if (run_is_counter(i))
            continue;
        thing->answered = thing->published = ++thing->sent;
        bytes[i] = run_value_after(i, thing->sent);
        for (uint32_t node = 0; node < run->program->nodes; node++)
            run_raise(&run_view(run, node, i)->floor, thing->sent); /* copies are dropped */
    }
    if (run->fault->check == VERIFY_NOTHING)
        pump_host_write(&run->pump, run->buffer + first, bytes + first, operation->count);
}

/* ---- A run ---- */

static void operation_perform(struct run *run, const struct operation *operation)
{
    switch (operation->kind) {
    case OPERATION_LOAD:
        send_load(run, operation);
        break;
    case OPERATION_STORE:
    case OPERATION_SWAP:
        send_store(run, operation);
        break;
    case OPERATION_ADD:
        send_addition(run, operation);
        break;
    case OPERATION_ACQUIRE:
        send_whole(run, operation, MESSAGE_INVALIDATE);
        break;
    case OPERATION_RELEASE:
        send_whole(run, operation, MESSAGE_FLUSH);
        break;
    case OPERATION_SETTLE:
        run_settle(run);
        break;
    case OPERATION_COUNTERS:
        store_counters(run);
        break;
    case OPERATION_KERNEL:
        be_still(run);
        if (run->fault->check == VERIFY_NOTHING)
            pump_kernel_start(&run->pump);
        break;
    case OPERATION_CLEAN:
        be_still(run);
        if (run->fault->check == VERIFY_NOTHING)
            pump_flush(&run->pump);
        break;
    default:
        let_host(run, operation);
        break;
    }
}

static void note_caught(void *context, const char *message)
{
    struct run *run = context;

    fault_note(run->fault, VERIFY_TRANSITION, "%s", message);
    longjmp(run->caught, 1);
}

static void perform_all(struct run *run)
{
    static const struct operation host = {.kind = OPERATION_HOST};
    static const struct operation end = {.kind = OPERATION_SETTLE};

    check_set_catch(note_caught, run);
    if (setjmp(run->caught) == 0) {
        for (uint32_t i = 0; i < run->program->count; i++) {
            operation_perform(run, &run->program->operations[i]);
            for (uint32_t step = run->program->operations[i].steps; step > 0; step--)
                pump_step(&run->pump);
            if (run->fault->check != VERIFY_NOTHING || run->is_invalid)
                break;
        }
        if (run->fault->check == VERIFY_NOTHING && !run->is_invalid) {
            operation_perform(run, &end);
            if (run->fault->check == VERIFY_NOTHING)
                operation_perform(run, &host);
        }
    }
    check_set_catch(NULL, NULL);
}

static void build_controllers(struct run *run)
{
    const struct program *program = run->program;
    const struct tester *tester = run->tester;

    for (uint32_t i = 0; i < program->nodes; i++) {
        bool is_l1 = i < program->nodes - program->scalars;
        bool is_code = i >= program->nodes - program->instructions;

        controller_init(&run->uppers[i],
                        is_l1     ? "an L1"
                        : is_code ? "an instruction cache"
                                  : "a scalar cache",
                        tester->protocol,
                        is_l1     ? ROLE_L1
                        : is_code ? ROLE_INSTRUCTION
                                  : ROLE_SCALAR,
                        &program->l1, NULL, (uint16_t)i, tester->breaks);
        run->upper_list[i] = &run->uppers[i];
    }
    for (uint32_t i = 0; i < program->slices; i++) {
        controller_init(&run->slices[i], "a slice", tester->protocol, ROLE_L2, &program->l2,
                        &run->map, (uint16_t)i, tester->breaks);
        run->slices[i].l1s = (uint16_t)(program->nodes - program->scalars);
        run->slice_list[i] = &run->slices[i];
    }
    for (uint32_t i = 0; i < program->nodes + program->slices && tester->look != NULL; i++)
        controller_count_coverage(i < program->nodes ? &run->uppers[i]
                                                     : &run->slices[i - program->nodes]);
}

static uint32_t count_requests(const struct program *program)
{
    uint32_t count = 4 + 2 * program->nodes;

    for (uint32_t i = 0; i < program->count; i++)
        count += program->operations[i].kind == OPERATION_SETTLE ? 2 * program->nodes : 4;
    return count;
}

static void run_begin(struct run *run)
{
    struct address_map_parameters parameters = {.rule = "modulo",
                                                .slices = run->program->slices,
                                                .channels_per_slice = 2,
                                                .interleave_bytes = ADDRESS_INTERLEAVE_BYTES};
    struct diagnosis diagnosis;

    check(address_map_init(&run->map, &parameters, &diagnosis), "map");
    check(backing_init(&run->backing, 2 << 20, true, &diagnosis), "%s", diagnosis.message);
    run->bytes = run->program->words * 4;
    run->buffer = backing_allocate(&run->backing, run->bytes, 256, "random program");
    build_controllers(run);
    pump_init(&run->pump, run->upper_list, run->program->nodes, run->slice_list,
              run->program->slices, &run->map, &run->backing, 1024);
    run->pump.reply = run_check_reply;
    run->pump.context = run;
    run->pump.is_random = true;
    run->pump.random.state = run->program->schedule;
    run->things = allocate(run->bytes, sizeof *run->things);
    run->views = allocate((size_t)run->bytes * run->program->nodes, sizeof *run->views);
    run->host_bytes = allocate(run->bytes, 1);
    run->expected_count = count_requests(run->program);
    check(run->expected_count < UINT16_MAX, "a program of %u requests", run->expected_count);
    run->expected = allocate(run->expected_count, sizeof *run->expected);
    for (uint64_t i = 0; i < run->bytes; i++)
        if (!run_is_counter(i))
            *(unsigned char *)backing_host(&run->backing, run->buffer + i) = run_value_after(i, 0);
}

static void run_end(struct run *run)
{
    for (uint32_t i = 0; i < run->program->nodes; i++) {
        if (run->tester->look != NULL)
            run->tester->look(run->tester->context, &run->uppers[i]);
        controller_finish(&run->uppers[i]);
    }
    for (uint32_t i = 0; i < run->program->slices; i++) {
        if (run->tester->look != NULL)
            run->tester->look(run->tester->context, &run->slices[i]);
        controller_finish(&run->slices[i]);
    }
    for (uint32_t i = 0; i < run->expected_count; i++)
        free(run->expected[i].publishes);
    pump_finish(&run->pump);
    backing_finish(&run->backing);
    free(run->expected);
    free(run->things);
    free(run->views);
    free(run->host_bytes);
}

enum program_end program_run(const struct program *program, const struct tester *tester,
                             struct fault *fault)
{
    struct run *run = allocate(1, sizeof *run);
    bool is_invalid;

    fault->check = VERIFY_NOTHING;
    run->program = program;
    run->tester = tester;
    run->fault = fault;
    run_begin(run);
    perform_all(run);
    is_invalid = run->is_invalid;
    run_end(run);
    free(run);
    if (fault->check != VERIFY_NOTHING)
        return PROGRAM_WRONG;
    return is_invalid ? PROGRAM_INVALID : PROGRAM_RIGHT;
}
