/* SPDX-License-Identifier: MIT */
/* Does each protocol give, under random traffic and random message orders, what a flat memory
 * would? */
#include "cmocka_all.h"

#include "base/bits.h"
#include "contract.h"
#include "write_through.h"

static const struct controller_shape tiny = {
    .sets = 1, .ways = 1, .mshr_entries = 1, .waiting_entries = 1};
static const struct controller_shape small = {
    .sets = 2, .ways = 2, .mshr_entries = 2, .waiting_entries = 4};
static const struct controller_shape walking = {
    .sets = 2, .ways = 2, .mshr_entries = 4, .waiting_entries = 8, .walk_lines = 1};
static const struct controller_shape roomy = {
    .sets = 16, .ways = 4, .mshr_entries = 16, .waiting_entries = 64};
static const struct controller_shape tiny_l2 = {
    .sets = 2, .ways = 1, .mshr_entries = 1, .waiting_entries = 1};
static const struct controller_shape small_l2 = {
    .sets = 2, .ways = 2, .mshr_entries = 3, .waiting_entries = 6};

struct size {
    const struct controller_shape *l1, *l2;
    uint32_t words;
};

static const struct size sizes[] = {
    {&tiny, &tiny_l2, 16 * 4},  {&small, &small_l2, 16 * 8}, {&walking, &small_l2, 16 * 8},
    {&tiny, &small_l2, 16 * 8}, {&small, &tiny_l2, 16 * 16}, {&roomy, &roomy, 16 * 64},
};

static void run_all(const struct protocol *protocol, bool has_slc)
{
    for (unsigned i = 0; i < ARRAY_COUNT(sizes); i++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            struct episode episode = {.protocol = protocol,
                                      .l1 = *sizes[i].l1,
                                      .l2 = *sizes[i].l2,
                                      .nodes = 1 + (uint32_t)(seed % 4),
                                      .slices = 1 + (uint32_t)(seed % 2),
                                      .words = sizes[i].words,
                                      .phases = 6,
                                      .requests = 150,
                                      .seed = seed * 7919 + i,
                                      .has_slc = has_slc};
            struct text why = {0};

            if (!episode_run(&episode, &why))
                fail_msg("%s, sizes %u: %s", protocol->name, i, text_chars(&why));
            text_finish(&why);
        }
}

static void si_is_a_memory(void **state)
{
    (void)state;
    run_all(protocol_find("si"), true);
}

static void write_through_is_a_memory(void **state)
{
    (void)state;
    run_all(&protocol_write_through, false);
}

/* The tester itself: with a fault it must complain within a few seeds. */
static bool is_seen(enum debug_break fault, uint32_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct episode episode = {.protocol = protocol_find("si"),
                                  .l1 = small,
                                  .l2 = small_l2,
                                  .nodes = 3,
                                  .slices = 1,
                                  .words = 16 * 8,
                                  .phases = 6,
                                  .requests = 150,
                                  .seed = seed,
                                  .breaks = UINT64_C(1) << fault};
        struct text why = {0};
        bool is_right = episode_run(&episode, &why);

        text_finish(&why);
        if (!is_right)
            return true;
    }
    return false;
}

static void tester_sees_faults(void **state)
{
    (void)state;
    assert_true(is_seen(DEBUG_BREAK_KEEP_L1_AT_ACQUIRE, 4));
    assert_true(is_seen(DEBUG_BREAK_KEEP_LINE_AT_STORE, 4));
    assert_true(is_seen(DEBUG_BREAK_DROP_DIRTY_BYTE, 4));
    assert_true(is_seen(DEBUG_BREAK_DROP_WRITE_BACK, 4));
    assert_true(is_seen(DEBUG_BREAK_MERGE_OVER_DIRTY, 4));
    assert_true(is_seen(DEBUG_BREAK_HOST_SKIPS_L2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"random/si_is_a_memory", si_is_a_memory, NULL, NULL, NULL},
        {"random/write_through_is_a_memory", write_through_is_a_memory, NULL, NULL, NULL},
        {"random/tester_sees_faults", tester_sees_faults, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
