/* SPDX-License-Identifier: MIT */
/* What a kernel's start and end tell the caches, and what waits for their answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/rig.h"
#include "sim/debug.h"

enum { ANSWER_CYCLES = 500 };

static struct rig rig;
static struct tape tape;

/* One store by each wavefront. Returns the launch's cycles. */
static uint64_t run(bool invalidates, bool flushes, uint64_t breaks, uint32_t units)
{
    uint64_t buffer;

    rig_init(&rig);
    rig.unit_count = units;
    rig.invalidates = invalidates;
    rig.flushes = flushes;
    rig.breaks = breaks;
    rig.vector_latency = ANSWER_CYCLES;
    buffer = rig_allocate(&rig, 1 << 16);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    return rig_run_tape(&rig, &tape, 4, 64);
}

static uint32_t first_of(unsigned kind)
{
    for (uint32_t i = 0; i < rig.log_count; i++)
        if (rig.log[i].message.kind == kind)
            return i;
    fail_msg("no such message");
    return 0;
}

static void the_start_comes_before_all(void **state)
{
    uint64_t without = run(false, false, 0, 1), with;

    assert_int_equal(rig_count_messages(&rig, MESSAGE_INVALIDATE), 0);
    assert_int_equal(rig_counter(&rig, "dispatcher.start_cycles"), 0);
    rig_finish(&rig);
    with = run(true, false, 0, 1);
    assert_in_range(with - without, ANSWER_CYCLES, ANSWER_CYCLES + 20);
    assert_in_range(rig_counter(&rig, "dispatcher.start_cycles"), ANSWER_CYCLES,
                    with - without + rig.parameters.turn_cycles); /* the launch may meet another SIMD's turn */
    assert_int_equal(rig_counter(&rig, "dispatcher.end_cycles"), 0);
    assert_int_equal(first_of(MESSAGE_INVALIDATE), 0);
    assert_int_equal(rig.log[0].message.order, ORDER_ACQUIRE);
    assert_int_equal(rig.log[0].message.scope, SCOPE_SYSTEM);
    assert_true(rig.log[1].cycle >= rig.log[0].cycle + ANSWER_CYCLES);
    assert_true(rig.fetches[0].message.kind == MESSAGE_INVALIDATE);
    assert_true(rig.fetches[1].cycle >= rig.log[0].cycle + ANSWER_CYCLES);
    assert_int_equal(rig_counter(&rig, "cu0.boundary_messages"), 3);
    rig_finish(&rig);
    (void)state;
}

static void the_end_comes_after_all(void **state)
{
    uint64_t without = run(false, false, 0, 1), with;
    const struct rig_message *last;

    rig_finish(&rig);
    with = run(false, true, 0, 1);
    assert_in_range(with - without, ANSWER_CYCLES, ANSWER_CYCLES + 20);
    assert_int_equal(rig_counter(&rig, "dispatcher.end_cycles"), with - without);
    assert_int_equal(rig_counter(&rig, "dispatcher.start_cycles"), 0);
    last = &rig.log[rig.log_count - 1];
    assert_int_equal(last->message.kind, MESSAGE_FLUSH);
    assert_int_equal(last->message.order, ORDER_RELEASE);
    assert_int_equal(last->message.scope, SCOPE_SYSTEM);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_FLUSH), 1);
    assert_true(last->cycle >= rig.log[rig.log_count - 2].cycle + rig.store_latency);
    assert_int_equal(rig_counter(&rig, "cu0.boundary_messages"), 1);
    rig_finish(&rig);
    (void)state;
}

/* Also those without a work-group; the shared caches are told once. */
static void every_compute_unit_is_told(void **state)
{
    run(true, true, 0, 3);
    assert_int_equal(rig_counter(&rig, "cu0.boundary_messages"), 4);
    assert_int_equal(rig_counter(&rig, "cu1.boundary_messages"), 2);
    assert_int_equal(rig_counter(&rig, "cu2.boundary_messages"), 2);
    rig_finish(&rig);
    (void)state;
}

static void each_launch_has_its_own(void **state)
{
    run(true, true, 0, 2);
    rig_run_tape(&rig, &tape, 1, 64);
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_counter(&rig, "cu1.boundary_messages"), 6);
    rig_finish(&rig);
    (void)state;
}

static void faults_leave_them_out(void **state)
{
    run(true, false, UINT64_C(1) << DEBUG_BREAK_KEEP_L1_AT_KERNEL, 1);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_INVALIDATE), 0);
    assert_int_equal(rig_counter(&rig, "cu0.boundary_messages"), 2);
    rig_finish(&rig);
    run(true, true, UINT64_C(1) << DEBUG_BREAK_KEEP_L1_AT_END, 1);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_INVALIDATE), 1);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_FLUSH), 0);
    rig_finish(&rig);
    run(true, false, UINT64_C(1) << DEBUG_BREAK_KEEP_SCALAR_AT_KERNEL, 1);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_INVALIDATE), 1);
    assert_int_equal(rig_counter(&rig, "cu0.boundary_messages"), 1);
    rig_finish(&rig);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_comes_before_all), cmocka_unit_test(the_end_comes_after_all),
        cmocka_unit_test(every_compute_unit_is_told), cmocka_unit_test(each_launch_has_its_own),
        cmocka_unit_test(faults_leave_them_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
