/* SPDX-License-Identifier: MIT */
/* What GPU-LocalTM's banks cost, in the closed form of docs/models/localtm.md, and what a stop of
 * the work-group charges to whom: a unit without a machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "isa/isa.h"
#include "sim/registry.h"
#include "tm/parameters.h"
#include "tm/systems.h"

/* A bank has 8 words: to look for a lane's entries it reads 8 owner bytes, four at a time. */
enum { WORDS = 32, BANKS = 4, SCAN = 2, WAVES = 2, DETECT = 3, ACCESS = 5, SCALAR = 9, SLOT = 4 };

struct rig {
    struct tm_host host;
    struct tm_parameters parameters;
    struct registry registry;
    struct tm_unit *unit;
    struct tm_group group;
    struct tm_wavefront waves[WAVES];
    uint32_t memory[3 * WORDS];
    uint64_t told[WAVES]; /* lanes that it aborted from outside */
    uint32_t wakes;
};

static void count_wake(struct tm_host *host, uint32_t slot)
{
    struct rig *rig = container_of(host, struct rig, host);

    (void)slot;
    rig->wakes++;
}

static void note_abort(struct tm_host *host, uint32_t slot, uint64_t lanes)
{
    container_of(host, struct rig, host)->told[slot] |= lanes;
}

static const struct tm_wavefront *wavefront_of(struct tm_host *host, uint32_t slot)
{
    return &container_of(host, struct rig, host)->waves[slot];
}

static uint32_t first_value(uint32_t word)
{
    return 1000 + word;
}

static void rig_init(struct rig *rig, const char *search)
{
    memset(rig, 0, sizeof *rig);
    for (uint32_t i = 0; i < WORDS; i++)
        rig->memory[i] = first_value(i);
    rig->host =
        (struct tm_host){.wake = count_wake, .abort = note_abort, .wavefront = wavefront_of};
    tm_defaults(&rig->parameters);
    rig->parameters.localtm.detect_cycles = DETECT;
    rig->parameters.localtm.bank_cycles = ACCESS;
    rig->parameters.localtm.attempts = 1;
    rig->parameters.localtm.attempts_before_group = 1;
    strcpy(rig->parameters.localtm.search, search);
    rig->group = (struct tm_group){.lds_bytes = WORDS * 4,
                                   .tm_bytes = WORDS * 5,
                                   .items = 64 * WAVES,
                                   .lds = (unsigned char *)rig->memory,
                                   .members = low_mask(WAVES)};
}

/* After the parameters have been set. */
static void rig_start(struct rig *rig)
{
    struct tm_options options = {.parameters = &rig->parameters,
                                 .facts = {.banks = BANKS, .scalar_cycles = SCALAR},
                                 .registry = &rig->registry,
                                 .path = "cu0"};

    rig->unit = tm_localtm.create(&tm_localtm, &options);
    rig->unit->host = &rig->host;
    tm_localtm.group_start(rig->unit, &rig->group);
    for (uint32_t i = 0; i < WAVES; i++)
        rig->waves[i] = (struct tm_wavefront){
            .group = &rig->group, .slot = i, .index = i, .first_item = 64 * i};
}

static void rig_finish(struct rig *rig)
{
    tm_localtm.group_end(rig->unit, &rig->group);
    tm_localtm.destroy(rig->unit);
    registry_finish(&rig->registry);
}

/* One more attempt of these lanes: what its begin costs. */
static struct tm_charge begin(struct rig *rig, uint32_t slot, uint64_t lanes)
{
    struct tm_wavefront *wavefront = &rig->waves[slot];
    struct tm_charge charge = {0};

    wavefront->lanes = wavefront->running = lanes;
    wavefront->attempts++;
    wavefront->in_attempt = true;
    tm_localtm.begin(rig->unit, wavefront, &charge);
    return charge;
}

/* A lane stores to a word: cycles of the banks; it is seen to abort or not. */
static uint32_t store(struct rig *rig, uint32_t slot, unsigned lane, uint32_t word, bool aborts)
{
    static struct isa_memory_request request;
    struct tm_charge charge = {0};
    uint64_t aborted;

    memset(&request, 0, sizeof request);
    request.kind = ISA_MEMORY_STORE;
    request.space = ISA_SPACE_LOCAL;
    request.element_bytes = 4;
    request.lanes = UINT64_C(1) << lane;
    request.address[lane] = word * 4;
    aborted = tm_localtm.access(rig->unit, &rig->waves[slot], &request, &charge);
    assert_int_equal(aborted, aborts ? UINT64_C(1) << lane : 0);
    assert_int_equal(charge.wavefront_cycles + charge.unit_cycles, 0);
    if (!aborts)
        rig->memory[word] = 100 + lane;
    return charge.bank_cycles;
}

