/* SPDX-License-Identifier: MIT */
/*
 * What SI promises. Each property is a function of the debug switches in force. It holds without
 * them, and the switch that breaks it makes it fail, which shows that the tests can see.
 */
#include "cmocka_all.h"

#include "base/bits.h"
#include "si_bench.h"

/* A warm L1 keeps the old value; an acquire shows the new one. */
static bool acquire_shows_stores(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_stale, is_fresh;

    bench_load(bench, 0, 0);
    bench_store(bench, 1, 0, 7);
    is_stale = bench_load(bench, 0, 0) == 0; /* no acquire: what an incoherent L1 gives */
    bench_acquire(bench, 0);
    is_fresh = bench_load(bench, 0, 0) == 7;
    si_bench_destroy(bench);
    return is_stale && is_fresh;
}

static bool kernel_start_invalidates(uint64_t breaks, uint32_t node)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_fresh;

    bench_load(bench, node, 0);
    bench_store(bench, 1 - node % 2, 0, 7);
    pump_kernel_start(&bench->pump);
    is_fresh = bench_load(bench, node, 0) == 7;
    si_bench_destroy(bench);
    return is_fresh;
}

static bool kernel_start_invalidates_l1(uint64_t breaks)
{
    return kernel_start_invalidates(breaks, 0);
}

static bool kernel_start_invalidates_scalar(uint64_t breaks)
{
    return kernel_start_invalidates(breaks, 2);
}

/* A request to its end while a fill is held. */
static void move(struct bench *bench, uint32_t node, struct message request)
{
    pump_send(&bench->pump, node, &request);
    while (pump_step(&bench->pump))
        ;
}

/* A load's fill is on its way when another wavefront of the compute unit acquires. The fill may
 * answer the load, but a later load must not find it. */
static bool overtaken_fill_is_not_cached(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    struct message fill = si_bench_hold_fill(bench, 0);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    bool is_right;

    message_set_word(&store, 0, 7);
    move(bench, 1, store);
    move(bench, 0, bench_request(bench, MESSAGE_INVALIDATE, 0, 0));
    is_right = si_bench_deliver(bench, &fill, 0) == 0;
    is_right &= bench_load(bench, 0, 0) == 7;
    si_bench_destroy(bench);
    return is_right;
}

static bool partial_store_drops_the_line(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_right;

    bench_load(bench, 0, 0);
    bench_store(bench, 0, 0, 7);
    is_right = bench_load(bench, 0, 0) == 7;
    si_bench_destroy(bench);
    return is_right;
}

static bool evicted_bytes_come_back(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, &si_bench_one_line);
    bool is_right;

    bench_store(bench, 0, 0, 0x11223344);
    bench_load(bench, 1, SI_BENCH_OTHER);
    is_right = bench_peek(bench, 0) == 0x11223344;
    is_right &= bench_load(bench, 0, 0) == 0x11223344;
    si_bench_destroy(bench);
    return is_right;
}

static bool fill_keeps_dirty_bytes(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_right;

    bench_poke(bench, 0, 1);
    bench_poke(bench, 4, 2);
    bench_store(bench, 0, 0, 7);             /* L2: a partial line, dirty */
    is_right = bench_load(bench, 1, 4) == 2; /* fetches the rest */
    is_right &= bench_load(bench, 1, 0) == 7;
    bench_acquire(bench, 1);
    is_right &= bench_load(bench, 1, 0) == 7; /* from L2 again */
    is_right &= bench_host_read(bench, 0) == 7;
    si_bench_destroy(bench);
    return is_right;
}

static bool glc_load_sees_l2(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_right;

    bench_load(bench, 0, 0);
    bench_store(bench, 1, 0, 7);
    is_right = bench_load_glc(bench, 0, 0) == 7;
    is_right &= bench_load(bench, 0, 0) == 7; /* its reply was put into the line */
    si_bench_destroy(bench);
    return is_right;
}

static bool host_sees_and_drops_lines(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_right;

    bench_store(bench, 0, 0, 7); /* dirty in L2 */
    is_right = bench_host_read(bench, 0) == 7 && bench_peek(bench, 0) == 0;
    bench_load(bench, 1, 0);
    bench_load(bench, 2, 0);
    bench_host_write(bench, 0, 8);
    is_right &= bench_load(bench, 0, 0) == 8;
    is_right &= bench_load(bench, 1, 0) == 8;
    is_right &= bench_load(bench, 2, 0) == 8;
    is_right &= bench_peek(bench, 0) == 8;
    si_bench_destroy(bench);
    return is_right;
}

