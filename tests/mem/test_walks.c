/* SPDX-License-Identifier: MIT */
/* Walks whose order is the protocol's, that a probe starts, that end with their acknowledgements, and
 * that are answered up or down. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "sfifo.h"
#include "system.h"

static const struct controller_shape slow = {
    .sets = 8, .ways = 1, .mshr_entries = 2, .waiting_entries = 4, .walk_lines = 1};
static const struct controller_shape at_once = {
    .sets = 8, .ways = 1, .mshr_entries = 2, .waiting_entries = 4};

static struct bench *create(const struct controller_shape *l1)
{
    struct bench_options options = {.protocol = &protocol_sfifo, .l1s = 2, .slices = 1, .l1 = *l1};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

/* Lines 5, 1 and 3 of node 0 become dirty, in this order. */
static void make_dirty(struct bench *bench)
{
    bench_store(bench, 0, 5 * 64, 55);
    bench_store(bench, 0, 1 * 64, 11);
    bench_store(bench, 0, 3 * 64, 33);
    assert_int_equal(sfifo_count(&bench->uppers[0]), 3);
}

/* The next write-back of the walk in progress; its address. */
static uint64_t next_write_back(struct bench *bench, struct message *message)
{
    struct step step;

    do
        assert_true(controller_walk(&bench->uppers[0], STEP_MAX_OUTPUTS, &step));
    while (step.output_count == 0);
    assert_int_equal(step.output_count, 1);
    assert_int_equal(step.outputs[0].side, OUTPUT_DOWN);
    assert_int_equal(step.outputs[0].message.kind, SFIFO_WRITE_BACK);
    *message = step.outputs[0].message;
    return message->addr - bench->buffer;
}

static void acknowledge(struct bench *bench, const struct message *write_back)
{
    struct message written = *write_back;
    struct step step;

    written.kind = SFIFO_WRITTEN;
    assert_int_equal(controller_step(&bench->uppers[0], &written, &step), STEP_DONE);
}

/* Oldest first, whatever the order of the ways; the answer only when all are acknowledged. */
static void a_flush_goes_by_the_protocols_order(void **state)
{
    struct bench *bench = create(&slow);
    struct message flush = bench_request(bench, MESSAGE_FLUSH, 0, 0), written[3];
    struct message load = bench_request(bench, MESSAGE_LOAD, 5 * 64, 4);
    struct controller *l1 = &bench->uppers[0];
    struct step step;

    (void)state;
    make_dirty(bench);
    assert_int_equal(controller_step(l1, &flush, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0);
    assert_int_equal(next_write_back(bench, &written[0]), 5 * 64);
    assert_false(controller_walk(l1, 0, &step)); /* no room below */
    assert_int_equal(next_write_back(bench, &written[1]), 1 * 64);
    assert_int_equal(next_write_back(bench, &written[2]), 3 * 64);
    for (unsigned i = 0; i < 3; i++) {
        while (controller_walk(l1, STEP_MAX_OUTPUTS, &step))
            assert_int_equal(step.output_count, 0);
        assert_true(controller_is_walking(l1));
        assert_int_equal(controller_step(l1, &load, &step), STEP_STALLED);
        acknowledge(bench, &written[i]);
    }
    assert_true(controller_walk(l1, 0, &step));
    assert_int_equal(step.output_count, 1);
    assert_int_equal(step.outputs[0].side, OUTPUT_UP);
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_FLUSH_REPLY);
    assert_false(controller_is_walking(l1));
    assert_int_equal(controller_step(l1, &load, &step), STEP_DONE); /* the lines stay */
    destroy(bench);
}

/* The oldest up to the probe's line, no younger ones; answered below. */
static void a_probe_flushes_up_to_a_line(void **state)
{
    struct bench *bench = create(&slow);
    struct message probe = bench_request(bench, SFIFO_PROBE, 1 * 64, 0), written[2];
    struct controller *l1 = &bench->uppers[0];
    struct step step;

    (void)state;
    make_dirty(bench);
    assert_int_equal(controller_step(l1, &probe, &step), STEP_DONE);
    assert_int_equal(next_write_back(bench, &written[0]), 5 * 64);
    assert_int_equal(next_write_back(bench, &written[1]), 1 * 64);
    acknowledge(bench, &written[0]);
    while (controller_walk(l1, STEP_MAX_OUTPUTS, &step))
        assert_int_equal(step.output_count, 0);
    acknowledge(bench, &written[1]);
    assert_false(controller_walk(l1, 0, &step)); /* the answer needs room below */
    assert_true(controller_walk(l1, 1, &step));
    assert_int_equal(step.output_count, 1);
    assert_int_equal(step.outputs[0].side, OUTPUT_DOWN);
    assert_int_equal(step.outputs[0].message.kind, SFIFO_FLUSHED);
    assert_int_equal(sfifo_count(l1), 1);
    destroy(bench);
}

