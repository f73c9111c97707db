/* SPDX-License-Identifier: MIT */
/* Probes, refusals, recycling and recalls in caches with ports and time. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "invalidating.h"
#include "system.h"
#include "write_through.h"

/* How often the controller used a row. */
static uint64_t times(const struct controller *controller, const char *state, const char *event)
{
    const struct protocol_role *role = controller->role;

    for (uint32_t i = 0; i < role->row_count; i++) {
        const struct protocol_row *row = &role->rows[i];

        if (strcmp(role->states[row->state].name, state) == 0 &&
            strcmp(role->events[row->event].name, event) == 0)
            return controller->coverage[(uint32_t)row->state * role->event_count + row->event];
    }
    fail_msg("no row for %s in %s", event, state);
    return 0;
}

enum { NODES = 4, ADDS = 60, COUNTERS = 3 };

/* Every node adds to counters and reads them, releases now and then, and between loads other lines,
 * for which the slices have too few MSHRs. Acknowledgements of probes pass what waits for them. */
static void fill_scripts(struct system *system, uint32_t *total)
{
    struct random random = {.state = 7};
    uint64_t other = 4096;

    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t i = 0; i < ADDS; i++) {
            uint64_t counter = random_below(&random, COUNTERS);
            struct message *message;

            system_add(system, node, MESSAGE_LOAD, counter * 64, 4, 0);
            message = system_add(system, node, MESSAGE_ATOMIC, counter * 64, 4, 0);
            message->rmw = RMW_ADD;
            message->word_bytes = 4;
            message_set_word(message, 0, 1);
            total[counter]++;
            other += 64;
            system_add(system, node, MESSAGE_LOAD, other, 4, 0);
            if (i % 10 == 9)
                system_add(system, node, MESSAGE_FLUSH, 0, 0, 0);
        }
}

/* What a node reads of a counter never goes back: the next is more by its own addition at least. */
static void check_reads(const struct system *system, const struct agent *agent)
{
    uint32_t min[COUNTERS] = {0};

    for (uint32_t i = 0; i < agent->count; i++) {
        uint64_t counter = (agent->script[i].addr - system->buffer) / 64;

        if (agent->script[i].kind != MESSAGE_LOAD || counter >= COUNTERS)
            continue;
        assert_true(message_word(&agent->answers[i], 0) >= min[counter]);
        min[counter] = message_word(&agent->answers[i], 0) + 1;
    }
}

static struct system *create_system(void (*change)(struct system_options *options))
{
    struct system_options options;

    system_defaults(&options);
    options.protocol = &protocol_invalidating;
    options.nodes = NODES;
    options.slices = 2;
    change(&options);
    return system_create(&options);
}

static void check_counters(const struct system *system, const uint32_t *total)
{
    for (uint32_t node = 0; node < NODES; node++)
        check_reads(system, &system->agents[node]);
    for (uint32_t counter = 0; counter < COUNTERS; counter++) {
        uint32_t value;

        memcpy(&value, backing_host(&system->backing, system->buffer + 64 * counter), 4);
        assert_int_equal(value, total[counter]);
    }
}

static void use_few_mshrs(struct system_options *options)
{
    options->l2.mshr_entries = COUNTERS;
}

static void caches_probe_refuse_and_recycle(void **state)
{
    struct system *system = create_system(use_few_mshrs);
    uint32_t total[COUNTERS] = {0};

    (void)state;
    fill_scripts(system, total);
    controller_count_coverage(&system->l1s[0].controller);
    system_run(system);
    check_counters(system, total);
    assert_true(times(&system->l1s[0].controller, "V", "PROBE") > 0);
    assert_true(times(&system->l1s[0].controller, "F", "REFUSED") > 0);
    assert_true(times(&system->l1s[0].controller, "I", "FLUSH_EARLY") > 0);
    system_destroy(system);
}

/* Probes arrive while their cache walks: they wait for its end, and none is lost. */
static void walk_slowly(struct system_options *options)
{
    use_few_mshrs(options);
    options->l1.walk_lines_per_cycle = 1;
}

static void a_stalled_probe_is_kept(void **state)
{
    struct system *system = create_system(walk_slowly);
    uint32_t total[COUNTERS] = {0};

    (void)state;
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t i = 0; i < 200; i++) {
            struct message *message =
                system_add(system, node, MESSAGE_ATOMIC, i % COUNTERS * 64, 4, 0);

            message->rmw = RMW_ADD;
            message->word_bytes = 4;
            message_set_word(message, 0, 1);
            total[i % COUNTERS]++;
            system_add(system, node, MESSAGE_LOAD, i % COUNTERS * 64, 4, 0);
            if (i % 10 == 0)
                system_add(system, node, MESSAGE_INVALIDATE, 0, 0, 0);
        }
    system_run(system);
    check_counters(system, total);
    assert_true(system->l1s[0].controller.statistics.invalidations > 0);
    system_destroy(system);
}

