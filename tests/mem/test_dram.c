/* SPDX-License-Identifier: MIT */
/* One memory channel between two mocks: is each command legal, is it as early as it may be, and who
 * goes first? */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/random.h"
#include "mem/dram.h"
#include "mem/pump.h"

enum { MAX_REQUESTS = 4096, MAX_EVENTS = 65536 };

struct bed {
    struct component sender;
    struct engine engine;
    struct clock_domain *clock;
    struct address_map map;
    struct backing backing;
    struct dram_channel channel;
    struct port requests, replies;
    struct message script[MAX_REQUESTS];
    uint64_t not_before[MAX_REQUESTS], sent_at[MAX_REQUESTS], answered_at[MAX_REQUESTS];
    struct message answers[MAX_REQUESTS];
    uint32_t count, sent, answered;
    struct dram_event events[MAX_EVENTS];
    uint32_t event_count;
    uint64_t buffer;
};

static bool sender_tick(struct component *component)
{
    struct bed *bed = container_of(component, struct bed, sender);
    uint64_t cycle = component_cycle(component);
    const struct message *answer;
    bool progress = false;

    while ((answer = port_peek(&bed->replies)) != NULL) {
        bed->answers[answer->transaction] = *answer;
        bed->answered_at[answer->transaction] = cycle;
        bed->answered++;
        port_take(&bed->replies);
        progress = true;
    }
    if (bed->sent == bed->count)
        return progress;
    if (bed->not_before[bed->sent] > cycle) {
        component_wake_at(component, bed->not_before[bed->sent]);
        return progress;
    }
    if (!port_has_room(&bed->requests, 1))
        return progress;
    memcpy(port_send(&bed->requests, 1), &bed->script[bed->sent], sizeof(struct message));
    bed->sent_at[bed->sent++] = cycle;
    return true;
}

static const struct component_operations sender_operations = {.tick = sender_tick};

static void keep_event(void *context, const struct dram_event *event)
{
    struct bed *bed = context;

    check(bed->event_count < MAX_EVENTS, "too many commands");
    bed->events[bed->event_count++] = *event;
}

static struct dram_parameters defaults(void)
{
    struct dram_parameters parameters;

    memset(&parameters, 0, sizeof parameters);
    for (uint32_t i = 0; i < dram_parameter_count; i++) {
        char *field = (char *)&parameters + dram_parameters[i].offset;

        if (dram_parameters[i].kind == PARAMETER_NUMBER)
            memcpy(field, &dram_parameters[i].initial, sizeof(uint64_t));
        else
            strcpy(field, dram_parameters[i].initial_text);
    }
    return parameters;
}

static struct bed *bed_create(const struct dram_parameters *parameters)
{
    struct bed *bed = calloc(1, sizeof *bed);
    struct address_map_parameters map = {.rule = "modulo", .slices = 1, .channels_per_slice = 1};
    struct diagnosis diagnosis;

    check(address_map_init(&bed->map, &map, &diagnosis), "map");
    check(backing_init(&bed->backing, 16 << 20, true, &diagnosis), "backing");
    bed->buffer = backing_allocate(&bed->backing, 8 << 20, 1 << 20, "test");
    engine_init(&bed->engine);
    bed->clock = engine_add_domain(&bed->engine, "memory", 1375000);
    component_init(&bed->sender, &sender_operations, bed->clock, "sender");
    check(dram_init(&bed->channel, "dram", bed->clock, parameters, &bed->map, &bed->backing,
                    &diagnosis),
          "%s", diagnosis.message);
    port_init(&bed->requests, "requests", &bed->sender, &bed->channel.component, 8,
              sizeof(struct message));
    port_init(&bed->replies, "replies", &bed->channel.component, &bed->sender,
              dram_reply_slots(parameters), sizeof(struct message));
    dram_connect(&bed->channel, &bed->requests, &bed->replies);
    bed->channel.watch = keep_event;
    bed->channel.watch_context = bed;
    return bed;
}

static void bed_destroy(struct bed *bed)
{
    port_finish(&bed->requests);
    port_finish(&bed->replies);
    dram_finish(&bed->channel);
    component_finish(&bed->sender);
    engine_finish(&bed->engine);
    backing_finish(&bed->backing);
    free(bed);
}

/* A line at an offset of the buffer, whose start is bank 0 of a row. */
static struct message *add(struct bed *bed, uint8_t kind, uint64_t offset, uint64_t not_before)
{
    struct message *message = &bed->script[bed->count];

