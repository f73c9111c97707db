/* SPDX-License-Identifier: MIT */
/* The vector memory unit on tapes: rates, order, counters, back-pressure, ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/rig.h"
#include "sim/debug.h"

static struct rig rig;
static struct tape tape;
static uint64_t buffer;

static void set_up(void)
{
    rig_init(&rig);
    buffer = rig_allocate(&rig, 1 << 20);
    tape_init(&tape);
}

static void times(unsigned target, uint64_t factor)
{
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, target, factor);
}

/* ---- rates ---- */

/* 8 wavefronts with 40 loads or stores each, so that the unit's addresses are the bottleneck. */
static uint64_t run_rate(bool store, unsigned bytes, uint64_t stride, void (*change)(void))
{
    uint64_t cycles;

    set_up();
    rig.store_latency = rig.vector_latency;
    if (change != NULL)
        change();
    rig_build(&rig);
    times(0, stride);
    for (uint32_t i = 0; i < 40; i++) {
        if (store)
            tape_store(&tape, 1, 0, buffer, bytes);
        else
            tape_load(&tape, 1, 0, buffer, bytes);
        if (i % 4 == 3)
            tape_wait(&tape, 0, 7, 15);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 512);
    rig_finish(&rig);
    return cycles;
}

static void assert_rate(uint64_t cycles, uint64_t each)
{
    assert_in_range(cycles, 8 * 40 * each, 8 * 40 * each + 300);
}

/* Each of the rates of address processing; a wavefront's accesses: 4, 8, 16 lines, not more than
 * its cycles. */
static void addresses_take_their_cycles(void **state)
{
    assert_rate(run_rate(false, 4, 4, NULL), 4);
    assert_rate(run_rate(false, 4, 0, NULL), 4);
    assert_rate(run_rate(false, 4, 8, NULL), 16);
    assert_rate(run_rate(false, 8, 8, NULL), 18);
    assert_rate(run_rate(false, 12, 12, NULL), 16);
    assert_rate(run_rate(false, 16, 16, NULL), 16);
    assert_rate(run_rate(true, 4, 4, NULL), 16);
}

static void other_rates(void)
{
    rig.parameters.load_linear_cycles = 8;
    rig.parameters.load_cycles = 24;
    rig.parameters.load_x2_cycles = 32;
    rig.parameters.load_x4_linear_cycles = 28;
    rig.parameters.store_cycles = 12;
}

static void rates_are_parameters(void **state)
{
    assert_rate(run_rate(false, 4, 4, other_rates), 8);
    assert_rate(run_rate(false, 4, 8, other_rates), 24);
    assert_rate(run_rate(false, 8, 8, other_rates), 32);
    assert_rate(run_rate(false, 12, 12, other_rates), 28);
    assert_rate(run_rate(false, 16, 16, other_rates), 28);
    assert_rate(run_rate(true, 4, 4, other_rates), 12);
}

static void four_requests(void)
{
    rig.parameters.vmem_requests_per_cycle = 4;
}

static void slow_mock(void)
{
    rig.vector_take_every = 8;
}

/* 64 lanes on 64 lines: 64 cycles at one request a cycle. At four the mock, which takes one, is the
 * limit, and back-pressure from it bounds the rest. That is 8 * 4 lines a wavefront when it takes
 * one in 8 cycles. */
static void requests_and_back_pressure_bound_the_rate(void **state)
{
    assert_rate(run_rate(false, 4, 64, NULL), 64);
    assert_rate(run_rate(false, 4, 64, four_requests), 64);
    assert_in_range(run_rate(false, 4, 4, slow_mock), 8 * 40 * 32, 8 * 40 * 32 + 300);
}

static void atomics_take_their_cycles(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t each = i == 0 ? 16 : 40, cycles;

        set_up();
        rig.parameters.atomic_cycles = each;
        rig_build(&rig);
        times(0, 4);
        for (uint32_t j = 0; j < 40; j++) {
            tape_atomic(&tape, 1, 0, buffer, false);
            if (j % 4 == 3)
                tape_wait(&tape, 0, 7, 15);
        }
        tape_end(&tape);
        cycles = rig_run_tape(&rig, &tape, 1, 512);
        assert_rate(cycles, each);
        rig_finish(&rig);
    }
}

