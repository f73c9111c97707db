/* SPDX-License-Identifier: MIT */
/* Sets of nodes, and directories with as many caches above them as a set has room for. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "bench.h"

enum { LAST = NODE_SET_NODES - 1, LINE = 128 };

static void members_come_in_order_and_go(void **state)
{
    static const uint32_t members[] = {0, 5, 63, 64, 255, 256, 512, LAST};
    struct node_set set = {0};
    uint32_t node = 0;

    (void)state;
    assert_true(node_set_is_empty(&set));
    for (uint32_t i = ARRAY_COUNT(members); i-- > 0;)
        node_set_add(&set, members[i]);
    assert_int_equal(node_set_count(&set), ARRAY_COUNT(members));
    for (uint32_t i = 0; i < ARRAY_COUNT(members); i++, node++) {
        node = node_set_next(&set, node);
        assert_int_equal(node, members[i]);
        assert_true(node_set_has(&set, node));
    }
    assert_int_equal(node_set_next(&set, node), NODE_SET_NODES);
    assert_false(node_set_has(&set, 257));
    for (uint32_t i = 0; i < ARRAY_COUNT(members); i++) {
        assert_false(node_set_is_empty(&set));
        node_set_remove(&set, members[i]);
        assert_int_equal(node_set_next(&set, 0),
                         i + 1 < ARRAY_COUNT(members) ? members[i + 1] : NODE_SET_NODES);
    }
    assert_true(node_set_is_empty(&set));
}

static void leave(void *context, const char *message)
{
    assert_non_null(strstr(message, "a set of nodes has room for"));
    longjmp(*(jmp_buf *)context, 1);
}

static void add(struct node_set *set)
{
    node_set_add(set, NODE_SET_NODES);
}

static void take(struct node_set *set)
{
    node_set_remove(set, NODE_SET_NODES);
}

static void look(struct node_set *set)
{
    (void)node_set_has(set, NODE_SET_NODES);
}

static void a_node_without_room_fails_a_check(void **state)
{
    static void (*const uses[])(struct node_set * set) = {add, take, look};

    (void)state;
    for (uint32_t i = 0; i < ARRAY_COUNT(uses); i++) {
        struct node_set set = {0};
        volatile bool is_caught = true;
        jmp_buf place;

        check_set_catch(leave, &place);
        if (setjmp(place) == 0) {
            uses[i](&set);
            is_caught = false;
        }
        check_set_catch(NULL, NULL);
        assert_true(is_caught);
    }
}

/* Every cache has a copy when one writes; then each must get the new bytes. */
static void writer_is_seen_by_all(const char *protocol)
{
    static const struct controller_shape one_line = {
        .sets = 1, .ways = 1, .mshr_entries = 2, .waiting_entries = 2};
    struct bench_options options = {
        .protocol = protocol_find(protocol), .l1s = BENCH_UPPERS, .slices = 1, .l1 = one_line};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    for (uint32_t node = 0; node < BENCH_UPPERS; node++)
        assert_int_equal(bench_load_glc(bench, node, LINE), 0);
    assert_int_equal(bench_add(bench, LAST, LINE, 7), 0);
    for (uint32_t node = 0; node < BENCH_UPPERS; node++)
        assert_int_equal(bench_load_glc(bench, node, LINE), 7);
    assert_int_equal(bench_add(bench, 0, LINE, 1), 7);
    for (uint32_t node = 0; node < BENCH_UPPERS; node++)
        assert_int_equal(bench_load_glc(bench, node, LINE), 8);
    bench_finish(bench);
    free(bench);
}

static void a_writer_is_seen_by_all_caches_of_the_largest_machine(void **state)
{
    (void)state;
    for (unsigned i = 0; protocols[i] != NULL; i++)
        writer_is_seen_by_all(protocols[i]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_come_in_order_and_go),
        cmocka_unit_test(a_node_without_room_fails_a_check),
        cmocka_unit_test(a_writer_is_seen_by_all_caches_of_the_largest_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
