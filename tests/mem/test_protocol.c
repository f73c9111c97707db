/* SPDX-License-Identifier: MIT */
/* Are the tables well made, do the checks see when they are not, and does every protocol keep the
 * contract? */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "invalidating.h"
#include "mem/network.h"
#include "write_through.h"

/* ---- Tables ---- */

static void tables_are_sound(void **state)
{
    struct text complaints = {0};

    (void)state;
    for (unsigned i = 0; protocols[i] != NULL; i++) {
        if (!protocol_check(protocols[i], &complaints))
            fail_msg("%s", text_chars(&complaints));
        assert_ptr_equal(protocol_find(protocols[i]->name), protocols[i]);
    }
    if (!protocol_check(&protocol_write_through, &complaints) ||
        !protocol_check(&protocol_invalidating, &complaints))
        fail_msg("%s", text_chars(&complaints));
    assert_null(protocol_find("none such"));
}

static const struct protocol_state states[] = {
    {"I", "", 0}, {"V", "", 0}, {"T", "", STATE_TRANSIENT}, {"X", "", 0}};
static const struct protocol_event events[] = {{"A", ""}, {"B", ""}};

static uint8_t never(const struct step *step, enum protocol_stimulus stimulus)
{
    (void)step;
    (void)stimulus;
    return 0;
}

static void check_complaint(const struct protocol_row *rows, uint32_t count, uint32_t state_count,
                            const char *expected)
{
    struct protocol_role role = {.name = "role",
                                 .states = states,
                                 .state_count = state_count,
                                 .events = events,
                                 .event_count = 2,
                                 .rows = rows,
                                 .row_count = count,
                                 .classify = never};
    struct protocol protocol = {.name = "bad", .roles = {[ROLE_L1] = &role}};
    struct text complaints = {0};

    assert_false(protocol_check(&protocol, &complaints));
    assert_non_null(strstr(text_chars(&complaints), expected));
    text_finish(&complaints);
}

static void faults_in_tables_are_seen(void **state)
{
    static const struct protocol_row twice[] = {
        {0, 0, 1, {NULL}}, {1, 0, 0, {NULL}}, {0, 0, 0, {NULL}}};
    static const struct protocol_row unreached[] = {
        {0, 0, 1, {NULL}}, {1, 0, 0, {NULL}}, {2, 0, 0, {NULL}}};
    static const struct protocol_row stuck[] = {
        {0, 0, 1, {NULL}}, {1, 0, 2, {NULL}}, {2, 0, 2, {NULL}}};
    static const struct protocol_row wild[] = {{0, 0, 9, {NULL}}};

    (void)state;
    check_complaint(twice, 3, 2, "two rows");
    check_complaint(unreached, 3, 3, "cannot be reached");
    check_complaint(stuck, 3, 3, "no exit");
    check_complaint(wild, 1, 2, "does not exist");
}

/* Each is complained of once, whatever else it is. */
static void rows_of_nothing_are_complained_of_once(void **state)
{
    static const struct protocol_row wild[] = {
        {0, 0, 9, {NULL}}, {0, 0, 9, {NULL}}, {2, 0, 0, {NULL}}, {0, 2, 0, {NULL}}};

    (void)state;
    check_complaint(wild, 4, 2,
                    "bad role: row 0 names a state or event that does not exist\n"
                    "bad role: row 1 names a state or event that does not exist\n"
                    "bad role: row 2 names a state or event that does not exist\n"
                    "bad role: row 3 names a state or event that does not exist\n");
}

/* What no table may have, and what a complaint begins with. */
static void faults_in_lists_are_seen(void **state)
{
    static const struct protocol_row rows[] = {{0, 0, 0, {NULL}}};
    static const struct protocol_state same_states[] = {{"I", "", 0}, {"I", "", 0}};
    static const struct protocol_state no_exit[] = {{"I", "", STATE_TRANSIENT}};
    static const struct protocol_event same_events[] = {{"A", ""}, {"A", ""}};
    const struct {
        const struct protocol_state *states;
        const struct protocol_event *events;
        uint32_t state_count, event_count;
        const char *expected;
    } lists[] = {
        {states, events, PROTOCOL_MAX_STATES + 1, 2, "bad role: too many states or events\n"},
        {states, events, 2, PROTOCOL_MAX_EVENTS + 1, "bad role: too many states or events\n"},
        {same_states, events, 2, 2, "bad role: two states named I\n"},
        {states, same_events, 2, 2, "bad role: two events named A\n"},
        {no_exit, events, 1, 2, "bad role: transient state I has no exit\n"},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(lists); i++) {
        struct protocol_role role = {.name = "role",
                                     .states = lists[i].states,
                                     .state_count = lists[i].state_count,
                                     .events = lists[i].events,
                                     .event_count = lists[i].event_count,
                                     .rows = rows,
                                     .row_count = 1,
                                     .classify = never};
        struct protocol protocol = {.name = "bad", .roles = {[ROLE_L1] = &role}};
        struct text complaints = {0};

        assert_false(protocol_check(&protocol, &complaints));
        assert_string_equal(text_chars(&complaints), lists[i].expected);
        text_finish(&complaints);
    }
}

