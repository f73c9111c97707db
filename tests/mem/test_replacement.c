/* SPDX-License-Identifier: MIT */
/* Which line is given up, and which set a line lies in: asked of every policy of the list. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "si_bench.h"
#include "system.h"

enum { WAYS = 4 };

static struct controller_shape shape_with(const struct replacement *replacement)
{
    return (struct controller_shape){.sets = 1,
                                     .ways = WAYS,
                                     .mshr_entries = 8,
                                     .waiting_entries = 8,
                                     .replacement = replacement};
}

static bool is_here(const struct bench *bench, uint64_t line)
{
    return controller_find(&bench->uppers[0], bench->buffer + line * LINE_BYTES) != NULL;
}

/* Fills the set with lines 0 to 3, loads line 0 again, then line 4; the line that went. */
static uint32_t line_given_up(const char *policy)
{
    struct controller_shape shape = shape_with(replacement_find(policy));
    struct bench *bench = si_bench_create(0, &shape, NULL);
    uint32_t gone = WAYS;

    for (uint32_t line = 0; line < WAYS; line++)
        bench_load(bench, 0, line * LINE_BYTES);
    bench_load(bench, 0, 0);
    bench_load(bench, 0, WAYS * LINE_BYTES);
    for (uint32_t line = 0; line < WAYS; line++)
        if (!is_here(bench, line))
            gone = line;
    si_bench_destroy(bench);
    return gone;
}

static void lru_keeps_what_is_used_and_fifo_does_not(void **state)
{
    (void)state;
    assert_int_equal(line_given_up("lru"), 1);
    assert_int_equal(line_given_up("fifo"), 0);
    assert_null(replacement_find("none such"));
}

/* The ways that so many lines in turn drive out, a digit each. */
static uint64_t ways_given_up(uint32_t lines, uint32_t *counts)
{
    struct controller_shape shape = shape_with(replacement_find("random"));
    struct bench *bench = si_bench_create(0, &shape, NULL);
    const struct controller *l1 = &bench->uppers[0];
    uint64_t digest = 0;

    for (uint32_t line = 0; line < lines; line++) {
        uint64_t before[WAYS];

        memcpy(before, l1->tags, sizeof before);
        bench_load(bench, 0, line * LINE_BYTES);
        for (uint32_t way = 0; way < WAYS; way++)
            if (l1->tags[way] != before[way]) {
                counts[way]++;
                digest = digest * 5 + way;
            }
    }
    si_bench_destroy(bench);
    return digest;
}

static void random_takes_every_way_and_repeats(void **state)
{
    uint32_t counts[WAYS] = {0}, again[WAYS] = {0};
    uint64_t digest = ways_given_up(400, counts);

    (void)state;
    assert_true(ways_given_up(400, again) == digest);
    for (uint32_t way = 0; way < WAYS; way++)
        assert_in_range(counts[way], 70, 130);
}

/* A free way goes first, a line that a fill holds never, whatever the policy says. */
static void no_policy_is_offered_a_held_line(void **state)
{
    (void)state;
    for (unsigned i = 0; replacements[i] != NULL; i++) {
        struct controller_shape shape = shape_with(replacements[i]);
        struct bench *bench = si_bench_create(0, &shape, NULL);
        struct message loads[WAYS + 1], fill;
        struct step step;

        for (uint32_t line = 1; line <= WAYS; line++)
            loads[line] = bench_request(bench, MESSAGE_LOAD, line * LINE_BYTES, 4);
        for (uint32_t line = 1; line < WAYS; line++)
            assert_int_equal(controller_step(&bench->uppers[0], &loads[line], &step), STEP_DONE);
        fill = si_bench_hold_fill(bench, 0);
        si_bench_deliver(bench, &fill, 0);
        assert_true(is_here(bench, 0)); /* the newest, and the only one that no fill holds */
        assert_int_equal(controller_step(&bench->uppers[0], &loads[WAYS], &step), STEP_DONE);
        assert_false(is_here(bench, 0));
        for (uint32_t line = 1; line <= WAYS; line++)
            assert_true(is_here(bench, line));
        si_bench_destroy(bench);
    }
}

