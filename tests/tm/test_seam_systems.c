/* SPDX-License-Identifier: MIT */
/* Two systems, one for each space. What the first fails aborts at once in both; what it has passed is sealed, and the
 * second's outcome is both's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "tm/seam.h"

enum { AT_ACCESS = 0x30, AT_COMMIT = 0x200, EVENTS_MAX = 4096 };

static struct event {
    uint64_t cycle, committed, aborted;
} events[2][EVENTS_MAX];
static uint32_t event_count[2];
static uint64_t told_side[2]; /* lanes that aborted for the other system */
static uint64_t own_failures, asked_of_all;
static uint64_t let_through[TM_MAX_WAVEFRONTS];

static void note(unsigned side, struct tm_unit *unit, uint64_t committed, uint64_t aborted)
{
    if ((committed | aborted) != 0 && event_count[side] < EVENTS_MAX)
        events[side][event_count[side]++] =
            (struct event){seam_now(unit), committed, aborted};
}

/* For local memory: lanes 4 and 5 abort at their first store, lane 9 fails its second attempt; else all pass at once. */
static uint64_t local_aborts(struct tm_unit *unit, struct tm_wavefront *wavefront,
                             struct isa_memory_request *request, struct tm_charge *charge)
{
    return request->space == ISA_SPACE_LOCAL && wavefront->attempts == 1 ? AT_ACCESS : 0;
}

static uint64_t local_prepares(struct tm_unit *unit, struct tm_wavefront *wavefront,
                              uint64_t *passed, uint64_t *failed)
{
    assert_int_equal(wavefront->sealed, 0); /* it has answered */
    *failed = own_failures = wavefront->running & (wavefront->attempts == 2 ? AT_COMMIT : 0);
    *passed = wavefront->running; /* that it fails counts more */
    return TM_NOW;
}

static uint64_t local_told(struct tm_unit *unit, struct tm_wavefront *wavefront,
                             uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    if (own_failures == 0)
        note(0, unit, committed, aborted);
    else
        assert_true(committed == 0 && aborted == own_failures);
    own_failures = 0;
    return TM_NOW;
}

static void local_is_told_abort(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                        struct tm_charge *charge)
{
    told_side[0] |= lanes;
}

/* For global memory: a lane each 20 cycles; every third fails in its first attempt. */
static uint64_t global_prepare(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t *passed, uint64_t *failed)
{
    uint64_t *from = &seam_of(unit)->decide_from[wavefront->slot];
    uint64_t lanes = wavefront->running, later = TM_NOW;

    *from = *from == 0 ? seam_now(unit) : *from;
    asked_of_all |= wavefront->running & ~wavefront->sealed;
    /* From outside no sealed lane aborts. */
    unit->host->abort(unit->host, wavefront->slot, UINT64_MAX);
    for_each_bit(lane, lanes)
    {
        if (seam_now(unit) < *from + 20 * lane)
            later = later == TM_NOW ? *from + 20 * lane : later;
        else if (lane % 3 == 0 && wavefront->attempts == 1)
            *failed |= UINT64_C(1) << lane;
        else
            *passed |= UINT64_C(1) << lane;
    }
    if (later == TM_NOW)
        *from = 0;
    return later;
}

static uint64_t global_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                              uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    note(1, unit, committed, aborted);
    return TM_NOW;
}

static void global_abort(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                         struct tm_charge *charge)
{
    told_side[1] |= lanes;
}

/* The second is asked for a begin when the first has let it through. */
static uint64_t local_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    uint64_t *from = &seam_of(unit)->awake[wavefront->slot];

    *from = *from == 0 ? seam_now(unit) + 100 : *from;
    if (seam_now(unit) < *from)
        return *from;
    *from = 0;
    let_through[wavefront->slot] = seam_now(unit);
    return TM_NOW;
}

static uint64_t global_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    assert_int_equal(let_through[wavefront->slot], seam_now(unit));
    return TM_NOW;
}

static const struct tm_system local_side = {.name = "local side",
                                            .spaces = TM_SPACE_LOCAL,
                                            .create = seam_create,
                                            .destroy = seam_destroy,
                                            .may_begin = local_may_begin,
                                            .access = local_aborts,
                                            .prepare = local_prepares,
                                            .finish = local_told,
                                            .abort = local_is_told_abort};
static const struct tm_system global_side = {.name = "global side",
                                             .spaces = TM_SPACE_GLOBAL,
                                             .create = seam_create,
                                             .destroy = seam_destroy,
                                             .may_begin = global_may_begin,
                                             .prepare = global_prepare,
                                             .finish = global_finish,
                                             .abort = global_abort};

static void two_systems_have_one_commit(void **state)
{
    uint64_t commits[LANES] = {0};

    seam_prepare(&local_side);
    rig.second_tm = &global_side;
    rig_build(&rig);
    event_count[0] = event_count[1] = 0;
    told_side[0] = told_side[1] = asked_of_all = 0;
    rig_run_tape(&rig, &tape, 1, LANES);
    seam_expect(LANES, 0);
    assert_int_equal(told_side[0], 0);
    assert_int_equal(told_side[1], AT_ACCESS | AT_COMMIT);
    assert_int_equal(asked_of_all, 0);
    assert_int_equal(rig_counter(&rig, "cu0.tm.aborts_from_outside"), 0);
    assert_int_equal(event_count[0], event_count[1]);
    assert_memory_equal(events[0], events[1], event_count[0] * sizeof events[0][0]);
    for (uint32_t i = 0; i < event_count[0]; i++) {
        uint64_t committed = events[0][i].committed;

        assert_int_equal(committed & events[0][i].aborted, 0);
        for_each_bit(lane, committed) commits[lane]++;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_int_equal(commits[lane], LOOPS);
    /* 22 lanes fail first in global memory, 2 at an access, lane 9 in its second attempt in local memory. */
    assert_int_equal(rig_counter(&rig, "cu0.tm.aborts_at_commit"), LOOPS * (22 + 1));
    assert_int_equal(rig_counter(&rig, "cu0.tm.aborts_at_access"), LOOPS * 2);
    rig_finish(&rig);
}

static void of_many_wavefronts(void **state)
{
    seam_prepare(&local_side);
    rig.second_tm = &global_side;
    rig_build(&rig);
    event_count[0] = event_count[1] = 0;
    rig_run_tape(&rig, &tape, 3, WAVEFRONTS * LANES);
    seam_expect(3 * WAVEFRONTS * LANES, 0);
    assert_int_equal(event_count[0], event_count[1]);
    assert_memory_equal(events[0], events[1], event_count[0] * sizeof events[0][0]);
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_systems_have_one_commit),
        cmocka_unit_test(of_many_wavefronts),
    };

    return cmocka_run_group_tests_name("tm/seam_systems", tests, NULL, NULL);
}
