/* SPDX-License-Identifier: MIT */
/*
 * What the seam promises a transactional memory (tm/tm.h), hook by hook, with systems of our own on a
 * compute unit with a mock memory. A system here sleeps and wakes by its own next cycle, so each
 * test that counts cycles also says that nothing polls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "tm/seam.h"

static uint64_t delay; /* of a sleep */
static uint64_t told_at[LANES];
static uint32_t attempts, served;

/* Refuses once, and lets the wavefront sleep for `delay` cycles. */
static uint64_t refuse_once(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    struct seam_unit *seam = seam_of(unit);

    seam->asked++;
    if (seam->awake[wavefront->slot] != 0) {
        seam->awake[wavefront->slot] = 0;
        return TM_NOW;
    }
    assert_int_equal(seam->wake_at[wavefront->slot], 0); /* it sleeps */
    seam->refused++;
    seam->wake_at[wavefront->slot] = seam_now(unit) + delay;
    return TM_LATER;
}

static uint64_t may_issue_later(struct tm_unit *unit, const struct tm_wavefront *wavefront,
                                const struct isa_instruction *instruction)
{
    return refuse_once(unit, wavefront);
}

static uint64_t may_issue_at(struct tm_unit *unit, const struct tm_wavefront *wavefront,
                             const struct isa_instruction *instruction)
{
    struct seam_unit *seam = seam_of(unit);

    seam->asked++;
    if (seam->awake[wavefront->slot] != 0 && seam_now(unit) >= seam->awake[wavefront->slot]) {
        seam->awake[wavefront->slot] = 0;
        return TM_NOW;
    }
    seam->refused++;
    seam->awake[wavefront->slot] = seam_now(unit) + delay;
    return seam->awake[wavefront->slot];
}

SYSTEM(begins_later, .may_begin = refuse_once, .next_cycle = seam_next_cycle, .tick = seam_tick);
SYSTEM(issues_later, .may_issue = may_issue_later, .next_cycle = seam_next_cycle, .tick = seam_tick);
SYSTEM(issues_at, .may_issue = may_issue_at);

static uint64_t run_one_wavefront(const struct tm_system *system, uint64_t cycles)
{
    uint64_t taken;

    delay = cycles;
    seam_prepare(system);
    rig_build(&rig);
    taken = rig_run_tape(&rig, &tape, 1, LANES);
    seam_expect(LANES, 0);
    return taken;
}

/* A refusal lasts as long as the system says, and it is asked twice: once refused, once let through. */
static void refusals_wait_and_do_not_ask(const struct tm_system *system, uint32_t refusals)
{
    uint64_t early = run_one_wavefront(system, 400), late;

    assert_int_equal(latest->refused, refusals);
    assert_int_equal(latest->asked, 2 * refusals);
    rig_finish(&rig);
    late = run_one_wavefront(system, 1400);
    assert_int_equal(latest->asked, 2 * refusals);
    assert_int_equal(late - early, (uint64_t)refusals * 1000);
    rig_finish(&rig);
}

static void a_begin_sleeps_until_it_is_woken(void **state)
{
    refusals_wait_and_do_not_ask(&begins_later, LOOPS);
}

static void an_access_sleeps_until_it_is_woken(void **state)
{
    refusals_wait_and_do_not_ask(&issues_later, LOOPS * ACCESSES);
}

static void an_access_waits_for_a_cycle(void **state)
{
    refusals_wait_and_do_not_ask(&issues_at, LOOPS * ACCESSES);
}

static void a_sleep_without_an_end_is_a_standstill(void **state)
{
    delay = 5000000; /* beyond the launch's limit */
    seam_prepare(&begins_later);
    rig_build(&rig);
    rig_set_launch(&rig, &tape.kernel, 1, LANES);
    assert_int_not_equal(rig_try(&rig), ENGINE_STOPPED);
    assert_int_equal(latest->asked, 1);
    rig_finish(&rig);
}

/* ---- faults ---- */

static uint64_t heals; /* lanes whose address is good in their next attempt */

static uint64_t fault_heals(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes)
{
    served++;
    for (uint32_t i = 0; i < LANES; i++)
        rig_words(&rig, buffer)[i] = 4 * i;
    return lanes & heals;
}

SYSTEM(healing, .fault = fault_heals);

/* Lanes store to where their word says: lanes 3 and 40 far outside. */
static void build_stray(bool is_local, bool is_exact)
{
    seam_prepare(&healing);
    rig.has_exact_bounds = is_exact;
    for (uint32_t i = 0; i < LANES; i++)
        rig_words(&rig, buffer)[i] = i == 3 || i == 40 ? 0x70000000 : 4 * i;
    tape_init(&tape);
    tape.kernel.lds_bytes = 256;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 77);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_load(&tape, 2, 0, buffer, 4);
    tape_wait(&tape, 0, 7, 15);
    if (is_local)
        tape_local_store(&tape, 1, 2, 4);
    else
        tape_store(&tape, 1, 2, buffer + 65536, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    if (is_local)
        tape_local_load(&tape, 1, 0, 4);
    tape_wait(&tape, 15, 7, 0);
    tape_store(&tape, 1, 0, buffer + 131072, 4);
    tape_end(&tape);
    rig_build(&rig);
    rig_set_launch(&rig, &tape.kernel, 1, LANES);
}

