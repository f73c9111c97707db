/* SPDX-License-Identifier: MIT */
/* Who goes first in a memory channel, what do refreshes cost, and what bandwidth is left? */
#include "cmocka_all.h"

#include <string.h>

#include "dram_bed.h"

/* ---- Who goes first ---- */

static void row_hits_go_first(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, DRAM_BED_ROW, 0);
    dram_bed_add(bed, MESSAGE_READ, 64, 0);
    dram_bed_run(bed);
    assert_true(bed->answered_at[2] < bed->answered_at[1]);
    dram_bed_destroy(bed);
}

/* A stream of hits to one row does not hold up another row of the bank for ever. */
static void none_starves(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    uint64_t waited[2];

    (void)state;
    p.trefi = 1000000; /* a refresh would close the row */
    for (unsigned i = 0; i < 2; i++) {
        struct dram_bed *bed;

        p.age_cap_cycles = i == 0 ? 200 : 100000;
        bed = dram_bed_create(&p);
        dram_bed_add(bed, MESSAGE_READ, 0, 0);
        dram_bed_add(bed, MESSAGE_READ, DRAM_BED_ROW, 0);
        for (unsigned j = 0; j < 1000; j++)
            dram_bed_add(bed, MESSAGE_READ, 64 * (j % 4), 0);
        dram_bed_run(bed);
        waited[i] = bed->answered_at[1] - bed->sent_at[1];
        dram_bed_destroy(bed);
    }
    assert_in_range(waited[0], 200, 400);
    assert_true(waited[1] > 3000);
}

static void writes_drain_between_watermarks(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed;
    uint32_t changes = 0;

    (void)state;
    p.drain_above = 16;
    p.drain_below = 4;
    bed = dram_bed_create(&p);
    for (unsigned i = 0; i < 600; i++)
        dram_bed_add(bed, i % 2 == 0 ? MESSAGE_READ : MESSAGE_WRITE, 64 * i, 0);
    dram_bed_run(bed);
    changes = (uint32_t)bed->channel.statistics.turnarounds;
    assert_in_range(changes, 300 / 20, 300 / 10); /* batches of about twelve */
    dram_bed_destroy(bed);
}

/* What a request does, it does in the order of arrival, whatever the commands' order. */
static void effect_in_order_of_arrival(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        struct message *write = dram_bed_add(bed, MESSAGE_WRITE, 0, 0);

        memset(write->data, (int)i + 1, sizeof write->data);
        write->mask = UINT64_C(1) << (i % 2); /* bytes 0 and 1 in turn */
        dram_bed_add(bed, MESSAGE_READ, 0, 0);
    }
    dram_bed_run(bed);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(bed->answers[2 * i + 1].data[i % 2], i + 1);
        assert_int_equal(bed->answers[2 * i + 1].data[(i + 1) % 2], i);
    }
    dram_bed_destroy(bed);
}

/* ---- Refresh and bandwidth ---- */

/* After long idleness the rows are closed and as many refreshes are counted as an awake channel had
 * done. */
static void refresh_while_idle(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);
    uint64_t second = 50 * p.trefi + p.trefi / 2;

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, 64, second);
    dram_bed_run(bed);
    assert_int_equal(bed->channel.statistics.row_misses, 2);
    assert_int_equal(bed->answered_at[1] - bed->sent_at[1],
                     1 + p.request_cycles + p.trcdr + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.refreshes, 50);
    assert_true(bed->engine.instants < 1000);
    dram_bed_destroy(bed);
}

/* A read that arrives while the refresh is under way waits for its end. */
static void refresh_blocks(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, p.trefi - p.request_cycles);
    dram_bed_run(bed);
    assert_int_equal(dram_bed_nth(bed, DRAM_ACTIVATE, 0), p.trefi + p.trfc);
    dram_bed_destroy(bed);
}

/* Reads in address order: the bus carries a line every four cycles but for refreshes (90 of 2613)
 * and the start of rows. */
static void streaming_reads(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);
    uint64_t cycles;

    (void)state;
    for (unsigned i = 0; i < DRAM_BED_REQUESTS; i++)
        dram_bed_add(bed, MESSAGE_READ, 64 * i, 0);
    dram_bed_run(bed);
    cycles = bed->answered_at[DRAM_BED_REQUESTS - 1] - bed->answered_at[0];
    assert_in_range(cycles, (DRAM_BED_REQUESTS - 1) * 4, DRAM_BED_REQUESTS * 4 * 110 / 100);
    assert_true(bed->channel.statistics.row_hits > DRAM_BED_REQUESTS * 9 / 10);
    dram_bed_destroy(bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"dram/row_hits_go_first", row_hits_go_first, NULL, NULL, NULL},
        {"dram/none_starves", none_starves, NULL, NULL, NULL},
        {"dram/writes_drain_between_watermarks", writes_drain_between_watermarks, NULL, NULL, NULL},
        {"dram/effect_in_order_of_arrival", effect_in_order_of_arrival, NULL, NULL, NULL},
        {"dram/refresh_while_idle", refresh_while_idle, NULL, NULL, NULL},
        {"dram/refresh_blocks", refresh_blocks, NULL, NULL, NULL},
        {"dram/streaming_reads", streaming_reads, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