/* ---- latency ---- */

static uint64_t run_chain(void (*change)(void))
{
    uint64_t cycles;

    set_up();
    if (change != NULL)
        change();
    rig_build(&rig);
    times(0, 4);
    for (uint32_t i = 0; i < 10; i++) {
        tape_load(&tape, 1, 0, buffer, 4);
        tape_wait(&tape, 0, 7, 15);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    return cycles;
}

static void longer_issue(void)
{
    rig.parameters.vmem_issue_cycles += 40;
}

static void longer_return(void)
{
    rig.parameters.vmem_return_cycles += 40;
}

static void longer_request(void)
{
    rig.parameters.vmem_request_cycles += 40;
}

/* A load to its use: issue 16, four lines sent in cycles 0 to 3, request 1, memory 40, return 16.
 * That is 76 cycles, 19 turns; the wait is one more. The latency that is counted goes from the
 * first access to the last reply: 3 + 1 + 40. */
static void unloaded_latency_is_the_sum_of_the_hops(void **state)
{
    uint64_t cycles = run_chain(NULL);

    assert_in_range(cycles, 10 * (76 + 4), 10 * (76 + 4) + 60);
    assert_int_equal(compute_unit_statistics(rig.units[0])->load_latency.count, 10);
    assert_int_equal(compute_unit_statistics(rig.units[0])->load_latency.sum, 10 * 44);
    rig_finish(&rig);
    assert_int_equal(run_chain(longer_issue) - cycles, 10 * 40);
    rig_finish(&rig);
    assert_int_equal(run_chain(longer_return) - cycles, 10 * 40);
    rig_finish(&rig);
    assert_int_equal(run_chain(longer_request) - cycles, 10 * 40);
    rig_finish(&rig);
}

/* A load and a store of 64 lanes, then both of 24. Loads: four lines, and two, sent a cycle apart, request 1, memory
 * 40: 44 and 42. Stores: a line every four cycles, the last in cycle 12, and in 4; 1 and 100: 113 and 105. */
static void latency_counts_by_lanes(void **state)
{
    const struct compute_unit_statistics *statistics;

    set_up();
    rig.store_latency = 100;
    rig_build(&rig);
    times(0, 4);
    tape_load(&tape, 1, 0, buffer, 4);
    tape_wait(&tape, 0, 7, 15);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_wait(&tape, 0, 0, 15);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    rig_run_tape(&rig, &tape, 1, 24);
    statistics = compute_unit_statistics(rig.units[0]);
    assert_int_equal(statistics->load_latency.sum + statistics->store_latency.sum, 44 + 42 + 113 + 105);
    assert_int_equal(statistics->weighted_lanes, 2 * 64 + 2 * 24);
    assert_int_equal(statistics->weighted_latency, (44 + 113) * 64 + (42 + 105) * 24);
    rig_finish(&rig);
    (void)state;
}

/* ---- order and counters ---- */

/* The first load comes back long after the second. VM_CNT falls in issue order, so vmcnt(1) waits
 * for the first. */
static void vmcnt_falls_in_issue_order(void **state)
{
    set_up();
    rig.slow_page = buffer + 8192;
    rig.slow_latency = 500;
    rig_build(&rig);
    for (uint32_t i = 0; i < 64; i++) {
        rig_words(&rig, buffer + 8192)[i] = 1000 + i;
        rig_words(&rig, buffer + 4096)[i] = 2000 + i;
    }
    times(0, 4);
    tape_load(&tape, 1, 0, buffer + 8192, 4);
    tape_load(&tape, 2, 0, buffer + 4096, 4);
    tape_wait(&tape, 1, 7, 15);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(rig_words(&rig, buffer)[i], 1000 + i);
    rig_finish(&rig);
}

static uint64_t run_store_wait(unsigned vm, unsigned exp)
{
    uint64_t cycles;

    set_up();
    rig.store_latency = 400;
    rig_build(&rig);
    times(0, 4);
    for (uint32_t i = 0; i < 4; i++) {
        tape_store(&tape, 1, 0, buffer, 4);
        tape_wait(&tape, vm, exp, 15);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    rig_finish(&rig);
    return cycles;
}

/* EXP_CNT falls when the store's data was read, some 30 cycles after its issue; VM_CNT when it is
 * acknowledged, after 400. */
static void expcnt_falls_when_store_data_was_read(void **state)
{
    assert_in_range(run_store_wait(15, 0), 400 + 4 * 32, 400 + 4 * 32 + 120);
    assert_in_range(run_store_wait(0, 7), 4 * 420, 4 * 480);
}

static uint64_t run_many_loads(void (*change)(void))
{
    uint64_t cycles;

    set_up();
    rig.vector_latency = 400;
    change();
    rig_build(&rig);
    times(0, 4);
    for (uint32_t i = 0; i < 12; i++)
        tape_load(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    rig_finish(&rig);
    return cycles;
}

static void enough(void) {}

static void few_counts(void)
{
    rig.parameters.vm_count_max = 3;
}

static void few_entries(void)
{
    rig.parameters.vmem_entries = 3;
}

/* 12 loads of 400 cycles: together, or three at a time. */
static void full_counters_and_full_queues_stall_issue(void **state)
{
    assert_in_range(run_many_loads(enough), 400, 600);
    assert_in_range(run_many_loads(few_counts), 4 * 400, 4 * 500);
    assert_in_range(run_many_loads(few_entries), 4 * 400, 4 * 500);
}

static uint64_t run_stores(uint64_t max)
{
    uint64_t cycles;

    set_up();
    rig.parameters.exp_count_max = max;
    rig.vector_take_every = 32;
    rig_build(&rig);
    times(0, 4);
    for (uint32_t i = 0; i < 8; i++)
        tape_store(&tape, 1, 0, buffer, 4);
    for (uint32_t i = 0; i < 100; i++)
        tape_scalar(&tape);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    cycles = rig_counter(&rig, "cu0.stall_exp");
    rig_finish(&rig);
    return cycles;
}

static void a_full_expcnt_stalls_issue(void **state)
{
    assert_int_equal(run_stores(15), 0);
    assert_true(run_stores(1) > 100);
}

static void invalidations_keep_their_place(void **state)
{
    set_up();
    rig_build(&rig);
    times(0, 4);
    tape_load(&tape, 1, 0, buffer, 4);
    tape_load(&tape, 1, 0, buffer, 4)->operation = TAPE_INVALIDATE;
    tape_load(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig.log_count, 9);
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(rig.log[i].message.kind, i == 4 ? MESSAGE_INVALIDATE : MESSAGE_LOAD);
    rig_finish(&rig);
}

static void atomics_return_what_was_there(void **state)
{
    uint64_t seen = 0;

    set_up();
    rig_build(&rig);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 1);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 2, 0);
    tape_atomic(&tape, 1, 2, buffer, true);
    tape_wait(&tape, 0, 7, 15);
    times(0, 4);
    tape_store(&tape, 1, 0, buffer + 4096, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_words(&rig, buffer)[0], 64);
    for (uint32_t i = 0; i < 64; i++)
        seen |= UINT64_C(1) << rig_words(&rig, buffer + 4096)[i];
    assert_true(seen == UINT64_MAX);
    assert_int_equal(rig_counter(&rig, "cu0.atomic_accesses"), 64);
    rig_finish(&rig);
}

/* ---- lanes, ends, mistakes ---- */

static uint32_t stored_by_inactive_lanes(uint64_t breaks)
{
    uint32_t count = 0;

    set_up();
    rig.breaks = breaks;
    rig_build(&rig);
    times(0, 4);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 7);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_LANES, 0, 0xf0f0f0f0f0f0f0f0);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        if (i % 8 < 4)
            count += rig_words(&rig, buffer)[i] != 0;
        else
            assert_int_equal(rig_words(&rig, buffer)[i], 7);
    rig_finish(&rig);
    return count;
}

