/* SPDX-License-Identifier: MIT */
/* Wavefronts of 32 lanes: what takes half as long, and which work-items they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/local_memory.h"
#include "gpu/rig.h"

static struct rig rig;
static struct tape tape;

static void start_rig(uint32_t lanes)
{
    rig_init(&rig);
    rig.wave_lanes = lanes;
    rig.parameters.buffer_bytes = 512; /* fetches do not matter */
    rig.parameters.fetch_bytes = 64;
}

static uint64_t run_vectors(uint32_t lanes, enum isa_latency latency)
{
    uint64_t cycles;

    start_rig(lanes);
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 100; i++)
        tape_vector(&tape, latency, TAPE_ADD, 1, 1);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 128);
    assert_int_equal(rig_counter(&rig, "cu0.instructions_valu"), 100 * 128 / lanes);
    assert_int_equal(rig_counter(&rig, "cu0.lane_operations"), 100 * 128);
    rig_finish(&rig);
    return cycles;
}

/* An operation of 32 lanes takes half the cycles on a SIMD of 16, but waits for the SIMD's next turn. */
static void operations_take_half_as_long(void **state)
{
    assert_in_range(run_vectors(64, ISA_LATENCY_QUARTER), 1600, 1660);
    assert_in_range(run_vectors(32, ISA_LATENCY_QUARTER), 800, 860);
    assert_in_range(run_vectors(32, ISA_LATENCY_FULL), 400, 460);
}

/* Stores of one wavefront, in a row: the address unit has 16 lanes in a fourth of store_cycles. */
static uint64_t run_stores(uint32_t lanes)
{
    uint64_t cycles, addr;
    uint32_t count = 0;

    start_rig(lanes);
    rig.parameters.vmem_entries = 64;
    addr = rig_allocate(&rig, 65536);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (uint32_t i = 0; i < 32; i++)
        tape_store(&tape, 1, 0, addr + 256 * i, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, lanes);
    for (uint32_t i = 0; i < rig.log_count; i++)
        count += rig.log[i].message.kind == MESSAGE_STORE;
    assert_int_equal(count, 32 * lanes / 16);
    cycles = rig_counter(&rig, "cu0.address_cycles");
    rig_finish(&rig);
    return cycles;
}

static void addresses_are_of_half_as_many_quarters(void **state)
{
    assert_int_equal(run_stores(64), 32 * 16);
    assert_int_equal(run_stores(32), 32 * 8);
}

/* Each work-item of each wavefront stores its number: none is missing, none twice there. */
static void work_items_are_numbered_through(void **state)
{
    uint64_t addr;

    start_rig(32);
    addr = rig_allocate(&rig, 65536);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 1, 0); /* r1 = r0, the work-item */
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_store(&tape, 1, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 3, 112); /* the last wavefront has 16 */
    for (uint32_t i = 0; i < 3 * 112; i++)
        assert_int_equal(rig_words(&rig, addr)[i], i);
    assert_int_equal(rig_counter(&rig, "cu0.store_lanes"), 3 * 112);
    rig_finish(&rig);
}

static void local_memory_has_half_the_passes(void **state)
{
    static struct isa_memory_request request;

    request.kind = ISA_MEMORY_LOAD;
    request.element_bytes = 4;
    request.lanes = UINT32_MAX;
    for (unsigned lane = 0; lane < 32; lane++)
        request.address[lane] = 4 * lane;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 2);
    assert_int_equal(local_memory_cost(&request, 32, 32).cycles, 1);
    assert_int_equal(local_memory_cost(&request, 32, 32).conflict, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        request.address[lane] = 128 * lane;
    assert_int_equal(local_memory_cost(&request, 32, 32).cycles, 32);
    assert_int_equal(local_memory_cost(&request, 32, 32).conflict, 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_take_half_as_long),
        cmocka_unit_test(addresses_are_of_half_as_many_quarters),
        cmocka_unit_test(work_items_are_numbered_through),
        cmocka_unit_test(local_memory_has_half_the_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
