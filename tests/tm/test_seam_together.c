/* SPDX-License-Identifier: MIT */
/*
 * Systems that are not alone with a wavefront. Lanes are aborted from outside, and wavefronts are held. Packets of 64 pairs
 * go to a component that the machine has once, and messages to the L1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/text.h"
#include "tm/seam.h"

static uint64_t delay;

/* ---- aborts from outside ---- */

static uint64_t victims;
static uint64_t told_of; /* lanes whose abort the system's hook saw */

static void begin_marked(struct tm_unit *unit, struct tm_wavefront *wavefront,
                         struct tm_charge *charge)
{
    if (wavefront->attempts == 1)
        seam_of(unit)->wake_at[wavefront->slot] = seam_now(unit) + delay;
}

static void tick_aborting(struct tm_unit *unit)
{
    assert_int_equal(seam_next_cycle(unit), seam_now(unit));
    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++) {
        if (seam_of(unit)->wake_at[i] == 0 || seam_of(unit)->wake_at[i] > seam_now(unit))
            continue;
        seam_of(unit)->wake_at[i] = 0;
        unit->host->abort(unit->host, i, victims);
    }
}

static void abort_noted(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                        struct tm_charge *charge)
{
    told_of |= lanes;
}

/* Commits take a while, so that lanes abort there, too; lane 63 is decided first. */
static uint64_t prepare_slowly(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t *passed, uint64_t *failed)
{
    uint64_t *from = &seam_of(unit)->decide_from[wavefront->slot];
    bool is_over;

    *from = *from == 0 ? seam_now(unit) : *from;
    is_over = seam_now(unit) >= *from + 300;
    *passed = is_over ? wavefront->running : UINT64_C(1) << 63;
    return is_over ? TM_NOW : *from + 300;
}

static uint64_t finish_slowly(struct tm_unit *unit, struct tm_wavefront *wavefront,
                              uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    if (seam_now(unit) >= seam_of(unit)->decide_from[wavefront->slot] + 300)
        seam_of(unit)->decide_from[wavefront->slot] = 0;
    return TM_NOW;
}

SYSTEM(aborting, .begin = begin_marked, .next_cycle = seam_next_cycle, .tick = tick_aborting,
       .abort = abort_noted, .prepare = prepare_slowly, .finish = finish_slowly);

/* Lanes are aborted at any time in a transaction of some 900 cycles. Loads may be on their way, stores
 * may wait, or a commit may be half decided (then lane 63 is out of reach). Each lane counts its
 * transactions right. */
static void lanes_abort_from_outside_at_any_time(void **state)
{
    uint64_t aborts = 0;

    for (unsigned all = 0; all < 2; all++)
        for (delay = 1; delay < 1300; delay += 23) {
            victims = all != 0 ? UINT64_MAX : UINT64_C(0x80000000000f0f01);
            told_of = 0;
            seam_prepare(&aborting);
            rig.vector_latency = 400;
            rig_build(&rig);
            rig_run_tape(&rig, &tape, 1, LANES);
            seam_expect(LANES, 0);
            aborts = rig_counter(&rig, "cu0.tm.aborts_from_outside");
            assert_int_equal(rig_counter(&rig, "cu0.tm_aborts"), aborts);
            assert_int_equal(rig_counter(&rig, "cu0.tm_attempts"), LOOPS * LANES + aborts);
            assert_int_equal(told_of & ~victims, 0);
            if (delay < 400)
                assert_int_equal(aborts, LOOPS * count_bits(victims));
            rig_finish(&rig);
        }
}

/* With queues of one place, lanes also abort while their wavefront waits for that. */
static void lanes_abort_in_front_of_full_queues(void **state)
{
    victims = UINT64_MAX;
    for (delay = 1; delay < 3000; delay += 37) {
        seam_prepare(&aborting);
        rig.parameters.vector_memory.vmem_entries = 1;
        rig.parameters.local.lds_entries = 1;
        rig_build(&rig);
        rig_run_tape(&rig, &tape, 2, WAVEFRONTS * LANES);
        seam_expect(2 * WAVEFRONTS * LANES, 0);
        rig_finish(&rig);
    }
}

