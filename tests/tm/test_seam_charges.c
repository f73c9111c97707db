/* SPDX-License-Identifier: MIT */
/* Cycles that a transactional memory charges to banks, to the vector memory unit and to wavefronts, at each hook
 * that may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tm/seam.h"

static uint64_t began_at, access_at, prepared_at; /* the latest */
static struct tm_charge at_begin, at_access, at_finish;

static void begin_charged(struct tm_unit *unit, struct tm_wavefront *wavefront,
                          struct tm_charge *charge)
{
    began_at = seam_now(unit);
    *charge = at_begin;
}

static uint64_t access_charged(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               struct isa_memory_request *request, struct tm_charge *charge)
{
    access_at = seam_now(unit);
    *charge = at_access;
    return 0;
}

static uint64_t prepare_charged(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                uint64_t *passed, uint64_t *failed)
{
    prepared_at = seam_now(unit);
    *passed = wavefront->running;
    return TM_NOW;
}

static uint64_t finish_charged(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    if (committed != 0)
        *charge = at_finish;
    return TM_NOW;
}

SYSTEM(charging, .begin = begin_charged, .access = access_charged, .prepare = prepare_charged,
       .finish = finish_charged);

/* One store in a transaction, two of them one after the other, and one behind it. */
static uint64_t run_charged(bool is_local)
{
    uint64_t taken;

    seam_prepare(&charging);
    tape_init(&tape);
    tape.kernel.lds_bytes = 4096;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    for (unsigned i = 0; i < 2; i++)
        if (is_local)
            tape_local_store(&tape, 0, 0, 4);
        else
            tape_store(&tape, 0, 0, buffer + 65536, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_local_store(&tape, 0, 0, 4);
    tape_store(&tape, 0, 0, buffer + 65536, 4);
    tape_wait(&tape, 0, 7, 0);
    tape_end(&tape);
    rig_build(&rig);
    taken = rig_run_tape(&rig, &tape, 1, LANES);
    rig_finish(&rig);
    return taken;
}

static void charge(unsigned hook, struct tm_charge what)
{
    at_begin = hook == 0 ? what : (struct tm_charge){0};
    at_access = hook == 1 ? what : (struct tm_charge){0};
    at_finish = hook == 2 ? what : (struct tm_charge){0};
}

/* What is charged at a begin or a commit is charged once, what is charged at an access twice. A unit that
 * does not serve the access loses nothing by it but its own later one. */
static void charges_of_units_delay_what_they_serve(void **state)
{
    static const uint64_t times[] = {1, 2, 1};
    const struct tm_charge none = {0}, banks = {.bank_cycles = 10000},
                           unit = {.unit_cycles = 10000};

    for (unsigned hook = 0; hook < 3; hook++)
        for (unsigned is_local = 0; is_local < 2; is_local++) {
            uint64_t base, more;

            charge(hook, none);
            base = run_charged(is_local != 0);
            charge(hook, is_local != 0 ? banks : unit);
            more = run_charged(is_local != 0) - base;
            assert_in_range(more, times[hook] * 10000 - 400, times[hook] * 10000);
            charge(hook, is_local != 0 ? unit : banks);
            more = run_charged(is_local != 0) - base;
            assert_in_range(more, times[hook] * 10000 - 400, times[hook] * 10000);
        }
}

/* Also where the wavefront waits at its commit already when the access is served. */
static void charges_of_a_wavefront_delay_it(void **state)
{
    for (unsigned is_local = 0; is_local < 2; is_local++) {
        uint64_t base;

        charge(0, (struct tm_charge){.wavefront_cycles = 5000});
        run_charged(is_local != 0);
        assert_in_range(access_at - began_at, 5000, 5200);
        charge(1, (struct tm_charge){.wavefront_cycles = 5000});
        run_charged(is_local != 0);
        assert_in_range(prepared_at - access_at, 5000, 5200);
        charge(2, (struct tm_charge){0});
        base = run_charged(is_local != 0);
        charge(2, (struct tm_charge){.wavefront_cycles = 5000});
        assert_in_range(run_charged(is_local != 0) - base, 4990, 5010);
    }
}

/* The first access makes all lanes of the first attempt abort; the second one, of no lane any more, is charged. The
 * next attempt begins when that is over. */
static uint64_t access_aborting(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                struct isa_memory_request *request, struct tm_charge *charge)
{
    if (wavefront->attempts > 1)
        return 0;
    access_at = seam_now(unit);
    charge->wavefront_cycles = request->lanes == 0 ? 5000 : 0;
    return wavefront->running;
}

SYSTEM(aborting, .begin = begin_charged, .access = access_aborting);

static void charges_of_an_attempt_outlast_it(void **state)
{
    at_begin = (struct tm_charge){0};
    seam_prepare(&aborting);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_store(&tape, 0, 0, buffer + 65536, 4);
    tape_store(&tape, 0, 0, buffer + 131072, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_end(&tape);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, LANES);
    assert_in_range(began_at - access_at, 5000, 5100);
    rig_finish(&rig);
}

/* One store, of scattered words, in a transaction, and one before it. */
static uint64_t run_scattered(unsigned apart, uint32_t cycles_at_begin)
{
    uint64_t taken;

    charge(0, (struct tm_charge){.unit_cycles = cycles_at_begin});
    seam_prepare(&charging);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 256);
    tape_store(&tape, 0, 0, buffer, 4);
    for (unsigned i = 0; i < apart; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_store(&tape, 0, 0, buffer, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_end(&tape);
    rig_build(&rig);
    taken = rig_run_tape(&rig, &tape, 1, WAVEFRONTS * LANES);
    rig_finish(&rig);
    return taken;
}

/* Whatever the unit does when it is charged, accesses behind wait. */
static void a_busy_unit_is_charged_too(void **state)
{
    for (unsigned apart = 0; apart < 24; apart++) {
        uint64_t base = run_scattered(apart, 0);

        assert_in_range(run_scattered(apart, 10000) - base, WAVEFRONTS * 10000 - 1000,
                        WAVEFRONTS * 10000);
    }
}

/* What is charged at an access is over before its own message. */
static void a_charged_access_is_sent_later(void **state)
{
    charge(1, (struct tm_charge){.unit_cycles = 10000});
    seam_prepare(&charging);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_store(&tape, 0, 0, buffer, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_end(&tape);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, LANES);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_STORE), 4);
    for (uint32_t i = 0; i < rig.log_count; i++)
        assert_true(rig.log[i].message.kind != MESSAGE_STORE || rig.log[i].cycle >= access_at + 10000);
    rig_finish(&rig);
}

static void neither_sleep_nor_order_matters(void **state)
{
    for (unsigned hook = 0; hook < 3; hook++) {
        charge(hook, (struct tm_charge){30, 50, 70, NULL});
        seam_expect_one_digest(&charging);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_of_units_delay_what_they_serve),
        cmocka_unit_test(charges_of_a_wavefront_delay_it),
        cmocka_unit_test(charges_of_an_attempt_outlast_it),
        cmocka_unit_test(a_busy_unit_is_charged_too),
        cmocka_unit_test(a_charged_access_is_sent_later),
        cmocka_unit_test(neither_sleep_nor_order_matters),
    };

    return cmocka_run_group_tests_name("tm/seam_charges", tests, NULL, NULL);
}