/* A role of two events: a request (A) and a response (B). */
static struct protocol_role two_events(const struct protocol_row *rows)
{
    return (struct protocol_role){.name = "role",
                                  .states = states,
                                  .state_count = 1,
                                  .events = events,
                                  .event_count = 2,
                                  .rows = rows,
                                  .row_count = 2,
                                  .channel_events = {[CHANNEL_RESPONSE] = 1 << 1},
                                  .classify = never};
}

/* Upper caches that send a request on a response, which L2 answers: with full links, neither can
 * move. */
static void circles_of_waits_are_seen(void **state)
{
    static const struct protocol_row asks_again[] = {{0, 0, 0, {&verb_forward}},
                                                     {0, 1, 0, {&verb_fetch_line}}};
    static const struct protocol_row passes[] = {{0, 0, 0, {&verb_forward}},
                                                 {0, 1, 0, {&verb_pass_up}}};
    static const struct protocol_row asks_above[] = {{0, 0, 0, {&verb_pass_up}},
                                                     {0, 1, 0, {&verb_pass_up}}};
    struct protocol_role bad = two_events(asks_again), good = two_events(passes);
    struct protocol_role upward = two_events(asks_above);
    struct protocol protocol = {.name = "circle", .roles = {[ROLE_L1] = &bad, [ROLE_L2] = &good}};
    struct text complaints = {0};

    (void)state;
    assert_false(protocol_check(&protocol, &complaints));
    assert_non_null(strstr(text_chars(&complaints),
                           "circle: messages can wait in a circle: request down between upper "
                           "caches and L2"));
    text_finish(&complaints);
    protocol.roles[ROLE_L1] = &good;
    assert_true(protocol_check(&protocol, &complaints));
    protocol.roles[ROLE_L2] = &upward;
    assert_false(protocol_check(&protocol, &complaints));
    assert_non_null(strstr(text_chars(&complaints), "a request goes up in state I, event A"));
    text_finish(&complaints);
}

/* Every protocol has a wiring; one without probes needs no more than a FIFO for each direction. */
static void protocols_can_be_wired(void **state)
{
    static const struct wiring shared = {false, false};
    const struct crossbar_parameters parameters = {.down_fifos = 0};
    struct diagnosis diagnosis;
    struct text complaints = {0};
    struct wiring wiring;

    (void)state;
    for (unsigned i = 0; protocols[i] != NULL; i++)
        if (!network_choose_wiring(protocols[i], &parameters, &wiring, &diagnosis))
            fail_msg("%s", diagnosis.message);
    assert_true(protocol_can_be_wired(&protocol_write_through, &shared, &complaints));
    assert_int_equal(complaints.length, 0);
    assert_false(protocol_can_be_wired(&protocol_invalidating, &shared, &complaints));
    assert_true(network_choose_wiring(&protocol_invalidating, &parameters, &wiring, &diagnosis));
    assert_true(wiring.write_backs_apart);
    text_finish(&complaints);
}

/* A machine that cannot have a protocol says which one, why, and what it needs. */
static void machines_refuse_by_name(void **state)
{
    const struct crossbar_parameters parameters = {.down_fifos = 1};
    struct diagnosis diagnosis;
    struct wiring wiring;

    (void)state;
    assert_false(network_choose_wiring(&protocol_invalidating, &parameters, &wiring, &diagnosis));
    assert_non_null(strstr(diagnosis.message,
                           "invalidating: messages can wait in a circle: request or write-back "
                           "down between upper caches and L2"));
    assert_null(strchr(diagnosis.message, '\n'));
    assert_non_null(strstr(diagnosis.hint, "'invalidating' needs crossbar.down_fifos 2"));
}

/* A directory that sends a probe when data comes from below may wait for its answer. That is sound
 * if the answer is said to come from above. Else it might wait for itself. */
static const struct protocol_action probes_up = {
    .name = "probe", .up = 1, .up_channel = CHANNEL_PROBE};
static const struct protocol_action answers_down = {
    .name = "answer", .down = 1, .down_channel = CHANNEL_RESPONSE};