static uint64_t counted(const struct rig *rig, const char *path)
{
    struct snapshot snapshot;
    uint64_t value;

    snapshot_take(&snapshot, &rig->registry);
    value = snapshot_counter(&snapshot, &rig->registry, path);
    snapshot_finish(&snapshot);
    return value;
}

static void assert_as_before(const struct rig *rig, const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(rig->memory[words[i]], first_value(words[i]));
}

/* Three words of bank 1 and one of bank 2, all the lane's. */
static void store_four(struct rig *rig, unsigned lane)
{
    static const uint32_t words[] = {1, 5, 9, 2};

    for (unsigned i = 0; i < ARRAY_COUNT(words); i++)
        assert_int_equal(store(rig, 0, lane, words[i], false), DETECT + ACCESS);
}

/* ---- Accesses ---- */

/* A word is kept once; the words of one instruction by bank, and the slowest bank decides. */
static void the_busiest_bank_decides(void **state)
{
    static const uint32_t words[] = {0, 4, 8, 1};
    static struct isa_memory_request request;
    struct tm_charge charge = {0};
    struct rig rig;

    (void)state;
    rig_init(&rig, "free");
    rig_start(&rig);
    begin(&rig, 0, 0xf);
    request.kind = ISA_MEMORY_STORE;
    request.space = ISA_SPACE_LOCAL;
    request.element_bytes = 4;
    request.lanes = 0xf;
    for (unsigned lane = 0; lane < ARRAY_COUNT(words); lane++)
        request.address[lane] = words[lane] * 4;
    assert_int_equal(tm_localtm.access(rig.unit, &rig.waves[0], &request, &charge), 0);
    assert_int_equal(charge.bank_cycles, DETECT + 3 * ACCESS);
    charge.bank_cycles = 0;
    assert_int_equal(tm_localtm.access(rig.unit, &rig.waves[0], &request, &charge), 0);
    assert_int_equal(charge.bank_cycles, DETECT); /* they are the lanes' own */
    assert_int_equal(counted(&rig, "cu0.localtm.detect_cycles"), 2 * DETECT);
    assert_int_equal(counted(&rig, "cu0.localtm.version_cycles"), 3 * ACCESS);
    assert_int_equal(counted(&rig, "cu0.localtm.restore_cycles"), 0);
    rig_finish(&rig);
}

/* Lane 1 has a word of bank 1 and two of bank 2, and asks for another's word of bank 1. That bank
 * puts back the one, all then do it: bank 1 has nothing left. A bank that scans does so both times. */
static void a_conflict_costs_what_is_put_back(void **state)
{
    (void)state;
    for (unsigned scans = 0; scans < 2; scans++) {
        uint32_t first = 1 + 2 * scans * SCAN, second = 2 + scans * SCAN;
        uint32_t expected = ACCESS * (first > second ? first : second);
        struct rig rig;

        rig_init(&rig, scans ? "scan" : "free");
        rig_start(&rig);
        begin(&rig, 0, 3);
        store(&rig, 0, 1, 1, false);
        store(&rig, 0, 1, 2, false);
        store(&rig, 0, 1, 6, false);
        store(&rig, 0, 0, 5, false);
        assert_int_equal(store(&rig, 0, 1, 5, true), DETECT + expected);
        assert_int_equal(counted(&rig, "cu0.localtm.restore_cycles"), expected);
        assert_int_equal(counted(&rig, "cu0.localtm.conflicts"), 1);
        assert_int_equal(counted(&rig, "cu0.localtm.restored"), 3);
        assert_as_before(&rig, (const uint32_t[]){1, 2, 6}, 3);
        assert_int_equal(rig.memory[5], 100);
        assert_int_equal(store(&rig, 0, 0, 6, false), DETECT + ACCESS); /* it is free again */
        rig_finish(&rig);
    }
}

static void an_abort_from_outside_costs_what_is_put_back(void **state)
{
    (void)state;
    for (unsigned scans = 0; scans < 2; scans++) {
        struct tm_charge charge = {0};
        struct rig rig;

        rig_init(&rig, scans ? "scan" : "free");
        rig_start(&rig);
        begin(&rig, 0, 1);
        store_four(&rig, 0);
        tm_localtm.abort(rig.unit, &rig.waves[0], 1, &charge);
        assert_int_equal(charge.bank_cycles, ACCESS * (3 + scans * SCAN));
        assert_int_equal(charge.wavefront_cycles, 0);
        assert_int_equal(counted(&rig, "cu0.localtm.restore_cycles"), charge.bank_cycles);
        assert_as_before(&rig, (const uint32_t[]){1, 2, 5, 9}, 4);
        rig_finish(&rig);
    }
}

