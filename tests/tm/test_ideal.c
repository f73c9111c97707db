/* SPDX-License-Identifier: MIT */
/* The parts of ideal_global without a machine: a lane's log, what is under way, what atomics owe, and the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "mem/msg.h"
#include "sim/component.h"
#include "tm/ideal_global.h"
#include "tm/parameters.h"

enum { WORD = 4096 / 4, NEXT_LINE = WORD + LINE_BYTES / 4, MANY = 500 };

/* ---- rings ---- */

/* Grows while its oldest stands anywhere in it. */
static void loads_come_back_in_order(void **state)
{
    struct ideal_flights flights = {0};
    uint32_t sent = 0, back = 0;

    for (uint32_t round = 1; round < 60; round++) {
        for (uint32_t i = 0; i < round; i++)
            *ideal_flights_add(&flights) = (struct ideal_flight){.sequence = sent++};
        for (uint32_t i = 0; i < round / 2 + 1 && back < sent; i++) {
            assert_int_equal(flights.list[flights.head].sequence, back++);
            ideal_flights_take(&flights);
        }
        assert_int_equal(flights.count, sent - back);
    }
    free(flights.list);
}

static void debts_are_paid_in_order(void **state)
{
    struct ideal_debts debts = {0};
    uint64_t owed = 0, paid = 0;

    for (uint32_t round = 1; round < 60; round++) {
        for (uint32_t i = 0; i < round; i++, owed++)
            ideal_debts_add(&debts, WORD + owed * LINE_BYTES / 4, (uint16_t)(owed % 40));
        for (uint32_t i = 0; i < round / 2 + 1 && paid < owed; i++, paid++) {
            struct ideal_owed first = ideal_debts_take(&debts);

            assert_int_equal(first.line, WORD * 4 + paid * LINE_BYTES);
            assert_int_equal(first.mask, 0xf);
            assert_int_equal(first.slot, paid % 40);
        }
    }
    free(debts.list);
}

/* One store for words of a line that one wavefront owes one after the other, and for no others. */
static void words_of_a_line_are_one_store(void **state)
{
    struct ideal_debts debts = {0};
    struct ideal_owed owed;

    ideal_debts_add(&debts, WORD, 1);
    ideal_debts_add(&debts, WORD + 2, 1);
    ideal_debts_add(&debts, WORD + 3, 2);
    ideal_debts_add(&debts, NEXT_LINE, 2);
    assert_int_equal(debts.count, 3);
    owed = ideal_debts_take(&debts);
    assert_int_equal(owed.mask, 0xf0f);
    assert_int_equal(owed.slot, 1);
    owed = ideal_debts_take(&debts);
    assert_int_equal(owed.mask, 0xf000);
    assert_int_equal(owed.slot, 2);
    assert_int_equal(ideal_debts_take(&debts).line, NEXT_LINE * 4);
    assert_int_equal(debts.count, 0);
    free(debts.list);
}

/* ---- a lane's log ---- */

static void log_store(struct ideal_log *log, uint64_t word, uint32_t mask, uint32_t value,
                      uint32_t sequence)
{
    ideal_log_write(log, (struct ideal_write){
                             .word = word, .mask = mask, .value = value, .sequence = sequence});
}

static void log_free(struct ideal_log *log)
{
    free(log->reads);
    free(log->writes);
    *log = (struct ideal_log){0};
}

/* A load finds what older instructions of its lane have stored, the latest of each byte, though results of atomics come
 * later than stores behind them. */
static void a_lane_reads_its_own_stores(void **state)
{
    struct ideal_log log = {0};
    uint32_t value;

    log_store(&log, WORD, UINT32_MAX, 0x11111111, 1);
    log_store(&log, WORD, 0xff00, 0x3300, 3);
    log_store(&log, WORD + 1, UINT32_MAX, 7, 3);
    log_store(&log, WORD, UINT32_MAX, 0x22222222, 2); /* an atomic's */
    assert_int_equal(ideal_log_own(&log, WORD, 1, &value), 0);
    assert_int_equal(ideal_log_own(&log, WORD, 2, &value), UINT32_MAX);
    assert_int_equal(value, 0x11111111);
    assert_int_equal(ideal_log_own(&log, WORD, 3, &value), UINT32_MAX);
    assert_int_equal(value, 0x22222222);
    ideal_log_own(&log, WORD, 4, &value);
    assert_int_equal(value, 0x22223322);
    log_free(&log);
}

/* ---- the table ---- */

static void publish(struct ideal_table *table, uint64_t word, uint32_t mask, uint32_t value,
                    uint64_t now)
{
    struct ideal_log log = {0};

    log_store(&log, word, mask, value, 1);
    ideal_table_publish(table, &log, 0, 0, now);
    ideal_table_settle(table, now);
    log_free(&log);
}

static bool holds(struct ideal_table *table, uint32_t value, uint64_t since, uint64_t now,
                  bool is_centre)
{
    struct ideal_log log = {0};
    bool result;

    *ideal_log_read(&log, WORD) =
        (struct ideal_read){.word = WORD, .mask = 0xff, .value = value, .since = since};
    result = ideal_reads_hold(table, &log, now, is_centre);
    log_free(&log);
    return result;
}