static void responses_have_a_side(void **state)
{
    static const struct protocol_event named[] = {{"PROBE", ""}, {"DATA", ""}, {"ANSWER", ""}};
    static const struct protocol_row answers[] = {{0, 0, 0, {&answers_down}}};
    static const struct protocol_row probes[] = {{0, 1, 0, {&probes_up}}, {0, 2, 0, {NULL}}};
    struct protocol_role upper = {.name = "upper",
                                  .states = states,
                                  .state_count = 1,
                                  .events = named,
                                  .event_count = 3,
                                  .rows = answers,
                                  .row_count = 1,
                                  .channel_events = {[CHANNEL_PROBE] = 1},
                                  .classify = never};
    struct protocol_role directory = upper;
    struct protocol protocol = {.name = "sided",
                                .probes_may_pass = true,
                                .roles = {[ROLE_L1] = &upper, [ROLE_L2] = &directory}};
    struct text complaints = {0};

    (void)state;
    directory.rows = probes;
    directory.row_count = 2;
    directory.channel_events[CHANNEL_PROBE] = 0;
    directory.channel_events[CHANNEL_RESPONSE] = 1 << 1 | 1 << 2;
    directory.from_above = 1 << 2;
    assert_true(protocol_check(&protocol, &complaints));
    directory.from_above = 1 << 1; /* the probe would be sent when the answer arrives */
    assert_false(protocol_check(&protocol, &complaints));
    assert_non_null(strstr(text_chars(&complaints), "probe up between upper caches and L2"));
    text_finish(&complaints);
}

/* A probe that takes what only a response lets go must not be in front of that response. A protocol
 * whose probes may not pass responses has no wiring then. */
static void probes_that_wait_need_a_fifo(void **state)
{
    static const struct protocol_event named[] = {{"PROBE", ""}, {"DATA", ""}};
    static const struct protocol_row rows[] = {{0, 0, 0, {&verb_stall_line}}, {0, 1, 0, {NULL}}};
    static const struct wiring shared = {true, false}, apart = {true, true};
    const struct crossbar_parameters parameters = {.down_fifos = 0};
    struct protocol_role role = {.name = "upper",
                                 .states = states,
                                 .state_count = 1,
                                 .events = named,
                                 .event_count = 2,
                                 .rows = rows,
                                 .row_count = 2,
                                 .channel_events = {[CHANNEL_PROBE] = 1, [CHANNEL_RESPONSE] = 2},
                                 .classify = never};
    struct protocol protocol = {
        .name = "waiter", .probes_may_pass = true, .roles = {[ROLE_L1] = &role}};
    struct text complaints = {0};
    struct diagnosis diagnosis;
    struct wiring wiring;

    (void)state;
    assert_false(protocol_can_be_wired(&protocol, &shared, &complaints));
    assert_non_null(strstr(text_chars(&complaints), "response or probe up between upper caches"));
    assert_true(protocol_can_be_wired(&protocol, &apart, NULL));
    assert_true(network_choose_wiring(&protocol, &parameters, &wiring, &diagnosis));
    assert_true(wiring.probes_apart);
    protocol.probes_may_pass = false;
    assert_false(protocol_can_be_wired(&protocol, &apart, NULL));
    assert_false(network_choose_wiring(&protocol, &parameters, &wiring, &diagnosis));
    assert_non_null(strstr(diagnosis.hint, "cannot run on any wiring"));
    text_finish(&complaints);
}

/* ---- Contract: what holds whatever the protocol ---- */

enum { OF_TESTS = 2 }; /* beside the list */
static const struct protocol *all[32];
static unsigned all_count;

static struct bench *create(const struct protocol *protocol)
{
    struct bench_options options = {.protocol = protocol, .l1s = 3, .scalars = 1, .slices = 2};
    struct bench *bench = malloc(sizeof *bench);

    bench_init(bench, &options);
    return bench;
}

static void for_each(void (*question)(struct bench *bench))
{
    for (unsigned i = 0; i < all_count; i++) {
        struct bench *bench = create(all[i]);

        question(bench);
        bench_finish(bench);
        free(bench);
    }
}

/* Message passing: data, then flag; the reader has both lines warm. With acquire it sees the data.
 */
static void message_passing(struct bench *bench)
{
    enum { DATA = 0, FLAG = 4096 };

    for (uint32_t round = 1; round < 20; round++) {
        bench_load(bench, 1, DATA);
        bench_load(bench, 1, FLAG);
        bench_store(bench, 0, DATA, round);
        bench_release(bench, 0);
        bench_store(bench, 0, FLAG, round);
        bench_release(bench, 0);
        assert_int_equal(bench_load_glc(bench, 1, FLAG), round);
        bench_acquire(bench, 1);
        assert_int_equal(bench_load(bench, 1, DATA), round);
    }
}

