/* SPDX-License-Identifier: MIT */
/* What NMOESI does beside MOESI: N copies, acquires, releases, and coherent accesses among them. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/bits.h"
#include "bench.h"
#include "mem/protocol/nmoesi/messages.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "mem/protocol/nmoesi/statistics.h"

enum { LINE = 128, OTHER = 4096 };

static struct bench *create_of(const struct protocol *protocol)
{
    struct bench_options options = {.protocol = protocol, .l1s = 3, .scalars = 1, .slices = 1};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

static struct bench *create(void)
{
    return create_of(protocol_find("nmoesi"));
}

/* With fences of the device; one at a time. */
static struct bench *create_fenced(void)
{
    static struct protocol fenced;
    static const struct nmoesi_parameters parameters = {.fence_scope = "device"};

    fenced = *protocol_find("nmoesi");
    fenced.parameters = &parameters;
    return create_of(&fenced);
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

static const char *state_of(const struct controller *controller, const struct bench *bench)
{
    const struct line *line = controller_find(controller, bench->buffer + LINE);

    return line == NULL ? "I" : controller->role->states[line->state].name;
}

static void assert_states(struct bench *bench, const char *first, const char *second,
                          const char *directory)
{
    assert_string_equal(state_of(&bench->uppers[0], bench), first);
    assert_string_equal(state_of(&bench->uppers[1], bench), second);
    assert_string_equal(state_of(&bench->slices[0], bench), directory);
}

static struct nmoesi_upper_statistics *upper(struct bench *bench, uint32_t node)
{
    return controller_statistics(&bench->uppers[node]);
}

static void store_coherently(struct bench *bench, uint32_t node, uint64_t offset, uint32_t value)
{
    struct message store = bench_request(bench, MESSAGE_STORE, offset, 4);

    store.scope = SCOPE_DEVICE;
    message_set_word(&store, offset, value);
    bench_do(bench, node, &store);
}

static void many_copies_are_n_at_once(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_poke(bench, LINE + 8, 9);
    bench_store(bench, 0, LINE, 1);
    bench_store(bench, 1, LINE + 4, 2);
    assert_states(bench, "N", "N", "S");
    assert_int_equal(bench_load(bench, 0, LINE + 8), 9); /* the line was fetched */
    assert_int_equal(bench_load(bench, 0, LINE + 4), 0); /* not seen yet */
    bench_release(bench, 0);
    bench_release(bench, 1);
    assert_states(bench, "S", "S", "S");
    assert_int_equal(upper(bench, 0)->released_bytes, 4);
    bench_acquire(bench, 0);
    assert_int_equal(bench_load(bench, 0, LINE), 1);
    assert_int_equal(bench_load(bench, 0, LINE + 4), 2);
    destroy(bench);
}

static void an_acquire_keeps_dirty_bytes_alone(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_store(bench, 0, LINE, 1);
    bench_store(bench, 1, LINE + 4, 2);
    bench_release(bench, 1);
    bench_acquire(bench, 0);
    assert_states(bench, "N", "S", "S");
    assert_int_equal(upper(bench, 0)->acquired_lines, 1);
    assert_int_equal(bench_load(bench, 0, LINE), 1); /* its own: a hit */
    assert_int_equal(upper(bench, 0)->refetches, 0);
    assert_int_equal(bench_load(bench, 0, LINE + 4), 2);
    assert_int_equal(upper(bench, 0)->refetches, 1);
    assert_int_equal(bench_load(bench, 2, LINE), 1); /* sent before the line was fetched again */
    destroy(bench);
}

static void a_coherent_store_merges_n_copies(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_store(bench, 0, LINE, 1);
    bench_store(bench, 1, LINE + 4, 2);
    store_coherently(bench, 2, LINE + 8, 3);
    assert_states(bench, "I", "I", "X");
    assert_int_equal(bench_load(bench, 2, LINE), 1);
    assert_int_equal(bench_load(bench, 2, LINE + 4), 2);
    destroy(bench);
}

static void an_owner_does_not_stand_beside_n(void **state)
{
    struct bench *bench = create();

    (void)state;
    store_coherently(bench, 0, LINE, 1);
    bench_load(bench, 2, LINE);
    assert_states(bench, "O", "I", "O");
    bench_store(bench, 1, LINE + 4, 2);
    assert_states(bench, "S", "N", "S");
    assert_int_equal(bench_load(bench, 1, LINE), 1);
    bench_store(bench, 0, LINE + 8, 3);
    assert_states(bench, "N", "N", "S");
    destroy(bench);
}

static void a_plain_store_to_e_is_told(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_load(bench, 0, LINE);
    assert_states(bench, "E", "I", "X");
    bench_store(bench, 0, LINE, 1);
    assert_states(bench, "N", "I", "S");
    assert_int_equal(upper(bench, 0)->disowns, 1);
    assert_int_equal(bench_host_read(bench, LINE), 1);
    destroy(bench);
}

/* An atomic's order and scope do not matter to it: it is where all see it at once. */
static void atomics_are_coherent(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_store(bench, 0, LINE, 40);
    assert_int_equal(bench_add(bench, 1, LINE, 1), 40);
    assert_int_equal(bench_add(bench, 2, LINE, 1), 41);
    assert_int_equal(bench_load_glc(bench, 0, LINE), 42);
    destroy(bench);
}

static struct message of_whole_cache(struct bench *bench, uint8_t kind, uint8_t order)
{
    struct message message = bench_request(bench, kind, 0, 0);

