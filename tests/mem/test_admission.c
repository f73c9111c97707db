/* SPDX-License-Identifier: MIT */
/* Which requests take an entry, who waits how, how many are usable, and requests that do not join. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "si_bench.h"
#include "system.h"

/* ---- Without time ---- */

static const struct controller_shape two_entries = {
    .sets = 4, .ways = 4, .mshr_entries = 2, .waiting_entries = 8, .splits = true};

static void what_does_not_join_waits_with_an_entry(void **state)
{
    struct bench *bench = si_bench_create(0, &two_entries, NULL);
    struct message fill = si_bench_hold_fill(bench, 0);
    struct message second = bench_request(bench, MESSAGE_LOAD, 8, 4);
    struct message other = bench_request(bench, MESSAGE_LOAD, 64, 4);
    struct controller *l1 = &bench->uppers[0];
    struct step step;

    (void)state;
    assert_int_equal(controller_entries_used(l1), 1);
    assert_int_equal(controller_step(l1, &second, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0);
    assert_int_equal(controller_entries_used(l1), 2);
    assert_int_equal(controller_step(l1, &other, &step), STEP_STALLED);
    assert_int_equal(l1->stall_cause, STALL_MSHR);
    assert_int_equal(controller_step(l1, &fill, &step), STEP_DONE);
    assert_int_equal(controller_drain_one(l1, 1, &step), 0);
    assert_int_equal(step.outputs[0].message.requester.part, 0);
    assert_true(controller_replay(l1, &step)); /* it hits */
    assert_int_equal(step.output_count, 1);
    assert_int_equal(step.outputs[0].message.requester.entry, second.requester.entry);
    assert_int_equal(controller_entries_used(l1), 0);
    assert_int_equal(l1->statistics.load_misses, 1);
    assert_int_equal(l1->statistics.load_merges, 0);
    assert_int_equal(l1->statistics.load_hits, 1);
    si_bench_destroy(bench);
}

/* All are in use: a hit goes on, what would wait behind a line stalls. */
static void a_hit_needs_no_entry(void **state)
{
    struct bench *bench = si_bench_create(0, &two_entries, NULL);
    struct controller *l1 = &bench->uppers[0];
    struct message hit, waits;
    struct step step;

    (void)state;
    bench_load(bench, 0, 128);
    for (unsigned i = 0; i < 2; i++)
        si_bench_hold_fill(bench, i * 64);
    assert_int_equal(controller_entries_used(l1), 2);
    hit = bench_request(bench, MESSAGE_LOAD, 128, 4);
    assert_int_equal(controller_step(l1, &hit, &step), STEP_DONE);
    assert_int_equal(step.output_count, 1);
    waits = bench_request(bench, MESSAGE_LOAD, 8, 4);
    assert_int_equal(controller_step(l1, &waits, &step), STEP_STALLED);
    assert_int_equal(l1->stall_cause, STALL_MSHR);
    assert_int_equal(controller_entries_used(l1), 2);
    si_bench_destroy(bench);
}

/* Above a lowered limit nothing new enters; what is there ends, hits and joins go on. */
static void a_limit_may_move(void **state)
{
    static const struct controller_shape shape = {
        .sets = 4, .ways = 4, .mshr_entries = 4, .waiting_entries = 8};
    struct bench *bench = si_bench_create(0, &shape, NULL);
    struct controller *l1 = &bench->uppers[0];
    struct message fills[3], joins, other = bench_request(bench, MESSAGE_LOAD, 5 * 64, 4);
    struct step step;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        fills[i] = si_bench_hold_fill(bench, i * 64);
    controller_set_entry_limit(l1, 2);
    joins = bench_request(bench, MESSAGE_LOAD, 8, 4);
    assert_int_equal(controller_step(l1, &joins, &step), STEP_DONE);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(controller_step(l1, &other, &step), STEP_STALLED);
        assert_int_equal(controller_step(l1, &fills[2 - i], &step), STEP_DONE);
        assert_int_equal(controller_drain_one(l1, 1, &step), 0);
    }
    assert_int_equal(controller_entries_used(l1), 1);
    assert_int_equal(controller_step(l1, &other, &step), STEP_DONE);
    controller_set_entry_limit(l1, 4);
    other = bench_request(bench, MESSAGE_LOAD, 6 * 64, 4);
    assert_int_equal(controller_step(l1, &other, &step), STEP_DONE);
    si_bench_destroy(bench);
}

/* A hit, a store and a miss each take one; each ends when no time passes but the miss's. */
static void accesses_take_entries_before_their_lookup(void **state)
{
    struct controller_shape shape = {.sets = 4, .ways = 4, .mshr_entries = 1, .waiting_entries = 8};
    struct bench *bench;
    struct message fill, hit, store;
    struct step step;

    (void)state;
    shape.admission = admission_find("accesses");
    bench = si_bench_create(0, &shape, NULL);
    bench_load(bench, 0, 64);
    assert_int_equal(controller_entries_used(&bench->uppers[0]), 0);
    fill = si_bench_hold_fill(bench, 0);
    hit = bench_request(bench, MESSAGE_LOAD, 64, 4);
    store = bench_request(bench, MESSAGE_STORE, 64, 4);
    assert_int_equal(controller_step(&bench->uppers[0], &hit, &step), STEP_STALLED);
    assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_STALLED);
    assert_int_equal(controller_step(&bench->uppers[0], &fill, &step), STEP_DONE);
    assert_int_equal(controller_drain_one(&bench->uppers[0], 1, &step), 0);
    assert_int_equal(controller_step(&bench->uppers[0], &hit, &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_DONE);
    si_bench_destroy(bench);
}

