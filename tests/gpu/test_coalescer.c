/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/random.h"
#include "gpu/coalescer.h"

static struct isa_memory_request request;
static struct access_list list;

static uint64_t quarter_of(unsigned quarter)
{
    return UINT64_C(0xffff) << 16 * quarter;
}

static void prepare(uint8_t kind, uint8_t bytes, uint64_t lanes)
{
    memset(&request, 0, sizeof request);
    request.kind = kind;
    request.element_bytes = bytes;
    request.lanes = lanes;
}

static void set_stride(uint64_t base, uint64_t stride)
{
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        request.address[lane] = base + lane * stride;
}

static void contiguous_dwords_are_one_line(void **state)
{
    prepare(ISA_MEMORY_LOAD, 4, UINT64_MAX);
    set_stride(0x1000, 4);
    for (unsigned quarter = 0; quarter < 4; quarter++) {
        coalescer_add(&request, quarter_of(quarter), &list);
        assert_int_equal(list.count, 1);
        assert_int_equal(list.accesses[0].line, 0x1000 + 64 * quarter);
        assert_true(list.accesses[0].mask == UINT64_MAX);
        assert_true(list.accesses[0].lanes == quarter_of(quarter));
        assert_true(quarter_is_linear(&request, quarter));
    }
}

/* A column of a matrix with rows of half a line: pairs of lanes 16 apart have a line in common. */
static void lanes_of_a_wavefront_share_lines(void **state)
{
    (void)state;
    prepare(ISA_MEMORY_STORE, 4, UINT64_MAX & ~UINT64_C(1));
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        request.address[lane] = 0x1000 + lane % 16 * LINE_BYTES + lane / 16 * 4;
    coalescer_add(&request, UINT64_MAX, &list);
    assert_int_equal(list.count, 16);
    assert_int_equal(list.accesses[0].line, 0x1040);
    assert_true(list.accesses[0].lanes == UINT64_C(0x0002000200020002));
    assert_true(list.accesses[0].mask == 0xffff);
    assert_true(list.accesses[15].lanes == UINT64_C(0x0001000100010000));
    coalescer_add(&request, 0xffffffff, &list);
    assert_int_equal(list.count, 16);
    assert_true(list.accesses[0].mask == 0xff);
}

static void one_address_is_one_access(void **state)
{
    prepare(ISA_MEMORY_LOAD, 4, UINT64_MAX);
    set_stride(0x1010, 0);
    coalescer_add(&request, quarter_of(2), &list);
    assert_int_equal(list.count, 1);
    assert_true(list.accesses[0].mask == UINT64_C(0xf) << 16);
    assert_true(quarter_is_linear(&request, 2));
}

static void a_stride_of_a_line_is_an_access_a_lane(void **state)
{
    prepare(ISA_MEMORY_LOAD, 4, UINT64_MAX);
    set_stride(0x1000, 64);
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 16);
    assert_false(quarter_is_linear(&request, 0));
}

static void inactive_lanes_ask_for_nothing(void **state)
{
    prepare(ISA_MEMORY_STORE, 4, 0x5555);
    set_stride(0x1000, 4);
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 1);
    assert_true(list.accesses[0].mask == UINT64_C(0x0f0f0f0f0f0f0f0f));
    coalescer_add(&request, quarter_of(1), &list);
    assert_int_equal(list.count, 0);
}

/* Eight bytes at offset 60 of a line: four in this one and four in the next. */
static void an_element_over_a_line_end_is_two_accesses(void **state)
{
    prepare(ISA_MEMORY_LOAD, 8, 1);
    set_stride(0x103c, 0);
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 2);
    assert_true(list.accesses[0].mask == UINT64_C(0xf) << 60);
    assert_int_equal(list.accesses[1].line, 0x1040);
    assert_true(list.accesses[1].mask == 0xf);
}

static void lanes_in_turn_between_two_lines_share_two_accesses(void **state)
{
    prepare(ISA_MEMORY_LOAD, 4, UINT64_MAX);
    for (unsigned lane = 0; lane < 16; lane++)
        request.address[lane] = 0x1000 + (lane % 2) * 64 + lane / 2 * 4;
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.accesses[0].lanes, 0x5555);
    assert_int_equal(list.accesses[1].lanes, 0xaaaa);
}

/* All lanes on one word: as many messages, each with one word, in lane order. */
static void atomics_on_one_word_go_one_after_the_other(void **state)
{
    prepare(ISA_MEMORY_ATOMIC, 4, UINT64_MAX);
    request.rmw = RMW_ADD;
    set_stride(0x1008, 0);
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 16);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(list.accesses[i].lanes, 1u << i);
}

static void atomics_on_different_words_share_a_message(void **state)
{
    prepare(ISA_MEMORY_ATOMIC, 4, UINT64_MAX);
    request.rmw = RMW_ADD;
    set_stride(0x1000, 4);
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 1);
}

