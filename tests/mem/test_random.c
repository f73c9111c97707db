/* SPDX-License-Identifier: MIT */
/* Does each protocol give, under random traffic and random message orders, what a flat memory
 * would? */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/bits.h"
#include "invalidating.h"
#include "verify/mutate.h"
#include "verify/random_tester.h"

/* Of each machine. `test_mem_random FIRST COUNT` runs others. */
static uint64_t first_seed = 1, seed_count = 60;
/* Of the tests' protocols: their L2s answer a store when all may see it. */
static const struct promise as_si = {.publishes_stores = true, .tells_loads_apart = true};

static void run(const struct episode *episode, unsigned size, uint64_t seed)
{
    struct text why = {0};

    if (!episode_run(episode, &why))
        fail_msg("%s, L1 %s, L2 %s, sizes %u, seed %u: %s", episode->protocol->name,
                 episode->l1.admission == NULL ? "as usual" : episode->l1.admission->name,
                 episode->l2.admission == NULL ? "as usual" : episode->l2.admission->name, size,
                 (unsigned)seed, text_chars(&why));
    text_finish(&why);
}

/* `l2`: instead of the machines' own; `promise`: of the protocol; NULL: as they are. */
static void run_all(const struct protocol *protocol, const struct controller_shape *l2,
                    const struct promise *promise)
{
    for (unsigned size = 0; size < RANDOM_SIZES; size++)
        for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
            struct episode episode = episode_of(protocol, size, seed);

            episode.promise = promise;
            if (l2 != NULL)
                episode.l2 = *l2;
            run(&episode, size, seed);
        }
}

static unsigned admission_count(void)
{
    unsigned count = 0;

    while (admissions[count] != NULL)
        count++;
    return count;
}

/* Each way of admission, with merging and without, at both levels. */
static void every_admission_is_a_memory(void **state)
{
    unsigned count = admission_count(), size = 0;

    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++)
        for (unsigned which = 0; which < 2 * count; which++)
            for (unsigned i = 0; protocols[i] != NULL; i++) {
                struct episode episode = episode_of(protocols[i], size, seed);

                episode.l1.admission = admissions[which / 2];
                episode.l2.admission = admissions[seed % count];
                episode.l1.splits = which % 2 != 0;
                episode.l2.splits = seed % 8 < 4;
                run(&episode, size, seed);
                size = (size + 1) % RANDOM_SIZES;
            }
}

static void every_protocol_is_a_memory(void **state)
{
    (void)state;
    for (unsigned i = 0; protocols[i] != NULL; i++)
        run_all(protocols[i], NULL, NULL);
}

/* Protocols of the tests that are all that a list's must be. They serve for what those of a list
 * make no use of, and as a measure of how little a protocol needs. */
#define TEST_PROTOCOLS(X)                                                                          \
    X(write_through)                                                                               \
    X(vi)

#define DECLARE(name) extern const struct protocol protocol_##name;
TEST_PROTOCOLS(DECLARE)

static void protocols_of_the_tests_are_memories(void **state)
{
#define LIST(name) &protocol_##name,
    static const struct protocol *const list[] = {TEST_PROTOCOLS(LIST)};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(list); i++) {
        struct text complaints = {0};

        if (!protocol_check(list[i], &complaints))
            fail_msg("%s", text_chars(&complaints));
        text_finish(&complaints);
        run_all(list[i], NULL, NULL);
    }
}

/* Its L2 waits for no answer to a recall, so a line that L2 gives up may be read for a while yet.
 */
static void invalidating_is_a_memory(void **state)
{
    static const struct controller_shape all_lines = {
        .sets = 32, .ways = 4, .mshr_entries = 2, .waiting_entries = 3};

    (void)state;
    run_all(&protocol_invalidating, &all_lines, &as_si);
}

/* The tester itself: with a fault it must complain within a few seeds. */
static bool is_seen(enum debug_break fault, uint32_t seeds)
{
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct episode episode = episode_of(protocol_find("si"), 1, seed);
        struct text why = {0};
        bool is_right;

        episode.breaks = UINT64_C(1) << fault;
        is_right = episode_run(&episode, &why);

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

/* A protocol of which verification knows nothing but what it declares. */
static void a_broken_protocol_without_rules_is_found(void **state)
{
    static const struct mutation mutation = {
        "keep_line_at_acquire", "", GOES_TO, ROLE_L1, "V", "WALK", "V", NULL};
    struct diagnosis diagnosis;
    struct mutant *mutant = mutant_create(&protocol_vi, &mutation, &diagnosis);
    bool is_right = true;

    (void)state;
    assert_non_null(mutant);
    for (uint64_t seed = 1; is_right && seed <= 8; seed++) {
        struct episode episode = episode_of(mutant_protocol(mutant), 1, seed);
        struct text why = {0};

        is_right = episode_run(&episode, &why);
        text_finish(&why);
    }
    mutant_destroy(mutant);
    assert_false(is_right);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        {"random/every_protocol_is_a_memory", every_protocol_is_a_memory, NULL, NULL, NULL},
        {"random/every_admission_is_a_memory", every_admission_is_a_memory, NULL, NULL, NULL},
        {"random/protocols_of_the_tests_are_memories", protocols_of_the_tests_are_memories, NULL,
         NULL, NULL},
        {"random/a_broken_protocol_without_rules_is_found",
         a_broken_protocol_without_rules_is_found, NULL, NULL, NULL},
        {"random/invalidating_is_a_memory", invalidating_is_a_memory, NULL, NULL, NULL},
        {"random/tester_sees_faults", tester_sees_faults, NULL, NULL, NULL},
    };

    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        seed_count = strtoull(argv[2], NULL, 10);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
