/* SPDX-License-Identifier: MIT */
/*
 * The transactional seam with two dummy systems. One aborts every third lane once, at its commit or
 * at its first access; the other makes wavefronts wait. Nothing of them is isolated, so the tapes'
 * transactions store values that do not depend on how often they are stored. What must be right is
 * that each lane's registers count the transaction once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/check.h"
#include "gpu/rig.h"

static struct rig rig;
static struct tape tape;
static uint64_t buffer;

#define EVERY_THIRD UINT64_C(0x9249249249249249)

struct dummy_unit {
    struct tm_unit unit;
    uint64_t aborted[TM_MAX_WAVEFRONTS]; /* lanes that had their abort */
    uint64_t may_begin_at[TM_MAX_WAVEFRONTS];
    uint32_t asked;
};

static struct dummy_unit *latest;

static struct dummy_unit *dummy_of(const struct tm_unit *unit)
{
    return container_of((struct tm_unit *)(uintptr_t)unit, struct dummy_unit, unit);
}

static struct tm_unit *create(const struct tm_system *system, const struct tm_options *options)
{
    struct dummy_unit *unit = calloc(1, sizeof *unit);

    check(unit != NULL, "no memory");
    latest = unit;
    return &unit->unit;
}

static void destroy(struct tm_unit *unit)
{
    free(unit);
}

static uint64_t victims(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    struct dummy_unit *dummy = dummy_of(unit);
    uint64_t lanes = wavefront->running & EVERY_THIRD & ~dummy->aborted[wavefront->slot];

    dummy->aborted[wavefront->slot] |= lanes;
    return lanes;
}

static void begin_first(struct tm_unit *unit, struct tm_wavefront *wavefront,
                        struct tm_charge *charge)
{
    if (wavefront->attempts == 1)
        dummy_of(unit)->aborted[wavefront->slot] = 0;
}

static uint64_t prepare_aborting(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                 uint64_t *passed, uint64_t *failed)
{
    *failed = victims(unit, wavefront);
    *passed = wavefront->running & ~*failed;
    return TM_NOW;
}

static uint64_t access_aborting(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                struct isa_memory_request *request, struct tm_charge *charge)
{
    return victims(unit, wavefront);
}

/* All lanes but one must try again: at last one lane runs alone, and all of them have aborted at
 * once before. */
static uint64_t access_aborting_all(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                    struct isa_memory_request *request, struct tm_charge *charge)
{
    return wavefront->attempts < 3 ? wavefront->running : 0;
}

static uint32_t shown; /* the word of lane 0 in the latest store of a transaction */

static uint64_t access_looking(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               struct isa_memory_request *request, struct tm_charge *charge)
{
    if (request->kind == ISA_MEMORY_STORE)
        shown = request->data[0][0];
    return 0;
}

/* Each begin waits for 100 cycles, and is asked about twice: nothing polls. */
static uint64_t wait_a_while(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    uint64_t now = component_cycle(unit->compute_unit);
    uint64_t *until = &dummy_of(unit)->may_begin_at[wavefront->slot];

    dummy_of(unit)->asked++;
    if (*until == 0)
        *until = now + 100;
    if (now < *until)
        return *until;
    *until = 0;
    return TM_NOW;
}

static const struct tm_system at_commit = {.name = "at commit",
                                           .spaces = TM_SPACE_LOCAL,
                                           .create = create,
                                           .destroy = destroy,
                                           .begin = begin_first,
                                           .prepare = prepare_aborting};
static const struct tm_system at_access = {.name = "at access",
                                           .spaces = TM_SPACE_LOCAL,
                                           .create = create,
                                           .destroy = destroy,
                                           .begin = begin_first,
                                           .access = access_aborting};
static const struct tm_system all_at_access = {
    .name = "all", .create = create, .destroy = destroy, .access = access_aborting_all};
static const struct tm_system looking = {
    .name = "looking", .create = create, .destroy = destroy, .access = access_looking};
static const struct tm_system waiting = {.name = "waiting",
                                         .create = create,
                                         .destroy = destroy,
                                         .begin = begin_first,
                                         .may_begin = wait_a_while,
                                         .prepare = prepare_aborting};

/* v1 counts the transactions that the lane has been through: twice three, with a load and a store
 * inside. */