/* In an instant's ticks the table is as it was when the instant began; the centre sees what it has changed. */
static void an_instant_has_one_table(void **state)
{
    struct ideal_table *table = ideal_table_create(1);

    publish(table, WORD, 0xffff, 0x0101, 10);
    assert_null(ideal_table_look(table, WORD, 10));
    assert_int_equal(ideal_table_look(table, WORD, 11)->value, 0x0101);
    publish(table, WORD, 0xff, 0x02, 20);
    publish(table, WORD, 0xff, 0x03, 20);
    assert_int_equal(ideal_table_look(table, WORD, 20)->value, 0x0101);
    assert_int_equal(ideal_table_look(table, WORD, 21)->value, 0x0103);
    assert_true(holds(table, 0x01, 15, 20, false));
    assert_false(holds(table, 0x01, 15, 20, true));
    assert_false(holds(table, 0x01, 15, 21, false));
    ideal_table_destroy(table);
}

/* By value, and only since it was read. */
static void reads_hold_by_value(void **state)
{
    struct ideal_table *table = ideal_table_create(1);

    publish(table, WORD, 0xff, 0x05, 10);
    assert_true(holds(table, 0x05, 5, 11, false));
    assert_true(holds(table, 0x06, 11, 12,
                      false)); /* read later than that: an ordinary store was in between */
    assert_false(holds(table, 0x06, 10, 12, false));
    publish(table, WORD, 0xff00, 0x0900, 20);
    assert_true(holds(table, 0x05, 15, 21, false)); /* another byte */
    ideal_table_destroy(table);
}

/* What was paid for before is in memory when its instant closes: one store of each line, from then on settled. */
static void what_is_settled_is_in_memory(void **state)
{
    struct ideal_table *table = ideal_table_create(1);
    const struct ideal_version *version;

    for (uint64_t now = 10; now < 10 + MANY; now++) {
        const struct ideal_store *store;

        publish(table, WORD + 1, 0xff00, (uint32_t)(now << 8), now);
        store = ideal_table_store(table, IDEAL_NOBODY);
        assert_non_null(store);
        assert_int_equal(store->line, WORD * 4);
        assert_int_equal(store->mask, 1 << 5);
        assert_int_equal(store->data[5], now & 0xff);
        ideal_table_take_store(table, IDEAL_NOBODY);
        assert_null(ideal_table_store(table, IDEAL_NOBODY));
        assert_null(ideal_table_store(table, 0));
        version = ideal_table_look(table, WORD + 1, now + 1);
        assert_int_equal(version->settled[1], now);
        assert_int_equal(version->settled[0], 0);
    }
    ideal_table_destroy(table);
}

/* ---- the centre ---- */

enum { UNITS = 3, CYCLES = 60 };

/* A compute unit whose only wavefront commits one lane in each cycle. */
struct unit {
    struct component component;
    struct port to, from;
    struct ideal_log log;
    uint32_t firsts, outcomes; /* of these, that were the first of their cycle */
};

static struct unit units[UNITS];

static bool unit_tick(struct component *component)
{
    struct unit *unit = container_of(component, struct unit, component);
    const struct tm_packet *outcome = port_peek(&unit->from);
    struct tm_packet *packet;

    if (outcome != NULL) {
        assert_int_equal(outcome->kind, IDEAL_OUTCOME);
        assert_int_equal(outcome->lanes, 1);
        unit->firsts += outcome->id % UNITS == 0;
        unit->outcomes++;
        port_take(&unit->from);
    }
    if (component_cycle(component) > CYCLES)
        return outcome != NULL;
    packet = port_reserve(&unit->to, 1);
    memset(packet, 0, offsetof(struct tm_packet, pairs));
    packet->kind = IDEAL_COMMIT;
    packet->unit = (uint16_t)(unit - units);
    packet->lanes = 1;
    packet->id = (uintptr_t)&unit->log;
    return true;
}

static const struct component_operations operations = {.tick = unit_tick};

/* Of those who commit in one cycle each is the first as often as the others. */
static void commits_take_turns(void **state)
{
    struct engine engine;
    struct tm_parameters parameters;
    struct tm_options options = {.parameters = &parameters, .facts.units = UNITS, .path = "tm"};
    struct tm_centre *centre;

    tm_defaults(&parameters);
    memset(units, 0, sizeof units);
    engine_init(&engine);
    options.clock = engine_add_domain(&engine, "core", 1300000);
    centre = ideal_centre_create(NULL, &options);
    for (uint32_t i = 0; i < UNITS; i++) {
        component_init(&units[i].component, &operations, options.clock, "unit");
        port_init(&units[i].to, "to", &units[i].component, &centre->component, 1, 8,
                  sizeof(struct tm_packet));
        port_init(&units[i].from, "from", &centre->component, &units[i].component, 1, 8,
                  sizeof(struct tm_packet));
        centre->from_unit[i] = &units[i].to;
        centre->to_unit[i] = &units[i].from;
    }
    engine_start(&engine);
    assert_int_equal(engine_run(&engine, UINT64_MAX), ENGINE_IDLE);
    for (uint32_t i = 0; i < UNITS; i++) {
        assert_in_range(units[i].outcomes, CYCLES, CYCLES + 1);
        assert_in_range(units[i].firsts, CYCLES / UNITS, CYCLES / UNITS + 1);
        port_finish(&units[i].to);
        port_finish(&units[i].from);
        component_finish(&units[i].component);
    }
    ideal_centre_destroy(centre);
    engine_finish(&engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_come_back_in_order),
        cmocka_unit_test(debts_are_paid_in_order),
        cmocka_unit_test(words_of_a_line_are_one_store),
        cmocka_unit_test(a_lane_reads_its_own_stores),
        cmocka_unit_test(an_instant_has_one_table),
        cmocka_unit_test(reads_hold_by_value),
        cmocka_unit_test(what_is_settled_is_in_memory),
        cmocka_unit_test(commits_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