static void lanes_abort_in_place_of_a_fault(void **state)
{
    for (unsigned which = 0; which < 4; which++) {
        bool is_local = (which & 1) != 0;

        heals = UINT64_MAX;
        build_stray(is_local, (which & 2) != 0);
        rig_run_launch(&rig);
        for (uint32_t i = 0; i < LANES; i++)
            assert_int_equal(rig_words(&rig, buffer + (is_local ? 131072 : 65536))[i], 77);
        assert_int_equal(rig_counter(&rig, "cu0.tm_aborts"), 2);
        assert_int_equal(rig_counter(&rig, "cu0.tm_commits"), LANES);
        rig_finish(&rig);
    }
}

static void a_fault_that_no_system_takes_is_raised(void **state)
{
    for (unsigned is_local = 0; is_local < 2; is_local++) {
        const struct fault *fault;

        heals = ~(UINT64_C(1) << 40);
        served = 0;
        build_stray(is_local != 0, false);
        rig_try(&rig);
        fault = compute_unit_fault(rig.units[0]);
        assert_non_null(fault);
        assert_int_equal(fault->kind, is_local != 0 ? FAULT_LOCAL : FAULT_UNMAPPED);
        assert_int_equal(fault->lane, 40);
        assert_true(served > 0);
        rig_finish(&rig);
    }
}

/* ---- loaded values ---- */

static uint64_t loaded_more(struct tm_unit *unit, struct tm_wavefront *wavefront,
                            struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes;

    for_each_bit(lane, lanes) request->data[0][lane] += 1000;
    return wavefront->attempts == 1 ? UINT64_C(0xf0) : 0;
}

SYSTEM(loading, .loaded = loaded_more);

static void loaded_values_pass_the_system(void **state)
{
    seam_prepare(&loading);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, LANES);
    seam_expect(LANES, 1000);
    assert_int_equal(rig_counter(&rig, "cu0.tm_aborts"), LOOPS * 4);
    assert_int_equal(rig_counter(&rig, "cu0.tm.aborts_at_access"), LOOPS * 4);
    rig_finish(&rig);
}

static void loaded_values_of_local_memory_pass_the_system(void **state)
{
    seam_prepare(&loading);
    tape_init(&tape);
    tape.kernel.lds_bytes = 4096;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_local_store(&tape, 0, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_local_load(&tape, 1, 0, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_store(&tape, 1, 0, buffer + 131072, 4);
    tape_end(&tape);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, LANES);
    for (uint32_t i = 0; i < LANES; i++)
        assert_int_equal(rig_words(&rig, buffer + 131072)[i], 4 * i + 1000);
    rig_finish(&rig);
}

/* ---- outcomes ---- */

enum { STEP = 40 }; /* cycles from one lane's outcome to the next one's */

/* Lane i is decided STEP * i cycles after the first asking; every fifth fails in its first attempt. */
static uint64_t prepare_by_lane(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                uint64_t *passed, uint64_t *failed)
{
    uint64_t *from = &seam_of(unit)->decide_from[wavefront->slot];
    uint64_t lanes = wavefront->running, later = TM_NOW;

    *from = *from == 0 ? seam_now(unit) : *from;
    for_each_bit(lane, lanes)
    {
        if (seam_now(unit) < *from + STEP * lane)
            later = later == TM_NOW ? *from + STEP * lane : later;
        else if (lane % 5 == 0 && wavefront->attempts == 1)
            *failed |= UINT64_C(1) << lane;
        else
            *passed |= UINT64_C(1) << lane;
    }
    return later;
}

static uint64_t finish_by_lane(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    uint64_t *from = &seam_of(unit)->decide_from[wavefront->slot];
    uint64_t *told = &seam_of(unit)->told[wavefront->slot];
    uint64_t lanes = committed | aborted;

    assert_int_equal(lanes & *told, 0); /* each once */
    *told |= lanes;
    for_each_bit(lane, lanes) told_at[lane] = seam_now(unit) - *from;
    if (*told == wavefront->running) {
        attempts++;
        if (attempts == 1)
            for (unsigned lane = 0; lane < LANES; lane++)
                assert_in_range(told_at[lane], STEP * lane, STEP * lane + 8);
        *told = *from = 0;
    }
    return TM_NOW;
}

SYSTEM(by_lane, .prepare = prepare_by_lane, .finish = finish_by_lane);

static void lanes_are_decided_at_different_times(void **state)
{
    attempts = 0;
    seam_prepare(&by_lane);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, LANES);
    seam_expect(LANES, 0);
    assert_int_equal(attempts, 2 * LOOPS);
    assert_int_equal(rig_counter(&rig, "cu0.tm_commits"), LOOPS * LANES);
    assert_int_equal(rig_counter(&rig, "cu0.tm.aborts_at_commit"), LOOPS * 13);
    rig_finish(&rig);
}

/* ---- sleep and order ---- */

static void neither_sleep_nor_order_matters(void **state)
{
    delay = 300;
    seam_expect_one_digest(&begins_later);
    seam_expect_one_digest(&issues_later);
    seam_expect_one_digest(&issues_at);
    seam_expect_one_digest(&loading);
    seam_expect_one_digest(&by_lane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_begin_sleeps_until_it_is_woken),
        cmocka_unit_test(an_access_sleeps_until_it_is_woken),
        cmocka_unit_test(an_access_waits_for_a_cycle),
        cmocka_unit_test(a_sleep_without_an_end_is_a_standstill),
        cmocka_unit_test(lanes_abort_in_place_of_a_fault),
        cmocka_unit_test(a_fault_that_no_system_takes_is_raised),
        cmocka_unit_test(loaded_values_pass_the_system),
        cmocka_unit_test(loaded_values_of_local_memory_pass_the_system),
        cmocka_unit_test(lanes_are_decided_at_different_times),
        cmocka_unit_test(neither_sleep_nor_order_matters),
    };

    return cmocka_run_group_tests_name("tm/seam", tests, NULL, NULL);
}
