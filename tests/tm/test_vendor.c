/* SPDX-License-Identifier: MIT */
/* Who gets which commit IDs, when, and in which turns, with and without cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/component.h"
#include "tm/kilotm/vendor.h"
#include "tm/parameters.h"

enum { UNITS = 5, SLOTS = 8, CYCLES = 400, MAX_GRANTS = UNITS * SLOTS * CYCLES };

/* A compute unit: in some cycles some of its slots that do not wait ask for IDs. */
struct unit {
    struct component component;
    struct port to, from;
    uint32_t count[SLOTS]; /* asked for; 0: does not wait */
    uint64_t asked_at[SLOTS];
    struct random random;
};

struct grant {
    uint32_t first, count, unit, slot;
    uint64_t asked_at, came_at;
};

static struct unit units[UNITS];
static struct grant grants[MAX_GRANTS];
static uint32_t grant_count;
static bool all_ask; /* each unit, one slot, in each cycle */

static void unit_take(struct unit *unit, uint32_t number)
{
    const struct tm_packet *packet;

    while ((packet = port_peek(&unit->from)) != NULL) {
        grants[grant_count++] = (struct grant){.first = (uint32_t)packet->id,
                                               .count = unit->count[packet->slot],
                                               .unit = number,
                                               .slot = packet->slot,
                                               .asked_at = unit->asked_at[packet->slot],
                                               .came_at = component_cycle(&unit->component)};
        unit->count[packet->slot] = 0;
        port_take(&unit->from);
    }
}

static bool unit_tick(struct component *component)
{
    struct unit *unit = container_of(component, struct unit, component);
    uint32_t number = (uint32_t)(unit - units);
    uint64_t cycle = component_cycle(component);

    unit_take(unit, number);
    if (cycle > CYCLES)
        return false;
    for (uint16_t slot = 0; slot < (all_ask ? 1 : SLOTS); slot++) {
        if (unit->count[slot] != 0 || (!all_ask && random_below(&unit->random, 4) != 0))
            continue;
        unit->count[slot] = (uint32_t)random_below(&unit->random, 32) + 1;
        unit->asked_at[slot] = cycle;
        vendor_ask(&unit->to, (uint16_t)number, slot, unit->count[slot]);
    }
    return true;
}

static const struct component_operations operations = {.tick = unit_tick};

static int by_first(const void *a, const void *b)
{
    const struct grant *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

/* Leaves the grants in the order of their IDs. */
static void run(uint32_t cycles, uint64_t seed)
{
    struct engine engine;
    struct tm_parameters parameters;
    struct tm_options options = {.parameters = &parameters, .facts.units = UNITS, .path = "tm"};
    struct tm_centre *vendor;

    tm_defaults(&parameters);
    parameters.kilotm.commit_id_cycles = cycles;
    memset(units, 0, sizeof units);
    grant_count = 0;
    engine_init(&engine);
    engine.order_seed = seed;
    options.clock = engine_add_domain(&engine, "core", 1300000);
    vendor = vendor_create(NULL, &options);
    for (uint32_t i = 0; i < UNITS; i++) {
        struct unit *unit = &units[i];

        component_init(&unit->component, &operations, options.clock, "unit");
        port_init(&unit->to, "to", &unit->component, &vendor->component, 1, 64, sizeof(struct tm_packet));
        port_init(&unit->from, "from", &vendor->component, &unit->component, 1, 64, sizeof(struct tm_packet));
        vendor->from_unit[i] = &unit->to;
        vendor->to_unit[i] = &unit->from;
        unit->random.state = i + 1;
    }
    engine_start(&engine);
    assert_int_equal(engine_run(&engine, UINT64_MAX), ENGINE_IDLE);
    for (uint32_t i = 0; i < UNITS; i++) {
        port_finish(&units[i].to);
        port_finish(&units[i].from);
        component_finish(&units[i].component);
    }
    vendor_destroy(vendor);
    engine_finish(&engine);
    qsort(grants, grant_count, sizeof *grants, by_first);
}

/* IDs have no gaps, and are in the order of asking. */
static void check_order(void)
{
    uint32_t next = 1;

    assert_true(grant_count > CYCLES / 2);
    for (uint32_t i = 0; i < grant_count; i++) {
        assert_int_equal(grants[i].first, next);
        next += grants[i].count;
    }
}

static void ids_come_when_the_instant_ends(void **state)
{
    all_ask = false;
    run(0, 0);
    check_order();
    for (uint32_t i = 0; i < grant_count; i++)
        assert_int_equal(grants[i].came_at, grants[i].asked_at + 1); /* the first cycle in which they can be used */
    for (uint32_t i = 1; i < grant_count; i++)
        assert_true(grants[i].asked_at >= grants[i - 1].asked_at);
    for (uint32_t i = 1; i < grant_count; i++) /* a unit's wavefronts by the order in which they asked */
        if (grants[i].asked_at == grants[i - 1].asked_at && grants[i].unit == grants[i - 1].unit)
            assert_true(grants[i].slot > grants[i - 1].slot);
}

static void ids_take_their_cycles(void **state)
{
    all_ask = true;
    run(7, 0);
    check_order();
    for (uint32_t i = 0; i < grant_count; i++)
        assert_int_equal(grants[i].came_at, grants[i].asked_at + 7);
}

/* Of those who ask in one cycle another comes first in the next. */
static void turns_rotate(void **state)
{
    for (uint32_t cycles = 0; cycles <= 2; cycles += 2) {
        uint32_t firsts[UNITS] = {0};

        all_ask = true;
        run(cycles, 0);
        check_order();
        for (uint32_t i = 0; i < grant_count; i++) {
            bool is_first = i == 0 || grants[i].asked_at != grants[i - 1].asked_at;

            if (is_first)
                firsts[grants[i].unit]++;
            else
                assert_int_equal(grants[i].unit, (grants[i - 1].unit + 1) % UNITS);
        }
        for (uint32_t i = 0; i < UNITS; i++)
            assert_true(firsts[i] >= CYCLES / (2 * UNITS) - 1);
    }
}

static void order_of_components_does_not_matter(void **state)
{
    static struct grant first[MAX_GRANTS];

    all_ask = false;
    run(0, 0);
    memcpy(first, grants, sizeof grants);
    for (uint64_t seed = 1; seed < 20; seed++) {
        run(0, seed);
        assert_memory_equal(first, grants, grant_count * sizeof *grants);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_when_the_instant_ends),
        cmocka_unit_test(ids_take_their_cycles),
        cmocka_unit_test(turns_rotate),
        cmocka_unit_test(order_of_components_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
