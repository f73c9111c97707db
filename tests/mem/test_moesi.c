/* SPDX-License-Identifier: MIT */
/* What MOESI's table says of states, messages and counters, step by step, with nothing in between. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "bench.h"
#include "mem/protocol/moesi/messages.h"
#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/moesi/statistics.h"

enum { LINE = 128, OTHER = 4096 };

static struct bench *create_with(uint64_t owner_writes_back, const struct controller_shape *l2)
{
    static struct moesi_parameters parameters[2] = {{0, 0, "line"}, {1, 0, "line"}};
    struct bench_options options = {
        .protocol = protocol_find("moesi"), .l1s = 3, .scalars = 1, .slices = 1};
    struct bench *bench = malloc(sizeof *bench);

    if (l2 != NULL)
        options.l2 = *l2;
    bench_init(bench, &options);
    for (uint32_t i = 0; i < bench->upper_count; i++)
        bench->uppers[i].parameters = &parameters[owner_writes_back];
    return bench;
}

static struct bench *create(void)
{
    return create_with(0, NULL);
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

/* "I" for a line that is not here. */
static void assert_state(const struct controller *controller, struct bench *bench, uint64_t offset,
                         const char *expected)
{
    const struct line *line = controller_find(controller, bench->buffer + offset);

    assert_string_equal(line == NULL ? "I" : controller->role->states[line->state].name, expected);
}

static void assert_states(struct bench *bench, const char *first, const char *second,
                          const char *scalar, const char *directory)
{
    assert_state(&bench->uppers[0], bench, LINE, first);
    assert_state(&bench->uppers[1], bench, LINE, second);
    assert_state(&bench->uppers[3], bench, LINE, scalar);
    assert_state(&bench->slices[0], bench, LINE, directory);
}

static struct moesi_upper_statistics *upper(struct bench *bench, uint32_t node)
{
    return controller_statistics(&bench->uppers[node]);
}

static struct moesi_directory_statistics *directory(struct bench *bench)
{
    return controller_statistics(&bench->slices[0]);
}

static void readers_get_e_then_s(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_load(bench, 0, LINE);
    assert_states(bench, "E", "I", "I", "X");
    bench_load(bench, 1, LINE);
    assert_states(bench, "S", "S", "I", "S");
    assert_int_equal(directory(bench)->transfers, 0); /* it was clean */
    assert_int_equal(directory(bench)->reads_that_probe, 1);
    bench_load(bench, 3, OTHER); /* a scalar cache never gets E */
    assert_state(&bench->uppers[3], bench, OTHER, "S");
    assert_state(&bench->slices[0], bench, OTHER, "S");
    destroy(bench);
}

static void a_store_to_e_is_silent(void **state)
{
    struct bench *bench = create();
    uint64_t sent;

    (void)state;
    bench_load(bench, 0, LINE);
    sent = bench->pump.stamp;
    bench_store(bench, 0, LINE, 7);
    assert_int_equal(bench->pump.stamp - sent, 1); /* the store itself */
    assert_states(bench, "M", "I", "I", "X");
    assert_int_equal(upper(bench, 0)->upgrades, 0);
    assert_int_equal(bench_peek(bench, LINE), 0);
    assert_int_equal(bench_host_read(bench, LINE), 7);
    destroy(bench);
}

static void a_read_of_m_leaves_o(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_store(bench, 0, LINE, 7);
    assert_int_equal(bench_load(bench, 1, LINE), 7);
    assert_states(bench, "O", "S", "I", "O");
    assert_int_equal(directory(bench)->transfers, 1);
    assert_int_equal(upper(bench, 0)->bytes_to_readers, 4);
    assert_int_equal(bench_load(bench, 3, LINE), 7); /* from the owner again */
    assert_states(bench, "O", "S", "S", "O");
    assert_int_equal(directory(bench)->transfers, 2);
    assert_int_equal(upper(bench, 0)->probes_share, 2);
    destroy(bench);
}

