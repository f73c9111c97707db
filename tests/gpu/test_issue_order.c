/* SPDX-License-Identifier: MIT */
/* The order of issue: which wavefront of a SIMD goes first, and what its order leaves to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/issue_order.h"
#include "gpu/rig.h"

static struct rig rig;
static struct tape tape;

static void start_rig(const char *order)
{
    rig_init(&rig);
    snprintf(rig.parameters.issue_order, sizeof rig.parameters.issue_order, "%s", order);
    rig.parameters.buffer_bytes = 512; /* fetches do not matter */
    rig.parameters.fetch_bytes = 64;
    rig.parameters.simds = 1;
}

/* Cycle of the only store of each wavefront slot. */
static void find_stores(uint64_t cycles[GPU_MAX_SLOTS])
{
    for (uint32_t i = 0; i < rig.log_count; i++)
        if (rig.log[i].message.kind == MESSAGE_STORE)
            cycles[rig.log[i].message.requester.wavefront] = rig.log[i].cycle;
}

/* Ten wavefronts on one SIMD, 100 vector operations each, then a store. */
static void run_ten(const char *order, uint64_t cycles[GPU_MAX_SLOTS])
{
    uint64_t addr;

    start_rig(order);
    addr = rig_allocate(&rig, 65536);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (uint32_t i = 0; i < 99; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_store(&tape, 1, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 10, 64);
    find_stores(cycles);
    rig_finish(&rig);
}

static void oldest_first_ends_one_after_the_other(void **state)
{
    uint64_t cycles[GPU_MAX_SLOTS] = {0};

    run_ten("oldest_first", cycles);
    for (unsigned i = 0; i < 10; i++)
        assert_in_range(cycles[i], (i + 1) * 400, (i + 1) * 400 + 100);
}

/* In turn, the n-th wavefront's last operation is the n-th of the last round. */
static void in_turn_all_end_in_the_last_round(void **state)
{
    static const char *const orders[] = {"loose_round_robin", "round_robin"};

    for (unsigned j = 0; j < 2; j++) {
        uint64_t cycles[GPU_MAX_SLOTS] = {0};

        run_ten(orders[j], cycles);
        for (unsigned i = 0; i < 10; i++) {
            assert_in_range(cycles[i], 99 * 40, 99 * 40 + 10 * 16 + 100); /* 16 a store's addresses */
            assert_true(i == 0 || cycles[i] > cycles[i - 1]);
        }
    }
}

static uint64_t run_pairs(const char *order)
{
    uint64_t cycles;

    start_rig(order);
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 100; i++) {
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
        tape_scalar(&tape);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 128);
    rig_finish(&rig);
    return cycles;
}

/* Two wavefronts with vector and scalar operations in turn. They take 200 turns where one's vector
 * operation goes beside the other's scalar one, 400 where a turn is one wavefront's. */
static void a_turn_of_round_robin_is_one_wavefronts(void **state)
{
    assert_in_range(run_pairs("oldest_first"), 800, 860);
    assert_in_range(run_pairs("loose_round_robin"), 800, 860);
    assert_in_range(run_pairs("round_robin"), 1600, 1660);
}

static uint64_t run_slow(const char *order)
{
    uint64_t cycles;

    start_rig(order);
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 100; i++) {
        tape_vector(&tape, ISA_LATENCY_QUARTER, TAPE_ADD, 1, 1);
        tape_scalar(&tape);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 128);
    rig_finish(&rig);
    return cycles;
}

/* The vector ALU is busy for 16 cycles. The other's scalar operation goes meanwhile, and 32 cycles
 * are a round of both. In strict turns a wavefront before the busy ALU holds up the other's scalar
 * operation: a round is 16 for each, and one turn. */
static void round_robin_waits_for_a_busy_unit(void **state)
{
    assert_in_range(run_slow("loose_round_robin"), 100 * 32, 100 * 32 + 60);
    assert_in_range(run_slow("round_robin"), 100 * 36, 100 * 36 + 60);
}

/* One waits at a barrier for the other, which loads: its turns are the other's. */
static void round_robin_passes_over_who_waits(void **state)
{
    for (unsigned i = 0; issue_orders[i] != NULL; i++) {
        uint64_t addr;

        start_rig(issue_orders[i]->name);
        addr = rig_allocate(&rig, 65536);
        rig_build(&rig);
        tape_init(&tape);
        for (unsigned step = 0; step < 4; step++) {
            tape_load(&tape, 2, 1, addr, 4);
            tape_wait(&tape, 0, 7, 15);
            tape_control(&tape, ISA_CONTROL_BARRIER, 0);
        }
        tape_end(&tape);
        assert_in_range(rig_run_tape(&rig, &tape, 2, 256), 4 * rig.vector_latency,
                        4 * rig.vector_latency + 2000);
        rig_finish(&rig);
    }
}

/* A higher priority counts more than the turn. */
static void priority_goes_before_the_turn(void **state)
{
    const uint64_t high = 0, low = UINT64_C(3) << 60 | 7;

    for (unsigned i = 0; issue_orders[i] != NULL; i++)
        for (uint32_t last = 0; issue_orders[i]->rank != NULL && last < GPU_MAX_SLOTS; last++)
            for (uint32_t slot = 0; slot < GPU_MAX_SLOTS; slot++)
                assert_true(issue_orders[i]->rank(high, slot, last) <
                            issue_orders[i]->rank(low, 63 - slot, last));
}

static void the_first_behind_a_slot_is_the_nearest(void **state)
{
    for (uint32_t last = 0; last < ISSUE_ORDER_SLOTS; last++)
        for (uint32_t slot = 0; slot < ISSUE_ORDER_SLOTS; slot++) {
            uint64_t both = UINT64_C(1) << slot | UINT64_C(1) << (slot * 7 % 64);
            uint32_t first = issue_order_first(both, last);

            assert_true((both >> first & 1) != 0);
            assert_true(issue_order_distance(first, last) <= issue_order_distance(slot, last));
            assert_int_equal(issue_order_first(UINT64_C(1) << slot, last), slot);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oldest_first_ends_one_after_the_other),
        cmocka_unit_test(in_turn_all_end_in_the_last_round),
        cmocka_unit_test(a_turn_of_round_robin_is_one_wavefronts),
        cmocka_unit_test(round_robin_waits_for_a_busy_unit),
        cmocka_unit_test(round_robin_passes_over_who_waits),
        cmocka_unit_test(priority_goes_before_the_turn),
        cmocka_unit_test(the_first_behind_a_slot_is_the_nearest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
