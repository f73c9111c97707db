/* SPDX-License-Identifier: MIT */
/* Where do addresses go? Sources of the expected values: AMD OpenCL Optimization Guide 2.1.1. */
#include "cmocka_all.h"

#include <string.h>

#include "mem/address_map.h"
#include "mem/backing.h"

static struct address_map build_units(const char *rule, uint32_t slices, uint32_t ports,
                                      uint32_t interleave_bytes)
{
    struct address_map_parameters parameters = {
        .slices = slices, .channels_per_slice = ports, .interleave_bytes = interleave_bytes};
    struct address_map map;
    struct diagnosis diagnosis;

    strcpy(parameters.rule, rule);
    assert_true(address_map_init(&map, &parameters, &diagnosis));
    return map;
}

static struct address_map build(const char *rule, uint32_t slices, uint32_t ports)
{
    return build_units(rule, slices, ports, ADDRESS_INTERLEAVE_BYTES);
}

/* Each address has one place, and the place leads back; each channel's lines are 0, 1, 2, ...
 * without a hole. */
static void check_one_to_one(const struct address_map *map, uint64_t bytes)
{
    uint64_t counts[64] = {0}, greatest[64] = {0};

    for (uint64_t addr = 0; addr < bytes; addr += 64) {
        struct address_place place = address_place(map, BACKING_BASE + addr);

        assert_true(place.channel < map->channels);
        assert_int_equal(place.slice * map->ports + place.port, place.channel);
        assert_int_equal(address_map_addr(map, place.channel, place.line), addr);
        counts[place.channel]++;
        if (place.line > greatest[place.channel])
            greatest[place.channel] = place.line;
    }
    for (uint32_t i = 0; i < map->channels; i++) {
        assert_int_equal(counts[i], bytes / 64 / map->channels);
        assert_int_equal(greatest[i], counts[i] - 1);
    }
}

static void tahiti_is_one_to_one(void **state)
{
    struct address_map map = build("tahiti", 6, 2);

    (void)state;
    check_one_to_one(&map, 12 << 20); /* each channel exactly a twelfth */
}

static void modulo_is_one_to_one(void **state)
{
    (void)state;
    for (uint32_t slices = 1; slices <= 8; slices++) {
        struct address_map map = build("modulo", slices, 2);

        check_one_to_one(&map, (uint64_t)slices * 2 * 65536);
    }
}

static void modulo_interleaves_as_it_is_told(void **state)
{
    (void)state;
    for (uint32_t bytes = 64; bytes <= 4096; bytes *= 2) {
        struct address_map map = build_units("modulo", 6, 1, bytes);

        check_one_to_one(&map, 6 * 65536);
        for (uint64_t addr = 0; addr < 12 * bytes; addr += 64)
            assert_int_equal(address_place(&map, addr).channel, addr / bytes % 6);
    }
}

static void wrong_interleaves_are_refused(void **state)
{
    struct address_map_parameters parameters = {
        .rule = "tahiti", .slices = 6, .channels_per_slice = 2, .interleave_bytes = 64};
    struct diagnosis diagnosis;
    struct address_map map;

    (void)state;
    assert_false(address_map_init(&map, &parameters, &diagnosis));
    strcpy(parameters.rule, "modulo");
    parameters.interleave_bytes = 96;
    assert_false(address_map_init(&map, &parameters, &diagnosis));
}

static uint32_t channels_met(const struct address_map *map, uint64_t stride)
{
    uint64_t met = 0;

    for (uint64_t i = 0; i < 3000; i++)
        met |= UINT64_C(1) << address_place(map, i * stride).channel;
    return (uint32_t)__builtin_popcountll(met);
}

/* "Strides that are large powers of two" are the guide's warning. */
static void tahiti_strides(void **state)
{
    struct address_map map = build("tahiti", 6, 2);

    (void)state;
    for (uint64_t stride = 2048; stride <= 1 << 20; stride *= 2)
        assert_int_equal(channels_met(&map, stride), 2);
    assert_int_equal(channels_met(&map, 1024), 4);
    assert_int_equal(channels_met(&map, 6144), 1);
    assert_int_equal(channels_met(&map, 256), 12);
}

/* 256 bytes stay together; 2048 further is the same channel once in three. */
static void tahiti_neighbours(void **state)
{
    struct address_map map = build("tahiti", 6, 2);
    uint32_t same = 0;

    (void)state;
    for (uint64_t addr = 0; addr < 6144 * 4; addr += 64) {
        assert_int_equal(address_place(&map, addr).channel,
                         address_place(&map, addr & ~UINT64_C(255)).channel);
        same += address_place(&map, addr).channel == address_place(&map, addr + 2048).channel;
    }
    assert_int_equal(same * 3, 6144 * 4 / 64);
}