static void owner_writes_back(void **state)
{
    struct bench *bench = create_with(1, NULL);

    (void)state;
    bench_store(bench, 0, LINE, 7);
    assert_int_equal(bench_load(bench, 1, LINE), 7);
    assert_states(bench, "S", "S", "I", "S");
    assert_int_equal(bench_load(bench, 3, LINE), 7); /* L2 has it now */
    assert_int_equal(upper(bench, 0)->probes_share, 1);
    destroy(bench);
}

/* Leave alone is enough for who has a copy; the others' go, that of a scalar cache too. */
static void an_upgrade_drops_the_others(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_store(bench, 0, LINE, 7);
    bench_load(bench, 1, LINE);
    bench_load(bench, 3, LINE);
    bench_store(bench, 1, LINE + 4, 8);
    assert_states(bench, "I", "M", "I", "X");
    assert_int_equal(upper(bench, 1)->upgrades, 1);
    assert_int_equal(directory(bench)->grants_without_data, 1);
    assert_int_equal(directory(bench)->probes_invalidate, 2);
    assert_int_equal(upper(bench, 0)->bytes_to_writers, 4);
    assert_int_equal(bench_load(bench, 0, LINE), 7);
    assert_int_equal(bench_load(bench, 0, LINE + 4), 8);
    destroy(bench);
}

/* A store in O asks for leave; without sharers left it needs no probe. */
static void an_owner_upgrades(void **state)
{
    struct bench *bench = create();

    (void)state;
    bench_store(bench, 0, LINE, 7);
    bench_load(bench, 1, LINE);
    bench_store(bench, 0, LINE, 9);
    assert_states(bench, "M", "I", "I", "X");
    assert_int_equal(bench_load(bench, 1, LINE), 9);
    destroy(bench);
}

static void atomics_are_done_in_l1(void **state)
{
    struct bench *bench = create();

    (void)state;
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(bench_add(bench, 0, LINE, 1), i);
    assert_states(bench, "M", "I", "I", "X");
    assert_int_equal(bench->slices[0].statistics.stores, 1); /* one GETM */
    assert_int_equal(bench_add(bench, 1, LINE, 1), 10);
    assert_states(bench, "I", "M", "I", "X");
    destroy(bench);
}

/* The way of a set of one is needed: what was there is told to the directory, clean or dirty. */
static void evictions_tell_the_directory(void **state)
{
    struct bench_options options = {
        .protocol = protocol_find("moesi"),
        .l1s = 2,
        .slices = 1,
        .l1 = {.sets = 1, .ways = 1, .mshr_entries = 4, .waiting_entries = 8}};
    struct bench *bench = malloc(sizeof *bench);

    (void)state;
    bench_init(bench, &options);
    bench_load(bench, 0, LINE);
    bench_store(bench, 0, OTHER, 5);
    assert_state(&bench->slices[0], bench, LINE, "V");
    bench_load(bench, 0, LINE);
    assert_state(&bench->slices[0], bench, OTHER, "V");
    assert_int_equal(upper(bench, 0)->puts, 2);
    assert_int_equal(upper(bench, 0)->put_bytes, 4);
    assert_int_equal(bench_load(bench, 1, OTHER), 5);
    destroy(bench);
}

/* L2 gives a line up: all copies go, and dirty bytes reach memory, from L2 or from above. */
static void recalls_gather_what_is_dirty(void **state)
{
    static const struct controller_shape one_line = {
        .sets = 2, .ways = 1, .mshr_entries = 1, .waiting_entries = 4};
    struct bench *bench = create_with(0, &one_line);

    (void)state;
    bench_store(bench, 0, LINE, 7);
    bench_load(bench, 1, LINE);
    bench_store(bench, 1, LINE + 4, 8); /* L2 has the first word dirty, node 1 the second */
    bench_load(bench, 0, OTHER + LINE);
    assert_states(bench, "I", "I", "I", "I");
    assert_int_equal(bench_peek(bench, LINE), 7);
    assert_int_equal(bench_peek(bench, LINE + 4), 8);
    assert_int_equal(directory(bench)->recalls, 1);
    assert_int_equal(directory(bench)->recall_write_backs, 1);
    assert_int_equal(directory(bench)->recall_write_back_bytes, 8);
    assert_int_equal(upper(bench, 1)->copies_lost_to_recalls, 1);
    assert_int_equal(upper(bench, 1)->bytes_to_recalls, 4);
    bench_load(bench, 1, LINE);
    assert_int_equal(upper(bench, 1)->misses_after_recalls, 1);
    destroy(bench);
}