    message.addr = 0;
    message.scope = SCOPE_DEVICE;
    message.order = order;
    return message;
}

/* What barrier and mem_fence are; a byte of its own is dirty in each copy, and the other's is old. */
static void pass_by_fences(struct bench *bench)
{
    struct message fence = of_whole_cache(bench, MESSAGE_INVALIDATE, ORDER_ACQUIRE_RELEASE);

    bench_store(bench, 0, LINE, 1);
    bench_store(bench, 1, LINE + 4, 2);
    bench_do(bench, 0, &fence);
    bench_do(bench, 1, &fence);
}

static void a_fence_of_the_work_group_leaves_all_as_it_is(void **state)
{
    struct bench *bench = create();

    (void)state;
    pass_by_fences(bench);
    assert_states(bench, "N", "N", "S");
    assert_int_equal(bench_load(bench, 1, LINE), 0);
    assert_int_equal(upper(bench, 0)->released_bytes, 0);
    assert_int_equal(upper(bench, 1)->refetches, 0);
    destroy(bench);
}

static void a_fence_of_the_device_releases_and_acquires(void **state)
{
    struct bench *bench = create_fenced();

    (void)state;
    pass_by_fences(bench);
    assert_states(bench, "S", "S", "S");
    assert_int_equal(upper(bench, 0)->released_bytes, 4);
    assert_int_equal(bench_load(bench, 1, LINE), 1);
    assert_int_equal(upper(bench, 1)->refetches, 1);
    destroy(bench);
}

/* The store waits for its line, others wait for the release: it has to be of both. */
static void a_release_waits_for_stores_that_wait(void **state)
{
    struct bench *bench = create_fenced();
    struct controller *l1 = &bench->uppers[0];
    struct message store = bench_request(bench, MESSAGE_STORE, LINE, 4), data;
    struct message flush = of_whole_cache(bench, MESSAGE_FLUSH, ORDER_RELEASE);
    struct message both = of_whole_cache(bench, MESSAGE_INVALIDATE, ORDER_ACQUIRE_RELEASE);
    struct step step;

    (void)state;
    assert_int_equal(controller_step(l1, &store, &step), STEP_DONE);
    assert_int_equal(step.outputs[0].message.kind, NMOESI_GETN);
    data = step.outputs[0].message;
    assert_int_equal(controller_step(l1, &flush, &step), STEP_STALLED);
    assert_int_equal(controller_step(l1, &both, &step), STEP_STALLED);
    data.kind = NMOESI_DATA_N;
    data.mask = UINT64_MAX;
    assert_int_equal(controller_step(l1, &data, &step), STEP_DONE);
    assert_int_equal(controller_step(l1, &flush, &step), STEP_STALLED); /* the line is here */
    assert_true(controller_drain_one(l1, UINT64_MAX, &step) >= 0);
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_STORE_REPLY);
    assert_int_equal(controller_step(l1, &flush, &step), STEP_DONE);
    assert_true(controller_is_walking(l1));
    destroy(bench);
}

/* ---- What is counted ---- */

static struct bench *create_small(uint32_t l1_ways, uint32_t l2_ways)
{
    struct bench_options options = {
        .protocol = protocol_find("nmoesi"),
        .l1s = 3,
        .slices = 1,
        .l1 = {.sets = 1, .ways = l1_ways, .mshr_entries = 4, .waiting_entries = 8},
        .l2 = {.sets = 2, .ways = l2_ways, .mshr_entries = 2, .waiting_entries = 8}};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

/* Two words of one line, stored to coherently: the copies that go had not used the byte that is
 * written. */
static void false_sharing_is_counted(void **state)
{
    struct bench *bench = create();

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        store_coherently(bench, 0, LINE, i);
        store_coherently(bench, 1, LINE + 4, i);
    }
    assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 5);
    assert_int_equal(upper(bench, 0)->useless_invalidations, 5);
    assert_int_equal(upper(bench, 0)->misses_after_writers, 4);
    bench_load(bench, 0, LINE + 4); /* now it uses that byte */
    store_coherently(bench, 1, LINE + 4, 9);
    assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 6);
    assert_int_equal(upper(bench, 0)->useless_invalidations, 5);
    destroy(bench);
}

/* Of copies in N none goes because another stores plainly, whatever word: there is nothing to
 * count. */
static void plain_stores_share_without_loss(void **state)
{
    struct bench *bench = create();

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        bench_store(bench, 0, LINE, i);
        bench_store(bench, 1, LINE + 4, i);
    }
    assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 0);
    assert_int_equal(upper(bench, 0)->useless_invalidations, 0);
    store_coherently(bench, 2, LINE + 8, 1); /* that one takes both */
    assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 1);
    assert_int_equal(upper(bench, 1)->useless_invalidations, 1);
    assert_int_equal(upper(bench, 1)->bytes_to_writers, 4);
    destroy(bench);
}

