/* SPDX-License-Identifier: MIT */
/* SI: requests to one line take effect in the order of arrival, in L1 and in L2, while its fill
 * is on its way. Each test holds the fill, sends what must not pass, and delivers it. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "si_bench.h"

static struct message add_five(struct bench *bench)
{
    struct message add = bench_request(bench, MESSAGE_ATOMIC, 0, 4);

    add.rmw = RMW_ADD;
    add.word_bytes = 4;
    add.returns = true;
    message_set_word(&add, 0, 5);
    return add;
}

static void move_all(struct bench *bench)
{
    while (pump_step(&bench->pump))
        ;
}

static void send(struct bench *bench, uint32_t node, struct message request)
{
    pump_send(&bench->pump, node, &request);
    move_all(bench);
}

static uint32_t latest_word(const struct bench *bench)
{
    assert_true(bench->reply_count > 0);
    return message_word(&bench->replies[bench->reply_count - 1], 0);
}

/* A load with GLC waits for the fill, a store waits behind it. A later load finds the line filled,
 * and must not be answered from it before the store. */
static void a_hit_stays_behind_what_waits_for_its_line(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message fill = si_bench_hold_fill(bench, 0);
    struct message glc = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct message load = bench_request(bench, MESSAGE_LOAD, 0, 4);
    struct step step;

    (void)state;
    glc.glc = true;
    message_set_word(&store, 0, 9);
    assert_int_equal(controller_step(&bench->uppers[0], &glc, &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &fill, &step), STEP_DONE);
    assert_int_equal(controller_step(&bench->uppers[0], &load, &step), STEP_DONE);
    assert_int_equal(step.output_count, 0); /* the line is here, but it is not this load's turn */
    move_all(bench);
    assert_int_equal(latest_word(bench), 9);
    si_bench_destroy(bench);
}

/* A load's fill is on its way when another wavefront of the compute unit acquires: a load after the
 * acquire must not join it. */
static void a_load_after_an_acquire_joins_no_older_fill(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message fill = si_bench_hold_fill(bench, 0);
    struct message store = bench_request(bench, MESSAGE_STORE, 0, 4);
    struct step step;

    (void)state;
    message_set_word(&store, 0, 7);
    send(bench, 1, store);
    send(bench, 0, bench_request(bench, MESSAGE_INVALIDATE, 0, 0));
    bench->reply_count = 0;
    send(bench, 0, bench_request(bench, MESSAGE_LOAD, 0, 4));
    assert_int_equal(bench->reply_count, 0);
    assert_int_equal(controller_step(&bench->uppers[0], &fill, &step), STEP_DONE);
    move_all(bench);
    assert_int_equal(bench->reply_count, 2); /* the first load too */
    assert_int_equal(latest_word(bench), 7);
    si_bench_destroy(bench);
}

static void an_atomic_overtakes_a_fill_of_l1(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct message fill = si_bench_hold_fill(bench, 0);
    struct step step;

    (void)state;
    send(bench, 0, add_five(bench)); /* done in L2: the fill is older */
    assert_int_equal(controller_step(&bench->uppers[0], &fill, &step), STEP_DONE);
    move_all(bench);
    bench->reply_count = 0;
    send(bench, 0, bench_request(bench, MESSAGE_LOAD, 0, 4));
    assert_int_equal(latest_word(bench), 5);
    si_bench_destroy(bench);
}

/* What a slice does by itself until nothing is left; the word 0 that it sends to a node, at last.
 */
static uint32_t stir_slice(struct bench *bench, uint16_t node)
{
    struct step step;
    uint32_t word = UINT32_MAX;

    for (unsigned i = 0; i < 10; i++) {
        if (controller_drain_one(&bench->slices[0], UINT64_MAX, &step) < 0 &&
            !controller_replay(&bench->slices[0], &step))
            break;
        for (uint32_t j = 0; j < step.output_count; j++)
            if (step.outputs[j].side == OUTPUT_UP && step.outputs[j].message.destination == node)
                word = message_word(&step.outputs[j].message, 0);
    }
    return word;
}

/* In L2 an atomic under a fill takes effect at once: a later load sees it, not the memory's word
 * that the fill brings. */
static void an_atomic_overtakes_a_fill_of_l2(void **state)
{
    struct bench *bench = si_bench_create(0, NULL, NULL);
    struct controller *slice = &bench->slices[0];
    struct message whole = bench_request(bench, MESSAGE_LOAD, 0, LINE_BYTES);
    struct message add = add_five(bench), fill;
    struct step step;

    (void)state;
    bench_store(bench, 0, 0, 100); /* word 0 alone is here, dirty */
    assert_int_equal(controller_step(slice, &whole, &step), STEP_DONE);
    fill = step.outputs[0].message;
    assert_int_equal(fill.kind, MESSAGE_READ);
    assert_int_equal(controller_step(slice, &add, &step), STEP_DONE);
    whole.source = 1;
    assert_int_equal(controller_step(slice, &whole, &step), STEP_DONE);
    fill.kind = MESSAGE_READ_REPLY;
    memset(fill.data, 0, sizeof fill.data);
    assert_int_equal(controller_step(slice, &fill, &step), STEP_DONE);
    assert_int_equal(stir_slice(bench, 1), 105);
    si_bench_destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"si/a_hit_stays_behind_what_waits_for_its_line",
         a_hit_stays_behind_what_waits_for_its_line, NULL, NULL, NULL},
        {"si/a_load_after_an_acquire_joins_no_older_fill",
         a_load_after_an_acquire_joins_no_older_fill, NULL, NULL, NULL},
        {"si/an_atomic_overtakes_a_fill_of_l1", an_atomic_overtakes_a_fill_of_l1, NULL, NULL, NULL},
        {"si/an_atomic_overtakes_a_fill_of_l2", an_atomic_overtakes_a_fill_of_l2, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