/* Two words of one line: the copies that go had not used the byte that is written. */
static void false_sharing_is_counted(void **state)
{
    struct bench *bench = create();

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        bench_store(bench, 0, LINE, i);
        bench_store(bench, 1, LINE + 4, i);
    }
    assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 5);
    assert_int_equal(upper(bench, 0)->useless_invalidations, 5);
    assert_int_equal(upper(bench, 0)->misses_after_writers, 4);
    bench_load(bench, 0, LINE + 4); /* now it uses that byte */
    bench_store(bench, 1, LINE + 4, 9);
    assert_int_equal(upper(bench, 0)->copies_lost_to_writers, 6);
    assert_int_equal(upper(bench, 0)->useless_invalidations, 5);
    destroy(bench);
}

/* ---- What L2 counts ---- */

static void assert_loads(const struct bench *bench, uint64_t loads, uint64_t misses)
{
    const struct cache_statistics *l2 = &bench->slices[0].statistics;

    assert_int_equal(l2->loads, loads);
    assert_int_equal(l2->load_misses, misses);
}

/* A read of a line that is here is no miss of L2, though others are to be heard before the answer:
 * the owner, by either way, or the reader itself, whose PUT is still to come. */
static void a_line_that_is_here_is_no_miss(void **state)
{
    static const struct moesi_parameters direct = {0, 1, "line"};

    (void)state;
    for (unsigned is_direct = 0; is_direct < 2; is_direct++) {
        struct bench *bench = create();
        struct message request;
        struct step step;

        bench->slices[0].parameters = is_direct ? &direct : bench->slices[0].parameters;
        bench_load(bench, 0, LINE);
        assert_loads(bench, 1, 1);
        request = bench_request(bench, MOESI_GETS, LINE, 4);
        request.source = 1;
        assert_int_equal(controller_step(&bench->slices[0], &request, &step), STEP_DONE);
        assert_int_equal(step.output_count, is_direct);
        assert_loads(bench, 2, 1);
        destroy(bench);

        bench = create();
        bench_load(bench, 0, LINE);
        request = bench_request(bench, MOESI_GETS, LINE, 4);
        request.source = 0; /* it has given the line up */
        assert_int_equal(controller_step(&bench->slices[0], &request, &step), STEP_DONE);
        assert_state(&bench->slices[0], bench, LINE, "W");
        assert_loads(bench, 2, 1);
        destroy(bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"moesi/readers_get_e_then_s", readers_get_e_then_s, NULL, NULL, NULL},
        {"moesi/a_store_to_e_is_silent", a_store_to_e_is_silent, NULL, NULL, NULL},
        {"moesi/a_read_of_m_leaves_o", a_read_of_m_leaves_o, NULL, NULL, NULL},
        {"moesi/owner_writes_back", owner_writes_back, NULL, NULL, NULL},
        {"moesi/an_upgrade_drops_the_others", an_upgrade_drops_the_others, NULL, NULL, NULL},
        {"moesi/an_owner_upgrades", an_owner_upgrades, NULL, NULL, NULL},
        {"moesi/atomics_are_done_in_l1", atomics_are_done_in_l1, NULL, NULL, NULL},
        {"moesi/evictions_tell_the_directory", evictions_tell_the_directory, NULL, NULL, NULL},
        {"moesi/recalls_gather_what_is_dirty", recalls_gather_what_is_dirty, NULL, NULL, NULL},
        {"moesi/a_line_that_is_here_is_no_miss", a_line_that_is_here_is_no_miss, NULL, NULL, NULL},
        {"moesi/false_sharing_is_counted", false_sharing_is_counted, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