/* A probe during a walk takes its turn, and each gets its answer. */
static void walks_take_turns(void **state)
{
    struct bench *bench = create(&slow);
    struct message flush = bench_request(bench, MESSAGE_FLUSH, 0, 0), written;
    struct message probe = bench_request(bench, SFIFO_PROBE, 3 * 64, 0);
    struct controller *l1 = &bench->uppers[0];
    struct step step;

    (void)state;
    bench_store(bench, 0, 3 * 64, 33);
    assert_int_equal(controller_step(l1, &flush, &step), STEP_DONE);
    for (unsigned i = 1; i < WALK_AGENDA; i++)
        assert_int_equal(controller_step(l1, &probe, &step), STEP_DONE);
    assert_int_equal(controller_step(l1, &probe, &step), STEP_STALLED); /* the agenda is full */
    assert_int_equal(l1->stall_cause, STALL_ORDER);
    next_write_back(bench, &written);
    acknowledge(bench, &written);
    while (controller_walk(l1, STEP_MAX_OUTPUTS, &step) && step.output_count == 0)
        ;
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_FLUSH_REPLY);
    for (unsigned i = 1; i < WALK_AGENDA; i++) {
        while (controller_walk(l1, STEP_MAX_OUTPUTS, &step) && step.output_count == 0)
            ;
        assert_int_equal(step.outputs[0].message.kind, SFIFO_FLUSHED);
    }
    assert_true(controller_is_idle(l1));
    destroy(bench);
}

/* A miss, a walk, an acknowledgement that is to come: each alone keeps a cache from being idle. */
static void what_is_left_to_do_is_not_idle(void **state)
{
    struct bench *bench = create(&slow);
    struct controller *l1 = &bench->uppers[0];
    struct message load = bench_request(bench, MESSAGE_LOAD, 2 * 64, 4), written;
    struct message probe = bench_request(bench, SFIFO_PROBE, 3 * 64, 0);
    struct message store = bench_request(bench, MESSAGE_STORE, (3 + 8) * 64, 4);
    struct step step;

    (void)state;
    assert_true(controller_is_idle(l1));
    assert_int_equal(controller_step(l1, &load, &step), STEP_DONE);
    assert_false(controller_is_idle(l1));
    load = step.outputs[0].message;
    load.kind = MESSAGE_LOAD_REPLY;
    assert_int_equal(controller_step(l1, &load, &step), STEP_DONE);
    assert_int_equal(controller_drain_one(l1, 1, &step), 0);
    assert_true(controller_is_idle(l1));
    bench_store(bench, 0, 3 * 64, 33);
    assert_int_equal(controller_step(l1, &probe, &step), STEP_DONE);
    assert_false(controller_is_idle(l1));
    next_write_back(bench, &written);
    acknowledge(bench, &written);
    while (controller_walk(l1, STEP_MAX_OUTPUTS, &step) && step.output_count == 0)
        ;
    assert_true(controller_is_idle(l1));
    bench_store(bench, 0, 3 * 64, 34);
    assert_int_equal(controller_step(l1, &store, &step), STEP_DONE); /* takes the other's way */
    assert_int_equal(step.outputs[0].message.kind, SFIFO_WRITE_BACK);
    assert_false(controller_is_idle(l1));
    acknowledge(bench, &step.outputs[0].message);
    assert_true(controller_is_idle(l1));
    destroy(bench);
}

/* What a node has stored up to a line is there for another that asks for it, and no more. */
static void what_is_flushed_is_seen(void **state)
{
    const struct controller_shape *shapes[] = {&slow, &at_once};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bench *bench = create(shapes[i]);
        struct message sync = bench_request(bench, SFIFO_SYNC, 1 * 64, 0);

        make_dirty(bench);
        sync.source = 1;
        sync = bench_do(bench, 1, &sync);
        assert_int_equal(sync.kind, SFIFO_SYNC_REPLY);
        assert_int_equal(bench_load(bench, 1, 5 * 64), 55);
        assert_int_equal(bench_load(bench, 1, 1 * 64), 11);
        assert_int_equal(bench_load(bench, 1, 3 * 64), 0);
        bench_acquire(bench, 0); /* writes back what is left */
        bench_acquire(bench, 1);
        assert_int_equal(bench_load(bench, 1, 3 * 64), 33);
        destroy(bench);
    }
}

