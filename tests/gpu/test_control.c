/* SPDX-License-Identifier: MIT */
/* Waits and barriers, and the faults that leave them out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/rig.h"
#include "sim/debug.h"

static struct rig rig;
static struct tape tape;
static uint64_t buffer;

static void set_up(uint64_t breaks)
{
    rig_init(&rig);
    rig.breaks = breaks;
    buffer = rig_allocate(&rig, 1 << 20);
    tape_init(&tape);
}

/* Loads a word and stores it elsewhere. */
static uint32_t copied_words(uint64_t breaks)
{
    uint32_t count = 0;

    set_up(breaks);
    rig_build(&rig);
    for (uint32_t i = 0; i < 64; i++)
        rig_words(&rig, buffer)[i] = 100 + i;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_load(&tape, 1, 0, buffer, 4);
    tape_wait(&tape, 0, 7, 15);
    tape_store(&tape, 1, 0, buffer + 4096, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        count += rig_words(&rig, buffer + 4096)[i] == 100 + i;
    rig_finish(&rig);
    return count;
}

static void a_wait_makes_loaded_data_visible(void **state)
{
    assert_int_equal(copied_words(0), 64);
    assert_int_equal(copied_words(UINT64_C(1) << DEBUG_BREAK_IGNORE_WAITCNT), 0);
}

/* The last wavefront's store to local memory comes late, since it waits for a slow load; the first
 * wavefront reads what the last has written. Items 0..63 read the words of items 192..255. */
static uint32_t words_seen_over_a_barrier(uint64_t breaks)
{
    uint32_t count = 0;

    set_up(breaks);
    rig.slow_page = buffer + 3 * 4096;
    rig.slow_latency = 1000;
    rig_build(&rig);
    tape.kernel.lds_bytes = 1024;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 1, 0);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 1, 64);
    tape_load(&tape, 2, 1, buffer, 4); /* item * 64: a page for each wavefront */
    tape_wait(&tape, 0, 7, 15);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 3, 9);
    tape_local_store(&tape, 3, 0, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 4, 0);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 4, 768);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_AND, 4, 1023);
    tape_local_load(&tape, 5, 4, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_store(&tape, 5, 0, buffer + 65536, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 256);
    for (uint32_t i = 0; i < 256; i++)
        count += rig_words(&rig, buffer + 65536)[i] == 9;
    if (breaks == 0) {
        assert_int_equal(rig_counter(&rig, "cu0.barrier_waits"), 3);
        assert_true(rig_counter(&rig, "cu0.stall_barrier") > 3 * 200);
    }
    rig_finish(&rig);
    return count;
}

static void a_barrier_waits_for_the_last(void **state)
{
    assert_int_equal(words_seen_over_a_barrier(0), 256);
    assert_int_equal(words_seen_over_a_barrier(UINT64_C(1) << DEBUG_BREAK_IGNORE_BARRIER), 192);
}

/* Two work-groups of four wavefronts wait at barriers of their own. */
static void barriers_belong_to_work_groups(void **state)
{
    set_up(0);
    rig_build(&rig);
    for (uint32_t i = 0; i < 20; i++) {
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
        tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    }
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 9, 256);
    assert_int_equal(rig_counter(&rig, "cu0.instructions_valu"), 9 * 4 * 20);
    assert_int_equal(rig_counter(&rig, "cu0.groups"), 9);
    rig_finish(&rig);
}

/* A work-group of one wavefront passes its barriers without waiting. */
static void a_barrier_alone_is_passed(void **state)
{
    set_up(0);
    rig_build(&rig);
    tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_counter(&rig, "cu0.barrier_waits"), 0);
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_makes_loaded_data_visible),
        cmocka_unit_test(a_barrier_waits_for_the_last),
        cmocka_unit_test(barriers_belong_to_work_groups),
        cmocka_unit_test(a_barrier_alone_is_passed),
    };

    return cmocka_run_group_tests_name("gpu/control", tests, NULL, NULL);
}
