/* SPDX-License-Identifier: MIT */
/* cu.serial_fetch_cycles: each instruction of a wavefront is fetched when the one before it lets go
 * of the wavefront. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/rig.h"

enum { COUNT = 100, FETCH = 10 };

static struct rig rig;
static struct tape tape;
static uint64_t buffer;

static void add_vector(void)
{
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
}

static void add_slow_vector(void)
{
    tape_vector(&tape, ISA_LATENCY_QUARTER, TAPE_ADD, 1, 1);
}

static void add_scalar(void)
{
    tape_scalar(&tape);
}

static void add_load(void)
{
    tape_load(&tape, 1, 2, buffer, 4);
}

static void add_local_load(void)
{
    tape_local_load(&tape, 1, 2, 4);
}

static void add_wait(void)
{
    tape_wait(&tape, 0, 7, 15);
}

static void add_barrier(void)
{
    tape_control(&tape, ISA_CONTROL_BARRIER, 0);
}

static void add_pause(void)
{
    tape_control(&tape, ISA_CONTROL_NOP, 0);
}

static void add_load_and_wait(void)
{
    add_load();
    tape_wait(&tape, 0, 0, 0);
}

/* Cycles an instruction of one wavefront, by what COUNT more of them take. */
static uint64_t each(void (*add)(void), uint64_t fetch)
{
    uint64_t cycles[2];

    for (uint32_t more = 0; more < 2; more++) {
        rig_init(&rig);
        rig.parameters.serial_fetch_cycles = fetch;
        rig.parameters.vm_count_max = 15;
        rig.parameters.load_linear_cycles = 1;
        rig.vector_latency = 1;
        buffer = rig_allocate(&rig, 4096);
        rig_build(&rig);
        tape_init(&tape);
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 2, 0);
        for (uint32_t i = 0; i < COUNT * (more + 1); i++)
            add();
        tape_wait(&tape, 0, 0, 0);
        tape_end(&tape);
        tape.kernel.lds_bytes = 256;
        cycles[more] = rig_run_tape(&rig, &tape, 1, 64);
        rig_finish(&rig);
    }
    assert_int_equal((cycles[1] - cycles[0]) % COUNT, 0);
    return (cycles[1] - cycles[0]) / COUNT;
}

static uint64_t turns(uint64_t cycles)
{
    return (cycles + 3) / 4 * 4;
}

/* A vector operation goes on while the next is fetched; a scalar one ends before. */
static void the_next_is_fetched_when_an_operation_lets_go(void **state)
{
    (void)state;
    assert_int_equal(each(add_vector, 0), 4);
    assert_int_equal(each(add_vector, FETCH), turns(FETCH));
    assert_int_equal(each(add_slow_vector, FETCH), 16);
    assert_int_equal(each(add_scalar, 0), 4);
    assert_int_equal(each(add_scalar, FETCH), turns(4 + FETCH));
}

/* A wait, a barrier or a no-op goes through the scalar unit before it does anything. */
static void an_internal_instruction_takes_as_long_as_a_scalar_one(void **state)
{
    (void)state;
    assert_int_equal(each(add_wait, 0), 4);
    assert_int_equal(each(add_wait, FETCH), each(add_scalar, FETCH));
    assert_int_equal(each(add_barrier, FETCH), each(add_scalar, FETCH));
    assert_int_equal(each(add_pause, FETCH), each(add_scalar, FETCH));
}

/* That time passes while the memory is waited for, but for the turns that it may cost. */
static void a_wait_that_lasts_is_no_longer_for_it(void **state)
{
    uint64_t load = each(add_load_and_wait, 1);

    (void)state;
    assert_in_range(each(add_load_and_wait, FETCH), load + FETCH - 4, load + 2 * FETCH);
}

/* A load lets go when it is issued, so that several are in flight. */
static void loads_are_in_flight_together(void **state)
{
    (void)state;
    assert_int_equal(each(add_load, FETCH), turns(FETCH));
}

/* One of local memory lets go when its data is here. */
static void local_memory_is_waited_for(void **state)
{
    uint64_t latency;

    (void)state;
    rig_init(&rig);
    latency = rig.parameters.lds_latency_cycles;
    rig_finish(&rig);
    assert_true(each(add_local_load, 0) < latency);
    assert_in_range(each(add_local_load, FETCH), latency + FETCH, latency + FETCH + 8);
}

static void add_spread_load(void)
{
    tape_local_load(&tape, 1, 0, 4);
}

static void add_spread_store(void)
{
    tape_local_store(&tape, 1, 0, 4);
}

/* Cycles of an access of `items` lanes that lie 16 bytes apart, with hd7970-m2s's parameters. */
static uint64_t spread_access(void (*add)(void), uint32_t items)
{
    uint64_t cycles[2];

    for (uint32_t more = 0; more < 2; more++) {
        rig_init(&rig);
        rig.parameters.serial_fetch_cycles = 6;
        rig.parameters.lds_block_bytes = 64;
        rig.parameters.lds_write_cycles = 0;
        rig.parameters.lds_latency_cycles = 2;
        rig_build(&rig);
        tape_init(&tape);
        tape.kernel.lds_bytes = 1024;
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 16);
        for (uint32_t i = 0; i < COUNT * (more + 1); i++)
            add();
        tape_end(&tape);
        cycles[more] = rig_run_tape(&rig, &tape, 1, items);
        rig_finish(&rig);
    }
    return (cycles[1] - cycles[0]) / COUNT;
}

/* As Multi2Sim's trace of AMD's Reduction has them, from fetch to fetch. */
static void local_accesses_take_what_multi2sims_do(void **state)
{
    static const uint64_t loads[] = {28, 20, 16, 12, 12}, stores[] = {40, 24, 16, 12, 12};

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(spread_access(add_spread_load, 64 >> i), loads[i]);
        assert_int_equal(spread_access(add_spread_store, 64 >> i), stores[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"serial_fetch/the_next_is_fetched_when_an_operation_lets_go",
         the_next_is_fetched_when_an_operation_lets_go, NULL, NULL, NULL},
        {"serial_fetch/an_internal_instruction_takes_as_long_as_a_scalar_one",
         an_internal_instruction_takes_as_long_as_a_scalar_one, NULL, NULL, NULL},
        {"serial_fetch/a_wait_that_lasts_is_no_longer_for_it",
         a_wait_that_lasts_is_no_longer_for_it, NULL, NULL, NULL},
        {"serial_fetch/loads_are_in_flight_together", loads_are_in_flight_together, NULL, NULL,
         NULL},
        {"serial_fetch/local_accesses_take_what_multi2sims_do",
         local_accesses_take_what_multi2sims_do, NULL, NULL, NULL},
        {"serial_fetch/local_memory_is_waited_for", local_memory_is_waited_for, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