static void build_tape(void)
{
    tape_init(&tape);
    tape_scalar(&tape)->operation = TAPE_COUNTER;
    tape.instructions[0].value = 3;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (unsigned i = 0; i < 2; i++) {
        tape_hint(&tape, TM_HINT_BEGIN);
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
        tape_load(&tape, 2, 0, buffer, 4);
        tape_wait(&tape, 0, 7, 15);
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 3, 0)->source = 2;
        tape_store(&tape, 0, 0, buffer + 65536, 4);
        tape_hint(&tape, TM_HINT_COMMIT);
    }
    tape_loop(&tape, 2);
    tape_store(&tape, 1, 0, buffer + 131072, 4);
    tape_store(&tape, 3, 0, buffer + 196608, 4);
    tape_end(&tape);
}

static void run(const struct tm_system *system)
{
    rig_init(&rig);
    rig.tm = system;
    buffer = rig_allocate(&rig, 1 << 20);
    for (uint32_t i = 0; i < 1280; i++)
        rig_words(&rig, buffer)[i] = 7 * i;
    rig_build(&rig);
    build_tape();
    rig_run_tape(&rig, &tape, 5, 256);
    for (uint32_t i = 0; i < 1280; i++) {
        assert_int_equal(rig_words(&rig, buffer + 131072)[i], 6);
        assert_int_equal(rig_words(&rig, buffer + 196608)[i], 6 * 7 * i);
    }
}

enum { TRANSACTIONS = 6 * 20, LANES = 64, VICTIMS = 22 }; /* 6 in each of 20 wavefronts */

/* Cycles of running lanes: all of them, and those of attempts that committed. */
static void assert_useful(void)
{
    uint64_t running = rig_counter(&rig, "cu0.tm.lane_cycles_running");
    uint64_t useful = rig_counter(&rig, "cu0.tm.lane_cycles_useful");

    assert_in_range(useful, running / 2, running - 1); /* a third aborts, once */
    assert_int_equal(useful + rig_counter(&rig, "cu0.tm.lane_cycles_wasted"), running);
}

static void assert_counts(uint64_t attempts, uint64_t commits, uint64_t aborts)
{
    assert_int_equal(rig_counter(&rig, "cu0.tm_attempts"), attempts);
    assert_int_equal(rig_counter(&rig, "cu0.tm_commits"), commits);
    assert_int_equal(rig_counter(&rig, "cu0.tm_aborts"), aborts);
    rig_finish(&rig);
}

static void none_commits_at_once(void **state)
{
    assert_non_null(tm_find("none"));
    run(tm_find("none"));
    assert_counts(TRANSACTIONS * LANES, TRANSACTIONS * LANES, 0);
}

static void aborts_at_commit_are_run_again(void **state)
{
    run(&at_commit);
    assert_useful();
    assert_counts(TRANSACTIONS * (LANES + VICTIMS), TRANSACTIONS * LANES, TRANSACTIONS * VICTIMS);
}

static void aborts_at_access_are_run_again(void **state)
{
    run(&at_access);
    assert_useful();
    assert_counts(TRANSACTIONS * (LANES + VICTIMS), TRANSACTIONS * LANES, TRANSACTIONS * VICTIMS);
}

static void a_wavefront_without_lanes_starts_again(void **state)
{
    run(&all_at_access);
    assert_counts(TRANSACTIONS * 3 * LANES, TRANSACTIONS * LANES, TRANSACTIONS * 2 * LANES);
}

static void a_veto_at_begin_delays(void **state)
{
    run(&waiting);
    assert_true(rig_counter(&rig, "cu0.stall_transaction") > 0);
    assert_int_equal(latest->asked, 2 * TRANSACTIONS * 2); /* each transaction has two attempts */
    assert_counts(TRANSACTIONS * (LANES + VICTIMS), TRANSACTIONS * LANES, TRANSACTIONS * VICTIMS);
}

/* An inner transaction belongs to the outer one. */
static void inner_hints_only_nest(void **state)
{
    rig_init(&rig);
    rig.tm = &at_commit;
    buffer = rig_allocate(&rig, 4096);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(rig_words(&rig, buffer)[i], 3);
    assert_counts(LANES + VICTIMS, LANES, VICTIMS);
}

static void hints_mean_nothing_without_a_system(void **state)
{
    run(NULL);
    assert_counts(0, 0, 0);
}

/* A system may keep what a transaction stores, so it is there at the access. */
static void an_access_shows_what_is_stored(void **state)
{
    rig_init(&rig);
    buffer = rig_allocate(&rig, 4096);
    rig.tm = &looking;
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 7);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_wait(&tape, 15, 0, 15);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 1, 9);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_end(&tape);
    shown = 0;
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(shown, 7);
    assert_int_equal(rig_words(&rig, buffer)[63], 7);
    rig_finish(&rig);
}

