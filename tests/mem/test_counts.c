/* SPDX-License-Identifier: MIT */
/* Do the statistics of memory say what happened? Small cases of which each number is known. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "dram_bed.h"
#include "mem/cache_time.h"
#include "si_bench.h"
#include "system.h"

/* ---- A memory channel ---- */

/* Reads with long idle times in between, of closed banks: what is in the queue is so for as long as
 * a read takes up to its column, and the latency goes to the end of the data. */
static void a_channel_counts_what_it_holds(void **state)
{
    enum { READS = 5, WRITES = 3, IDLE = 10000, BYTES = 12 };
    struct dram_parameters parameters = dram_bed_defaults();
    struct dram_bed *bed;
    const struct dram_statistics *s;

    (void)state;
    parameters.trefi = 1000000;
    bed = dram_bed_create(&parameters);
    s = &bed->channel.statistics;
    for (uint32_t i = 0; i < READS; i++)
        dram_bed_add(bed, MESSAGE_READ, i * DRAM_BED_BLOCK, i * IDLE);
    for (uint32_t i = 0; i < WRITES; i++)
        dram_bed_add(bed, MESSAGE_WRITE, (READS + i) * DRAM_BED_BLOCK, (READS + i) * IDLE)->mask =
            low_mask(BYTES);
    dram_bed_add(bed, MESSAGE_READ, 0, (READS + WRITES) * IDLE);
    dram_bed_run(bed);
    bed->channel.component.operations->settle(&bed->channel.component);
    assert_int_equal(s->reads, READS + 1);
    assert_int_equal(s->writes, WRITES);
    assert_int_equal(s->read_bytes, (READS + 1) * LINE_BYTES);
    assert_int_equal(s->write_bytes, WRITES * BYTES);
    assert_int_equal(s->row_misses + s->row_hits, READS + WRITES + 1);
    assert_int_equal(s->row_hits, 1); /* the last */
    assert_int_equal(s->read_latency.count, READS + 1);
    assert_in_range(s->read_queue.sum, READS * parameters.trcdr, s->read_latency.sum - 1);
    assert_in_range(s->write_queue.sum, WRITES * parameters.trcdw,
                    2 * WRITES * (parameters.trcdw + parameters.twl));
    assert_int_equal(s->read_queue.count, s->write_queue.count); /* all cycles */
    dram_bed_destroy(bed);
}

/* ---- What a cache's requests wait for ---- */

static void few_entries(struct system_options *options)
{
    options->l1.mshr_entries = 1;
}

static void few_ways(struct system_options *options)
{
    options->l1.ways = 2;
}

static void few_places(struct system_options *options)
{
    options->l1.waiting_entries = 1;
}

static void slow_walks(struct system_options *options)
{
    options->l1.walk_lines_per_cycle = 1;
}

static void narrow_links(struct system_options *options)
{
    options->crossbar.width_bytes = 1;
    options->crossbar.queue_entries = 2;
}

/* Some requests of one node at once, of which the first may be an acquire; from one line to the
 * next so many bytes. */
struct shortage {
    void (*of)(struct system_options *options);
    uint8_t first, kind;
    uint32_t requests;
    uint64_t stride;
    size_t counter;
    unsigned part;
};

#define COUNTER(name) offsetof(struct cache_statistics, stall_##name##_cycles)
static const struct shortage shortages[] = {
    {few_entries, MESSAGE_LOAD, MESSAGE_LOAD, 8, 64, COUNTER(mshr), PART_L1_MSHR},
    {few_ways, MESSAGE_LOAD, MESSAGE_LOAD, 8, 16 * 1024, COUNTER(set), PART_L1_SET},
    {few_places, MESSAGE_LOAD, MESSAGE_LOAD, 8, 4, COUNTER(waiting), PART_L1_WAITING},
    {slow_walks, MESSAGE_INVALIDATE, MESSAGE_LOAD, 8, 64, COUNTER(order), PART_L1_ORDER},
    {narrow_links, MESSAGE_STORE, MESSAGE_STORE, 64, 64, COUNTER(output), PART_L1_OUTPUT},
};

enum { LONG_CYCLES = 10 };

static void add_requests(struct system *system, const struct shortage *shortage)
{
    for (uint32_t i = 0; i < shortage->requests; i++) {
        uint8_t kind = i == 0 ? shortage->first : shortage->kind;
        struct message *message =
            system_add(system, 0, kind, i * shortage->stride, kind == MESSAGE_STORE ? 64 : 4, 100);

        if (kind == MESSAGE_INVALIDATE)
            message->addr = message->mask = 0;
    }
}

static uint64_t counted(const struct system *system, size_t counter)
{
    return *(const uint64_t *)(const void *)((const char *)&system->l1s[0].controller.statistics +
                                             counter);
}

/* One shortage is counted as that, and as no other but for the cycle in which it ends; nothing is
 * where nothing is short. What requests say that they waited for it is no less: those behind the first say so too. */