/* Eight lines as far apart as there are sets: one set by modulo, eight by xor. Neighbours have sets
 * of their own by either, and so have all lines of as many as there are sets. */
static uint64_t hits_of_second_round(enum set_index set_index, uint64_t stride, uint32_t lines)
{
    struct controller_shape shape = {
        .sets = 64, .ways = 4, .mshr_entries = 8, .waiting_entries = 8, .set_index = set_index};
    struct bench *bench = si_bench_create(0, &shape, NULL);
    uint64_t hits;

    for (unsigned round = 0; round < 2; round++)
        for (uint32_t line = 0; line < lines; line++)
            bench_load(bench, 0, line * stride);
    hits = si_bench_l1(bench, 0)->load_hits;
    si_bench_destroy(bench);
    return hits;
}

static void xor_spreads_strides(void **state)
{
    (void)state;
    assert_int_equal(hits_of_second_round(SET_MODULO, 4096, 8), 0);
    assert_int_equal(hits_of_second_round(SET_XOR, 4096, 8), 8);
    assert_int_equal(hits_of_second_round(SET_MODULO, 64, 256), 256);
    assert_int_equal(hits_of_second_round(SET_XOR, 64, 256), 256);
}

static void one_set_is_enough_for_xor(void **state)
{
    struct controller_shape shape = {
        .sets = 1, .ways = 2, .mshr_entries = 2, .waiting_entries = 2, .set_index = SET_XOR};
    struct bench *bench = si_bench_create(0, &shape, NULL);

    (void)state;
    bench_store(bench, 0, 4096, 7);
    assert_int_equal(bench_load(bench, 0, 4096), 7);
    si_bench_destroy(bench);
}

enum { ONE_CHANNEL = 512 }; /* lines so far apart lie in one channel of the bench's slice */

static void store_slc(struct bench *bench)
{
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);

    store.slc = true;
    bench_do(bench, 1, &store);
}

static void store_plainly(struct bench *bench)
{
    bench_store(bench, 1, 0, 1);
}

static void read_by_host(struct bench *bench)
{
    bench_host_read(bench, 0);
}

/* Two lines of L2, the first of which is stored to, then touched, then a third; is the first kept? */
static bool is_kept(void (*touch)(struct bench *bench))
{
    static const struct controller_shape two_ways = {
        .sets = 2, .ways = 2, .mshr_entries = 2, .waiting_entries = 4};
    struct bench *bench = si_bench_create(0, NULL, &two_ways);
    bool is_kept;

    bench_store(bench, 0, 0, 5);
    bench_load(bench, 0, ONE_CHANNEL);
    touch(bench);
    bench_load(bench, 0, 2 * ONE_CHANNEL);
    is_kept = controller_find(&bench->slices[0], bench->buffer) != NULL;
    si_bench_destroy(bench);
    return is_kept;
}

static void slc_and_the_host_use_no_line(void **state)
{
    (void)state;
    assert_true(is_kept(store_plainly));
    assert_false(is_kept(store_slc));
    assert_false(is_kept(read_by_host));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"replacement/lru_keeps_what_is_used_and_fifo_does_not",
         lru_keeps_what_is_used_and_fifo_does_not, NULL, NULL, NULL},
        {"replacement/random_takes_every_way_and_repeats", random_takes_every_way_and_repeats, NULL,
         NULL, NULL},
        {"replacement/no_policy_is_offered_a_held_line", no_policy_is_offered_a_held_line, NULL,
         NULL, NULL},
        {"sets/xor_spreads_strides", xor_spreads_strides, NULL, NULL, NULL},
        {"replacement/slc_and_the_host_use_no_line", slc_and_the_host_use_no_line, NULL, NULL,
         NULL},
        {"sets/one_set_is_enough_for_xor", one_set_is_enough_for_xor, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
