/* SPDX-License-Identifier: MIT */
/* Banks and data of local memory, then its unit's timing on tapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/local_memory.h"
#include "gpu/rig.h"

static struct isa_memory_request request;

static struct local_cost cost_of_stride(uint8_t kind, uint8_t bytes, uint64_t stride)
{
    memset(&request, 0, sizeof request);
    request.kind = kind;
    request.element_bytes = bytes;
    request.rmw = RMW_ADD;
    request.lanes = request.second_lanes = UINT64_MAX;
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        request.address[lane] = lane * stride;
    return local_memory_cost(&request, 32, 64);
}

/* Two passes of 32 lanes, one cycle each. */
static void dwords_in_a_row_take_two_cycles(void **state)
{
    struct local_cost cost = cost_of_stride(ISA_MEMORY_LOAD, 4, 4);

    assert_int_equal(cost.cycles, 2);
    assert_int_equal(cost.conflict, 0);
}

/* Stride of n words, n a power of two: n lanes of a pass share each bank in use. */
static void an_n_way_conflict_takes_n_times_as_long(void **state)
{
    for (unsigned ways = 1; ways <= 32; ways *= 2) {
        struct local_cost cost = cost_of_stride(ISA_MEMORY_LOAD, 4, 4 * ways);

        assert_int_equal(cost.cycles, 2 * ways);
        assert_int_equal(cost.conflict, 2 * ways - 2);
    }
}

/* 64 banks serve 64 words in a row in one pass, 32 only where conflicts let them. */
static void a_pass_is_as_wide_as_its_banks(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 4);
    assert_int_equal(local_memory_cost(&request, 64, 64).cycles, 1);
    assert_int_equal(local_memory_cost(&request, 64, 64).conflict, 0);
    assert_int_equal(local_memory_cost(&request, 64, 32).cycles, 1);
    cost_of_stride(ISA_MEMORY_LOAD, 4, 8);
    assert_int_equal(local_memory_cost(&request, 64, 64).cycles, 2);
    cost_of_stride(ISA_MEMORY_LOAD, 16, 16);
    assert_int_equal(local_memory_cost(&request, 64, 64).cycles, 4);
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 8);
}

static void an_odd_stride_has_no_conflict(void **state)
{
    assert_int_equal(cost_of_stride(ISA_MEMORY_LOAD, 4, 4 * 33).cycles, 2);
    assert_int_equal(cost_of_stride(ISA_MEMORY_LOAD, 4, 4 * 3).cycles, 2);
}

static void the_same_word_is_broadcast(void **state)
{
    assert_int_equal(cost_of_stride(ISA_MEMORY_LOAD, 4, 0).cycles, 2);
    assert_int_equal(cost_of_stride(ISA_MEMORY_LOAD, 1, 1).cycles, 2);
}

/* Each of the 32 lanes of a pass updates the word on its own. */
static void atomics_on_one_word_are_serialised(void **state)
{
    assert_int_equal(cost_of_stride(ISA_MEMORY_ATOMIC, 4, 0).cycles, 64);
    assert_int_equal(cost_of_stride(ISA_MEMORY_ATOMIC, 4, 4).cycles, 2);
}

/* Four passes of 16 lanes, two words each: all 32 banks busy once. */
static void pairs_in_a_row_take_four_cycles(void **state)
{
    assert_int_equal(cost_of_stride(ISA_MEMORY_LOAD, 8, 8).cycles, 4);
    assert_int_equal(cost_of_stride(ISA_MEMORY_LOAD, 8, 16).cycles, 8);
}

static void two_elements_cost_two_words(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 4);
    request.second_delta = 64;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 4);
    cost_of_stride(ISA_MEMORY_LOAD, 8, 8);
    request.second_delta = 128;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 8);
}

/* Lanes in a row, the second elements 64 elements further, so in the same banks as the first ones:
 * two accesses of 2 cycles each. */