/* A line once loaded hits at each of its words. */
static bool whole_line_is_valid(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_right = true;

    for (uint64_t word = 0; word < 16; word++) {
        bench_load(bench, 0, 0);
        bench_load(bench, 0, 4 * word);
    }
    is_right = si_bench_l1(bench, 0)->load_misses == 1 && si_bench_l1(bench, 0)->load_hits == 31;
    si_bench_destroy(bench);
    return is_right;
}

/* The same of L2: another L1's load of the last word needs no memory. */
static bool whole_line_of_l2_is_valid(uint64_t breaks)
{
    struct bench *bench = si_bench_create(breaks, NULL, NULL);
    bool is_right;

    bench_load(bench, 0, 60);
    bench_load(bench, 1, 60);
    is_right = bench->slices[0].statistics.load_misses == 1;
    si_bench_destroy(bench);
    return is_right;
}

struct property {
    enum debug_break fault;
    bool (*holds)(uint64_t breaks);
};

static const struct property properties[] = {
    {DEBUG_BREAK_KEEP_L1_AT_ACQUIRE, acquire_shows_stores},
    {DEBUG_BREAK_KEEP_L1_AT_KERNEL, kernel_start_invalidates_l1},
    {DEBUG_BREAK_KEEP_SCALAR_AT_KERNEL, kernel_start_invalidates_scalar},
    {DEBUG_BREAK_CACHE_OVERTAKEN_FILL, overtaken_fill_is_not_cached},
    {DEBUG_BREAK_KEEP_LINE_AT_STORE, partial_store_drops_the_line},
    {DEBUG_BREAK_DROP_DIRTY_BYTE, evicted_bytes_come_back},
    {DEBUG_BREAK_DROP_WRITE_BACK, evicted_bytes_come_back},
    {DEBUG_BREAK_MERGE_OVER_DIRTY, fill_keeps_dirty_bytes},
    {DEBUG_BREAK_IGNORE_GLC, glc_load_sees_l2},
    {DEBUG_BREAK_HOST_SKIPS_L2, host_sees_and_drops_lines},
    {DEBUG_BREAK_PARTIAL_FILL, whole_line_is_valid},
    {DEBUG_BREAK_PARTIAL_FILL, whole_line_of_l2_is_valid},
};

static void properties_hold(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(properties); i++)
        if (!properties[i].holds(0))
            fail_msg("the property that %s breaks does not hold", debug_name(properties[i].fault));
}

static void each_switch_breaks_its_property(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(properties); i++)
        if (properties[i].holds(UINT64_C(1) << properties[i].fault))
            fail_msg("%s breaks nothing", debug_name(properties[i].fault));
}

/* It costs time alone: each word of a line, stored, added to in L2 and loaded, is what it should
 * be. An add of a byte that no fill makes valid must end. */
static void partial_fills_keep_data(void **state)
{
    struct bench *bench =
        si_bench_create(UINT64_C(1) << DEBUG_BREAK_PARTIAL_FILL, NULL, &si_bench_one_line);

    (void)state;
    for (uint64_t word = 0; word < 16; word++) {
        bench_poke(bench, 4 * word, (uint32_t)word);
        bench_poke(bench, SI_BENCH_OTHER + 4 * word, 100);
    }
    bench_store(bench, 0, 56, 7);
    for (uint64_t word = 0; word < 16; word++) {
        uint32_t old = word == 14 ? 7 : (uint32_t)word;

        assert_int_equal(bench_load(bench, 0, 4 * word), old);
        assert_int_equal(bench_add(bench, 1, 4 * word, 1), old);
        assert_int_equal(bench_load(bench, 1, SI_BENCH_OTHER + 4 * word),
                         100); /* the other line goes */
        bench_acquire(bench, 0);
        assert_int_equal(bench_load(bench, 0, 4 * word), old + 1);
        assert_int_equal(bench_host_read(bench, 4 * word), old + 1);
    }
    si_bench_destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"si/properties_hold", properties_hold, NULL, NULL, NULL},
        {"si/each_switch_breaks_its_property", each_switch_breaks_its_property, NULL, NULL, NULL},
        {"si/partial_fills_keep_data", partial_fills_keep_data, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
