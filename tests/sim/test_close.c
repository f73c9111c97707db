/* SPDX-License-Identifier: MIT */
/* Who closes an instant does so once, in the order of construction, when all have ticked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "sim/component.h"
#include "sim/engine.h"

enum { PARTS = 6, CYCLES = 5 };

/* In each of the first cycles all tick; some ask another to close the instant. */
struct part {
    struct component component;
    struct part *asks;
    uint32_t ticks, closed;
};

static struct part parts[PARTS];
static struct engine engine;
static char closed[256];

static bool part_tick(struct component *component)
{
    struct part *part = container_of(component, struct part, component);

    if (component_cycle(component) > CYCLES)
        return false;
    part->ticks++;
    if (part->asks != NULL) {
        component_ask_close(&part->asks->component);
        component_ask_close(&part->asks->component);
    }
    return true;
}

static void part_close(struct component *component)
{
    struct part *part = container_of(component, struct part, component);

    part->closed++;
    snprintf(closed + strlen(closed), sizeof closed - strlen(closed), "%s", component->path);
    for (uint32_t i = 0; i < PARTS; i++) /* of both clocks: they have the same edges here */
        assert_int_equal(parts[i].ticks, component_cycle(component));
    component_wake_at(component, component_cycle(component));
}

static const struct component_operations operations = {.tick = part_tick, .close = part_close};

/* Parts a, c, e are of the first clock, b, d, f of the second. */
static const char *closing_order(uint64_t seed, const int asks[PARTS])
{
    struct clock_domain *clocks[2];

    memset(parts, 0, sizeof parts);
    closed[0] = '\0';
    engine_init(&engine);
    engine.order_seed = seed;
    clocks[0] = engine_add_domain(&engine, "first", 925000);
    clocks[1] = engine_add_domain(&engine, "second", 925000);
    for (uint32_t i = 0; i < PARTS; i++) {
        component_init(&parts[i].component, &operations, clocks[i % 2], (char[]){(char)('a' + i), '\0'});
        parts[i].asks = asks[i] < 0 ? NULL : &parts[asks[i]];
    }
    engine_start(&engine);
    assert_int_equal(engine_run(&engine, UINT64_MAX), ENGINE_IDLE);
    for (uint32_t i = 0; i < PARTS; i++)
        component_finish(&parts[i].component);
    engine_finish(&engine);
    return closed;
}

static void instants_close_in_one_order(void **state)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_string_equal(closing_order(seed, (int[]){4, 1, 0, 1, -1, 3}), "aebdaebdaebdaebdaebd");
        assert_int_equal(parts[1].closed, CYCLES);
    }
    assert_string_equal(closing_order(3, (int[]){-1, -1, -1, -1, -1, -1}), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(instants_close_in_one_order)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
