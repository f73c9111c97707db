/* SPDX-License-Identifier: MIT */
/* Where a request's time went: legs, joins, queues, and the closed form of an unloaded chain. That
 * the legs add up to the latency is checked at each answer, by tests/mem/system.c and by the compute
 * unit. */
#include "cmocka_all.h"

#include "base/bits.h"
#include "mem/stall_log.h"
#include "system.h"

/* ---- Journeys ---- */

static uint64_t part_of(const struct journey *journey, unsigned part)
{
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < journey->leg_count; i++)
        if (journey_leg_part(journey->legs[i]) == part)
            cycles += journey_leg_cycles(journey->legs[i]);
    return cycles;
}

static void a_join_takes_the_end_of_the_other(void **state)
{
    struct journey waits = {0}, miss = {0};

    (void)state;
    journey_begin(&miss, 100);
    journey_until(&miss, PART_L1_LOOKUP, 110);
    journey_until(&miss, PART_NETWORK, 130);
    journey_until(&miss, PART_DRAM, 200);
    journey_begin(&waits, 90);
    journey_until(&waits, PART_L1_QUEUE, 125); /* it merges here */
    journey_join(&waits, &miss, PART_L1_OTHER);
    assert_int_equal(part_of(&waits, PART_L1_QUEUE), 35);
    assert_int_equal(part_of(&waits, PART_L1_LOOKUP), 0);
    assert_int_equal(part_of(&waits, PART_NETWORK), 5);
    assert_int_equal(part_of(&waits, PART_DRAM), 70);
    assert_int_equal(journey_cycles(&waits), 110);
    assert_int_equal(waits.since, 200);
    journey_until(&waits, PART_RETURN, 210);
    journey_join(&waits, &miss, PART_L1_OTHER); /* that was over before */
    assert_int_equal(journey_cycles(&waits), 120);
}

static void what_the_other_does_not_cover_has_a_name(void **state)
{
    struct journey waits = {0}, late = {0};

    (void)state;
    journey_begin(&waits, 10);
    journey_begin(&late, 60);
    journey_until(&late, PART_PROBES, 100);
    journey_join(&waits, &late, PART_L2_OTHER);
    assert_int_equal(part_of(&waits, PART_L2_OTHER), 50);
    assert_int_equal(part_of(&waits, PART_PROBES), 40);
}

static void many_legs_lose_no_cycle(void **state)
{
    struct journey journey = {0}, other = {0};
    uint64_t cycle = 1000;

    (void)state;
    journey_begin(&journey, cycle);
    for (unsigned i = 0; i < 500; i++)
        journey_until(&journey, i % 20, cycle += i % 7 + 1);
    journey_until(&journey, PART_DRAM, cycle += UINT64_C(1) << JOURNEY_CYCLE_BITS);
    assert_int_equal(journey_cycles(&journey), cycle - 1000);
    journey_begin(&other, 900);
    for (unsigned i = 0; i < 20; i++)
        journey_until(&other, i, 900 + 5 * i);
    journey_join(&other, &journey, PART_L1_OTHER);
    assert_int_equal(journey_cycles(&other), cycle - 900);
}

/* A copy of a message may outlive what was asked. */
static void messages_of_older_journeys_leave_no_stamp(void **state)
{
    struct journey journey = {0};
    struct message old = {0};

    (void)state;
    journey_begin(&journey, 10);
    message_set_journey(&old, &journey);
    message_stamp(&old, PART_NETWORK, 15);
    assert_int_equal(journey_cycles(&journey), 5);
    journey_begin(&journey, 20);
    message_stamp(&old, PART_NETWORK, 50);
    assert_int_equal(journey_cycles(&journey), 0);
}

/* Of two instructions: one waits in DRAM twice. */
static void a_stack_is_the_sum_of_its_journeys(void **state)
{
    struct latency_stack stack = {0};
    struct journey journey = {0};

    (void)state;
    journey_begin(&journey, 100);
    journey_until(&journey, PART_L1_LOOKUP, 107);
    journey_until(&journey, PART_DRAM, 120);
    latency_stack_add(&stack, &journey);
    journey_begin(&journey, 200);
    journey_until(&journey, PART_DRAM, 203);
    journey_until(&journey, PART_RETURN, 205);
    journey_until(&journey, PART_DRAM, 206);
    latency_stack_add(&stack, &journey);
    assert_int_equal(stack.instructions, 2);
    assert_int_equal(stack.cycles, 26);
    for (unsigned part = 0; part < PART_COUNT; part++)
        assert_int_equal(stack.parts[part], part == PART_L1_LOOKUP ? 7
                                            : part == PART_DRAM    ? 17
                                            : part == PART_RETURN  ? 2
                                                                   : 0);
}