    message->kind = kind;
    message->addr = bed->buffer + offset;
    message->mask = UINT64_MAX;
    message->transaction = bed->count;
    bed->not_before[bed->count++] = not_before;
    return message;
}

static void run(struct bed *bed)
{
    engine_start(&bed->engine);
    check(engine_run(&bed->engine, UINT64_MAX) == ENGINE_IDLE, "the run did not end");
}

enum { BLOCK = 256, ROW = 2048 * 16 }; /* next bank; next row of the same bank */

static uint64_t nth(const struct bed *bed, enum dram_command command, uint32_t n)
{
    for (uint32_t i = 0; i < bed->event_count; i++)
        if (bed->events[i].command == command && n-- == 0)
            return bed->events[i].cycle;
    fail_msg("no such command");
    return 0;
}

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
    uint64_t least = a->command == DRAM_PRECHARGE && b->command == DRAM_PRECHARGE ? 0 : 1;
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
    return rule > least ? rule : least;
}

static void check_pairs(const struct bed *bed)
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
static void check_rows(const struct bed *bed)
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
        struct dram_parameters parameters = defaults();
        struct random random = {.state = seed};
        struct bed *bed;
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
        bed = bed_create(&parameters);
        for (uint32_t i = 0; i < 1500; i++) {
            uint64_t offset = 64 * random_below(&random, seed < 4 ? 32768 : 2048);
            bool is_read = random_below(&random, 3) != 0;

            add(bed, is_read ? MESSAGE_READ : MESSAGE_WRITE, offset, cycle);
            reads += is_read;
            if (random_below(&random, 100) == 0)
                cycle += random_below(&random, 5000);
        }
        run(bed);
        assert_int_equal(bed->answered, reads);
        assert_true(bed->channel.statistics.refreshes > 0);
        assert_int_equal(bed->channel.statistics.row_hits + bed->channel.statistics.row_misses +
                             bed->channel.statistics.row_conflicts,
                         1500);
        assert_int_equal(bed->channel.statistics.bus_busy_cycles, 1500 * 4);
        check_pairs(bed);
        check_rows(bed);
        bed_destroy(bed);
    }
}

/* ---- As early as legal ---- */

static void read_of_a_closed_bank(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);
    uint64_t activated;

    (void)state;
    add(bed, MESSAGE_READ, 0, 0);
    run(bed);
    activated = bed->sent_at[0] + 1 + p.request_cycles;
    assert_int_equal(nth(bed, DRAM_ACTIVATE, 0), activated);
    assert_int_equal(nth(bed, DRAM_READ, 0), activated + p.trcdr);
    assert_int_equal(nth(bed, DRAM_READ, 1), activated + p.trcdr + p.tccdl);
    assert_int_equal(bed->answered_at[0],
                     activated + p.trcdr + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.row_misses, 1);
    bed_destroy(bed);
}

static void read_of_an_open_row(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);

    (void)state;
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, 64, 500);
    run(bed);
    assert_int_equal(bed->answered_at[1] - bed->sent_at[1],
                     1 + p.request_cycles + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.row_hits, 1);
    bed_destroy(bed);
}

static void read_of_another_row(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);

    (void)state;
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, ROW, 500);
    run(bed);
    assert_int_equal(bed->answered_at[1] - bed->sent_at[1],
                     1 + p.request_cycles + p.trp + p.trcdr + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.row_conflicts, 1);
    bed_destroy(bed);
}

/* Two rows of a bank at once: the second waits for tRAS, or tRTP, and for tRC. */
static void conflict_back_to_back(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed;
    uint64_t activated, precharged;

    (void)state;
    bed = bed_create(&p);
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, ROW, 0);
    run(bed);
    activated = nth(bed, DRAM_ACTIVATE, 0);
    precharged = nth(bed, DRAM_PRECHARGE, 0);
    assert_int_equal(precharged, activated + p.tras);                /* 39 > 17 + 3 + 2 */
    assert_int_equal(nth(bed, DRAM_ACTIVATE, 1), activated + p.trc); /* 56 = 39 + 17 */
    bed_destroy(bed);
    p.tras = 10;
    p.trc = 90;
    bed = bed_create(&p);
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, ROW, 0);
    run(bed);
    activated = nth(bed, DRAM_ACTIVATE, 0);
    assert_int_equal(nth(bed, DRAM_PRECHARGE, 0), nth(bed, DRAM_READ, 1) + p.trtp);
    assert_int_equal(nth(bed, DRAM_ACTIVATE, 1), activated + p.trc);
    bed_destroy(bed);
}

