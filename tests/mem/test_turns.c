/* SPDX-License-Identifier: MIT */
/* What no answer's value shows: what is kept after an acquire, whose turn it is, and who need not
 * wait for whom. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "sfifo.h"
#include "si_bench.h"

static struct bench *create(const struct protocol *protocol, const struct controller_shape *l1)
{
    struct bench_options options = {
        .protocol = protocol, .l1s = 2, .scalars = 1, .slices = 1, .l1 = *l1};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

/* ---- What is kept ---- */

enum { LINES = 8, PASSES = 4, SCALAR = 2, ACQUIRES = 3 };

struct reader {
    const char *protocol;
    uint32_t node;
};

static const struct reader readers[] = {
    {"si", 0},          {"si", SCALAR}, {"moesi", 0}, {"moesi", SCALAR}, {"nmoesi", 0},
    {"nmoesi", SCALAR}, {"qr", 0},      {"rsp", 0},   {"srsp", 0},       {"srsp-paper", 0},
};

static void read_lines(struct bench *bench, uint32_t node)
{
    for (unsigned i = 0; i < LINES; i++)
        bench_load(bench, node, i * LINE_BYTES);
}

/* Of several passes over shared lines after an acquire all but the first find them here. */
static void lines_are_kept_after_an_acquire(void **state)
{
    static const struct controller_shape usual = {0};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(readers); i++) {
        const struct reader *reader = &readers[i];
        struct bench *bench = create(protocol_find(reader->protocol), &usual);
        const struct cache_statistics *statistics = &bench->uppers[reader->node].statistics;

        read_lines(bench, 1);
        read_lines(bench, reader->node);
        for (unsigned acquire = 0; acquire < ACQUIRES; acquire++) {
            uint64_t hits = statistics->load_hits;

            bench_acquire(bench, reader->node);
            read_lines(bench, reader->node);
            for (unsigned pass = 1; pass < PASSES; pass++)
                read_lines(bench, reader->node);
            hits = statistics->load_hits - hits;
            if (hits < LINES * (PASSES - 1))
                fail_msg("%s, node %u, acquire %u: %u hits", reader->protocol, reader->node,
                         acquire, (unsigned)hits);
        }
        assert_true(statistics->load_misses >= LINES);
        destroy(bench);
    }
}

/* ---- Whose turn it is ---- */

static const struct controller_shape one_entry = {
    .sets = 8, .ways = 2, .mshr_entries = 1, .waiting_entries = 8, .walk_lines = 1};

static struct controller_shape drawn(const char *admission)
{
    struct controller_shape shape = one_entry;

    shape.admission = admission_find(admission);
    return shape;
}

/* A load of node 0 that is to wait, or to be refused. */
static enum step_outcome step_load(struct bench *bench, uint64_t offset)
{
    struct message load = bench_request(bench, MESSAGE_LOAD, offset, 4);
    struct step step;
    enum step_outcome outcome = controller_step(&bench->uppers[0], &load, &step);

    assert_int_equal(step.output_count, 0);
    return outcome;
}

/* An entry is free, and another waits for one: who comes now waits too. */
static void newcomers_stay_behind_who_waits(void **state)
{
    static const char *const admissions_that_draw[] = {"drawn", "drawn_joined"};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(admissions_that_draw); i++) {
        struct controller_shape shape = drawn(admissions_that_draw[i]);
        struct bench *bench = si_bench_create(0, &shape, NULL);
        struct controller *l1 = &bench->uppers[0];
        struct message fill = si_bench_hold_fill(bench, 0);
        struct step step;

        assert_int_equal(step_load(bench, 64), STEP_DONE);
        assert_int_equal(l1->statistics.entry_waits, 1);
        si_bench_deliver(bench, &fill, 0);
        assert_int_equal(controller_entries_used(l1), 0);
        assert_int_equal(step_load(bench, 128), STEP_DONE);
        assert_int_equal(l1->statistics.entry_waits, 2);
        assert_int_equal(step_load(bench, 0), STEP_DONE); /* a hit takes an entry as well */
        assert_int_equal(l1->statistics.entry_waits, 3);
        assert_true(controller_replay(l1, &step)); /* one of them */
        assert_int_equal(step.output_count, 1);
        si_bench_destroy(bench);
    }
}