/* With clocks and ports: a walk that waits sleeps, and its answer comes after its acknowledgements. */
static uint64_t run_with_clocks(bool is_sleepless, uint64_t rate)
{
    struct system_options options;
    struct system *system;
    uint64_t digest;

    system_defaults(&options);
    options.protocol = &protocol_sfifo;
    options.nodes = 2;
    options.slices = 1;
    options.is_sleepless = is_sleepless;
    options.l1.walk_lines_per_cycle = rate;
    system = system_create(&options);
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        system_add(system, 0, MESSAGE_STORE, i * 4096, 4, 0)->data[0] = (unsigned char)(i + 1);
    system->agents[1].is_serial = true;
    system_add(system, 1, SFIFO_SYNC, 2 * 4096, 4, 100)->source = 1;
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        system_add(system, 1, MESSAGE_LOAD, i * 4096, 4, 0);
    system_add(system, 0, MESSAGE_FLUSH, 0, 0, 2000)->addr = 0;
    system_run(system);
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        assert_int_equal(system->agents[1].answers[1 + i].data[0], i < 3 ? i + 1 : 0);
    /* To L2 and back, with a line to write. */
    assert_true(system_latency(system, 0, SFIFO_LINES) > options.l1.forward_cycles +
                                                             2 * options.crossbar.latency_cycles +
                                                             options.l2.reply_cycles);
    digest = system_digest(system);
    system_destroy(system);
    return digest;
}

static void walks_with_clocks(void **state)
{
    (void)state;
    for (uint64_t rate = 0; rate < 2; rate++)
        assert_int_equal(run_with_clocks(false, rate), run_with_clocks(true, rate));
}

/* Node 0 stores lines, which node 1 may make it write back, and which it may write back itself. */
static uint64_t probe_walk_cycles(bool is_asked, bool flushes)
{
    struct system_options options;
    struct system *system;
    uint64_t cycles;

    system_defaults(&options);
    options.protocol = &protocol_sfifo;
    options.nodes = 2;
    options.slices = 1;
    options.l1.walk_lines_per_cycle = 1;
    system = system_create(&options);
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        system_add(system, 0, MESSAGE_STORE, i * 4096, 4, 0);
    if (is_asked)
        system_add(system, 1, SFIFO_SYNC, 2 * 4096, 4, 1000)->source = 1;
    if (flushes)
        system_add(system, 0, MESSAGE_FLUSH, 0, 0, 5000)->addr = 0;
    system_run(system);
    cycles = system->l1s[0].controller.statistics.probe_walk_cycles;
    assert_int_equal(system->l1s[1].controller.statistics.probe_walk_cycles, 0);
    system_destroy(system);
    return cycles;
}

/* From its first stretch to its answer, which waits until what it wrote is below. */
static void walks_that_another_asks_for_are_told_apart(void **state)
{
    struct system_options options;
    uint64_t asked = probe_walk_cycles(true, false);

    (void)state;
    system_defaults(&options);
    assert_int_equal(probe_walk_cycles(false, false), 0);
    assert_int_equal(probe_walk_cycles(false, true), 0);
    assert_true(asked > 2 * options.crossbar.latency_cycles + options.l2.reply_cycles);
    assert_int_equal(probe_walk_cycles(true, true), asked);
}

/* The link that takes what a walk writes is full after the first: the rest of the walk waits. */
static void a_walk_waits_for_its_way_below(void **state)
{
    struct system_options options;
    struct system *system;

    (void)state;
    system_defaults(&options);
    options.protocol = &protocol_sfifo;
    options.nodes = 2;
    options.slices = 1;
    options.l1.forward_cycles = 1;
    options.crossbar.width_bytes = 1;
    options.crossbar.queue_entries = 2;
    system = system_create(&options);
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        memset(system_add(system, 0, MESSAGE_STORE, i * 4096, 64, 0)->data, (int)i + 1, 64);
    system_add(system, 0, MESSAGE_FLUSH, 0, 0, 5000)->addr = 0;
    system->agents[1].is_serial = true;
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        system_add(system, 1, MESSAGE_LOAD, i * 4096, 4, 10000);
    system_run(system);
    assert_true(system_latency(system, 0, SFIFO_LINES) > SFIFO_LINES * LINE_BYTES);
    for (uint32_t i = 0; i < SFIFO_LINES; i++)
        assert_int_equal(system->agents[1].answers[i].data[0], i + 1);
    system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"walks/a_flush_goes_by_the_protocols_order", a_flush_goes_by_the_protocols_order, NULL,
         NULL, NULL},
        {"walks/a_probe_flushes_up_to_a_line", a_probe_flushes_up_to_a_line, NULL, NULL, NULL},
        {"walks/walks_take_turns", walks_take_turns, NULL, NULL, NULL},
        {"walks/what_is_left_to_do_is_not_idle", what_is_left_to_do_is_not_idle, NULL, NULL, NULL},
        {"walks/what_is_flushed_is_seen", what_is_flushed_is_seen, NULL, NULL, NULL},
        {"walks/walks_with_clocks", walks_with_clocks, NULL, NULL, NULL},
        {"walks/a_walk_waits_for_its_way_below", a_walk_waits_for_its_way_below, NULL, NULL, NULL},
        {"walks/walks_that_another_asks_for_are_told_apart",
         walks_that_another_asks_for_are_told_apart, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