static void two_elements_in_one_bank_cost_two_accesses(void **state)
{
    static const uint8_t kinds[] = {ISA_MEMORY_LOAD, ISA_MEMORY_STORE, ISA_MEMORY_ATOMIC};

    for (unsigned i = 0; i < 3; i++) {
        cost_of_stride(kinds[i], 4, 4);
        request.second_delta = 64 * 4;
        assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 4);
        assert_int_equal(local_memory_cost(&request, 32, 64).conflict, 0);
        cost_of_stride(kinds[i], 8, 8);
        request.second_delta = 64 * 8;
        assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 8);
        assert_int_equal(local_memory_cost(&request, 32, 64).conflict, 0);
    }
}

/* Pairs in a row as two elements: together they fill all banks; one after the other each would find
 * two lanes in a bank. */
static void two_elements_side_by_side_are_served_together(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 8);
    request.second_delta = 4;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 4);
    assert_int_equal(local_memory_cost(&request, 32, 64).conflict, 0);
}

/* All first elements lie in one bank, 64 words; of the second ones a single lane has one, another
 * word of that bank. */
static void second_elements_of_lanes_without_one_cost_nothing(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 4 * 32);
    request.second_delta = 64 * 4 * 32;
    request.second_lanes = 0;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 64);
    request.second_lanes = 1;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 65);
    assert_int_equal(local_memory_cost(&request, 32, 64).conflict, 65 - 4);
}

/* A quarter of the lanes has two words in each of eight banks, the next quarter in the next eight: 2
 * cycles for 32 lanes. Second elements are as many as have one. */
static void each_element_is_served_for_its_own_lanes(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 4);
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        request.address[lane] = 4 * (lane / 16 * 8 + lane % 8 + 32 * (lane / 8 % 2));
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 4);
    request.second_delta = 64 * 4;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 4 + 4);
    request.second_lanes = 1;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 4 + 2);
    request.second_lanes = UINT64_MAX;
    request.lanes = 1;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 2 + 4);
}

static void banks_are_a_parameter(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 4);
    assert_int_equal(local_memory_cost(&request, 16, 64).cycles, 4);
}

static void data_of_all_widths(void **state)
{
    static unsigned char memory[1024];
    static const uint8_t widths[] = {1, 2, 4, 8};

    for (unsigned i = 0; i < 4; i++) {
        unsigned bytes = widths[i];

        for (unsigned masked = 0; masked < 2; masked++) {
            cost_of_stride(ISA_MEMORY_STORE, (uint8_t)bytes, bytes * 2);
            request.lanes = masked ? UINT64_C(0x5a5a5a5a12345678) : UINT64_MAX;
            memset(memory, 0, sizeof memory);
            for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++) {
                request.data[0][lane] = 0x11223300 + lane;
                request.data[1][lane] = 0x44556600 + lane;
            }
            local_memory_access(memory, &request);
            request.kind = ISA_MEMORY_LOAD;
            memset(request.data, 0xee, sizeof request.data);
            local_memory_access(memory, &request);
            for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++) {
                uint32_t whole = 0x11223300 + lane;

                if ((request.lanes >> lane & 1) == 0) {
                    assert_int_equal(memory[lane * bytes * 2], 0);
                    continue;
                }
                assert_int_equal(request.data[0][lane], bytes == 1   ? whole & 0xff
                                                        : bytes == 2 ? whole & 0xffff
                                                                     : whole);
                if (bytes == 8)
                    assert_int_equal(request.data[1][lane], 0x44556600 + lane);
            }
        }
    }
}

static void atomics_return_old_values_in_lane_order(void **state)
{
    uint32_t word = 5;

    cost_of_stride(ISA_MEMORY_ATOMIC, 4, 0);
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        request.data[0][lane] = 1;
    local_memory_access((unsigned char *)&word, &request);
    assert_int_equal(word, 5 + 64);
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        assert_int_equal(request.data[0][lane], 5 + lane);
}

static void an_address_outside_is_found(void **state)
{
    cost_of_stride(ISA_MEMORY_LOAD, 4, 4);
    assert_int_equal(local_memory_outside(&request, 256), -1);
    assert_int_equal(local_memory_outside(&request, 255), 63);
    assert_int_equal(local_memory_outside(&request, 3), 0);
    request.lanes = request.second_lanes = 0xffff;
    assert_int_equal(local_memory_outside(&request, 64), -1);
    request.second_delta = 8;
    assert_int_equal(local_memory_outside(&request, 64), 14);
}

