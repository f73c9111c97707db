/* SPDX-License-Identifier: MIT */
#include "tm/seam.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/check.h"

struct rig rig;
struct tape tape;
uint64_t buffer;
struct seam_unit *latest;

struct seam_unit *seam_of(const struct tm_unit *unit)
{
    return container_of((struct tm_unit *)(uintptr_t)unit, struct seam_unit, unit);
}

uint64_t seam_now(const struct tm_unit *unit)
{
    return component_cycle(unit->compute_unit);
}

struct tm_unit *seam_create(const struct tm_system *system, const struct tm_options *options)
{
    latest = calloc(1, sizeof *latest);
    check(latest != NULL, "no memory");
    return &latest->unit;
}

void seam_destroy(struct tm_unit *unit)
{
    free(seam_of(unit));
}

uint64_t seam_next_cycle(const struct tm_unit *unit)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++)
        if (seam_of(unit)->wake_at[i] != 0 && seam_of(unit)->wake_at[i] < next)
            next = seam_of(unit)->wake_at[i];
    return next;
}

void seam_tick(struct tm_unit *unit)
{
    struct seam_unit *seam = seam_of(unit);

    assert_int_equal(seam_next_cycle(unit), seam_now(unit));
    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++) {
        if (seam->wake_at[i] == 0 || seam->wake_at[i] > seam_now(unit))
            continue;
        assert_int_equal(seam->wake_at[i], seam_now(unit)); /* neither early nor late */
        seam->wake_at[i] = 0;
        seam->awake[i] = 1;
        unit->host->wake(unit->host, i);
    }
}

static void build_tape(void)
{
    tape_init(&tape);
    tape.kernel.lds_bytes = 4096;
    tape_scalar(&tape)->operation = TAPE_COUNTER;
    tape.instructions[0].value = LOOPS;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 4, 0)->source = 0;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_AND, 4, 1023);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_load(&tape, 2, 0, buffer, 4);
    tape_wait(&tape, 0, 7, 15);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 3, 0)->source = 2;
    tape_local_store(&tape, 3, 4, 4);
    tape_store(&tape, 2, 0, buffer + 65536, 4);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_loop(&tape, 4);
    tape_store(&tape, 1, 0, buffer + 131072, 4);
    tape_store(&tape, 3, 0, buffer + 196608, 4);
    tape_end(&tape);
}

void seam_prepare(const struct tm_system *system)
{
    rig_init(&rig);
    rig.tm = system;
    buffer = rig_allocate(&rig, WORDS * 4);
    for (uint32_t i = 0; i < 4096; i++)
        rig_words(&rig, buffer)[i] = 7 * i;
    build_tape();
}

void seam_expect(uint32_t items, uint32_t added)
{
    for (uint32_t i = 0; i < items; i++) {
        assert_int_equal(rig_words(&rig, buffer + 131072)[i], LOOPS);
        assert_int_equal(rig_words(&rig, buffer + 196608)[i], LOOPS * (7 * i + added));
    }
}

uint64_t seam_digest(const struct tm_system *system, bool sleeps, uint64_t seed)
{
    uint64_t digest;

    seam_prepare(system);
    rig.unit_count = 3;
    rig.sleep = sleeps;
    rig.order_seed = seed;
    rig_build(&rig);
    digest = rig_run_tape(&rig, &tape, GROUPS, WAVEFRONTS * LANES);
    digest = digest * UINT64_C(0x9e3779b97f4a7c15) + rig_digest(&rig);
    for (uint32_t i = 0; i < GROUPS * WAVEFRONTS * LANES; i++)
        assert_int_equal(rig_words(&rig, buffer + 131072)[i], LOOPS);
    rig_finish(&rig);
    return digest;
}

void seam_expect_one_digest(const struct tm_system *system)
{
    uint64_t digest = seam_digest(system, true, 0);

    assert_int_equal(seam_digest(system, false, 0), digest);
    assert_int_equal(seam_digest(system, true, 7), digest);
    assert_int_equal(seam_digest(system, false, 99), digest);
}