/* Lane 63 has passed, the others are never decided: they abort from outside, and the wavefront goes on. */
static uint64_t prepare_one(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t *passed,
                            uint64_t *failed)
{
    *passed = wavefront->attempts == 1 ? UINT64_C(1) << 63 : wavefront->running;
    return TM_LATER;
}

SYSTEM(undecided, .begin = begin_marked, .next_cycle = seam_next_cycle, .tick = tick_aborting,
       .prepare = prepare_one);

static void a_commit_ends_when_the_undecided_abort(void **state)
{
    victims = ~(UINT64_C(1) << 63);
    delay = 3000;
    seam_prepare(&undecided);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, LANES);
    seam_expect(LANES, 0);
    assert_int_equal(rig_counter(&rig, "cu0.tm.aborts_from_outside"), LOOPS * 63);
    rig_finish(&rig);
}

/* ---- held wavefronts ---- */

static uint64_t finished_at;

static uint64_t finish_held(struct tm_unit *unit, struct tm_wavefront *wavefront,
                            uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    finished_at = seam_now(unit);
    seam_of(unit)->wake_at[wavefront->slot] = seam_now(unit) + delay;
    unit->host->hold(unit->host, wavefront->slot, true);
    return TM_NOW;
}

static void tick_releasing(struct tm_unit *unit)
{
    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++) {
        if (seam_of(unit)->wake_at[i] == 0 || seam_of(unit)->wake_at[i] > seam_now(unit))
            continue;
        seam_of(unit)->wake_at[i] = 0;
        unit->host->hold(unit->host, i, false);
    }
}

SYSTEM(holding, .finish = finish_held, .next_cycle = seam_next_cycle, .tick = tick_releasing);

