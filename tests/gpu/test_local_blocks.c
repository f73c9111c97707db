/* SPDX-License-Identifier: MIT */
/* cu.lds_block_bytes: local memory in whole blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/local_blocks.h"
#include "gpu/rig.h"

static struct isa_memory_request request;
static struct rig rig;
static struct tape tape;

static void access_at_stride(uint8_t kind, uint8_t bytes, uint64_t stride)
{
    memset(&request, 0, sizeof request);
    request.kind = kind;
    request.element_bytes = bytes;
    request.lanes = request.second_lanes = UINT64_MAX;
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        request.address[lane] = lane * stride;
}

static struct local_cost in_blocks(uint8_t kind, uint8_t bytes, uint64_t stride)
{
    access_at_stride(kind, bytes, stride);
    return local_blocks_cost(&request, 64, 2);
}

/* Multi2Sim's times of ds_read_b32 and ds_write_b32, as its trace of AMD's Reduction shows them: 16
 * lanes in a block of 64 bytes, or four of a vector each. */
static void blocks_of_a_load_take_a_cycle_each(void **state)
{
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 4, 4).cycles, 4);
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 4, 4).conflict, 0);
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 4, 16).cycles, 16);
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 4, 16).conflict, 12);
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 4, 4096).cycles, 64);
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 16, 16).cycles, 16);
    assert_int_equal(in_blocks(ISA_MEMORY_LOAD, 4, 0).cycles, 1);
    request.lanes = 0;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 1);
}

static void blocks_of_a_store_follow_each_other(void **state)
{
    assert_int_equal(in_blocks(ISA_MEMORY_STORE, 4, 4).cycles, 3 * 2 + 1);
    assert_int_equal(in_blocks(ISA_MEMORY_STORE, 4, 16).cycles, 15 * 2 + 1);
    assert_int_equal(in_blocks(ISA_MEMORY_STORE, 4, 16).conflict, 12 * 2);
    assert_int_equal(in_blocks(ISA_MEMORY_ATOMIC, 4, 64).cycles, 63 * 2 + 1);
    assert_int_equal(local_blocks_cost(&request, 64, 5).cycles, 63 * 5 + 1);
    assert_int_equal(local_blocks_cost(&request, 128, 2).cycles, 31 * 2 + 1);
}

/* Lanes that go back and forth between two blocks: a load joins any other of its instruction, a
 * store the last alone. */
static void a_store_joins_the_one_before_it(void **state)
{
    access_at_stride(ISA_MEMORY_LOAD, 4, 0);
    for (unsigned lane = 1; lane < ISA_MAX_LANES; lane += 2)
        request.address[lane] = 64;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 2);
    request.kind = ISA_MEMORY_STORE;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 63 * 2 + 1);
    request.lanes = UINT64_C(0x5555555555555555);
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 1);
}

/* The second element of ds_read2 and ds_write2 is an access of its own, behind the first of its
 * lane; one that is not aligned lies in two blocks. */
static void second_elements_and_ends_count(void **state)
{
    access_at_stride(ISA_MEMORY_LOAD, 4, 4);
    request.second_delta = 256;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 8);
    request.kind = ISA_MEMORY_STORE;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 127 * 2 + 1);
    request.second_lanes = 1;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 5 * 2 + 1);
    access_at_stride(ISA_MEMORY_LOAD, 8, 0);
    request.address[63] = 60;
    assert_int_equal(local_blocks_cost(&request, 64, 2).cycles, 2);
}

static uint64_t cycles_in_blocks(uint64_t block_bytes, bool stores)
{
    uint64_t cycles;

    rig_init(&rig);
    rig.parameters.lds_block_bytes = block_bytes;
    rig_build(&rig);
    tape_init(&tape);
    tape.kernel.lds_bytes = 1024;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (uint32_t i = 0; i < 10; i++)
        stores ? tape_local_store(&tape, 1, 0, 4) : tape_local_load(&tape, 2, 0, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    cycles = rig_counter(&rig, "cu0.lds_cycles");
    rig_finish(&rig);
    return cycles;
}

static void the_unit_takes_what_its_blocks_do(void **state)
{
    assert_int_equal(cycles_in_blocks(0, false), 10 * 2);
    assert_int_equal(cycles_in_blocks(64, false), 10 * 4);
    assert_int_equal(cycles_in_blocks(32, false), 10 * 8);
    assert_int_equal(cycles_in_blocks(64, true), 10 * (3 * 2 + 1 + 2)); /* and lds_write_cycles */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_a_load_take_a_cycle_each),
        cmocka_unit_test(blocks_of_a_store_follow_each_other),
        cmocka_unit_test(a_store_joins_the_one_before_it),
        cmocka_unit_test(second_elements_and_ends_count),
        cmocka_unit_test(the_unit_takes_what_its_blocks_do),
    };

    return cmocka_run_group_tests_name("gpu/local_blocks", tests, NULL, NULL);
}
