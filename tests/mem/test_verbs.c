/* SPDX-License-Identifier: MIT */
/* What SI has no use for, by a protocol that has: probes, refusals, recycling, data of the
 * protocol's own. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "invalidating.h"

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

/* Neither in the state nor in what is remembered of the line and counted of the row. */
static void a_row_that_stalls_changes_nothing(void **state)
{
    static const struct controller_shape slow_walk = {
        .sets = 4, .ways = 4, .mshr_entries = 4, .waiting_entries = 8, .walk_lines = 1};
    struct bench_options options = {
        .protocol = &protocol_invalidating, .l1s = 1, .slices = 1, .l1 = slow_walk};
    struct bench *bench = malloc(sizeof *bench), *before = malloc(sizeof *before);
    struct controller *upper = &bench->uppers[0];
    struct message invalidate, probe;
    struct text coverage[2] = {{0}, {0}};
    struct step step;

    (void)state;
    bench_init(bench, &options);
    bench_init(before, &options);
    bench_load(bench, 0, 0);
    invalidate = bench_request(bench, MESSAGE_INVALIDATE, 0, 0);
    probe = bench_request(bench, INVALIDATING_PROBE, 0, 4);
    controller_count_coverage(upper);
    assert_int_equal(controller_step(upper, &invalidate, &step), STEP_DONE);
    assert_true(controller_is_walking(upper));
    controller_copy(&before->uppers[0], upper);
    controller_print_coverage(upper, &coverage[0]);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(controller_step(upper, &probe, &step), STEP_STALLED);
    controller_print_coverage(upper, &coverage[1]);
    assert_true(controller_equal(&before->uppers[0], upper));
    assert_string_equal(text_chars(&coverage[0]), text_chars(&coverage[1]));
    text_finish(&coverage[0]);
    text_finish(&coverage[1]);
    destroy(before);
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
    assert_int_equal(step.output_count, 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(controller_probe_one(slice, 3, &step), 0);
        probes[i] = step.outputs[0].message;
        assert_int_equal(probes[i].kind, INVALIDATING_PROBE);
        assert_int_equal(probes[i].destination, 2 * i);
    }
    assert_int_equal(controller_probe_one(slice, 3, &step), -1);
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

/* As many nodes as a network may have: each is probed once, in order, one at a time, by the links
 * that have room. The store goes on with the last acknowledgement. */
static void a_store_probes_all_of_256_nodes(void **state)
{
    struct bench *bench = create(NULL);
    struct controller *slice = &bench->slices[0];
    struct message load = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct message dropped = bench_request(bench, INVALIDATING_DROPPED, 0, 0);
    struct step step;

    (void)state;
    bench_load(bench, 0, 0);
    for (uint16_t node = 0; node < NODE_SET_NODES; node += 5) {
        load.source = node;
        assert_int_equal(controller_step(slice, &load, &step), STEP_DONE);
    }
    assert_int_equal(controller_step(slice, &store, &step), STEP_DONE);
    assert_int_equal(controller_probe_one(slice, 2, &step), -1); /* the line's link is full */
    for (uint16_t node = 0; node < NODE_SET_NODES; node += 5) {
        assert_int_equal(controller_probe_one(slice, 3, &step), 0);
        assert_int_equal(step.output_count, 1);
        assert_int_equal(step.outputs[0].message.destination, node);
        assert_int_equal(step.outputs[0].message.addr, bench->buffer);
        assert_false(controller_has_replay(slice));
        assert_int_equal(controller_step(slice, &dropped, &step), STEP_DONE);
    }
    assert_int_equal(controller_probe_one(slice, 3, &step), -1);
    assert_true(controller_replay(slice, &step));
    destroy(bench);
}

/* Two lines' probes leave by their own links; a full link holds up none of the other's. */
static void multicasts_do_not_hold_up_each_other(void **state)
{
    enum { OTHER_CHANNEL = 256 };
    struct bench *bench = create(NULL);
    struct controller *slice = &bench->slices[0];
    struct message third;
    struct step step;

    (void)state;
    for (uint32_t node = 0; node < 2; node++) {
        bench_load(bench, node, 0);
        bench_load(bench, node, OTHER_CHANNEL);
        bench_load(bench, node, OTHER_CHANNEL + 64);
    }
    for (uint64_t offset = 0; offset <= OTHER_CHANNEL; offset += OTHER_CHANNEL) {
        struct message store = bench_request(bench, MESSAGE_STORE, offset, 4);

        assert_int_equal(controller_step(slice, &store, &step), STEP_DONE);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(controller_probe_one(slice, 2, &step), 1);
        assert_int_equal(step.outputs[0].message.addr, bench->buffer + OTHER_CHANNEL);
        assert_int_equal(step.outputs[0].message.destination, i);
    }
    assert_int_equal(controller_probe_one(slice, 2, &step), -1);
    third = bench_request(bench, MESSAGE_STORE, OTHER_CHANNEL + 64, 4);
    assert_int_equal(controller_step(slice, &third, &step), STEP_DONE);
    for (unsigned i = 0; i < 4; i++) /* the first line's, then the third's */
        assert_int_equal(controller_probe_one(slice, 3, &step), i / 2);
    assert_int_equal(controller_probe_one(slice, 3, &step), -1);
    destroy(bench);
}

/* The host's write has the copies dropped as well. Probes that are copies of its request reach the
 * caches. It is answered when the last one has dropped the line. */
static void a_host_write_waits_for_every_holder(void **state)
{
    struct bench *bench = create(NULL);

    (void)state;
    bench_load(bench, 0, 0);
    bench_load(bench, 2, 0);
    bench->reply_count = 0;
    bench_host_write(bench, 0, 9);
    assert_int_equal(bench->reply_count, 0); /* nothing of it is for a compute unit */
    assert_null(controller_find(&bench->uppers[0], bench->buffer));
    assert_null(controller_find(&bench->uppers[2], bench->buffer));
    for (uint32_t node = 0; node < 3; node++)
        assert_int_equal(bench_load(bench, node, 0), 9);
    destroy(bench);
}

/* ---- Channels ---- */

/* What a directory waits for must reach it though requests wait: a replay holds up requests alone.
 */
static void write_backs_pass_what_waits(void **state)
{
    struct bench *bench = create(NULL);
    struct controller *slice = &bench->slices[0];
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct message load = bench_request(bench, MESSAGE_LOAD, 64, 4);
    struct message gone = bench_request(bench, INVALIDATING_GONE, 64, 0);
    struct message dropped;
    struct step step;

    (void)state;
    bench_load(bench, 0, 0);
    store.source = 1;
    assert_int_equal(controller_step(slice, &store, &step), STEP_DONE);
    assert_int_equal(controller_probe_one(slice, 3, &step), 0);
    assert_int_equal(controller_step(&bench->uppers[0], &step.outputs[0].message, &step),
                     STEP_DONE);
    dropped = step.outputs[0].message;
    assert_int_equal(controller_step(slice, &dropped, &step), STEP_DONE);
    assert_true(controller_has_replay(slice)); /* the store */
    assert_int_equal(controller_step(slice, &load, &step), STEP_STALLED);
    assert_int_equal(controller_step(slice, &gone, &step), STEP_DONE);
    assert_true(controller_replay(slice, &step));
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

static void assert_printed(const struct controller *controller, const char *field, bool is_there)
{
    struct text text = {0};

    controller_print(controller, &text);
    if ((strstr(text_chars(&text), field) != NULL) != is_there)
        fail_msg("%s: %s", field, text_chars(&text));
    text_finish(&text);
}

/* A line or an MSHR that begins anew has none of what the protocol noted of the one before. */
static void own_data_begins_at_zero(void **state)
{
    static const struct controller_shape one_line = {
        .sets = 2, .ways = 1, .mshr_entries = 1, .waiting_entries = 4};
    struct bench *bench = create(&one_line);
    struct controller *slice = &bench->slices[0];
    struct message loads[2], read;
    struct step step;

    (void)state;
    bench_load(bench, 0, 0);
    bench_load(bench, 1, 0);
    assert_printed(slice, "loads=00000002", true);
    bench_load(bench, 0, 512);
    assert_printed(slice, "loads=00000001", true); /* the same way */
    for (unsigned i = 0; i < 2; i++)
        loads[i] = bench_request(bench, MESSAGE_LOAD, 0, 4);
    assert_int_equal(controller_step(slice, &loads[0], &step), STEP_DONE);
    read = step.outputs[step.output_count - 1].message;
    assert_int_equal(controller_step(slice, &loads[1], &step), STEP_DONE);
    assert_printed(slice, "waits=00000001", true);
    read.kind = MESSAGE_READ_REPLY;
    assert_int_equal(controller_step(slice, &read, &step), STEP_DONE);
    while (controller_replay(slice, &step))
        ;
    loads[0] = bench_request(bench, MESSAGE_LOAD, 512, 4);
    assert_int_equal(controller_step(slice, &loads[0], &step), STEP_DONE);
    assert_printed(slice, "waits=00000000", true); /* the same MSHR */
    destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"probe/stores_drop_all_copies", stores_drop_all_copies, NULL, NULL, NULL},
        {"probe/a_row_that_stalls_changes_nothing", a_row_that_stalls_changes_nothing, NULL, NULL,
         NULL},
        {"probe/a_store_waits_for_every_holder", a_store_waits_for_every_holder, NULL, NULL, NULL},
        {"probe/a_store_probes_all_of_256_nodes", a_store_probes_all_of_256_nodes, NULL, NULL,
         NULL},
        {"probe/multicasts_do_not_hold_up_each_other", multicasts_do_not_hold_up_each_other, NULL,
         NULL, NULL},
        {"probe/a_host_write_waits_for_every_holder", a_host_write_waits_for_every_holder, NULL,
         NULL, NULL},
        {"channels/write_backs_pass_what_waits", write_backs_pass_what_waits, NULL, NULL, NULL},
        {"refuse/a_refused_load_asks_again", a_refused_load_asks_again, NULL, NULL, NULL},
        {"refuse/refused_loads_are_answered_in_the_end", refused_loads_are_answered_in_the_end,
         NULL, NULL, NULL},
        {"recycle/a_release_recycles_until_stores_are_answered",
         a_release_recycles_until_stores_are_answered, NULL, NULL, NULL},
        {"recycle/the_pump_moves_others_while_one_recycles",
         the_pump_moves_others_while_one_recycles, NULL, NULL, NULL},
        {"data/own_data_is_printed", own_data_is_printed, NULL, NULL, NULL},
        {"data/own_data_begins_at_zero", own_data_begins_at_zero, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
