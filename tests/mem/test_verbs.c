/* SPDX-License-Identifier: MIT */
/* What SI has no use for, by a protocol that has: probes, refusals, recycling, data of the
 * protocol's own. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "invalidating.h"
#include "system.h"

static struct bench *create(const struct controller_shape *l2)
{
    struct bench_options options = {
        .protocol = &protocol_invalidating, .l1s = 3, .scalars = 1, .slices = 1};
    struct bench *bench = malloc(sizeof *bench);

    if (l2 != NULL)
        options.l2 = *l2;
    bench_init(bench, &options);
    return bench;
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

/* ---- Probes ---- */

static void stores_drop_all_copies(void **state)
{
    struct bench *bench = create(NULL);

    (void)state;
    for (uint32_t value = 1; value < 5; value++) {
        for (uint32_t node = 0; node < 4; node++)
            bench_load(bench, node, 0);
        bench_store(bench, value % 3, 0, value);
        for (uint32_t node = 0; node < 4; node++)
            assert_null(controller_find(&bench->uppers[node], bench->buffer));
        for (uint32_t node = 0; node < 4; node++) /* no acquire */
            assert_int_equal(bench_load(bench, node, 0), value);
    }
    destroy(bench);
}

/* A store is answered after the last holder's acknowledgement, and what came behind it waits too.
 */
static void a_store_waits_for_every_holder(void **state)
{
    struct bench *bench = create(NULL);
    struct controller *slice = &bench->slices[0];
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct message load = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct message probes[2];
    struct step step;

    (void)state;
    bench_load(bench, 0, 0);
    bench_load(bench, 2, 0);
    store.source = load.source = 1;
    message_set_word(&store, 0, 7);
    assert_int_equal(controller_step(slice, &store, &step), STEP_DONE);
    assert_int_equal(step.output_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        probes[i] = step.outputs[i].message;
        assert_int_equal(probes[i].kind, INVALIDATING_PROBE);
        assert_int_equal(probes[i].destination, 2 * i);
    }
    assert_int_equal(controller_step(slice, &load, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0);
    for (unsigned i = 0; i < 2; i++) {
        struct message dropped;

        assert_false(controller_replay(slice, &step));
        assert_int_equal(controller_step(&bench->uppers[2 * i], &probes[i], &step), STEP_DONE);
        assert_int_equal(step.outputs[0].side, OUTPUT_DOWN);
        dropped = step.outputs[0].message;
        assert_int_equal(controller_step(slice, &dropped, &step), STEP_DONE);
        assert_int_equal(step.output_count, 0);
    }
    assert_true(controller_replay(slice, &step));
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_WRITE);
    assert_int_equal(step.outputs[1].message.kind, MESSAGE_STORE_REPLY);
    assert_true(controller_replay(slice, &step));
    assert_int_equal(message_word(&step.outputs[0].message, 0), 7);
    destroy(bench);
}

/* ---- Refusals ---- */

static const struct controller_shape one_mshr = {
    .sets = 128, .ways = 16, .mshr_entries = 1, .waiting_entries = 64};

static void a_refused_load_asks_again(void **state)
{
    struct bench *bench = create(&one_mshr);
    struct message first = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct message second = bench_request(bench, MESSAGE_LOAD, 64, 4);
    struct message refused;
    struct step step;

    (void)state;
    first.source = 1;
    assert_int_equal(controller_step(&bench->slices[0], &first, &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &second, &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->slices[0], &step.outputs[0].message, &step),
                     STEP_REFUSED);
    assert_int_equal(step.output_count, 1);
    refused = step.outputs[0].message;
    assert_int_equal(refused.kind, INVALIDATING_REFUSED);
    assert_int_equal(refused.destination, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &refused, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0); /* the table sends no request on a response */
    assert_true(controller_replay(&bench->uppers[0], &step));
    assert_int_equal(step.outputs[0].side, OUTPUT_DOWN);
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_LOAD);
    assert_int_equal(bench->uppers[0].statistics.loads, 1);
    assert_int_equal(bench->slices[0].statistics.loads, 1); /* the one that was taken */
    destroy(bench);
}

static void refused_loads_are_answered_in_the_end(void **state)
{
    struct bench *bench = create(&one_mshr);

    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        bench_poke(bench, 64 * i, i);
    bench->pump.is_random = true;
    for (uint32_t i = 0; i < 40; i++) {
        struct message load = bench_request(bench, MESSAGE_LOAD, 64 * i, 4);

        pump_send(&bench->pump, i % 4, &load);
    }
    pump_run(&bench->pump);
    assert_int_equal(bench->reply_count, 40);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(message_word(&bench->replies[i], 0),
                         (bench->replies[i].addr - bench->buffer) / 64);
    destroy(bench);
}

/* ---- Recycling ---- */