/* A probe's walk is in progress: an entry that is freed meanwhile is not given before its end. */
static void who_waits_for_an_entry_waits_for_a_walk(void **state)
{
    struct controller_shape shape = drawn("drawn");
    struct bench *bench = create(&protocol_sfifo, &shape);
    struct controller *l1 = &bench->uppers[0];
    struct message probe = bench_request(bench, SFIFO_PROBE, 64, 0);
    struct message fill = bench_request(bench, MESSAGE_LOAD, 2 * 64, 4), written;
    struct step step;

    (void)state;
    bench_store(bench, 0, 64, 1);
    assert_int_equal(controller_step(l1, &fill, &step), STEP_DONE);
    fill = step.outputs[0].message;
    fill.kind = MESSAGE_LOAD_REPLY;
    assert_int_equal(step_load(bench, 3 * 64), STEP_DONE);
    assert_int_equal(l1->statistics.entry_waits, 1);
    assert_int_equal(controller_step(l1, &probe, &step), STEP_DONE);
    assert_int_equal(controller_step(l1, &fill, &step), STEP_DONE);
    assert_int_equal(controller_drain_one(l1, 1, &step), 0);
    assert_int_equal(controller_entries_used(l1), 0);
    assert_false(controller_replay(l1, &step));
    while (controller_walk(l1, STEP_MAX_OUTPUTS, &step) && step.output_count == 0)
        ;
    written = step.outputs[0].message;
    assert_int_equal(written.kind, SFIFO_WRITE_BACK);
    written.kind = SFIFO_WRITTEN;
    assert_false(controller_replay(l1, &step));
    assert_int_equal(controller_step(l1, &written, &step), STEP_DONE);
    while (controller_walk(l1, STEP_MAX_OUTPUTS, &step) && step.output_count == 0)
        ;
    assert_int_equal(step.outputs[0].message.kind, SFIFO_FLUSHED);
    assert_true(controller_replay(l1, &step));
    assert_int_equal(step.outputs[0].side, OUTPUT_DOWN);
    destroy(bench);
}

/* ---- Who need not wait ---- */

/* L2's part of a load of node 0, up to memory: its READ. */
static struct message read_of(struct bench *bench, uint64_t offset)
{
    struct message load = bench_request(bench, MESSAGE_LOAD, offset, 4);
    struct step step;

    assert_int_equal(controller_step(&bench->slices[0], &load, &step), STEP_DONE);
    assert_int_equal(step.output_count, 1);
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_READ);
    return step.outputs[0].message;
}

/* What memory answers now. */
static void answer_read(struct bench *bench, struct message read)
{
    struct step step;

    read.kind = MESSAGE_READ_REPLY;
    read.mask = UINT64_MAX;
    memcpy(read.data, backing_host(&bench->backing, read.addr), LINE_BYTES);
    assert_int_equal(controller_step(&bench->slices[0], &read, &step), STEP_DONE);
}

/* The oldest line's link has no room; those of another link are answered, also from behind it. */
static void a_blocked_link_stops_its_own_answers_alone(void **state)
{
    static const unsigned blocked_port[] = {0, 256, 0};
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct controller *l2 = &bench->slices[0];
    struct message reads[3];
    struct step step;
    uint32_t first, second;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        reads[i] = read_of(bench, blocked_port[i] + 1024 * i);
    for (unsigned i = 0; i < 3; i++)
        answer_read(bench, reads[i]);
    first = controller_link(l2, &reads[0]);
    second = controller_link(l2, &reads[1]);
    assert_int_not_equal(first, second);
    assert_int_equal(controller_link(l2, &reads[2]), first);
    assert_int_equal(controller_drain_one(l2, UINT64_C(1) << second, &step), second);
    assert_int_equal(step.outputs[0].message.addr, reads[1].addr);
    assert_int_equal(controller_drain_one(l2, UINT64_C(1) << second, &step), -1);
    assert_int_equal(controller_drain_one(l2, 3, &step), first); /* the oldest of all first */
    assert_int_equal(step.outputs[0].message.addr, reads[0].addr);
    assert_int_equal(controller_drain_one(l2, 3, &step), first);
    assert_int_equal(step.outputs[0].message.addr, reads[2].addr);
    assert_int_equal(controller_drain_one(l2, 3, &step), -1);
    si_bench_destroy(bench);
}