/* ---- Queues ---- */

enum { QUEUE = PART_L1_QUEUE };

static struct journey charged(struct stall_log *log, uint64_t since, uint64_t cycle)
{
    struct journey journey = {0};

    journey_begin(&journey, since);
    stall_log_charge(log, &journey, QUEUE, cycle);
    assert_int_equal(journey_cycles(&journey), cycle - since);
    return journey;
}

static void a_queue_is_charged_to_what_its_head_waits_for(void **state)
{
    struct stall_log log;
    struct journey journey;

    (void)state;
    stall_log_init(&log, 4);
    stall_log_note(&log, STALL_SET, 100);
    stall_log_note(&log, STALL_MSHR, 150);
    stall_log_note(&log, STALL_NONE, 160);
    journey = charged(&log, 90, 165);
    assert_int_equal(part_of(&journey, QUEUE), 15);
    assert_int_equal(part_of(&journey, QUEUE + STALL_SET), 50);
    assert_int_equal(part_of(&journey, QUEUE + STALL_MSHR), 10);
    journey = charged(&log, 120, 162);
    assert_int_equal(part_of(&journey, QUEUE + STALL_SET), 30);
    stall_log_note(&log, STALL_OUTPUT, 170);
    stall_log_note(&log, STALL_SET, 170); /* the one before lasted no time */
    journey = charged(&log, 165, 180);
    assert_int_equal(part_of(&journey, QUEUE + STALL_OUTPUT), 0);
    assert_int_equal(part_of(&journey, QUEUE + STALL_SET), 10);
    stall_log_finish(&log);
}

/* What lasted no time is no change: of four that did last each is a leg. */
static void changes_without_time_do_not_count(void **state)
{
    struct stall_log log;
    struct journey journey;

    (void)state;
    stall_log_init(&log, 4);
    for (uint64_t cycle = 10; cycle <= 40; cycle += 10) {
        stall_log_note(&log, STALL_OUTPUT, cycle);
        stall_log_note(&log, cycle % 20 == 0 ? STALL_SET : STALL_MSHR, cycle);
    }
    journey = charged(&log, 5, 50);
    assert_int_equal(journey.leg_count, 5);
    assert_int_equal(part_of(&journey, QUEUE + STALL_SET), 20);
    assert_int_equal(part_of(&journey, QUEUE + STALL_MSHR), 20);
    stall_log_finish(&log);
}

/* Against a list of all changes, whatever the number of changes in between. */
static void long_logs_are_charged_alike(void **state)
{
    enum { CHANGES = 60, STEP = 3 };
    struct stall_log log;

    (void)state;
    stall_log_init(&log, CHANGES);
    for (unsigned i = 1; i <= CHANGES; i++)
        stall_log_note(&log, i % STALL_CAUSES, i * STEP);
    for (uint64_t since = STEP; since < CHANGES * STEP; since += 2) {
        uint64_t expected[STALL_CAUSES] = {0};
        struct journey journey = charged(&log, since, CHANGES * STEP + 5);

        for (uint64_t cycle = since; cycle < CHANGES * STEP + 5; cycle++)
            expected[(cycle / STEP < CHANGES ? cycle / STEP : CHANGES) % STALL_CAUSES]++;
        for (unsigned cause = 0; cause < STALL_CAUSES; cause++)
            assert_int_equal(part_of(&journey, QUEUE + cause), expected[cause]);
    }
    stall_log_finish(&log);
}

/* ---- A memory system ---- */

static void assert_parts(const struct system *system, uint32_t node, uint32_t which,
                         const uint64_t parts[PART_COUNT])
{
    for (unsigned part = 0; part < PART_COUNT; part++)
        if (system_part(system, node, which, part) != parts[part])
            fail_msg("%s: %llu, not %llu", journey_part_names[part],
                     (unsigned long long)system_part(system, node, which, part),
                     (unsigned long long)parts[part]);
}

