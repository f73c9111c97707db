/* SPDX-License-Identifier: MIT */
/* Where one wavefront spends its time, and what of its work lies in the shadow of a load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/rig.h"

static struct rig rig;
static struct tape tape;
static uint64_t buffer;

static void set_up(void)
{
    rig_init(&rig);
    buffer = rig_allocate(&rig, 1 << 16);
    rig.vector_latency = 300;
    tape_init(&tape);
    tape.kernel.lds_bytes = 1024;
    rig_build(&rig);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
}

static void run(void)
{
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
}

static void work(unsigned operations)
{
    for (unsigned i = 0; i < operations; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 5, 1);
}

static uint64_t spent(const char *what)
{
    return rig_counter(&rig, what);
}

static void load_and_work(unsigned operations)
{
    set_up();
    tape_load(&tape, 1, 0, buffer, 4);
    work(operations);
    tape_wait(&tape, 0, 7, 15);
    run();
}

/* 100 cycles of work make the wait so much shorter, and are hidden. */
static void work_behind_a_load_is_hidden(void **state)
{
    uint64_t waited, worked;

    (void)state;
    load_and_work(0);
    waited = spent("cu0.wavefront_time.vm");
    worked = spent("cu0.hidden_vmem_cycles");
    rig_finish(&rig);
    assert_true(waited > 150);
    assert_true(worked < 20);
    load_and_work(25);
    assert_in_range(spent("cu0.hidden_vmem_cycles"), worked + 96, worked + 120);
    assert_in_range(waited - spent("cu0.wavefront_time.vm"), 90, 120);
    assert_int_equal(spent("cu0.hidden_lds_cycles") + spent("cu0.hidden_smem_cycles"), 0);
    rig_finish(&rig);
}

/* What two loads cover is counted once; what no wait follows is not hidden. */
static void a_shadow_counts_once(void **state)
{
    (void)state;
    set_up();
    tape_load(&tape, 1, 0, buffer, 4);
    work(10);
    tape_load(&tape, 2, 0, buffer + 1024, 4);
    work(15);
    tape_wait(&tape, 1, 7, 15);
    tape_wait(&tape, 0, 7, 15);
    run();
    assert_in_range(spent("cu0.hidden_vmem_cycles"), 96, 130);
    rig_finish(&rig);
    set_up();
    tape_load(&tape, 1, 0, buffer, 4);
    tape_wait(&tape, 0, 7, 15);
    work(25);
    run();
    assert_true(spent("cu0.hidden_vmem_cycles") < 20);
    rig_finish(&rig);
}

static void each_wait_has_its_name(void **state)
{
    (void)state;
    set_up();
    tape_local_load(&tape, 1, 0, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_store(&tape, 1, 0, buffer, 4);
    run();
    assert_true(spent("cu0.wavefront_time.lds") > 20);
    assert_int_equal(spent("cu0.wavefront_time.scalar"), 0);
    assert_int_equal(spent("cu0.wavefront_time.vm"), 0);
    assert_true(spent("cu0.wavefront_time.stores") > 50);
    rig_finish(&rig);
    set_up();
    tape_scalar_load(&tape, buffer, 4);
    tape_wait(&tape, 15, 7, 0);
    run();
    assert_true(spent("cu0.wavefront_time.scalar") > 5);
    assert_int_equal(spent("cu0.wavefront_time.lds"), 0);
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_behind_a_load_is_hidden),
        cmocka_unit_test(a_shadow_counts_once),
        cmocka_unit_test(each_wait_has_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