/* A load with SLC reads memory itself: it joins no line on its way that was asked for before. */
static void a_load_of_memory_joins_no_older_read(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct controller *l2 = &bench->slices[0];
    struct message read = read_of(bench, 0), slc = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct step step;

    (void)state;
    slc.slc = true;
    assert_int_equal(controller_step(l2, &slc, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0);
    answer_read(bench, read);
    bench_poke(bench, 0, 7); /* memory changes after it has answered the first */
    assert_int_equal(controller_drain_one(l2, 3, &step), controller_link(l2, &read));
    assert_int_equal(message_word(&step.outputs[0].message, 0), 0);
    assert_true(controller_replay(l2, &step));
    assert_int_equal(step.output_count, 1);
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_READ);
    answer_read(bench, step.outputs[0].message);
    assert_int_equal(controller_drain_one(l2, 3, &step), controller_link(l2, &read));
    assert_int_equal(message_word(&step.outputs[0].message, 0), 7);
    si_bench_destroy(bench);
}

/* Steps in random order until node 0's load is answered, whose link goes after all others for some;
 * node 1 has work all the while. */
static unsigned steps_of_a_held_load(uint64_t seed, uint64_t held_steps)
{
    enum { LOADS = 1000 };
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message load = bench_request(bench, MESSAGE_LOAD, 4096, 4);
    unsigned steps = 0;
    bool is_answered = false;

    bench->pump.is_random = true;
    bench->pump.random.state = seed;
    pump_send(&bench->pump, 0, &load);
    bench->pump.links[0].held_until = held_steps; /* above node 0 */
    for (unsigned i = 0; i < LOADS; i++) {
        struct message other = bench_request(bench, MESSAGE_LOAD, i % 16 * LINE_BYTES, 4);

        other.glc = true; /* by L2, so that there is a way to go */
        pump_send(&bench->pump, 1, &other);
    }
    for (; !is_answered && pump_step(&bench->pump); steps++)
        is_answered =
            bench->reply_count > 0 && bench->replies[bench->reply_count - 1].addr == load.addr;
    assert_true(is_answered);
    pump_run(&bench->pump);
    assert_int_equal(bench->reply_count, LOADS + 1);
    si_bench_destroy(bench);
    return steps;
}

/* A hold is of a number of steps, and no longer: then the link goes as any other. (Other links of
 * the load's way are held at random too.) */
static void a_link_that_is_held_back_is_let_go(void **state)
{
    enum { SEEDS = 64, HELD_STEPS = 100 };
    unsigned free = 0, held = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        free += steps_of_a_held_load(seed, 0);
        held += steps_of_a_held_load(seed, HELD_STEPS);
    }
    assert_in_range(held - free, SEEDS * HELD_STEPS, SEEDS * HELD_STEPS * 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"turns/lines_are_kept_after_an_acquire", lines_are_kept_after_an_acquire, NULL, NULL,
         NULL},
        {"turns/newcomers_stay_behind_who_waits", newcomers_stay_behind_who_waits, NULL, NULL,
         NULL},
        {"turns/who_waits_for_an_entry_waits_for_a_walk", who_waits_for_an_entry_waits_for_a_walk,
         NULL, NULL, NULL},
        {"turns/a_blocked_link_stops_its_own_answers_alone",
         a_blocked_link_stops_its_own_answers_alone, NULL, NULL, NULL},
        {"turns/a_link_that_is_held_back_is_let_go", a_link_that_is_held_back_is_let_go, NULL, NULL,
         NULL},
        {"turns/a_load_of_memory_joins_no_older_read", a_load_of_memory_joins_no_older_read, NULL,
         NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