static void a_shortage_has_a_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(shortages); i++)
        for (unsigned is_short = 0; is_short < 2; is_short++) {
            struct system_options options;
            struct system *system;
            uint64_t waited = 0;

            system_defaults(&options);
            options.nodes = 1;
            options.l1.ways = 8;
            if (is_short || shortages[i].of == slow_walks)
                shortages[i].of(&options);
            system = system_create(&options);
            if (is_short || shortages[i].of != slow_walks)
                add_requests(system, &shortages[i]);
            system_run(system);
            for (uint32_t which = 0; which < system->agents[0].count; which++)
                waited += system_part(system, 0, which, shortages[i].part);
            for (unsigned j = 0; j < ARRAY_COUNT(shortages); j++) {
                uint64_t cycles = counted(system, shortages[j].counter);

                if (i == j && is_short ? cycles < LONG_CYCLES : cycles > 1)
                    fail_msg("shortage %u (%u): counter %u is %u", i, is_short, j,
                             (unsigned)cycles);
                if (i == j)
                    assert_in_range(waited, cycles, shortages[i].requests * cycles);
            }
            assert_int_equal(counted(system, COUNTER(eviction)), 0);
            system_destroy(system);
        }
}

/* ---- Entries ---- */

static const struct cache_statistics *run_loads(struct system **system, uint64_t entries,
                                                const char *limit)
{
    struct system_options options;

    system_defaults(&options);
    options.nodes = 2;
    options.l1.mshr_entries = entries;
    strcpy(options.l1.mshr_limit, limit);
    options.l1.mshr_window = 1000;
    *system = system_create(&options);
    for (uint32_t i = 0; i < 8; i++)
        system_add(*system, 0, MESSAGE_LOAD, i * LINE_BYTES, 4, 1000);
    system_add(*system, 1, MESSAGE_LOAD, 0, 4, 10500); /* the other has long been idle */
    system_run(*system);
    system_digest(*system); /* up to the present */
    return &(*system)->l1s[0].controller.statistics;
}

/* Of one entry it is full as long as that is in use, and of enough never. What is in use, and how
 * many are usable, is counted for all cycles, idle ones too. */
static void entries_are_counted_in_all_cycles(void **state)
{
    const struct cache_statistics *s;
    struct system *system;

    (void)state;
    s = run_loads(&system, 1, "fixed");
    assert_true(s->mshr_full_cycles >= s->miss_latency.sum);
    assert_int_equal(s->mshr_full_cycles, s->mshr_occupancy.sum);
    assert_true(s->mshr_occupancy.count > s->mshr_occupancy.sum + 900);
    assert_int_equal(s->mshr_limit.count, 0);
    system_destroy(system);
    s = run_loads(&system, 16, "adaptive");
    assert_int_equal(s->mshr_full_cycles, 0);
    assert_int_equal(s->mshr_limit.count, s->mshr_occupancy.count);
    assert_in_range(s->mshr_limit.sum, s->mshr_limit.count, 16 * s->mshr_limit.count);
    system_destroy(system);
}

/* ---- Kinds ---- */

static void loads_are_answered_with_data(void **state)
{
    uint64_t kinds = cache_kinds_answered_with_data(protocol_find("si"));

    (void)state;
    assert_int_equal(kinds >> MESSAGE_LOAD & 1, 1);
    assert_int_equal(kinds >> MESSAGE_LOAD_REPLY & 1, 1);
    assert_int_equal(kinds >> MESSAGE_READ & 1, 1);
    assert_int_equal(kinds >> MESSAGE_STORE & 1, 0);
    assert_int_equal(kinds >> MESSAGE_STORE_REPLY & 1, 0);
    assert_int_equal(kinds >> MESSAGE_WRITE & 1, 0);
    assert_int_equal(kinds >> MESSAGE_INVALIDATE & 1, 0);
}

/* ---- Hits of stores ---- */

static void a_store_to_a_line_that_is_here_hits(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);

    (void)state;
    bench_store(bench, 0, 0, 1);
    assert_int_equal(si_bench_l1(bench, 0)->store_hits, 0);
    assert_int_equal(si_bench_l2(bench)->store_hits, 0);
    bench_store(bench, 0, 4, 1); /* L1 keeps no part of a line, L2 does */
    assert_int_equal(si_bench_l1(bench, 0)->store_hits, 0);
    assert_int_equal(si_bench_l2(bench)->store_hits, 1);
    bench_load(bench, 0, 0);
    bench_store(bench, 0, 8, 1);
    assert_int_equal(si_bench_l1(bench, 0)->store_hits, 1);
    assert_int_equal(si_bench_l1(bench, 0)->stores, 3);
    assert_int_equal(si_bench_l2(bench)->store_hits, 2);
    assert_int_equal(si_bench_l2(bench)->stores, 3);
    si_bench_destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_channel_counts_what_it_holds),
        cmocka_unit_test(a_shortage_has_a_name),
        cmocka_unit_test(entries_are_counted_in_all_cycles),
        cmocka_unit_test(loads_are_answered_with_data),
        cmocka_unit_test(a_store_to_a_line_that_is_here_hits),
    };

    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