static void a_release_recycles_until_stores_are_answered(void **state)
{
    struct bench *bench = create(NULL);
    struct controller *l1 = &bench->uppers[0];
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct message release = bench_request(bench, MESSAGE_FLUSH, 0, 0);
    struct message load = bench_request(bench, MESSAGE_LOAD, 64, 4);
    struct step step;

    (void)state;
    controller_step(l1, &store, &step);
    assert_int_equal(controller_step(l1, &release, &step), STEP_RECYCLED);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(controller_replay(l1, &step));
        assert_int_equal(step.outcome, STEP_RECYCLED);
        assert_int_equal(step.output_count, 0);
    }
    assert_int_equal(controller_step(l1, &load, &step), STEP_STALLED); /* what is newer waits */
    assert_int_equal(l1->stall_cause, STALL_ORDER);
    store.kind = MESSAGE_STORE_REPLY;
    assert_int_equal(controller_step(l1, &store, &step), STEP_DONE);
    assert_true(controller_replay(l1, &step));
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_FLUSH_REPLY);
    assert_true(controller_is_idle(l1));
    destroy(bench);
}

static void the_pump_moves_others_while_one_recycles(void **state)
{
    struct bench *bench = create(NULL);

    (void)state;
    for (unsigned is_random = 0; is_random < 2; is_random++) {
        struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
        struct message release = bench_request(bench, MESSAGE_FLUSH, 0, 0);

        bench->reply_count = 0;
        bench->pump.is_random = is_random != 0;
        pump_send(&bench->pump, 0, &store);
        pump_send(&bench->pump, 0, &release);
        pump_run(&bench->pump);
        assert_int_equal(bench->reply_count, 2);
        assert_int_equal(bench->replies[0].kind, MESSAGE_STORE_REPLY);
        assert_int_equal(bench->replies[1].kind, MESSAGE_FLUSH_REPLY);
    }
    destroy(bench);
}

static void own_data_is_printed(void **state)
{
    struct bench *bench = create(NULL);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct step step;
    struct text text = {0};

    (void)state;
    controller_step(&bench->uppers[0], &store, &step);
    controller_print(&bench->uppers[0], &text);
    assert_non_null(strstr(text_chars(&text), "unanswered=00000001"));
    text_finish(&text);
    destroy(bench);
}

/* ---- With ports and time ---- */

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

/* Every node adds to counters and reads them, releases now and then, and between loads lines of
 * another slice, which has too few MSHRs for them. (Not of this one: caches have one port for each
 * direction of a link, and acknowledgements of probes would wait behind what waits for them.) */
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
            do
                other += 64;
            while (address_place(&system->map, system->buffer + other).slice ==
                   address_place(&system->map, system->buffer).slice);
            system_add(system, node, MESSAGE_LOAD, other, 4, 0);
            if (i % 10 == 9)
                system_add(system, node, MESSAGE_FLUSH, 0, 0, 0);
        }
}

/* What a node reads of a counter never goes back: the next is more by its own addition at least. */
static void check_reads(const struct system *system, const struct agent *agent)
{
    uint32_t least[COUNTERS] = {0};

    for (uint32_t i = 0; i < agent->count; i++) {
        uint64_t counter = (agent->script[i].addr - system->buffer) / 64;

        if (agent->script[i].kind != MESSAGE_LOAD || counter >= COUNTERS)
            continue;
        assert_true(message_word(&agent->answers[i], 0) >= least[counter]);
        least[counter] = message_word(&agent->answers[i], 0) + 1;
    }
}

static void caches_probe_refuse_and_recycle(void **state)
{
    struct system_options options;
    struct system *system;
    uint32_t total[COUNTERS] = {0}, value;

    (void)state;
    system_defaults(&options);
    options.protocol = &protocol_invalidating;
    options.nodes = NODES;
    options.slices = 2;
    options.l2.mshr_entries = COUNTERS;
    system = system_create(&options);
    fill_scripts(system, total);
    system_run(system);
    for (uint32_t node = 0; node < NODES; node++)
        check_reads(system, &system->agents[node]);
    for (uint32_t counter = 0; counter < COUNTERS; counter++) {
        memcpy(&value, backing_host(&system->backing, system->buffer + 64 * counter), 4);
        assert_int_equal(value, total[counter]);
    }
    assert_true(times(&system->l1s[0].controller, "V", "PROBE") > 0);
    assert_true(times(&system->l1s[0].controller, "F", "REFUSED") > 0);
    assert_true(times(&system->l1s[0].controller, "I", "FLUSH_EARLY") > 0);
    system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"probe/stores_drop_all_copies", stores_drop_all_copies, NULL, NULL, NULL},
        {"probe/a_store_waits_for_every_holder", a_store_waits_for_every_holder, NULL, NULL, NULL},
        {"refuse/a_refused_load_asks_again", a_refused_load_asks_again, NULL, NULL, NULL},
        {"refuse/refused_loads_are_answered_in_the_end", refused_loads_are_answered_in_the_end,
         NULL, NULL, NULL},
        {"recycle/a_release_recycles_until_stores_are_answered",
         a_release_recycles_until_stores_are_answered, NULL, NULL, NULL},
        {"recycle/the_pump_moves_others_while_one_recycles",
         the_pump_moves_others_while_one_recycles, NULL, NULL, NULL},
        {"data/own_data_is_printed", own_data_is_printed, NULL, NULL, NULL},
        {"timed/caches_probe_refuse_and_recycle", caches_probe_refuse_and_recycle, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
