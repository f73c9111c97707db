/* SPDX-License-Identifier: MIT */
/* Is each command of a memory channel legal, and is it as early as it may be? */
#include "cmocka_all.h"

#include <string.h>

#include "base/random.h"
#include "dram_bed.h"

/* ---- Legality: every pair of commands, by the rules as the standard puts them ---- */

static bool is_column(const struct dram_event *e)
{
    return e->command == DRAM_READ || e->command == DRAM_WRITE;
}

/* The least distance that two commands must keep, a before b. */
static uint64_t distance(const struct dram_parameters *p, const struct dram_event *a,
                         const struct dram_event *b)
{
    bool bank = a->bank == b->bank;
    bool group = a->bank % p->bank_groups == b->bank % p->bank_groups;
    uint64_t min = a->command == DRAM_PRECHARGE && b->command == DRAM_PRECHARGE ? 0 : 1;
    uint64_t rule = 0;

    if (b->command == DRAM_REFRESH)
        rule = a->command == DRAM_PRECHARGE ? p->trp : 0;
    else if (a->command == DRAM_REFRESH)
        rule = p->trfc;
    else if (a->command == DRAM_ACTIVATE && b->command == DRAM_ACTIVATE)
        rule = bank ? p->trc : p->trrd;
    else if (a->command == DRAM_ACTIVATE && bank)
        rule = b->command == DRAM_READ ? p->trcdr : b->command == DRAM_WRITE ? p->trcdw : p->tras;
    else if (a->command == DRAM_PRECHARGE && b->command == DRAM_ACTIVATE && bank)
        rule = p->trp;
    else if (b->command == DRAM_PRECHARGE && bank && is_column(a))
        rule = a->command == DRAM_READ ? p->trtp : p->twl + 2 + p->twr;
    else if (is_column(a) && is_column(b)) {
        rule = group ? p->tccdl : p->tccds;
        if (a->command == DRAM_WRITE && b->command == DRAM_READ)
            rule = p->twl + 2 + p->twtr;
        if (a->command == DRAM_READ && b->command == DRAM_WRITE)
            rule = p->trtw;
    }
    return rule > min ? rule : min;
}

static void check_pairs(const struct dram_bed *bed)
{
    const struct dram_parameters *p = &bed->channel.parameters;

    for (uint32_t i = 0; i < bed->event_count; i++)
        for (uint32_t j = i + 1; j < bed->event_count && j < i + 200; j++) {
            const struct dram_event *a = &bed->events[i], *b = &bed->events[j];

            if (b->cycle < a->cycle + distance(p, a, b))
                fail_msg("command %u of bank %u at %llu, command %u of bank %u at %llu", a->command,
                         a->bank, (unsigned long long)a->cycle, b->command, b->bank,
                         (unsigned long long)b->cycle);
        }
}

/* Columns go to the open row; four activates at the most in a window; rows are closed for a
 * refresh. */
static void check_rows(const struct dram_bed *bed)
{
    uint32_t rows[DRAM_MAX_BANKS];
    uint64_t activates[4] = {0};
    uint32_t count = 0;

    memset(rows, 0xff, sizeof rows);
    for (uint32_t i = 0; i < bed->event_count; i++) {
        const struct dram_event *e = &bed->events[i];

        if (is_column(e))
            assert_int_equal(rows[e->bank], e->row);
        if (e->command == DRAM_ACTIVATE) {
            assert_int_equal(rows[e->bank], UINT32_MAX);
            rows[e->bank] = e->row;
            if (count >= 4)
                assert_true(e->cycle >= activates[count % 4] + bed->channel.parameters.tfaw);
            activates[count++ % 4] = e->cycle;
        }
        if (e->command == DRAM_PRECHARGE)
            rows[e->bank] = UINT32_MAX;
        for (uint32_t bank = 0; e->command == DRAM_REFRESH && bank < DRAM_MAX_BANKS; bank++)
            assert_int_equal(rows[bank], UINT32_MAX);
    }
}