/* Loads from memory, L1 and L2, a store and an atomic, one at a time: the terms of the closed form. */
static void an_unloaded_chain_is_its_closed_form(void **state)
{
    struct system_options o;
    const struct dram_parameters *d = &o.dram;
    struct system *system;

    (void)state;
    system_defaults(&o);
    o.request_cycles = 3;
    o.l1.reply_cycles = 31;
    o.l1.forward_cycles = 7;
    o.l2.reply_cycles = 43;
    o.l2.forward_cycles = 11;
    o.crossbar.latency_cycles = 5;
    o.dram.request_cycles = 9;
    o.dram.reply_cycles = 21;
    system = system_create(&o);
    system->agents[0].is_serial = system->agents[1].is_serial = true;
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);
    system_add(system, 0, MESSAGE_LOAD, 8, 4, 0);
    system_add(system, 1, MESSAGE_LOAD, 0, 4, 2000);
    system_add(system, 1, MESSAGE_STORE, 0, 4, 3000);
    system_add(system, 1, MESSAGE_ATOMIC, 0, 4, 4000)->word_bytes = 4;
    system_run(system);
    assert_parts(system, 0, 0,
                 (uint64_t[PART_COUNT]){
                     [PART_ADDRESS] = 3,
                     [PART_L1_LOOKUP] = 7,
                     [PART_NETWORK] = 5,
                     [PART_L2_LOOKUP] = 11,
                     [PART_DRAM] = 9 + d->trcdr + d->tccdl + d->tcl + d->burst_cycles + 21,
                     [PART_RETURN] = 43 + 5 + 31});
    assert_parts(system, 0, 1,
                 (uint64_t[PART_COUNT]){[PART_ADDRESS] = 3, [PART_L1_LOOKUP] = 31});
    for (uint32_t which = 0; which < 3; which++)
        assert_parts(system, 1, which,
                     (uint64_t[PART_COUNT]){[PART_ADDRESS] = 3,
                                            [PART_L1_LOOKUP] = 7,
                                            [PART_NETWORK] = 5,
                                            [PART_L2_LOOKUP] = 43,
                                            [PART_RETURN] = 5 + 31});
    system_destroy(system);
}

/* The second load of a line merges in L1, the other node's in L2: each takes what is left of the miss. */
static void merged_loads_take_what_is_left_of_the_miss(void **state)
{
    struct system_options o;
    struct system *system;
    uint64_t dram;

    (void)state;
    system_defaults(&o);
    system = system_create(&o);
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 1000);
    system_add(system, 0, MESSAGE_LOAD, 8, 4, 1010);
    system_add(system, 1, MESSAGE_LOAD, 16, 4, 1020);
    system_run(system);
    dram = system_part(system, 0, 0, PART_DRAM);
    assert_true(o.l1.forward_cycles < 10);
    /* 10 cycles later in L1: the miss has left it, and is in the network. */
    assert_int_equal(system_part(system, 0, 1, PART_L1_LOOKUP), 0);
    assert_int_equal(system_part(system, 0, 1, PART_NETWORK),
                     o.l1.forward_cycles + o.crossbar.latency_cycles - 10);
    assert_int_equal(system_part(system, 0, 1, PART_DRAM), dram);
    /* 20 cycles later in L2: the miss has left for memory. */
    assert_int_equal(system_part(system, 1, 0, PART_NETWORK), o.crossbar.latency_cycles);
    assert_int_equal(system_part(system, 1, 0, PART_L2_LOOKUP), 0);
    assert_int_equal(system_part(system, 1, 0, PART_DRAM), dram + o.l2.forward_cycles - 20);
    system_destroy(system);
}

/* Loads of lines that share a set: with as many ways none waits for one. */
static void a_way_relieves_the_part_that_waits_for_ways(void **state)
{
    for (uint32_t ways = 2; ways <= 8; ways *= 4) {
        struct system_options o;
        struct system *system;
        uint64_t waits = 0, rest = 0;

        system_defaults(&o);
        o.l1.ways = ways;
        system = system_create(&o);
        for (uint64_t i = 0; i < 8; i++)
            system_add(system, 0, MESSAGE_LOAD, i * o.l1.size_kb * 1024, 4, 0);
        system_run(system);
        for (uint32_t i = 0; i < 8; i++) {
            waits += system_part(system, 0, i, PART_L1_SET);
            rest += system_part(system, 0, i, PART_L1_MSHR) +
                    system_part(system, 0, i, PART_L1_WAITING);
        }
        assert_int_equal(waits > 0, ways == 2);
        assert_int_equal(rest, 0);
        system_destroy(system);
    }
    (void)state;
}

/* Loads that miss in every L1, answered from one slice: what is narrow is what their answers wait for. */
static const struct crossbar_statistics *answers_of(struct system *system)
{
    for (uint32_t node = 0; node < 4; node++)
        for (uint64_t i = 0; i < 16; i++)
            system_add(system, node, MESSAGE_LOAD, i * LINE_BYTES, 4, 0);
    system_run(system);
    return &system->network.crossbars[LANE_RESPONSES].statistics;
}

