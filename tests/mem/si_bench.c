/* SPDX-License-Identifier: MIT */
#include "si_bench.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

struct bench *si_bench_create(uint64_t breaks, const struct controller_shape *l1,
                              const struct controller_shape *l2)
{
    struct bench_options options = {
        .protocol = protocol_find("si"), .l1s = 2, .scalars = 1, .slices = 1, .breaks = breaks};
    struct bench *bench = malloc(sizeof *bench);

    if (l1 != NULL)
        options.l1 = *l1;
    if (l2 != NULL)
        options.l2 = *l2;
    bench_init(bench, &options);
    return bench;
}

void si_bench_destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

const struct cache_statistics *si_bench_l1(const struct bench *bench, uint32_t node)
{
    return &bench->uppers[node].statistics;
}

const struct cache_statistics *si_bench_l2(const struct bench *bench)
{
    return &bench->slices[0].statistics;
}

struct message si_bench_hold_fill(struct bench *bench, uint64_t offset)
{
    struct message load = bench_request(bench, MESSAGE_LOAD, offset, 4);
    struct message fill;
    struct step step;

    assert_int_equal(controller_step(&bench->uppers[0], &load, &step), STEP_DONE);
    load = step.outputs[0].message;
    assert_int_equal(controller_step(&bench->slices[0], &load, &step), STEP_DONE);
    if (step.outputs[0].side == OUTPUT_UP)
        return step.outputs[0].message;
    fill = step.outputs[0].message; /* a READ: memory answers */
    fill.kind = MESSAGE_READ_REPLY;
    memcpy(fill.data, backing_host(&bench->backing, fill.addr), LINE_BYTES);
    assert_int_equal(controller_step(&bench->slices[0], &fill, &step), STEP_DONE);
    assert_true(controller_drain_one(&bench->slices[0], 3, &step) >= 0);
    return step.outputs[0].message;
}

uint32_t si_bench_deliver(struct bench *bench, const struct message *fill, uint64_t offset)
{
    struct step step;

    assert_int_equal(controller_step(&bench->uppers[0], fill, &step), STEP_DONE);
    assert_int_equal(controller_drain_one(&bench->uppers[0], 1, &step), 0);
    return message_word(&step.outputs[0].message, offset);
}

const struct controller_shape si_bench_one_line = {
    .sets = 2, .ways = 1, .mshr_entries = 2, .waiting_entries = 4};