static void random_traffic_is_legal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct dram_parameters parameters = dram_bed_defaults();
        struct random random = {.state = seed};
        struct dram_bed *bed;
        uint64_t cycle = 0;
        uint32_t reads = 0;

        if (seed % 2 == 0) { /* other numbers, so that no rule hides behind another */
            parameters.tfaw = 60;
            parameters.trrd = 5;
            parameters.tccdl = 5;
            parameters.trtp = 9;
            parameters.twtr = 12;
            parameters.trefi = 700;
        }
        if (seed % 3 == 0)
            parameters.age_cap_cycles = 50;
        bed = dram_bed_create(&parameters);
        for (uint32_t i = 0; i < 1500; i++) {
            uint64_t offset = 64 * random_below(&random, seed < 4 ? 32768 : 2048);
            bool is_read = random_below(&random, 3) != 0;

            dram_bed_add(bed, is_read ? MESSAGE_READ : MESSAGE_WRITE, offset, cycle);
            reads += is_read;
            if (random_below(&random, 100) == 0)
                cycle += random_below(&random, 5000);
        }
        dram_bed_run(bed);
        assert_int_equal(bed->answered, reads);
        assert_true(bed->channel.statistics.refreshes > 0);
        assert_int_equal(bed->channel.statistics.row_hits + bed->channel.statistics.row_misses +
                             bed->channel.statistics.row_conflicts,
                         1500);
        assert_int_equal(bed->channel.statistics.bus_busy_cycles, 1500 * 4);
        check_pairs(bed);
        check_rows(bed);
        dram_bed_destroy(bed);
    }
}

/* ---- As early as legal ---- */

static void read_of_a_closed_bank(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);
    uint64_t activated;

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_run(bed);
    activated = bed->sent_at[0] + 1 + p.request_cycles;
    assert_int_equal(dram_bed_nth(bed, DRAM_ACTIVATE, 0), activated);
    assert_int_equal(dram_bed_nth(bed, DRAM_READ, 0), activated + p.trcdr);
    assert_int_equal(dram_bed_nth(bed, DRAM_READ, 1), activated + p.trcdr + p.tccdl);
    assert_int_equal(bed->answered_at[0],
                     activated + p.trcdr + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.row_misses, 1);
    assert_int_equal(bed->channel.statistics.waiting_cycles, 0);
    dram_bed_destroy(bed);
}

static void read_of_an_open_row(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, 64, 500);
    dram_bed_run(bed);
    assert_int_equal(bed->answered_at[1] - bed->sent_at[1],
                     1 + p.request_cycles + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.row_hits, 1);
    dram_bed_destroy(bed);
}

static void read_of_another_row(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, DRAM_BED_ROW, 500);
    dram_bed_run(bed);
    assert_int_equal(bed->answered_at[1] - bed->sent_at[1],
                     1 + p.request_cycles + p.trp + p.trcdr + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.row_conflicts, 1);
    dram_bed_destroy(bed);
}

/* Three at once, each in a row of one bank. From its readiness to its first command each but the first
 * waits; what two wait for together is counted once. */
static void waiting_is_counted_once(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);
    uint64_t ready;

    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        dram_bed_add(bed, MESSAGE_READ, i * DRAM_BED_ROW, 0);
    dram_bed_run(bed);
    ready = bed->sent_at[1] + 1 + p.request_cycles;
    assert_int_equal(bed->channel.statistics.waiting_cycles,
                     dram_bed_nth(bed, DRAM_PRECHARGE, 1) - ready);
    dram_bed_destroy(bed);
}

/* Two rows of a bank at once: the second waits for tRAS, or tRTP, and for tRC. */
static void conflict_back_to_back(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed;
    uint64_t activated, precharged;

    (void)state;
    bed = dram_bed_create(&p);
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, DRAM_BED_ROW, 0);
    dram_bed_run(bed);
    activated = dram_bed_nth(bed, DRAM_ACTIVATE, 0);
    precharged = dram_bed_nth(bed, DRAM_PRECHARGE, 0);
    assert_int_equal(precharged, activated + p.tras);                         /* 39 > 17 + 3 + 2 */
    assert_int_equal(dram_bed_nth(bed, DRAM_ACTIVATE, 1), activated + p.trc); /* 56 = 39 + 17 */
    dram_bed_destroy(bed);
    p.tras = 10;
    p.trc = 90;
    bed = dram_bed_create(&p);
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, DRAM_BED_ROW, 0);
    dram_bed_run(bed);
    activated = dram_bed_nth(bed, DRAM_ACTIVATE, 0);
    assert_int_equal(dram_bed_nth(bed, DRAM_PRECHARGE, 0),
                     dram_bed_nth(bed, DRAM_READ, 1) + p.trtp);
    assert_int_equal(dram_bed_nth(bed, DRAM_ACTIVATE, 1), activated + p.trc);
    dram_bed_destroy(bed);
}

/* Activates of five banks: tRRD apart, the fifth tFAW after the first. */
static void activates_keep_their_window(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed;

    (void)state;
    p.tfaw = 45;
    bed = dram_bed_create(&p);
    for (unsigned i = 0; i < 5; i++)
        dram_bed_add(bed, MESSAGE_READ, i * DRAM_BED_BLOCK, 0);
    dram_bed_run(bed);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(dram_bed_nth(bed, DRAM_ACTIVATE, i),
                         dram_bed_nth(bed, DRAM_ACTIVATE, 0) + i * p.trrd);
    assert_int_equal(dram_bed_nth(bed, DRAM_ACTIVATE, 4),
                     dram_bed_nth(bed, DRAM_ACTIVATE, 0) + p.tfaw);
    dram_bed_destroy(bed);
}