/* ---- Tiny queues ---- */

enum { MANY = 12, HOT = 8, ROUNDS = 40 };

/* Everything as small as it may be: what waits for room, an MSHR or an answer is everywhere. */
static void make_tiny(struct system_options *options)
{
    options->nodes = MANY;
    options->slices = 1;
    options->l1.size_kb = 1;
    options->l1.ways = 1;
    options->l1.mshr_entries = 2;
    options->l1.waiting_entries = 4;
    options->l1.request_slots = 2;
    options->l1.forward_cycles = 1;
    options->l2.size_kb = 8; /* nothing is replaced: a recall is one step, with few outputs */
    options->l2.ways = 4;
    options->l2.mshr_entries = 2;
    options->l2.waiting_entries = 2;
    options->l2.request_slots = 2;
    options->crossbar.queue_entries = 2;
    options->crossbar.latency_cycles = 1;
}

static void add_hot(struct system *system, uint32_t node, uint32_t line, uint32_t *total)
{
    struct message *message = system_add(system, node, MESSAGE_ATOMIC, line * 64, 4, 0);

    message->rmw = RMW_ADD;
    message->word_bytes = 4;
    message_set_word(message, 0, 1);
    total[line]++;
}

/* Atomics to lines that others have read, among reads of lines that map to the same sets. */
static void run_hot(void (*make)(struct system_options *options))
{
    uint32_t total[HOT] = {0};
    struct system *system = create_system(make);
    struct random random = {.state = 11};

    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t node = 0; node < MANY; node++) {
            add_hot(system, node, (uint32_t)random_below(&random, HOT), total);
            system_add(system, node, MESSAGE_LOAD, random_below(&random, HOT) * 64, 4, 0);
            system_add(system, node, MESSAGE_LOAD, (HOT + random_below(&random, 64)) * 64, 4, 0);
        }
    system_run(system);
    for (uint32_t line = 0; line < HOT; line++) {
        uint32_t value;

        memcpy(&value, backing_host(&system->backing, system->buffer + 64 * line), 4);
        assert_int_equal(value, total[line]);
    }
    system_destroy(system);
}

static void tiny_queues_never_lock_up(void **state)
{
    (void)state;
    run_hot(make_tiny);
}

/* The same where five caches share a port of each crossbar. */
static void make_shared(struct system_options *options)
{
    make_tiny(options);
    options->crossbar.nodes_per_port = 5;
}

static void shared_ports_never_lock_up(void **state)
{
    (void)state;
    run_hot(make_shared);
}

/* A replaced line's recalls go up beside the answer that takes its way: the link above may be full
 * of either. */
static void shrink_l2(struct system_options *options)
{
    options->l2.size_kb = 1;
    options->l2.ways = 4;
    options->crossbar.width_bytes = 1;
}

static void recalls_need_room(void **state)
{
    struct system *system = create_system(shrink_l2);

    (void)state;
    for (uint32_t i = 0; i < 400; i++)
        for (uint32_t node = 0; node < NODES; node++)
            system_add(system, node, MESSAGE_LOAD, (i / 4 + i % 4 * 37) * 64, 64, 0);
    system_run(system);
    assert_true(system->slices[0].controller.statistics.evictions > 0);
    system_destroy(system);
}

/* A request whose kind is the protocol's last is not asked for the kind after it, which would be
 * its answer. Here such requests come in the cycles in which fills take the link above. */
static void use_write_through(struct system_options *options)
{
    options->protocol = &protocol_write_through;
}

static void a_request_of_the_last_kind(void **state)
{
    struct system *system = create_system(use_write_through);

    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        system_add(system, 0, MESSAGE_LOAD, i * 64, 4, 0);
        for (uint32_t j = 0; j < 10; j++)
            system_add(system, 0, WRITE_THROUGH_PING, i * 64, 4, 0);
    }
    system_run(system);
    system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"timed/caches_probe_refuse_and_recycle", caches_probe_refuse_and_recycle, NULL, NULL,
         NULL},
        {"timed/a_stalled_probe_is_kept", a_stalled_probe_is_kept, NULL, NULL, NULL},
        {"timed/tiny_queues_never_lock_up", tiny_queues_never_lock_up, NULL, NULL, NULL},
        {"timed/shared_ports_never_lock_up", shared_ports_never_lock_up, NULL, NULL, NULL},
        {"timed/recalls_need_room", recalls_need_room, NULL, NULL, NULL},
        {"timed/a_request_of_the_last_kind", a_request_of_the_last_kind, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