static void compare_and_swap_stays_in_half_a_line(void **state)
{
    prepare(ISA_MEMORY_ATOMIC, 4, UINT64_MAX);
    request.rmw = RMW_COMPARE_SWAP;
    set_stride(0x1000, 4);
    coalescer_add(&request, quarter_of(0), &list);
    assert_int_equal(list.count, 2);
    assert_true(list.accesses[0].mask == low_mask(32));
    assert_true(list.accesses[1].mask == ~low_mask(32));
}

static void operands_stand_where_messages_want_them(void **state)
{
    struct message message;
    uint32_t word;

    prepare(ISA_MEMORY_ATOMIC, 4, 1u << 9);
    request.rmw = RMW_COMPARE_SWAP;
    request.data[0][9] = 77;
    request.compare[0][9] = 33;
    set_stride(0x1000, 4);
    coalescer_add(&request, quarter_of(0), &list);
    memset(&message, 0, sizeof message);
    access_to_message(&request, &list.accesses[0], &message);
    memcpy(&word, message.data + 36 % 32, 4);
    assert_int_equal(word, 77);
    memcpy(&word, message.data + 32 + 36 % 32, 4);
    assert_int_equal(word, 33);
    assert_int_equal(message.word_bytes, 4);
}

/* Random addresses, widths and masks against memory as bytes. What the stores of all accesses
 * write, and what loads bring back, is what lanes one by one would. */
static void round_trips_like_lanes_one_by_one(void **state)
{
    static unsigned char memory[4096], expected[4096];
    static const uint8_t widths[] = {1, 2, 4, 8, 12, 16};
    struct random random = {.state = 1};

    for (unsigned round = 0; round < 300; round++) {
        uint8_t bytes = widths[random_below(&random, 6)];
        uint64_t span = round % 3 == 0 ? 256 : 4000;
        unsigned run = 16u << round % 3;

        prepare(ISA_MEMORY_STORE, bytes, random_next(&random) | random_next(&random));
        for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++) {
            request.address[lane] = random_below(&random, span / 4) * (bytes < 4 ? 1 : 4);
            for (unsigned i = 0; i < 4; i++)
                request.data[i][lane] = (uint32_t)random_next(&random);
        }
        for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
            for (unsigned i = 0; i < bytes && (request.lanes >> lane & 1) != 0; i++)
                expected[request.address[lane] + i] =
                    (unsigned char)(request.data[i / 4][lane] >> (i % 4 * 8));
        for (unsigned first = 0; first < 64; first += run) {
            coalescer_add(&request, low_mask(run) << first, &list);
            for (uint32_t i = 0; i < list.count; i++) {
                struct message message = {0};

                access_to_message(&request, &list.accesses[i], &message);
                for (unsigned byte = 0; byte < LINE_BYTES; byte++)
                    if ((message.mask >> byte & 1) != 0)
                        memory[message.addr + byte] = message.data[byte];
            }
        }
        assert_memory_equal(memory, expected, sizeof memory);
        request.kind = ISA_MEMORY_LOAD;
        memset(request.data, 0, sizeof request.data);
        for (unsigned first = 0; first < 64; first += run) {
            coalescer_add(&request, low_mask(run) << first, &list);
            for (uint32_t i = list.count; i-- > 0;) {
                struct message message = {.addr = list.accesses[i].line};

                memcpy(message.data, memory + message.addr, LINE_BYTES);
                access_from_reply(&request, list.accesses[i].lanes, &message);
            }
        }
        for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
            for (unsigned i = 0; i < bytes && (request.lanes >> lane & 1) != 0; i++)
                assert_int_equal((unsigned char)(request.data[i / 4][lane] >> (i % 4 * 8)),
                                 memory[request.address[lane] + i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguous_dwords_are_one_line),
        cmocka_unit_test(lanes_of_a_wavefront_share_lines),
        cmocka_unit_test(one_address_is_one_access),
        cmocka_unit_test(a_stride_of_a_line_is_an_access_a_lane),
        cmocka_unit_test(inactive_lanes_ask_for_nothing),
        cmocka_unit_test(an_element_over_a_line_end_is_two_accesses),
        cmocka_unit_test(lanes_in_turn_between_two_lines_share_two_accesses),
        cmocka_unit_test(atomics_on_one_word_go_one_after_the_other),
        cmocka_unit_test(atomics_on_different_words_share_a_message),
        cmocka_unit_test(compare_and_swap_stays_in_half_a_line),
        cmocka_unit_test(operands_stand_where_messages_want_them),
        cmocka_unit_test(round_trips_like_lanes_one_by_one),
    };

    return cmocka_run_group_tests_name("gpu/coalescer", tests, NULL, NULL);
}