static void misfits_are_refused(void **state)
{
    struct address_map_parameters parameters = {
        .rule = "tahiti", .slices = 4, .channels_per_slice = 2, .interleave_bytes = 256};
    struct address_map map;
    struct diagnosis diagnosis;

    (void)state;
    assert_false(address_map_init(&map, &parameters, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "12 channels"));
}

/* ---- The backing store ---- */

static void blocks_keep_guards(void **state)
{
    struct backing backing;
    struct diagnosis diagnosis;
    uint64_t a, b, c;

    (void)state;
    assert_true(backing_init(&backing, 4 << 20, true, &diagnosis));
    assert_int_equal(backing_allocate(&backing, 8 << 20, 256, "too large"), 0);
    a = backing_allocate(&backing, 100, 256, "a");
    b = backing_allocate(&backing, 5000, 65536, "b");
    c = backing_allocate(&backing, 1, 256, "c");
    assert_true(a > BACKING_BASE && a % 4096 == 0 && b % 65536 == 0);
    assert_true(backing_is_mapped(&backing, a, 100));
    assert_false(backing_is_mapped(&backing, a - 4096, 1));
    assert_false(backing_is_mapped(&backing, a + 4096, 1));
    assert_false(backing_is_mapped(&backing, a + 4090, 10));
    assert_false(backing_is_mapped(&backing, 0, 4));
    assert_false(backing_is_mapped(&backing, BACKING_BASE + (4 << 20), 4));
    assert_true(backing_is_mapped(&backing, b, 8192)); /* whole pages */
    assert_true(c < b && c > a);                       /* first fit */
    assert_int_equal(backing.allocated_bytes, 5101);
    backing_finish(&backing);
}

static void freed_memory_is_zero_again(void **state)
{
    struct backing backing;
    struct diagnosis diagnosis;
    uint64_t a;

    (void)state;
    assert_true(backing_init(&backing, 4 << 20, false, &diagnosis));
    a = backing_allocate(&backing, 10000, 256, "a");
    memset(backing_host(&backing, a), 0xee, 10000);
    backing_free(&backing, a);
    assert_false(backing_is_mapped(&backing, a, 1));
    assert_int_equal(backing_allocate(&backing, 10000, 256, "b"), a);
    for (unsigned i = 0; i < 10000; i++)
        assert_int_equal(backing_host(&backing, a)[i], 0);
    backing_finish(&backing);
}

/* Host address and device address are the same where that can be had; a second machine then has to
 * do without. */
static void two_machines_in_one_process(void **state)
{
    struct backing first, second;
    struct diagnosis diagnosis;

    (void)state;
    assert_true(backing_init(&first, 4 << 20, true, &diagnosis));
    assert_true(backing_init(&second, 4 << 20, true, &diagnosis));
    assert_true(first.is_shared);
    assert_false(second.is_shared);
    assert_ptr_equal(first.host, (void *)(uintptr_t)BACKING_BASE);
    assert_int_equal(backing_allocate(&first, 64, 256, "a"),
                     backing_allocate(&second, 64, 256, "a"));
    backing_finish(&first);
    backing_finish(&second);
}

static void bad_addresses_are_explained(void **state)
{
    struct backing backing;
    struct diagnosis diagnosis;
    struct text text = {0};
    uint64_t a;

    (void)state;
    assert_true(backing_init(&backing, 4 << 20, false, &diagnosis));
    a = backing_allocate(&backing, 1024, 256, "buffer 3");
    backing_explain(&backing, a + 1040, 4, &text);
    assert_non_null(strstr(text_chars(&text), "16 bytes past the end of buffer 3 (1024 bytes)"));
    text_finish(&text);
    backing_explain(&backing, a - 8, 4, &text);
    assert_non_null(strstr(text_chars(&text), "8 bytes before buffer 3"));
    text_finish(&text);
    backing_finish(&backing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"address_map/tahiti_is_one_to_one", tahiti_is_one_to_one, NULL, NULL, NULL},
        {"address_map/modulo_is_one_to_one", modulo_is_one_to_one, NULL, NULL, NULL},
        {"address_map/modulo_interleaves_as_it_is_told", modulo_interleaves_as_it_is_told, NULL, NULL,
         NULL},
        {"address_map/wrong_interleaves_are_refused", wrong_interleaves_are_refused, NULL, NULL, NULL},
        {"address_map/tahiti_strides", tahiti_strides, NULL, NULL, NULL},
        {"address_map/tahiti_neighbours", tahiti_neighbours, NULL, NULL, NULL},
        {"address_map/misfits_are_refused", misfits_are_refused, NULL, NULL, NULL},
        {"backing/blocks_keep_guards", blocks_keep_guards, NULL, NULL, NULL},
        {"backing/freed_memory_is_zero_again", freed_memory_is_zero_again, NULL, NULL, NULL},
        {"backing/two_machines_in_one_process", two_machines_in_one_process, NULL, NULL, NULL},
        {"backing/bad_addresses_are_explained", bad_addresses_are_explained, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