/* ---- With time ---- */

static struct system *system_of(const char *admission, uint64_t entries, uint64_t seed)
{
    struct system_options options;

    system_defaults(&options);
    strcpy(options.dram.model, "fixed");
    strcpy(options.l1.admission, admission);
    options.l1.merging = 1;
    options.l1.admission_seed = seed;
    options.l1.mshr_entries = entries;
    return system_create(&options);
}

enum { HITS = 256 };

/* Cycles from the first of many hits to the last. */
static uint64_t cycles_of_hits(const char *admission, uint64_t entries)
{
    struct system *system = system_of(admission, entries, 0);
    uint64_t cycles;

    system_add(system, 0, MESSAGE_LOAD, 0, 4, 0);
    for (uint32_t i = 0; i < HITS; i++)
        system_add(system, 0, MESSAGE_LOAD, i % 16 * 4, 4, 3000);
    system_run(system);
    cycles = system->agents[0].answered_at[HITS] - system->agents[0].answered_at[1];
    assert_int_equal(system->l1s[0].controller.statistics.load_hits, HITS);
    system_destroy(system);
    return cycles;
}

/* A hit holds its entry until it is answered: n of them in the time of one. */
static void hits_hold_entries_until_answered(void **state)
{
    struct system_options options;

    (void)state;
    system_defaults(&options);
    assert_int_equal(cycles_of_hits("misses", 1), HITS - 1);
    for (uint64_t entries = 1; entries <= 8; entries *= 2)
        assert_int_equal(cycles_of_hits("accesses", entries),
                         (HITS - 1) / entries * options.l1.reply_cycles + (HITS - 1) % entries);
}

enum { LINES = 32, LOADS = 4 };

/* Loads of several words of many lines; the digest of the order in which they are answered. */
static uint64_t order_of_answers(const char *admission, uint64_t seed,
                                 struct cache_statistics *statistics)
{
    struct system *system = system_of(admission, 1, seed);
    uint64_t digest = 0;

    for (uint32_t i = 0; i < LINES * LOADS; i++)
        system_add(system, 0, MESSAGE_LOAD, i % LINES * 64 + i / LINES * 4, 4, 0);
    system_run(system);
    for (uint32_t i = 0; i < LINES * LOADS; i++)
        digest = digest * 31 + system->agents[0].answered_at[i];
    for (uint32_t i = LINES; i < LINES * LOADS; i++) /* in each line the order stays */
        assert_true(system->agents[0].answered_at[i] > system->agents[0].answered_at[i - LINES]);
    *statistics = system->l1s[0].controller.statistics;
    system_destroy(system);
    return digest;
}

static void a_freed_entry_is_drawn_by_seed(void **state)
{
    struct cache_statistics statistics;
    uint64_t first = order_of_answers("drawn", 1, &statistics);

    (void)state;
    assert_true(statistics.entry_waits > LINES * LOADS / 2);
    assert_int_equal(order_of_answers("drawn", 1, &statistics), first);
    assert_int_not_equal(order_of_answers("drawn", 2, &statistics), first);
    assert_int_equal(order_of_answers("accesses", 1, &statistics),
                     order_of_answers("accesses", 2, &statistics));
    assert_int_equal(statistics.entry_waits, 0);
}

/* What waits for one line goes with its first where it may; else each is drawn for itself, and
 * finds the line here or gone. */
static void what_waits_can_be_joined_or_not(void **state)
{
    struct cache_statistics apart, together;

    (void)state;
    order_of_answers("drawn", 1, &apart);
    order_of_answers("drawn_joined", 1, &together);
    assert_int_equal(apart.loads, LINES * LOADS);
    assert_int_equal(together.loads, LINES * LOADS);
    assert_true(apart.load_merges < LOADS); /* into what was on its way when they came */
    assert_true(together.load_merges >= LINES * (LOADS - 2));
    assert_int_equal(together.load_misses + together.load_merges + together.load_hits,
                     LINES * LOADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"admission/what_does_not_join_waits_with_an_entry", what_does_not_join_waits_with_an_entry,
         NULL, NULL, NULL},
        {"admission/a_hit_needs_no_entry", a_hit_needs_no_entry, NULL, NULL, NULL},
        {"admission/a_limit_may_move", a_limit_may_move, NULL, NULL, NULL},
        {"admission/accesses_take_entries_before_their_lookup",
         accesses_take_entries_before_their_lookup, NULL, NULL, NULL},
        {"admission/hits_hold_entries_until_answered", hits_hold_entries_until_answered, NULL, NULL,
         NULL},
        {"admission/a_freed_entry_is_drawn_by_seed", a_freed_entry_is_drawn_by_seed, NULL, NULL,
         NULL},
        {"admission/what_waits_can_be_joined_or_not", what_waits_can_be_joined_or_not, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
