/* SPDX-License-Identifier: MIT */
/* Do states that go on alike have one form, and others not? */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mem/protocol/moesi/upper.h"
#include "si_bench.h"

static void mix(void *context, const void *bytes, size_t count)
{
    uint64_t *hash = context;

    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static uint64_t form_of(const struct controller *controller)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    controller_encode(controller, &(struct form){.add = mix, .context = &hash});
    return hash;
}

static const struct controller_shape two_ways = {
    .sets = 1, .ways = 2, .mshr_entries = 3, .waiting_entries = 8};

/* What an L1, or L2, is after something happened on a bench of its own. */
static uint64_t form_after(void (*happen)(struct bench *bench), bool is_l2,
                           const struct replacement *replacement)
{
    struct controller_shape shape = two_ways;
    struct bench *bench;
    uint64_t form;

    shape.replacement = replacement;
    bench = si_bench_create(0, &shape, NULL);
    happen(bench);
    form = form_of(is_l2 ? &bench->slices[0] : &bench->uppers[0]);
    si_bench_destroy(bench);
    return form;
}

static void nothing(struct bench *bench)
{
    (void)bench;
}

static void two_then_one(struct bench *bench)
{
    bench_load(bench, 0, 0);
    bench_load(bench, 0, 64);
    bench_load(bench, 0, 0);
}

static void one_then_the_other(struct bench *bench)
{
    bench_load(bench, 0, 64);
    bench_load(bench, 0, 0);
}

static void the_other_then_one(struct bench *bench)
{
    bench_load(bench, 0, 0);
    bench_load(bench, 0, 64);
}

static void all_invalidated(struct bench *bench)
{
    one_then_the_other(bench);
    bench_acquire(bench, 0);
}

static void stored(struct bench *bench)
{
    bench_store(bench, 0, 0, 5);
}

static void stored_other(struct bench *bench)
{
    bench_store(bench, 0, 0, 6);
}

static void stored_and_flushed(struct bench *bench)
{
    stored(bench);
    pump_flush(&bench->pump);
}

/* The same line, state and bytes, but other bytes of it dirty. */
static void first_word_dirty(struct bench *bench)
{
    bench_store(bench, 0, 0, 0);
    bench_load(bench, 1, 8);
}

static void second_word_dirty(struct bench *bench)
{
    bench_store(bench, 0, 4, 0);
    bench_load(bench, 1, 8);
}

static void issue(struct bench *bench, uint8_t kind, uint64_t offset)
{
    struct message request = bench_request(bench, kind, offset, 4);
    struct step step;

    request.requester.entry = 0;
    assert_int_equal(controller_step(&bench->uppers[0], &request, &step), STEP_DONE);
}

static void missed_in_order(struct bench *bench)
{
    issue(bench, MESSAGE_LOAD, 0);
    issue(bench, MESSAGE_LOAD, 4);
}

static void missed_in_reverse(struct bench *bench)
{
    issue(bench, MESSAGE_LOAD, 4);
    issue(bench, MESSAGE_LOAD, 0);
}

static void missed_and_overtaken(struct bench *bench)
{
    missed_in_order(bench);
    issue(bench, MESSAGE_STORE, 0);
}

static void missed_and_acquired(struct bench *bench)
{
    missed_in_order(bench);
    issue(bench, MESSAGE_INVALIDATE, 0);
}

static void what_came_before_does_not_count(void **state)
{
    (void)state;
    assert_true(form_after(two_then_one, false, NULL) ==
                form_after(one_then_the_other, false, NULL)); /* other ways, stamps, histories */
    assert_true(form_after(all_invalidated, false, NULL) == form_after(nothing, false, NULL));
}

/* A way's earlier line leaves bytes behind the few that are valid now. */
static void stale_bytes_do_not_count(void **state)
{
    uint64_t forms[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bench *bench = si_bench_create(0, NULL, &si_bench_one_line);

        if (i == 1)
            for (uint64_t offset = 0; offset < LINE_BYTES; offset += 4)
                bench_store(bench, 0, offset, 0x12345678);
        bench_store(bench, 0, SI_BENCH_OTHER, 7);
        forms[i] = form_of(&bench->slices[0]);
        si_bench_destroy(bench);
    }
    assert_true(forms[0] == forms[1]);
}

static void what_goes_on_otherwise_has_another_form(void **state)
{
    static void (*const histories[])(struct bench * bench) = {
        nothing,           one_then_the_other,   the_other_then_one, missed_in_order,
        missed_in_reverse, missed_and_overtaken, missed_and_acquired};
    static void (*const l2[])(struct bench * bench) = {
        nothing, stored, stored_other, stored_and_flushed, first_word_dirty, second_word_dirty};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(histories); i++)
        for (unsigned j = 0; j < i; j++)
            if (form_after(histories[i], false, NULL) == form_after(histories[j], false, NULL))
                fail_msg("histories %u and %u have one form", j, i);
    for (unsigned i = 0; i < ARRAY_COUNT(l2); i++)
        for (unsigned j = 0; j < i; j++)
            if (form_after(l2[i], true, NULL) == form_after(l2[j], true, NULL))
                fail_msg("L2 histories %u and %u have one form", j, i);
}

/* Where a policy draws by way, ways and its memory count. */
static void ways_count_where_they_are_drawn(void **state)
{
    const struct replacement *random = replacement_find("random");

    (void)state;
    assert_false(form_after(two_then_one, false, random) ==
                 form_after(one_then_the_other, false, random));
    assert_false(form_after(all_invalidated, false, random) == form_after(nothing, false, random));
    assert_true(form_after(two_then_one, false, random) ==
                form_after(the_other_then_one, false, random)); /* uses do not */
}

/* An L1 of MOESI that has the same line after other loads of it. */
static uint64_t form_of_touched(uint64_t offset)
{
    struct bench_options options = {.protocol = protocol_find("moesi"), .l1s = 1, .slices = 1};
    struct bench *bench = malloc(sizeof *bench);
    const struct upper_line *touched;
    uint64_t form;

    bench_init(bench, &options);
    bench_load(bench, 0, 0);
    bench_load(bench, 0, offset);
    touched = controller_line_data(&bench->uppers[0],
                                   controller_find(&bench->uppers[0], bench->buffer));
    assert_int_equal(touched->touched, UINT64_C(15) | UINT64_C(15) << offset);
    form = form_of(&bench->uppers[0]);
    bench_finish(bench);
    free(bench);
    return form;
}

static void what_is_kept_for_statistics_does_not_count(void **state)
{
    (void)state;
    assert_true(form_of_touched(0) == form_of_touched(8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"encode/what_came_before_does_not_count", what_came_before_does_not_count, NULL, NULL,
         NULL},
        {"encode/what_is_kept_for_statistics_does_not_count",
         what_is_kept_for_statistics_does_not_count, NULL, NULL, NULL},
        {"encode/stale_bytes_do_not_count", stale_bytes_do_not_count, NULL, NULL, NULL},
        {"encode/what_goes_on_otherwise_has_another_form", what_goes_on_otherwise_has_another_form,
         NULL, NULL, NULL},
        {"encode/ways_count_where_they_are_drawn", ways_count_where_they_are_drawn, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