static void write_backs_are_counted_by_cause(void **state)
{
    struct bench *bench = create_small(1, 4);

    (void)state;
    bench_store(bench, 0, LINE, 1); /* in N, then its way is needed */
    store_coherently(bench, 0, OTHER, 2);
    assert_int_equal(upper(bench, 0)->puts_n, 1);
    assert_int_equal(upper(bench, 0)->put_n_bytes, 4);
    assert_int_equal(upper(bench, 0)->puts, 0);
    bench_load(bench, 1, OTHER); /* another reads what is in M */
    assert_int_equal(upper(bench, 0)->bytes_to_readers, 4);
    bench_load(bench, 0, LINE); /* in O, then its way is needed */
    assert_int_equal(upper(bench, 0)->puts, 1);
    assert_int_equal(upper(bench, 0)->put_bytes, 4);
    bench_store(bench, 0, LINE, 3);
    bench_release(bench, 0);
    assert_int_equal(upper(bench, 0)->released_lines, 1);
    assert_int_equal(upper(bench, 0)->released_bytes, 4);
    assert_int_equal(upper(bench, 0)->puts_n, 1);
    destroy(bench);
}

/* L2 gives a line up: its copy goes, is missed again, and its dirty bytes reach memory. */
static void recalls_are_counted(void **state)
{
    struct bench *bench = create_small(2, 1);
    const struct nmoesi_directory_statistics *directory = controller_statistics(&bench->slices[0]);

    (void)state;
    store_coherently(bench, 0, LINE, 7);
    bench_load(bench, 1, OTHER + LINE);
    assert_states(bench, "I", "I", "I");
    assert_int_equal(directory->recalls, 1);
    assert_int_equal(directory->recall_write_backs, 1);
    assert_int_equal(directory->recall_write_back_bytes, 4);
    assert_int_equal(upper(bench, 0)->copies_lost_to_recalls, 1);
    assert_int_equal(upper(bench, 0)->bytes_to_recalls, 4);
    assert_int_equal(bench_load(bench, 0, LINE), 7);
    assert_int_equal(upper(bench, 0)->misses_after_recalls, 1);
    assert_int_equal(upper(bench, 0)->misses_after_writers, 0);
    destroy(bench);
}

static void what_an_acquire_took_is_fetched_again(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_load(bench, 1, LINE);
    bench_load(bench, 0, LINE);
    bench_acquire(bench, 0);
    assert_int_equal(upper(bench, 0)->acquired_lines, 1);
    assert_int_equal(upper(bench, 0)->refetches, 0);
    bench_load(bench, 0, LINE);
    assert_int_equal(upper(bench, 0)->refetches, 1);
    destroy(bench);
}

/* Node 0 stored plainly to its E: what it sends then is not looked at before its DISOWN, whatever it
 * is, and is done after it. */
static void what_follows_a_disown_waits_for_it(void **state)
{
    static const uint8_t followers[] = {NMOESI_PUT_N, NMOESI_WRITE_N, NMOESI_REFETCH,
                                        NMOESI_UPGRADE_N, MOESI_UPGRADE};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(followers); i++) {
        struct bench *bench = create();
        struct controller *l2 = &bench->slices[0];
        struct message follower = bench_request(bench, followers[i], LINE, 4);
        struct message disown = bench_request(bench, NMOESI_DISOWN, LINE, 0);
        struct step step;

        bench_load(bench, 0, LINE);
        assert_states(bench, "E", "I", "X");
        assert_int_equal(controller_step(l2, &follower, &step), STEP_STALLED);
        assert_int_equal(step.output_count, 0);
        assert_states(bench, "E", "I", "X");
        assert_int_equal(controller_step(l2, &disown, &step), STEP_DONE);
        assert_string_equal(state_of(l2, bench), "S");
        assert_int_equal(controller_step(l2, &follower, &step), STEP_DONE);
        destroy(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_copies_are_n_at_once),
        cmocka_unit_test(an_acquire_keeps_dirty_bytes_alone),
        cmocka_unit_test(a_coherent_store_merges_n_copies),
        cmocka_unit_test(an_owner_does_not_stand_beside_n),
        cmocka_unit_test(a_plain_store_to_e_is_told),
        cmocka_unit_test(what_follows_a_disown_waits_for_it),
        cmocka_unit_test(atomics_are_coherent),
        cmocka_unit_test(a_fence_of_the_work_group_leaves_all_as_it_is),
        cmocka_unit_test(a_fence_of_the_device_releases_and_acquires),
        cmocka_unit_test(a_release_waits_for_stores_that_wait),
        cmocka_unit_test(false_sharing_is_counted),
        cmocka_unit_test(plain_stores_share_without_loss),
        cmocka_unit_test(write_backs_are_counted_by_cause),
        cmocka_unit_test(recalls_are_counted),
        cmocka_unit_test(what_an_acquire_took_is_fetched_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
