/* SPDX-License-Identifier: MIT */
/* What lies outside: by page and to the byte, for loads, stores, atomics, private memory and scalar
 * loads; what dropping leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/bounds.h"

enum { BYTES = 1021 };

static struct backing backing;
static struct isa_memory_request request;
static uint64_t first, code, scratch, last;

static int set_up(void **state)
{
    struct diagnosis diagnosis;

    if (!backing_init(&backing, 4 << 20, false, &diagnosis))
        return 1;
    first = backing_allocate(&backing, BYTES, 256, "buffer 0");
    code = backing_allocate(&backing, 5000, 256, "code");
    scratch = backing_allocate(&backing, 8192, 256, "scratch");
    last = backing_allocate(&backing, 65536, 256, "buffer 1");
    backing_hide(&backing, code, BACKING_MAY_LOAD);
    backing_hide(&backing, scratch, BACKING_MAY_SCRATCH);
    return 0;
}

static int tear_down(void **state)
{
    backing_finish(&backing);
    return 0;
}

/* One lane's access; whether it lies outside. */
static bool outside(bool is_exact, uint8_t kind, uint64_t addr, uint8_t bytes)
{
    struct bounds bounds = {.backing = &backing, .is_exact = is_exact, .hint = 77};

    memset(&request, 0, sizeof request);
    request.kind = kind;
    request.element_bytes = bytes;
    if (kind == ISA_MEMORY_SCALAR_LOAD) {
        request.lanes = 1;
        request.address[0] = addr;
        return bounds_outside(&bounds, &request) == 1;
    }
    request.lanes = UINT64_C(1) << 9;
    request.address[9] = addr;
    return bounds_outside(&bounds, &request) == UINT64_C(1) << 9;
}

static void a_buffer_ends_with_its_last_byte_or_its_page(void **state)
{
    assert_false(outside(true, ISA_MEMORY_LOAD, first, 4));
    assert_false(outside(true, ISA_MEMORY_LOAD, first + BYTES - 1, 1));
    assert_true(outside(true, ISA_MEMORY_LOAD, first + BYTES, 1));
    assert_true(outside(true, ISA_MEMORY_STORE, first + BYTES - 1, 2));
    assert_true(outside(true, ISA_MEMORY_LOAD, first - 1, 1));
    assert_false(outside(false, ISA_MEMORY_LOAD, first + BYTES, 1));
    assert_false(outside(false, ISA_MEMORY_STORE, first + 4092, 4));
    assert_true(outside(false, ISA_MEMORY_LOAD, first + 4096, 1));
    assert_true(outside(false, ISA_MEMORY_LOAD, first + 4094, 4));
}

static void nothing_is_at_the_end_of_all_addresses(void **state)
{
    static const uint64_t wild[] = {0,
                                    UINT64_C(0xfffffffffffffffc),
                                    UINT64_MAX,
                                    UINT64_C(0x1550000001000),
                                    BACKING_BASE - 1,
                                    BACKING_BASE + (4 << 20)};

    for (unsigned i = 0; i < 6; i++)
        for (unsigned is_exact = 0; is_exact < 2; is_exact++) {
            assert_true(outside(is_exact, ISA_MEMORY_LOAD, wild[i], 4));
            assert_true(outside(is_exact, ISA_MEMORY_STORE, wild[i], 16));
            assert_true(outside(is_exact, ISA_MEMORY_SCALAR_LOAD, wild[i], 64));
        }
}

static void memory_of_the_machine_is_for_loads_at_most(void **state)
{
    for (unsigned is_exact = 0; is_exact < 2; is_exact++) {
        assert_false(outside(is_exact, ISA_MEMORY_LOAD, code + 64, 4));
        assert_false(outside(is_exact, ISA_MEMORY_SCALAR_LOAD, code + 64, 64));
        assert_true(outside(is_exact, ISA_MEMORY_STORE, code + 64, 4));
        assert_true(outside(is_exact, ISA_MEMORY_ATOMIC, code + 64, 4));
        assert_true(outside(is_exact, ISA_MEMORY_LOAD, scratch, 4));
        assert_true(outside(is_exact, ISA_MEMORY_STORE, scratch, 4));
    }
}

static void private_memory_has_a_descriptor_of_its_own(void **state)
{
    struct bounds bounds = {.backing = &backing, .is_exact = true};

    assert_true(outside(true, ISA_MEMORY_STORE, scratch + 8, 4));
    request.space = ISA_SPACE_SCRATCH;
    assert_int_equal(bounds_outside(&bounds, &request), 0);
    bounds.is_exact = false;
    assert_int_equal(bounds_outside(&bounds, &request), 0);
    request.address[9] = code;
    assert_true(bounds_outside(&bounds, &request) != 0);
}