/* ---- Begins and commits ---- */

/* The owners of what committed are cleared, unless they count by their byte alone. The wavefront
 * waits for the banks, and for what a scalar instruction takes beyond its slot. */
static void a_commit_costs_the_owners_it_clears(void **state)
{
    (void)state;
    for (unsigned scans = 0; scans < 2; scans++)
        for (unsigned has_valid = 0; has_valid < 2; has_valid++) {
            uint32_t banks = has_valid ? ACCESS * (3 + scans * SCAN) : 0;
            struct tm_charge charge = {0};
            struct rig rig;

            rig_init(&rig, scans ? "scan" : "free");
            rig.parameters.localtm.owner_valid = has_valid;
            rig_start(&rig);
            charge = begin(&rig, 0, 1);
            assert_int_equal(charge.wavefront_cycles, SCALAR - SLOT);
            assert_int_equal(charge.bank_cycles, 0);
            store_four(&rig, 0);
            charge = (struct tm_charge){0};
            assert_int_equal(tm_localtm.finish(rig.unit, &rig.waves[0], 0, 0, &charge), TM_NOW);
            assert_int_equal(charge.bank_cycles + charge.wavefront_cycles, 0);
            tm_localtm.finish(rig.unit, &rig.waves[0], 1, 0, &charge);
            assert_int_equal(charge.bank_cycles, banks);
            assert_int_equal(charge.wavefront_cycles, banks + SCALAR - SLOT);
            assert_int_equal(counted(&rig, "cu0.localtm.release_cycles"), banks);
            assert_int_equal(counted(&rig, "cu0.localtm.released"), has_valid ? 4 : 0);
            assert_int_equal(counted(&rig, "cu0.localtm.marker_cycles"), 2 * SCALAR);
            assert_int_equal(counted(&rig, "cu0.localtm.commits"), 1);
            assert_int_equal(rig.memory[9], 100);
            rig_finish(&rig);
        }
}

/* ---- Serialisation ---- */

/* One restart with the same lanes, and one of them runs alone; one in vain, and the group stops for
 * it: the other wavefront's lanes abort at this one's cost, and wait until it has ended. */
static void a_group_stops_for_who_cannot_go_on(void **state)
{
    struct tm_charge charge;
    struct rig rig;

    (void)state;
    rig_init(&rig, "free");
    rig_start(&rig);
    begin(&rig, 1, 6);
    for (uint32_t word = 3; word < 12; word += 4)
        store(&rig, 1, 1, word, false);
    begin(&rig, 0, 3);
    assert_int_equal(rig.waves[0].running, 3);
    begin(&rig, 0, 3);
    assert_int_equal(rig.waves[0].running, 1);
    assert_int_equal(tm_localtm.may_begin(rig.unit, &rig.waves[1]), TM_NOW);
    charge = begin(&rig, 0, 3);
    assert_int_equal(rig.waves[0].running, 1);
    assert_int_equal(charge.bank_cycles, 3 * ACCESS);
    assert_int_equal(charge.wavefront_cycles, 3 * ACCESS + SCALAR - SLOT);
    assert_int_equal(rig.told[1], 6);
    assert_int_equal(rig.told[0], 0);
    assert_as_before(&rig, (const uint32_t[]){3, 7, 11}, 3);
    assert_int_equal(tm_localtm.may_begin(rig.unit, &rig.waves[1]), TM_LATER);
    assert_int_equal(tm_localtm.may_begin(rig.unit, &rig.waves[0]), TM_NOW);
    assert_int_equal(rig.wakes, 0);
    tm_localtm.finish(rig.unit, &rig.waves[0], 1, 0, &charge);
    assert_int_equal(rig.wakes, 1);
    assert_int_equal(tm_localtm.may_begin(rig.unit, &rig.waves[1]), TM_NOW);
    assert_int_equal(counted(&rig, "cu0.localtm.wavefront_serialised"), 2);
    assert_int_equal(counted(&rig, "cu0.localtm.group_serialised"), 1);
    assert_int_equal(counted(&rig, "cu0.localtm.serialised_commits"), 1);
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_bank_decides),
        cmocka_unit_test(a_conflict_costs_what_is_put_back),
        cmocka_unit_test(an_abort_from_outside_costs_what_is_put_back),
        cmocka_unit_test(a_commit_costs_the_owners_it_clears),
        cmocka_unit_test(a_group_stops_for_who_cannot_go_on),
    };

    return cmocka_run_group_tests_name("localtm", tests, NULL, NULL);
}