static void links_say_why_they_wait(void **state)
{
    for (uint64_t width = 64; width >= 8; width /= 8) {
        const struct crossbar_statistics *answers;
        struct system_options o;
        struct system *system;
        uint64_t waited = 0;

        system_defaults(&o);
        o.nodes = 4;
        o.crossbar.width_bytes = width;
        system = system_create(&o);
        answers = answers_of(system);
        for (uint32_t node = 0; node < 4; node++)
            for (uint32_t i = 0; i < 16; i++)
                waited += system_part(system, node, i, PART_RETURN_QUEUE);
        assert_int_equal(answers->stall_link_cycles > 0, width == 8);
        assert_int_equal(answers->stall_room_cycles, 0);
        if (width == 8)
            assert_true(waited >= answers->stall_link_cycles + answers->stall_input_cycles);
        system_destroy(system);
    }
    (void)state;
}

/* Stores of four nodes to one channel, by links that take eight cycles for each. */
static void requests_wait_in_the_network(void **state)
{
    uint64_t waited = 0;
    struct system_options o;
    struct system *system;

    (void)state;
    system_defaults(&o);
    o.nodes = 4;
    o.crossbar.width_bytes = 8;
    system = system_create(&o);
    for (uint32_t node = 0; node < 4; node++)
        system_add(system, node, MESSAGE_STORE, 512 * node, 64, 0);
    system_run(system);
    for (uint32_t node = 0; node < 4; node++) {
        waited += system_part(system, node, 0, PART_NETWORK_QUEUE);
        assert_int_equal(system_part(system, node, 0, PART_ADDRESS), o.request_cycles);
    }
    assert_int_equal(waited, 8 + 16 + 24);
    system_destroy(system);
}

/* An L2 with one MSHR takes no requests for a while: the crossbar's far end is full. */
static void a_full_far_end_is_said(void **state)
{
    struct system_options o;
    struct system *system;

    (void)state;
    system_defaults(&o);
    o.l2.mshr_entries = 1;
    o.l2.request_slots = 2;
    o.crossbar.latency_cycles = 1; /* 2 + 2 slots */
    system = system_create(&o);
    for (uint64_t i = 0; i < 64; i++)
        system_add(system, 0, MESSAGE_LOAD, i * LINE_BYTES, 4, 0);
    system_run(system);
    assert_true(system->network.crossbars[LANE_REQUESTS].statistics.stall_room_cycles > 0);
    assert_int_equal(system->network.crossbars[LANE_REQUESTS].statistics.stall_link_cycles, 0);
    system_destroy(system);
}

static void messages_are_counted_by_kind(void **state)
{
    static const struct {
        const char *path;
        uint64_t value;
    } expected[] = {
        {"l1_0.kinds.load_messages", 2},      {"l1_0.kinds.store_messages", 1},
        {"l1_0.kinds.store_bytes", 4},        {"l1_0.kinds.load_reply_messages", 1},
        {"l1_0.kinds.load_reply_bytes", 64},  {"crossbar.requests.kinds.load_messages", 1},
        {"crossbar.requests.kinds.load_bytes", 0}, {"crossbar.requests.kinds.store_bytes", 4},
        {"crossbar.requests.messages", 2},      {"crossbar.responses.kinds.load_reply_bytes", 64},
    };
    struct system_options o;
    struct system *system;
    struct snapshot snapshot;

    (void)state;
    system_defaults(&o);
    system = system_create(&o);
    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);
    system_add(system, 0, MESSAGE_LOAD, 8, 4, 0);
    system_add(system, 0, MESSAGE_STORE, 64, 4, 0);
    system_run(system);
    snapshot_take(&snapshot, &system->registry);
    for (unsigned i = 0; i < ARRAY_COUNT(expected); i++)
        if (snapshot_counter(&snapshot, &system->registry, expected[i].path) != expected[i].value)
            fail_msg("%s", expected[i].path);
    snapshot_finish(&snapshot);
    system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_takes_the_end_of_the_other),
        cmocka_unit_test(what_the_other_does_not_cover_has_a_name),
        cmocka_unit_test(many_legs_lose_no_cycle),
        cmocka_unit_test(messages_of_older_journeys_leave_no_stamp),
        cmocka_unit_test(a_stack_is_the_sum_of_its_journeys),
        cmocka_unit_test(a_queue_is_charged_to_what_its_head_waits_for),
        cmocka_unit_test(changes_without_time_do_not_count),
        cmocka_unit_test(long_logs_are_charged_alike),
        cmocka_unit_test(requests_wait_in_the_network),
        cmocka_unit_test(an_unloaded_chain_is_its_closed_form),
        cmocka_unit_test(merged_loads_take_what_is_left_of_the_miss),
        cmocka_unit_test(a_way_relieves_the_part_that_waits_for_ways),
        cmocka_unit_test(links_say_why_they_wait),
        cmocka_unit_test(a_full_far_end_is_said),
        cmocka_unit_test(messages_are_counted_by_kind),
    };

    return cmocka_run_group_tests_name("journey", tests, NULL, NULL);
}