/* The compiler loads the dword that a byte is in. */
static void a_scalar_load_may_end_with_the_last_dword(void **state)
{
    assert_false(
        outside(true, ISA_MEMORY_SCALAR_LOAD, first + 1020, 4)); /* 1021 bytes: one is there */
    assert_true(outside(true, ISA_MEMORY_SCALAR_LOAD, first + 1020, 8));
    assert_true(outside(true, ISA_MEMORY_SCALAR_LOAD, first + 1024, 4));
    assert_true(outside(true, ISA_MEMORY_LOAD, first + 1020, 4));
}

/* Lanes in several buffers and outside, in any order. */
static void each_lane_is_told_apart(void **state)
{
    struct bounds bounds = {.backing = &backing, .is_exact = true};
    uint64_t expected = 0;

    memset(&request, 0, sizeof request);
    request.kind = ISA_MEMORY_STORE;
    request.element_bytes = 4;
    request.lanes = UINT64_MAX & ~UINT64_C(0x8001);
    for (unsigned lane = 0; lane < 64; lane++) {
        const uint64_t places[] = {first + 4 * lane, last + 4 * lane, code, first + BYTES - 3,
                                   last + 65536,     last + 65532,    0};

        request.address[lane] = places[lane % 7];
        if (lane % 7 == 2 || lane % 7 == 3 || lane % 7 == 4 || lane % 7 == 6)
            expected |= UINT64_C(1) << lane;
    }
    assert_true(bounds_outside(&bounds, &request) == (expected & request.lanes));
}

/* The lowest and the highest of many lanes, each alone outside. */
static void the_ends_of_a_row_count(void **state)
{
    for (unsigned is_exact = 0; is_exact < 2; is_exact++)
        for (unsigned wrong = 0; wrong < 64; wrong += 63) {
            struct bounds bounds = {.backing = &backing, .is_exact = is_exact};

            memset(&request, 0, sizeof request);
            request.kind = ISA_MEMORY_LOAD;
            request.element_bytes = 4;
            request.lanes = UINT64_MAX;
            for (unsigned lane = 0; lane < 64; lane++)
                request.address[lane] = last + 4 * lane;
            assert_int_equal(bounds_outside(&bounds, &request), 0);
            request.address[wrong] = wrong == 0 ? last - 4 : last + 65536;
            assert_true(bounds_outside(&bounds, &request) == UINT64_C(1) << wrong);
        }
}

static void what_is_dropped_reads_as_zero(void **state)
{
    memset(&request, 0xee, sizeof request);
    request.kind = ISA_MEMORY_LOAD;
    request.lanes = 0xff;
    bounds_drop(&request, 0x0a);
    assert_true(request.lanes == 0xf5);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(request.data[i][1], 0);
        assert_int_equal(request.data[i][3], 0);
        assert_int_equal(request.data[i][2], 0xeeeeeeee);
    }
    request.kind = ISA_MEMORY_SCALAR_LOAD;
    bounds_drop(&request, 1);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(request.scalar[i], 0);
}

static void atomics_are_aligned_to_their_size(void **state)
{
    memset(&request, 0, sizeof request);
    request.kind = ISA_MEMORY_ATOMIC;
    request.element_bytes = 8;
    request.lanes = 0x7;
    request.address[0] = first + 8;
    request.address[1] = first + 12;
    request.address[2] = first + 16;
    request.address[3] = first + 20; /* not active */
    assert_true(bounds_misaligned(&request) == 2);
    request.element_bytes = 4;
    assert_true(bounds_misaligned(&request) == 0);
    request.element_bytes = 8;
    request.kind = ISA_MEMORY_STORE;
    assert_true(bounds_misaligned(&request) == 0);
}

static void messages_name_the_nearest_buffer(void **state)
{
    static const struct {
        uint64_t *base;
        uint64_t offset;
        const char *words;
    } cases[] = {{&first, BYTES, "right behind the end of buffer 0 (1021 bytes)"},
                 {&first, BYTES + 3, "3 bytes past the end of buffer 0 (1021 bytes)"},
                 {&code, 8, "in memory that belongs to no buffer (code), "},
                 {&last, 65535, "at offset 65535 of buffer 1 (65536 bytes)"}};

    for (unsigned i = 0; i < 4; i++) {
        struct text text = {0};

        backing_explain(&backing, *cases[i].base + cases[i].offset, 4, &text);
        assert_non_null(strstr(text_chars(&text), cases[i].words));
        text_finish(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_ends_with_its_last_byte_or_its_page),
        cmocka_unit_test(nothing_is_at_the_end_of_all_addresses),
        cmocka_unit_test(memory_of_the_machine_is_for_loads_at_most),
        cmocka_unit_test(private_memory_has_a_descriptor_of_its_own),
        cmocka_unit_test(a_scalar_load_may_end_with_the_last_dword),
        cmocka_unit_test(each_lane_is_told_apart),
        cmocka_unit_test(the_ends_of_a_row_count),
        cmocka_unit_test(what_is_dropped_reads_as_zero),
        cmocka_unit_test(atomics_are_aligned_to_their_size),
        cmocka_unit_test(messages_name_the_nearest_buffer),
    };

    return cmocka_run_group_tests_name("gpu/bounds", tests, set_up, tear_down);
}