static void inactive_lanes_store_nothing(void **state)
{
    assert_int_equal(stored_by_inactive_lanes(0), 0);
    assert_int_equal(stored_by_inactive_lanes(UINT64_C(1) << DEBUG_BREAK_STORE_ALL_LANES), 32);
}

static bool stores_arrive_before_the_end(uint64_t breaks)
{
    bool arrived;

    set_up();
    rig.breaks = breaks;
    rig.vector_take_every = 200;
    rig_build(&rig);
    times(0, 4);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 7);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    rig_set_launch(&rig, &tape.kernel, 1, 64);
    assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
    arrived = rig_words(&rig, buffer)[63] == 7;
    assert_int_equal(engine_run(&rig.engine, UINT64_MAX), ENGINE_IDLE);
    assert_int_equal(rig_words(&rig, buffer)[63], 7);
    rig_finish(&rig);
    return arrived;
}

static void a_launch_ends_after_its_stores(void **state)
{
    assert_true(stores_arrive_before_the_end(0));
    assert_false(stores_arrive_before_the_end(UINT64_C(1) << DEBUG_BREAK_END_WITHOUT_STORES));
}

static void an_unmapped_address_stops_the_launch(void **state)
{
    struct diagnosis diagnosis;

    set_up();
    rig_build(&rig);
    times(0, 4);
    tape_load(&tape, 1, 0, buffer + (1 << 20) - 128, 4);
    tape_end(&tape);
    rig_set_launch(&rig, &tape.kernel, 1, 64);
    assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
    assert_non_null(compute_unit_fault(rig.units[0]));
    fault_diagnose(compute_unit_fault(rig.units[0]), rig.isa, &rig.backing, NULL, NULL, &diagnosis);
    assert_non_null(strstr(diagnosis.message, "kernel kernel, work-group 0:0:0, wavefront 0"));
    assert_non_null(strstr(diagnosis.message,
                           "'tape.9 v1, v0' at offset 0x4, lane 32 (work-item 32:0:0), "
                           "loads 4"));
    assert_non_null(strstr(diagnosis.message, "buffer"));
    rig_finish(&rig);
}