/* A system that sends 40 messages to the L1 at its first commit, one in a cycle and every third cycle
 * none. It commits when all are answered. */
enum { MESSAGES = 40 };

struct sender {
    struct tm_unit unit;
    uint64_t next, first, last;
    uint32_t left, answered;
    bool has_begun;
};

static struct sender *sender_of(const struct tm_unit *unit)
{
    return container_of((struct tm_unit *)(uintptr_t)unit, struct sender, unit);
}

static struct sender *latest_sender;

static struct tm_unit *sender_create(const struct tm_system *system,
                                     const struct tm_options *options)
{
    latest_sender = calloc(1, sizeof *latest_sender);
    check(latest_sender != NULL, "no memory");
    latest_sender->next = UINT64_MAX;
    return &latest_sender->unit;
}

static void sender_destroy(struct tm_unit *unit)
{
    free(sender_of(unit));
}

static uint64_t sender_prepare(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t *passed, uint64_t *failed)
{
    struct sender *sender = sender_of(unit);

    if (!sender->has_begun) {
        sender->has_begun = true;
        sender->left = MESSAGES;
        sender->next = component_cycle(unit->compute_unit) + 1;
    }
    *passed = sender->answered == MESSAGES ? wavefront->running : 0;
    return sender->answered == MESSAGES ? TM_NOW : TM_LATER;
}

static uint64_t sender_next(const struct tm_unit *unit)
{
    return sender_of(unit)->next;
}

static bool sender_send(struct tm_unit *unit, struct message *message)
{
    struct sender *sender = sender_of(unit);
    uint64_t now = component_cycle(unit->compute_unit);

    message->kind = MESSAGE_LOAD;
    message->addr = buffer;
    message->mask = 0xf;
    message->requester.unit = REQUESTER_COMMIT;
    sender->first = sender->first == 0 ? now : sender->first;
    sender->last = now;
    sender->left--;
    sender->next = sender->left == 0 ? UINT64_MAX : now + 1 + (sender->left % 3 == 0);
    return true;
}

static void sender_receive(struct tm_unit *unit, const struct message *message)
{
    if (++sender_of(unit)->answered == MESSAGES)
        unit->host->wake(unit->host, 0);
}

static const struct tm_system sending = {.name = "sending",
                                         .create = sender_create,
                                         .destroy = sender_destroy,
                                         .prepare = sender_prepare,
                                         .next_cycle = sender_next,
                                         .send = sender_send,
                                         .receive = sender_receive};

struct sent {
    uint64_t cycles, between, stalled;
};

static struct sent send_messages(bool sleeps)
{
    struct sent sent;

    rig_init(&rig);
    rig.tm = &sending;
    rig.sleep = sleeps;
    buffer = rig_allocate(&rig, 4096);
    rig_build(&rig);
    tape_init(&tape);
    tape_hint(&tape, TM_HINT_BEGIN);
    tape_hint(&tape, TM_HINT_COMMIT);
    tape_end(&tape);
    sent.cycles = rig_run_tape(&rig, &tape, 1, 64);
    sent.between = latest_sender->last - latest_sender->first;
    sent.stalled = rig_counter(&rig, "cu0.stall_transaction");
    assert_int_equal(rig_count_messages(&rig, MESSAGE_LOAD), MESSAGES);
    rig_finish(&rig);
    return sent;
}

/* What a system does by itself does not depend on why its compute unit wakes. */
static void sleep_does_not_change_when_a_system_sends(void **state)
{
    struct sent asleep = send_messages(true), awake = send_messages(false);

    assert_int_equal(asleep.cycles, awake.cycles);
    assert_int_equal(asleep.between, MESSAGES - 1 + MESSAGES / 3);
    assert_int_equal(awake.between, asleep.between);
    assert_int_equal(asleep.stalled, awake.stalled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_commits_at_once),
        cmocka_unit_test(aborts_at_commit_are_run_again),
        cmocka_unit_test(aborts_at_access_are_run_again),
        cmocka_unit_test(a_wavefront_without_lanes_starts_again),
        cmocka_unit_test(a_veto_at_begin_delays),
        cmocka_unit_test(inner_hints_only_nest),
        cmocka_unit_test(hints_mean_nothing_without_a_system),
        cmocka_unit_test(an_access_shows_what_is_stored),
        cmocka_unit_test(sleep_does_not_change_when_a_system_sends),
    };

    return cmocka_run_group_tests_name("gpu/transaction", tests, NULL, NULL);
}