/* ---- timing ---- */

static int32_t second_delta; /* of run_loads: where each lane's second element is; 0: it has none */

static uint64_t run_loads(uint32_t stride, uint32_t count, void (*change)(struct rig *rig))
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    if (change != NULL)
        change(&rig);
    rig_build(&rig);
    tape_init(&tape);
    tape.kernel.lds_bytes = 32768;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_AND, 0, 63);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, stride);
    for (uint32_t i = 0; i < count; i++) {
        tape_local_load(&tape, 1, 0, 4)->second_delta = second_delta;
        if (i % 8 == 7)
            tape_wait(&tape, 15, 7, 0);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 512);
    assert_int_equal(rig_counter(&rig, "cu0.instructions_lds"), count * 8);
    rig_finish(&rig);
    return cycles;
}

/* Eight wavefronts keep the banks busy: 8 * 48 loads take 2 * n cycles each with an n-way conflict.
 */
static void conflicts_are_what_a_saturated_unit_takes(void **state)
{
    assert_in_range(run_loads(4, 48, NULL), 8 * 48 * 2, 8 * 48 * 2 + 250);
    assert_in_range(run_loads(16, 48, NULL), 8 * 48 * 8, 8 * 48 * 8 + 250);
    assert_in_range(run_loads(128, 48, NULL), 8 * 48 * 64, 8 * 48 * 64 + 250);
}

/* As run_loads, with two elements. */
static uint64_t run_pairs(uint32_t stride, int32_t delta)
{
    uint64_t cycles;

    second_delta = delta;
    cycles = run_loads(stride, 48, NULL);
    second_delta = 0;
    return cycles;
}

static void a_saturated_unit_serves_two_elements_as_fast_as_two_loads(void **state)
{
    assert_in_range(run_pairs(4, 64 * 4), 8 * 48 * 4, 8 * 48 * 4 + 250);
    assert_in_range(run_pairs(8, 4), 8 * 48 * 4, 8 * 48 * 4 + 250);
    assert_in_range(run_pairs(8, 64 * 4), 8 * 48 * 8, 8 * 48 * 8 + 250);
}

static uint64_t unloaded_latency(uint64_t latency)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig.parameters.lds_latency_cycles = latency;
    rig_build(&rig);
    tape_init(&tape);
    tape.kernel.lds_bytes = 256;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (uint32_t i = 0; i < 20; i++) {
        tape_local_load(&tape, 1, 0, 4);
        tape_wait(&tape, 15, 7, 0);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    rig_finish(&rig);
    return cycles;
}

/* A load and its wait: issue, service in the next cycle, 2 cycles of banks, the latency. The wait
 * is consumed in the first turn after that. The sum 1 + 2 + 29 = 32 is a whole number of turns,
 * then 4 for the wait; 8 turns more for 32 cycles more. */
static void load_to_use_latency(void **state)
{
    assert_in_range(unloaded_latency(29), 20 * (32 + 4), 20 * (32 + 4) + 60);
    assert_int_equal(unloaded_latency(29 + 32) - unloaded_latency(29), 20 * 32);
}

static void one_entry(struct rig *rig)
{
    rig->parameters.lds_entries = 1;
}

/* With one place in the queue each load waits for the one before it to reach the registers. */
static void a_short_queue_stalls_issue(void **state)
{
    assert_true(run_loads(4, 48, one_entry) > 8 * 48 * 28);
}

static void wavefronts_exchange_data_through_it(void **state)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t addr;

    rig_init(&rig);
    rig_build(&rig);
    addr = rig_allocate(&rig, 4096);
    tape_init(&tape);
    tape.kernel.lds_bytes = 1024;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_AND, 0, 255);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 1, 0); /* 1: item number */
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_local_store(&tape, 1, 0, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 2, 0)->source = 0; /* 2: 4 * item */
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 2, 512);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_AND, 2, 1023);
    tape_local_load(&tape, 3, 2, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_store(&tape, 3, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 256);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(rig_words(&rig, addr)[i], (i + 128) % 256);
    rig_finish(&rig);
}