/* Activates of five banks: tRRD apart, the fifth tFAW after the first. */
static void activates_keep_their_window(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed;

    (void)state;
    p.tfaw = 45;
    bed = bed_create(&p);
    for (unsigned i = 0; i < 5; i++)
        add(bed, MESSAGE_READ, i * BLOCK, 0);
    run(bed);
    for (unsigned i = 1; i < 4; i++)
        assert_int_equal(nth(bed, DRAM_ACTIVATE, i), nth(bed, DRAM_ACTIVATE, 0) + i * p.trrd);
    assert_int_equal(nth(bed, DRAM_ACTIVATE, 4), nth(bed, DRAM_ACTIVATE, 0) + p.tfaw);
    bed_destroy(bed);
}

/* Rows are open; lines of two bank groups alternate at tCCDS, of one keep tCCDL. */
static uint64_t column_gap(const struct dram_parameters *p, uint64_t other)
{
    struct bed *bed = bed_create(p);
    uint64_t gap;

    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, other, 0);
    for (unsigned i = 1; i < 4; i++) {
        add(bed, MESSAGE_READ, 64 * i, 300);
        add(bed, MESSAGE_READ, other + 64 * i, 300);
    }
    run(bed);
    gap = nth(bed, DRAM_READ, 11) - nth(bed, DRAM_READ, 10);
    bed_destroy(bed);
    return gap;
}

static void columns_of_bank_groups(void **state)
{
    struct dram_parameters p = defaults();

    (void)state;
    assert_int_equal(column_gap(&p, BLOCK), p.tccds);
    assert_int_equal(column_gap(&p, 4 * BLOCK), p.tccdl); /* bank 4: the group of bank 0 */
}

static void bus_turns_round(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed;

    (void)state;
    p.request_cycles = 1;
    bed = bed_create(&p);
    add(bed, MESSAGE_WRITE, 0, 0); /* sent at 1, activated at 3, columns from 3 + tRCDW */
    add(bed, MESSAGE_READ, 64, 3 + p.trcdw + p.tccdl);
    run(bed);
    assert_int_equal(nth(bed, DRAM_READ, 0), nth(bed, DRAM_WRITE, 1) + p.twl + 2 + p.twtr);
    bed_destroy(bed);
    bed = bed_create(&p);
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_WRITE, 64, 0);
    run(bed);
    assert_int_equal(nth(bed, DRAM_WRITE, 0), nth(bed, DRAM_READ, 1) + p.trtw);
    assert_int_equal(bed->channel.statistics.turnarounds, 1);
    bed_destroy(bed);
}

static void write_recovers_before_precharge(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);

    (void)state;
    add(bed, MESSAGE_WRITE, 0, 0);
    add(bed, MESSAGE_WRITE, ROW, 0);
    run(bed);
    assert_int_equal(nth(bed, DRAM_PRECHARGE, 0), nth(bed, DRAM_WRITE, 1) + p.twl + 2 + p.twr);
    bed_destroy(bed);
}

/* ---- Who goes first ---- */

static void row_hits_go_first(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);

    (void)state;
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, ROW, 0);
    add(bed, MESSAGE_READ, 64, 0);
    run(bed);
    assert_true(bed->answered_at[2] < bed->answered_at[1]);
    bed_destroy(bed);
}

/* A stream of hits to one row does not hold up another row of the bank for ever. */
static void nobody_starves(void **state)
{
    struct dram_parameters p = defaults();
    uint64_t waited[2];

    (void)state;
    p.trefi = 1000000; /* a refresh would close the row */
    for (unsigned i = 0; i < 2; i++) {
        struct bed *bed;

        p.age_cap_cycles = i == 0 ? 200 : 100000;
        bed = bed_create(&p);
        add(bed, MESSAGE_READ, 0, 0);
        add(bed, MESSAGE_READ, ROW, 0);
        for (unsigned j = 0; j < 1000; j++)
            add(bed, MESSAGE_READ, 64 * (j % 4), 0);
        run(bed);
        waited[i] = bed->answered_at[1] - bed->sent_at[1];
        bed_destroy(bed);
    }
    assert_in_range(waited[0], 200, 400);
    assert_true(waited[1] > 3000);
}