static void passes_messages(void **state)
{
    (void)state;
    for_each(message_passing);
}

/* Loads of one location by one node never go back in time, GLC or not, whatever order messages
 * take. */
static uint32_t latest_seen;
static bool went_back;

static void watch_loads(void *context, uint32_t node, const struct message *message)
{
    (void)context;
    if (node != 1 || message->kind != MESSAGE_LOAD_REPLY)
        return;
    if (message_word(message, 0) < latest_seen)
        went_back = true;
    latest_seen = message_word(message, 0);
}

static void coherent_reads(struct bench *bench)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random random = {.state = seed};
        uint64_t offset = seed * 128;

        bench->pump.reply = watch_loads;
        bench->pump.is_random = true;
        bench->pump.random.state = seed * 31;
        latest_seen = 0;
        went_back = false;
        for (uint32_t i = 1; i <= 30; i++) {
            struct message store = bench_request(bench, MESSAGE_STORE, offset, 4);
            struct message load = bench_request(bench, MESSAGE_LOAD, offset, 4);

            message_set_word(&store, offset, i);
            pump_send(&bench->pump, 0, &store);
            load.glc = random_below(&random, 2) == 0;
            pump_send(&bench->pump, 1, &load);
            for (uint64_t steps = random_below(&random, 10); steps > 0; steps--)
                pump_step(&bench->pump);
        }
        pump_run(&bench->pump);
        assert_false(went_back);
    }
}

/* Replies of one node come in the order of its loads here, since all are of one line. */
static void reads_are_coherent(void **state)
{
    (void)state;
    for_each(coherent_reads);
}

static void counting(struct bench *bench)
{
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(bench_add(bench, i % 3, 128, 1), i);
    assert_int_equal(bench_host_read(bench, 128), 60);
}

static void atomics_count(void **state)
{
    (void)state;
    for_each(counting);
}

static void host_agent(struct bench *bench)
{
    bench_store(bench, 0, 256, 1);
    bench_load(bench, 1, 256);
    bench_load(bench, 3, 256);
    assert_int_equal(bench_host_read(bench, 256), 1);
    bench_host_write(bench, 256, 2);
    for (uint32_t node = 0; node < 4; node++)
        assert_int_equal(bench_load(bench, node, 256), 2);
}

static void host_is_an_agent(void **state)
{
    (void)state;
    for_each(host_agent);
}

static void kernel_start(struct bench *bench)
{
    for (uint32_t node = 0; node < 4; node++)
        bench_load(bench, node, 512);
    bench_store(bench, 0, 512, 3);
    bench_release(bench, 0); /* a kernel's end */
    pump_kernel_start(&bench->pump);
    for (uint32_t node = 0; node < 4; node++)
        assert_int_equal(bench_load(bench, node, 512), 3);
}

static void kernels_start_fresh(void **state)
{
    (void)state;
    for_each(kernel_start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"protocol/tables_are_sound", tables_are_sound, NULL, NULL, NULL},
        {"protocol/faults_in_tables_are_seen", faults_in_tables_are_seen, NULL, NULL, NULL},
        {"protocol/rows_of_nothing_are_complained_of_once", rows_of_nothing_are_complained_of_once,
         NULL, NULL, NULL},
        {"protocol/faults_in_lists_are_seen", faults_in_lists_are_seen, NULL, NULL, NULL},
        {"protocol/circles_of_waits_are_seen", circles_of_waits_are_seen, NULL, NULL, NULL},
        {"protocol/protocols_can_be_wired", protocols_can_be_wired, NULL, NULL, NULL},
        {"protocol/machines_refuse_by_name", machines_refuse_by_name, NULL, NULL, NULL},
        {"protocol/responses_have_a_side", responses_have_a_side, NULL, NULL, NULL},
        {"protocol/probes_that_wait_need_a_fifo", probes_that_wait_need_a_fifo, NULL, NULL, NULL},
        {"contract/passes_messages", passes_messages, NULL, NULL, NULL},
        {"contract/reads_are_coherent", reads_are_coherent, NULL, NULL, NULL},
        {"contract/atomics_count", atomics_count, NULL, NULL, NULL},
        {"contract/host_is_an_agent", host_is_an_agent, NULL, NULL, NULL},
        {"contract/kernels_start_fresh", kernels_start_fresh, NULL, NULL, NULL},
    };

    while (protocols[all_count] != NULL && all_count < ARRAY_COUNT(all) - OF_TESTS) {
        all[all_count] = protocols[all_count];
        all_count++;
    }
    assert_null(protocols[all_count]);
    all[all_count++] = &protocol_write_through;
    all[all_count++] = &protocol_invalidating;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