/* Of an ISA whose local stores raise EXP_CNT: they store what the register holds when they are
 * served, after those in front. */
static uint32_t stored_before(unsigned counter, unsigned exp)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t addr;
    uint32_t word;

    rig_init(&rig);
    rig_build(&rig);
    addr = rig_allocate(&rig, 4096);
    tape_init(&tape);
    tape.kernel.lds_bytes = 64 * 128;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 128); /* one bank: 64 cycles */
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 7);
    tape_local_load(&tape, 2, 0, 4);
    tape_local_store(&tape, 1, 0, 4)->base.flags |= counter;
    tape_wait(&tape, 15, exp, 15);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 9);
    tape_local_load(&tape, 2, 0, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_store(&tape, 2, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 32);
    word = *rig_words(&rig, addr);
    rig_finish(&rig);
    return word;
}

static void expcnt_guards_local_data_where_it_is_raised(void **state)
{
    assert_int_equal(stored_before(0, 7), 7);
    assert_int_equal(stored_before(ISA_COUNTS_EXP, 7), 9);
    assert_int_equal(stored_before(ISA_COUNTS_EXP, 0), 7);
}

static void an_access_outside_stops_the_launch(void **state)
{
    static struct rig rig;
    static struct tape tape;
    struct diagnosis diagnosis;

    rig_init(&rig);
    rig.parameters.lds_granule_bytes = 64; /* what is granted is what was asked for */
    rig_build(&rig);
    tape_init(&tape);
    tape.kernel.lds_bytes = 128;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_local_load(&tape, 1, 0, 4);
    tape_end(&tape);
    rig_set_launch(&rig, &tape.kernel, 1, 64);
    assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
    assert_non_null(compute_unit_fault(rig.units[0]));
    assert_int_equal(compute_unit_fault(rig.units[0])->lane, 32);
    fault_diagnose(compute_unit_fault(rig.units[0]), rig.isa, &rig.backing, NULL, NULL, &diagnosis);
    assert_non_null(strstr(diagnosis.message, "lane 32 (work-item 32:0:0), loads 4 bytes at "
                                              "offset 128 of the 128"));
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dwords_in_a_row_take_two_cycles),
        cmocka_unit_test(an_n_way_conflict_takes_n_times_as_long),
        cmocka_unit_test(a_pass_is_as_wide_as_its_banks),
        cmocka_unit_test(an_odd_stride_has_no_conflict),
        cmocka_unit_test(the_same_word_is_broadcast),
        cmocka_unit_test(atomics_on_one_word_are_serialised),
        cmocka_unit_test(pairs_in_a_row_take_four_cycles),
        cmocka_unit_test(two_elements_cost_two_words),
        cmocka_unit_test(two_elements_in_one_bank_cost_two_accesses),
        cmocka_unit_test(two_elements_side_by_side_are_served_together),
        cmocka_unit_test(second_elements_of_lanes_without_one_cost_nothing),
        cmocka_unit_test(each_element_is_served_for_its_own_lanes),
        cmocka_unit_test(banks_are_a_parameter),
        cmocka_unit_test(data_of_all_widths),
        cmocka_unit_test(atomics_return_old_values_in_lane_order),
        cmocka_unit_test(an_address_outside_is_found),
        cmocka_unit_test(conflicts_are_what_a_saturated_unit_takes),
        cmocka_unit_test(a_saturated_unit_serves_two_elements_as_fast_as_two_loads),
        cmocka_unit_test(load_to_use_latency),
        cmocka_unit_test(a_short_queue_stalls_issue),
        cmocka_unit_test(wavefronts_exchange_data_through_it),
        cmocka_unit_test(expcnt_guards_local_data_where_it_is_raised),
        cmocka_unit_test(an_access_outside_stops_the_launch),
    };

    return cmocka_run_group_tests_name("gpu/local_memory", tests, NULL, NULL);
}