static void writes_drain_between_watermarks(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed;
    uint32_t changes = 0;

    (void)state;
    p.drain_above = 16;
    p.drain_below = 4;
    bed = bed_create(&p);
    for (unsigned i = 0; i < 600; i++)
        add(bed, i % 2 == 0 ? MESSAGE_READ : MESSAGE_WRITE, 64 * i, 0);
    run(bed);
    changes = (uint32_t)bed->channel.statistics.turnarounds;
    assert_in_range(changes, 300 / 20, 300 / 10); /* batches of about twelve */
    bed_destroy(bed);
}

/* What a request does, it does in the order of arrival, whatever the commands' order. */
static void effect_in_order_of_arrival(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        struct message *write = add(bed, MESSAGE_WRITE, 0, 0);

        memset(write->data, (int)i + 1, sizeof write->data);
        write->mask = UINT64_C(1) << (i % 2); /* bytes 0 and 1 in turn */
        add(bed, MESSAGE_READ, 0, 0);
    }
    run(bed);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(bed->answers[2 * i + 1].data[i % 2], i + 1);
        assert_int_equal(bed->answers[2 * i + 1].data[(i + 1) % 2], i);
    }
    bed_destroy(bed);
}

/* ---- Refresh and bandwidth ---- */

/* After long idleness the rows are closed and as many refreshes are counted as an awake channel had
 * done. */
static void refresh_while_idle(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);
    uint64_t second = 50 * p.trefi + p.trefi / 2;

    (void)state;
    add(bed, MESSAGE_READ, 0, 0);
    add(bed, MESSAGE_READ, 64, second);
    run(bed);
    assert_int_equal(bed->channel.statistics.row_misses, 2);
    assert_int_equal(bed->answered_at[1] - bed->sent_at[1],
                     1 + p.request_cycles + p.trcdr + p.tccdl + p.tcl + 2 + p.reply_cycles);
    assert_int_equal(bed->channel.statistics.refreshes, 50);
    assert_true(bed->engine.instants < 1000);
    bed_destroy(bed);
}

/* A read that arrives while the refresh is under way waits for its end. */
static void refresh_blocks(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);

    (void)state;
    add(bed, MESSAGE_READ, 0, p.trefi - p.request_cycles);
    run(bed);
    assert_int_equal(nth(bed, DRAM_ACTIVATE, 0), p.trefi + p.trfc);
    bed_destroy(bed);
}

/* Reads in address order: the bus carries a line every four cycles but for refreshes (90 of 2613)
 * and the start of rows. */
static void streaming_reads(void **state)
{
    struct dram_parameters p = defaults();
    struct bed *bed = bed_create(&p);
    uint64_t cycles;

    (void)state;
    for (unsigned i = 0; i < MAX_REQUESTS; i++)
        add(bed, MESSAGE_READ, 64 * i, 0);
    run(bed);
    cycles = bed->answered_at[MAX_REQUESTS - 1] - bed->answered_at[0];
    assert_in_range(cycles, (MAX_REQUESTS - 1) * 4, MAX_REQUESTS * 4 * 110 / 100);
    assert_true(bed->channel.statistics.row_hits > MAX_REQUESTS * 9 / 10);
    bed_destroy(bed);
}

static void bad_numbers_are_refused(void **state)
{
    struct dram_parameters p = defaults();
    struct dram_channel channel;
    struct diagnosis diagnosis;

    (void)state;
    strcpy(p.model, "ddr9");
    assert_false(dram_init(&channel, "dram", NULL, &p, NULL, NULL, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "ddr9"));
    p = defaults();
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
        {"dram/bus_turns_round", bus_turns_round, NULL, NULL, NULL},
        {"dram/write_recovers_before_precharge", write_recovers_before_precharge, NULL, NULL, NULL},
        {"dram/row_hits_go_first", row_hits_go_first, NULL, NULL, NULL},
        {"dram/nobody_starves", nobody_starves, NULL, NULL, NULL},
        {"dram/writes_drain_between_watermarks", writes_drain_between_watermarks, NULL, NULL, NULL},
        {"dram/effect_in_order_of_arrival", effect_in_order_of_arrival, NULL, NULL, NULL},
        {"dram/refresh_while_idle", refresh_while_idle, NULL, NULL, NULL},
        {"dram/refresh_blocks", refresh_blocks, NULL, NULL, NULL},
        {"dram/streaming_reads", streaming_reads, NULL, NULL, NULL},
        {"dram/bad_numbers_are_refused", bad_numbers_are_refused, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
