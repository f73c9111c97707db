/* SPDX-License-Identifier: MIT */
/* Levels: which places belong together, and that sums count each of them once. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static void assert_level(const char *path, const char *expected)
{
    char *name = level_name(path);

    assert_string_equal(name, expected);
    free(name);
}

static void names_lose_their_indices(void **state)
{
    assert_level("cu3.l1", "cu.l1");
    assert_level("cu31", "cu");
    assert_level("l2_5", "l2");
    assert_level("l2.5", "l2");
    assert_level("l2.slice5", "l2.slice");
    assert_level("dram11", "dram");
    assert_level("dispatcher", "dispatcher");
    assert_level("crossbar.requests", "crossbar.requests");
    assert_level("l1", "l1");
}

static void sums_add_the_places(void **state)
{
    struct fixture fixture;
    struct measurement all;
    struct changes changes;
    uint64_t value;

    fixture_init(&fixture);
    fixture_set(&fixture, "cu0.l1.loads", 100);
    fixture_set(&fixture, "cu1.l1.loads", 23);
    fixture_set(&fixture, "l2_1.loads", 7);
    fixture_add(&fixture, "cu0.load_latency", 10, 3);
    fixture_add(&fixture, "cu1.load_latency", 100, 2);
    changes = fixture_changes(&fixture);
    measurement_init(&all, &fixture.levels, 1000000);
    levels_add(&fixture.levels, &changes, all.sums);
    assert_true(levels_value(&fixture.levels, all.sums, "cu.l1.loads", &value));
    assert_int_equal(value, 123);
    assert_true(levels_value(&fixture.levels, all.sums, "l2.loads", &value));
    assert_int_equal(value, 7);
    assert_true(levels_value(&fixture.levels, all.sums, "cu.load_latency.sum", &value));
    assert_int_equal(value, 230);
    assert_true(levels_value(&fixture.levels, all.sums, "cu.load_latency.count", &value));
    assert_int_equal(value, 5);
    assert_false(levels_value(&fixture.levels, all.sums, "cu.load_latency", &value));
    assert_false(levels_value(&fixture.levels, all.sums, "cu.l1.load", &value));
    assert_false(levels_value(&fixture.levels, all.sums, "cu.l1.loads.sum", &value));
    assert_false(levels_value(&fixture.levels, all.sums, "l1.loads", &value));
    measurement_finish(&all);
    changes_finish(&changes);
    fixture_finish(&fixture);
}

/* All words of all places, each a different power, so that one counted twice or not at all shows.
 */
static void nothing_is_counted_twice(void **state)
{
    struct fixture fixture;
    struct changes changes = {0};
    struct snapshot nothing;
    uint64_t *sums, whole = 0, levels = 0, next = 0;

    fixture_init(&fixture);
    snapshot_take(&nothing, &fixture.registry);
    for (uint32_t i = 0; i < fixture.registry.group_count; i++) {
        uint64_t *words = fixture.registry.groups[i].values;

        for (uint32_t j = 0; j < fixture.registry.groups[i].bytes / 8; j++, next++) {
            words[j] = next * next + 1;
            whole += words[j];
        }
    }
    changes_take(&changes, &nothing, &fixture.registry);
    assert_int_equal(changes.count, nothing.word_count);
    sums = calloc(fixture.levels.word_count, sizeof *sums);
    levels_add(&fixture.levels, &changes, sums);
    for (uint32_t i = 0; i < fixture.levels.word_count; i++)
        levels += sums[i];
    assert_true(whole == levels);
    free(sums);
    changes_finish(&changes);
    snapshot_finish(&nothing);
    fixture_finish(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"level/names_lose_their_indices", names_lose_their_indices, NULL, NULL, NULL},
        {"level/sums_add_the_places", sums_add_the_places, NULL, NULL, NULL},
        {"level/nothing_is_counted_twice", nothing_is_counted_twice, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("report/level", tests, NULL, NULL);
}