static void nothing_to_do_is_done(void **state)
{
    set_up();
    rig_build(&rig);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_LANES, 0, 0);
    tape_load(&tape, 1, 0, 0, 4);
    tape_store(&tape, 1, 0, 0, 4);
    tape_wait(&tape, 0, 0, 0);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 3, 64);
    assert_int_equal(rig.log_count, 0);
    rig_finish(&rig);
}

static void scalar_loads_read_over_lines(void **state)
{
    set_up();
    rig_build(&rig);
    rig_words(&rig, buffer)[15] = 3;
    tape_scalar_load(&tape, buffer + 60, 32);
    tape_wait(&tape, 15, 7, 0);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_loop(&tape, 2);
    times(0, 4);
    tape_store(&tape, 1, 0, buffer + 4096, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_words(&rig, buffer + 4096)[5], 3);
    assert_int_equal(rig_counter(&rig, "cu0.smem_accesses"), 2);
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_take_their_cycles),
        cmocka_unit_test(rates_are_parameters),
        cmocka_unit_test(requests_and_back_pressure_bound_the_rate),
        cmocka_unit_test(atomics_take_their_cycles),
        cmocka_unit_test(unloaded_latency_is_the_sum_of_the_hops),
        cmocka_unit_test(latency_counts_by_lanes),
        cmocka_unit_test(vmcnt_falls_in_issue_order),
        cmocka_unit_test(expcnt_falls_when_store_data_was_read),
        cmocka_unit_test(full_counters_and_full_queues_stall_issue),
        cmocka_unit_test(a_full_expcnt_stalls_issue),
        cmocka_unit_test(invalidations_keep_their_place),
        cmocka_unit_test(atomics_return_what_was_there),
        cmocka_unit_test(inactive_lanes_store_nothing),
        cmocka_unit_test(a_launch_ends_after_its_stores),
        cmocka_unit_test(an_unmapped_address_stops_the_launch),
        cmocka_unit_test(nothing_to_do_is_done),
        cmocka_unit_test(scalar_loads_read_over_lines),
    };

    return cmocka_run_group_tests_name("gpu/vector_memory", tests, NULL, NULL);
}