/* Rows are open; lines of two bank groups alternate at tCCDS, of one keep tCCDL. */
static uint64_t column_gap(const struct dram_parameters *p, uint64_t other)
{
    struct dram_bed *bed = dram_bed_create(p);
    uint64_t gap;

    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_READ, other, 0);
    for (unsigned i = 1; i < 4; i++) {
        dram_bed_add(bed, MESSAGE_READ, 64 * i, 300);
        dram_bed_add(bed, MESSAGE_READ, other + 64 * i, 300);
    }
    dram_bed_run(bed);
    gap = dram_bed_nth(bed, DRAM_READ, 11) - dram_bed_nth(bed, DRAM_READ, 10);
    dram_bed_destroy(bed);
    return gap;
}

static void columns_of_bank_groups(void **state)
{
    struct dram_parameters p = dram_bed_defaults();

    (void)state;
    assert_int_equal(column_gap(&p, DRAM_BED_BLOCK), p.tccds);
    assert_int_equal(column_gap(&p, 4 * DRAM_BED_BLOCK), p.tccdl); /* bank 4: the group of bank 0 */
}

static void bus_turns_round(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed;

    (void)state;
    p.request_cycles = 1;
    bed = dram_bed_create(&p);
    dram_bed_add(bed, MESSAGE_WRITE, 0, 0); /* sent at 1, activated at 3, columns from 3 + tRCDW */
    dram_bed_add(bed, MESSAGE_READ, 64, 3 + p.trcdw + p.tccdl);
    dram_bed_run(bed);
    assert_int_equal(dram_bed_nth(bed, DRAM_READ, 0),
                     dram_bed_nth(bed, DRAM_WRITE, 1) + p.twl + 2 + p.twtr);
    dram_bed_destroy(bed);
    bed = dram_bed_create(&p);
    dram_bed_add(bed, MESSAGE_READ, 0, 0);
    dram_bed_add(bed, MESSAGE_WRITE, 64, 0);
    dram_bed_run(bed);
    assert_int_equal(dram_bed_nth(bed, DRAM_WRITE, 0), dram_bed_nth(bed, DRAM_READ, 1) + p.trtw);
    assert_int_equal(bed->channel.statistics.turnarounds, 1);
    dram_bed_destroy(bed);
}

static void write_recovers_before_precharge(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_bed *bed = dram_bed_create(&p);

    (void)state;
    dram_bed_add(bed, MESSAGE_WRITE, 0, 0);
    dram_bed_add(bed, MESSAGE_WRITE, DRAM_BED_ROW, 0);
    dram_bed_run(bed);
    assert_int_equal(dram_bed_nth(bed, DRAM_PRECHARGE, 0),
                     dram_bed_nth(bed, DRAM_WRITE, 1) + p.twl + 2 + p.twr);
    dram_bed_destroy(bed);
}

static void bad_numbers_are_refused(void **state)
{
    struct dram_parameters p = dram_bed_defaults();
    struct dram_channel channel;
    struct diagnosis diagnosis;

    (void)state;
    p.drain_below = p.drain_above;
    assert_false(dram_init(&channel, "dram", NULL, &p, NULL, NULL, &diagnosis));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"dram/random_traffic_is_legal", random_traffic_is_legal, NULL, NULL, NULL},
        {"dram/read_of_a_closed_bank", read_of_a_closed_bank, NULL, NULL, NULL},
        {"dram/read_of_an_open_row", read_of_an_open_row, NULL, NULL, NULL},
        {"dram/read_of_another_row", read_of_another_row, NULL, NULL, NULL},
        {"dram/conflict_back_to_back", conflict_back_to_back, NULL, NULL, NULL},
        {"dram/activates_keep_their_window", activates_keep_their_window, NULL, NULL, NULL},
        {"dram/columns_of_bank_groups", columns_of_bank_groups, NULL, NULL, NULL},
        {"dram/waiting_is_counted_once", waiting_is_counted_once, NULL, NULL, NULL},
        {"dram/bus_turns_round", bus_turns_round, NULL, NULL, NULL},
        {"dram/write_recovers_before_precharge", write_recovers_before_precharge, NULL, NULL, NULL},
        {"dram/bad_numbers_are_refused", bad_numbers_are_refused, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