/* One instruction behind a transaction: a store, a local store, a barrier, an end; or vector operations, that go on. */
static uint64_t run_held(unsigned which)
{
    uint64_t taken;

    seam_prepare(&holding);
    tape_init(&tape);
    tape.kernel.lds_bytes = 4096;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_hint(&tape, TM_HINT_COMMIT);
    if (which == 0)
        tape_store(&tape, 0, 0, buffer, 4);
    else if (which == 1)
        tape_local_store(&tape, 0, 0, 4);
    else if (which == 2)
        tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    for (unsigned i = 0; which == 4 && i < 300; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_end(&tape);
    rig_build(&rig);
    taken = rig_run_tape(&rig, &tape, 1, LANES);
    if (which == 0)
        for (uint32_t i = 0; i < rig.log_count; i++)
            assert_true(rig.log[i].message.kind != MESSAGE_STORE ||
                        rig.log[i].cycle >= finished_at + delay);
    rig_finish(&rig);
    return taken;
}

static void a_held_wavefront_shows_nothing(void **state)
{
    for (unsigned which = 0; which < 5; which++) {
        uint64_t less, more;

        delay = 2000;
        less = run_held(which);
        delay = 7000;
        more = run_held(which);
        assert_int_equal(more - less, 5000);
    }
    delay = 1200; /* as long as 300 vector operations: they run meanwhile */
    assert_in_range(run_held(4) - run_held(3), 0, 200);
}

/* ---- packets to a centre ---- */

enum { ANSWER_CYCLES = 25, PACKET_BYTES = 8 + TM_PAIRS * 12, UNITS_MAX = RIG_MAX_UNITS };

/* Answers each packet ANSWER_CYCLES later, each value one more; one in a cycle. */
struct echo {
    struct component component;
    struct port to[UNITS_MAX], from[UNITS_MAX]; /* of the units */
    uint64_t bytes;
};

static struct echo echo;

static bool echo_tick(struct component *component)
{
    for (uint32_t i = 0; i < rig.unit_count; i++) {
        const struct tm_packet *packet = port_peek(&echo.to[i]);
        struct tm_packet *answer;

        if (packet == NULL)
            continue;
        assert_int_equal(packet->unit, i);
        echo.bytes += packet->bytes;
        answer = port_reserve(&echo.from[i], ANSWER_CYCLES);
        *answer = *packet;
        for (unsigned pair = 0; pair < packet->pair_count; pair++)
            answer->pairs[pair].value++;
        port_take(&echo.to[i]);
        for (uint32_t j = i; j < rig.unit_count; j++)
            if (port_count(&echo.to[j]) > 0)
                component_wake_at(component, component_cycle(component) + 1);
        return true;
    }
    return false;
}

static const struct component_operations echo_operations = {.tick = echo_tick};

static void add_echo(struct rig *of)
{
    component_init(&echo.component, &echo_operations, of->clock, "echo");
    echo.bytes = 0;
    for (uint32_t i = 0; i < of->unit_count; i++) {
        struct component *unit = compute_unit_component(of->units[i]);

        port_init(&echo.to[i], "to echo", unit, &echo.component, 1, 64, sizeof(struct tm_packet));
        port_init(&echo.from[i], "from echo", &echo.component, unit, 1, 64,
                  sizeof(struct tm_packet));
        compute_unit_connect_centre(of->units[i], 0, &echo.to[i], &echo.from[i]);
    }
}

static void remove_echo(void)
{
    for (uint32_t i = 0; i < rig.unit_count; i++) {
        port_finish(&echo.to[i]);
        port_finish(&echo.from[i]);
    }
    component_finish(&echo.component);
}

static uint32_t value_of(const struct tm_packet *packet, unsigned pair)
{
    return (uint32_t)(packet->id * 1000 + packet->slot * 100 + pair);
}

/* A packet for each commit; all lanes pass with its answer. */
static uint64_t prepare_by_packet(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                  uint64_t *passed, uint64_t *failed)
{
    struct seam_unit *seam = seam_of(unit);
    struct tm_packet *packet;

    seam->asked++;
    if (seam->awake[wavefront->slot] != 0) {
        seam->awake[wavefront->slot] = 0;
        *passed = wavefront->running;
        return TM_NOW;
    }
    packet = port_reserve(unit->to_centre, 1);
    *packet = (struct tm_packet){.kind = 3,
                                 .pair_count = TM_PAIRS,
                                 .unit = unit->number,
                                 .slot = (uint16_t)wavefront->slot,
                                 .bytes = PACKET_BYTES,
                                 .lanes = wavefront->running,
                                 .id = ++seam->sent};
    for (unsigned i = 0; i < TM_PAIRS; i++)
        packet->pairs[i] = (struct tm_pair){buffer + 4 * i, value_of(packet, i), i};
    return TM_LATER;
}

static void take_answer(struct tm_unit *unit, const struct tm_packet *packet)
{
    assert_int_equal(packet->kind, 3);
    assert_int_equal(packet->bytes, PACKET_BYTES);
    assert_int_equal(packet->pair_count, TM_PAIRS);
    for (unsigned i = 0; i < TM_PAIRS; i++) {
        assert_int_equal(packet->pairs[i].address, buffer + 4 * i);
        assert_int_equal(packet->pairs[i].value, value_of(packet, i) + 1);
        assert_int_equal(packet->pairs[i].lane, i);
    }
    seam_of(unit)->answered++;
    seam_of(unit)->awake[packet->slot] = 1;
    unit->host->wake(unit->host, packet->slot);
}

static struct tm_centre *no_centre(const struct tm_system *system, const struct tm_options *options)
{
    return NULL; /* the rig adds the echo */
}

SYSTEM(packing, .create_centre = no_centre, .prepare = prepare_by_packet, .packet = take_answer);

static uint64_t run_packing(bool sleeps, uint64_t seed)
{
    uint64_t digest;

    seam_prepare(&packing);
    rig.unit_count = 3;
    rig.sleep = sleeps;
    rig.order_seed = seed;
    rig.add_components = add_echo;
    rig_build(&rig);
    digest = rig_run_tape(&rig, &tape, GROUPS, WAVEFRONTS * LANES);
    digest = digest * UINT64_C(0x9e3779b97f4a7c15) + rig_digest(&rig);
    seam_expect(GROUPS * WAVEFRONTS * LANES, 0);
    assert_int_equal(echo.bytes, LOOPS * GROUPS * WAVEFRONTS * PACKET_BYTES);
    assert_int_equal(latest->answered, latest->sent);
    assert_int_equal(latest->asked, 2 * latest->sent);
    remove_echo();
    rig_finish(&rig);
    return digest;
}

static void packets_of_64_pairs_come_and_go(void **state)
{
    uint64_t digest = run_packing(true, 0);

    assert_int_equal(run_packing(false, 0), digest);
    assert_int_equal(run_packing(true, 7), digest);
    assert_int_equal(run_packing(false, 99), digest);
}

/* ---- messages by the L1's port ---- */

static uint64_t prepare_by_message(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                   uint64_t *passed, uint64_t *failed)
{
    struct seam_unit *seam = seam_of(unit);

    if (seam->awake[wavefront->slot] == 0) {
        seam->told[wavefront->slot] = 1; /* to be sent */
        seam->next = seam->next == 0 ? seam_now(unit) + 3 : seam->next;
        return TM_LATER;
    }
    seam->awake[wavefront->slot] = 0;
    *passed = wavefront->running;
    return TM_NOW;
}

static uint64_t next_message(const struct tm_unit *unit)
{
    return seam_of(unit)->next == 0 ? UINT64_MAX : seam_of(unit)->next;
}

/* One each third cycle, the lowest slot's first. */
static bool send_message(struct tm_unit *unit, struct message *message)
{
    struct seam_unit *seam = seam_of(unit);
    uint32_t slot = 0;

    while (slot < TM_MAX_WAVEFRONTS && seam->told[slot] == 0)
        slot++;
    seam->next = 0;
    if (slot == TM_MAX_WAVEFRONTS)
        return false;
    seam->told[slot] = 0;
    seam->next = seam_now(unit) + 3;
    seam->sent++;
    message->kind = MESSAGE_LOAD;
    message->addr = buffer;
    message->mask = 0xf;
    message->requester = (struct message_requester){REQUESTER_COMMIT, (uint16_t)slot, 0, 0};
    return true;
}

static void receive_message(struct tm_unit *unit, const struct message *message)
{
    seam_of(unit)->answered++;
    seam_of(unit)->awake[message->requester.wavefront] = 1;
    unit->host->wake(unit->host, message->requester.wavefront);
}

SYSTEM(messaging, .prepare = prepare_by_message, .next_cycle = next_message, .send = send_message,
       .receive = receive_message);

static void messages_of_all_wavefronts_come_and_go(void **state)
{
    seam_expect_one_digest(&messaging);
    seam_prepare(&messaging);
    rig_build(&rig);
    rig_run_tape(&rig, &tape, 1, WAVEFRONTS * LANES);
    assert_int_equal(latest->sent, LOOPS * WAVEFRONTS);
    assert_int_equal(latest->answered, LOOPS * WAVEFRONTS);
    rig_finish(&rig);
}

static void neither_sleep_nor_order_matters(void **state)
{
    delay = 333;
    victims = UINT64_C(0xf0f);
    seam_expect_one_digest(&aborting);
    seam_expect_one_digest(&holding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_abort_from_outside_at_any_time),
        cmocka_unit_test(lanes_abort_in_front_of_full_queues),
        cmocka_unit_test(a_commit_ends_when_the_undecided_abort),
        cmocka_unit_test(a_held_wavefront_shows_nothing),
        cmocka_unit_test(packets_of_64_pairs_come_and_go),
        cmocka_unit_test(messages_of_all_wavefronts_come_and_go),
        cmocka_unit_test(neither_sleep_nor_order_matters),
    };

    return cmocka_run_group_tests_name("tm/seam_together", tests, NULL, NULL);
}
