/* SPDX-License-Identifier: MIT */
/* What the mechanism does for a table that is as small as a table can be. It has an L1 that keeps
 * stores, and asks nothing of L2. */
#include "cmocka_all.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/check.h"
#include "bench.h"

enum { INVALID = STATE_INVALID, KEPT };
static const struct protocol_state states[] = {
    [INVALID] = {"I", "not here", 0},
    [KEPT] = {"N", "stores are kept", STATE_READABLE | STATE_DIRTY},
};

enum { STORE, HOST_READ, HOST_WRITE, INVALIDATE, FORGET, WALK, REPLACE, EVENTS };
static const struct protocol_event events[] = {
    [STORE] = {"STORE", ""},           [HOST_READ] = {"HOST_READ", ""}, [HOST_WRITE] = {"HOST", ""},
    [INVALIDATE] = {"INVALIDATE", ""}, [FORGET] = {"FORGET", ""},       [WALK] = {"WALK", ""},
    [REPLACE] = {"REPLACE", ""},
};

enum { KIND_FORGET = MESSAGE_PROTOCOL, KIND_FORGOTTEN };
static const struct message_kind kinds[] = {
    {"FORGET", CHANNEL_PROBE, false, MESSAGE_NONE},
    {"FORGOTTEN", CHANNEL_RESPONSE, false, MESSAGE_NONE},
};

static const struct protocol_row rows[] = {
    {INVALID, STORE, KEPT, {&verb_reserve_way, &verb_store_line_dirty, &verb_acknowledge}},
    {INVALID, INVALIDATE, INVALID, {&verb_start_walk}},
    {INVALID, FORGET, INVALID, {&verb_start_walk}},
    {KEPT, STORE, KEPT, {&verb_store_line_dirty, &verb_acknowledge}},
    {KEPT, HOST_READ, KEPT, {&verb_reply}},
    {KEPT, HOST_WRITE, INVALID, {&verb_acknowledge}},
    {KEPT, FORGET, KEPT, {&verb_start_walk}},
    {KEPT, WALK, INVALID, {NULL}},
    {KEPT, REPLACE, INVALID, {&verb_allocate_mshr, &verb_write_back}},
};

static uint8_t classify(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return stimulus == STIMULUS_WALK ? WALK : REPLACE;
    switch (step->message->kind) {
    case MESSAGE_STORE:
        return STORE;
    case MESSAGE_HOST_READ:
        return HOST_READ;
    case MESSAGE_HOST_WRITE:
        return HOST_WRITE;
    case MESSAGE_INVALIDATE:
        return INVALIDATE;
    default:
        return FORGET;
    }
}

static const struct protocol_role keeper = {
    .name = "keeper",
    .states = states,
    .state_count = ARRAY_COUNT(states),
    .events = events,
    .event_count = EVENTS,
    .rows = rows,
    .row_count = ARRAY_COUNT(rows),
    .channel_events = {[CHANNEL_PROBE] = 1 << FORGET},
    .classify = classify,
};

static struct bench *create_with(const struct controller_shape *l1,
                                 const struct protocol_role *role)
{
    static struct protocol protocol;
    struct bench_options options = {.protocol = &protocol, .l1s = 2, .slices = 1, .l1 = *l1};
    struct bench *bench = malloc(sizeof *bench);

    protocol = *protocol_find("si");
    protocol.name = "keeper";
    protocol.roles[ROLE_L1] = role;
    protocol.kinds = kinds;
    protocol.kind_count = ARRAY_COUNT(kinds);
    bench_init(bench, &options);
    return bench;
}

static struct bench *create(const struct controller_shape *l1)
{
    return create_with(l1, &keeper);
}

static void destroy(struct bench *bench)
{
    bench_finish(bench);
    free(bench);
}

static const struct controller_shape one_line = {
    .sets = 1, .ways = 1, .mshr_entries = 2, .waiting_entries = 2};
static const struct controller_shape slow = {
    .sets = 8, .ways = 1, .mshr_entries = 2, .waiting_entries = 2, .walk_lines = 2};

/* A victim has no message: its row may take an MSHR all the same. */
static void a_replacement_may_take_an_mshr(void **state)
{
    struct bench *bench = create(&one_line);
    struct message store = bench_request(bench, MESSAGE_STORE, 64, 4);
    struct step step;

    (void)state;
    bench_store(bench, 0, 0, 1);
    assert_int_equal(controller_step(&bench->uppers[0], &store, &step), STEP_DONE);
    assert_non_null(controller_find_mshr(&bench->uppers[0], bench->buffer));
    assert_null(controller_find_mshr(&bench->uppers[0], bench->buffer + 64));
    destroy(bench);
}

/* A probe that starts a walk takes its turn after the one in progress, whose answer is not lost. */
static void walks_go_one_at_a_time(void **state)
{
    struct bench *bench = create(&slow);
    struct controller *l1 = &bench->uppers[0];
    struct message invalidate = bench_request(bench, MESSAGE_INVALIDATE, 0, 0);
    struct message forget = bench_request(bench, KIND_FORGET, 0, 0);
    struct step step;

    (void)state;
    bench_store(bench, 0, 0, 1);
    assert_int_equal(controller_step(l1, &invalidate, &step), STEP_DONE);
    assert_int_equal(controller_step(l1, &forget, &step), STEP_DONE);
    while (controller_walk(l1, 0, &step) && step.output_count == 0)
        ;
    assert_int_equal(step.outputs[0].message.kind, MESSAGE_INVALIDATE_REPLY);
    assert_true(controller_is_walking(l1));
    while (controller_is_walking(l1))
        controller_walk(l1, 0, &step);
    assert_int_equal(step.outputs[0].message.kind, KIND_FORGOTTEN);
    destroy(bench);
}

/* Two caches hold a line, each with bytes of its own dirty. The host sees the dirty ones of each,
 * and not the copies of the others, which may be old. */
static void the_host_reads_dirty_bytes_of_all(void **state)
{
    struct bench *bench = create(&one_line);
    uint32_t words[3];

    (void)state;
    bench_poke(bench, 8, 33);
    for (uint32_t node = 0; node < 2; node++) {
        bench_store(bench, node, 4 * node, 11 * (node + 1));
        controller_find(&bench->uppers[node], bench->buffer)->valid = UINT64_MAX;
    }
    pump_host_read(&bench->pump, bench->buffer, words, sizeof words);
    assert_int_equal(words[0], 11);
    assert_int_equal(words[1], 22);
    assert_int_equal(words[2], 33);
    destroy(bench);
}

/* What a table sends to the host beside the answer, about another request, or as another kind, is no
 * answer: it stops the run. */
static void tell_twice(struct step *step)
{
    for (unsigned i = 0; i < 2; i++)
        step_output(step, OUTPUT_UP)->destination = step->message->source;
    step->outputs[0].message.kind = step->outputs[1].message.kind = MESSAGE_HOST_WRITE_REPLY;
}
static void tell_of_another(struct step *step)
{
    step_output(step, OUTPUT_UP)->destination = step->message->source;
    step->outputs[0].message.kind = MESSAGE_HOST_WRITE_REPLY;
    step->outputs[0].message.requester.entry++;
}
static void tell_another_kind(struct step *step)
{
    step_output(step, OUTPUT_UP)->destination = step->message->source;
    step->outputs[0].message.kind = MESSAGE_HOST_READ_REPLY;
}

static void check_host_write(void (*answer)(struct step *step), bool is_right)
{
    const struct protocol_action action = {
        .name = "answer", .perform = answer, .up = 2, .up_channel = CHANNEL_RESPONSE};
    struct protocol_row changed[ARRAY_COUNT(rows)];
    struct protocol_role role = keeper;
    pid_t child;
    int status;

    memcpy(changed, rows, sizeof rows);
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].event == HOST_WRITE)
            changed[i].actions[0] = is_right ? &verb_acknowledge : &action;
    role.rows = changed;
    child = fork();
    if (child == 0) {
        struct bench *bench;

        close(2);
        bench = create_with(&one_line, &role);
        bench_store(bench, 0, 0, 1);
        bench_host_write(bench, 0, 2);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_int_equal(WIFSIGNALED(status), !is_right);
}

static void the_host_gets_the_answer_to_its_request(void **state)
{
    (void)state;
    check_host_write(NULL, true);
    check_host_write(tell_twice, false);
    check_host_write(tell_of_another, false);
    check_host_write(tell_another_kind, false);
}

/* The rows but one, KEPT's for the host's writes. */
static uint32_t copy_rows_but_host_write(struct protocol_row *some)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].event != HOST_WRITE)
            some[count++] = rows[i];
    return count;
}

static jmp_buf caught;
static char caught_message[1024];

static void keep_message(void *context, const char *message)
{
    (void)context;
    snprintf(caught_message, sizeof caught_message, "%s", message);
    longjmp(caught, 1);
}

/* A table without the row that a message needs: what is said names the event, the state, and the
 * last four rows that the line went through since it came, oldest first. */
static void what_cannot_happen_says_what_came_before(void **state)
{
    struct protocol_row some[ARRAY_COUNT(rows)];
    struct protocol_role role = keeper;
    struct bench *bench;

    (void)state;
    role.rows = some;
    role.row_count = copy_rows_but_host_write(some);
    bench = create_with(&one_line, &role);
    bench_store(bench, 0, 64, 1);
    bench_store(bench, 0, 64, 2);
    bench_host_read(bench, 64);
    if (setjmp(caught) == 0) {
        check_set_catch(keep_message, NULL);
        bench_host_write(bench, 64, 3);
    }
    check_set_catch(NULL, NULL);
    assert_non_null(
        strstr(caught_message, "l1 (keeper keeper): no row for event HOST in state N, "));
    assert_non_null(strstr(caught_message, ", message HOST_WRITE; "));
    assert_string_equal(strstr(caught_message, "; before:"), "; before: N/STORE N/HOST_READ");
    bench_host_read(bench, 64);
    bench_host_read(bench, 64);
    if (setjmp(caught) == 0) {
        check_set_catch(keep_message, NULL);
        bench_host_write(bench, 64, 3);
    }
    check_set_catch(NULL, NULL);
    assert_string_equal(strstr(caught_message, "; before:"),
                        "; before: N/STORE N/HOST_READ N/HOST_READ N/HOST_READ");
    destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"replace/a_replacement_may_take_an_mshr", a_replacement_may_take_an_mshr, NULL, NULL,
         NULL},
        {"walk/walks_go_one_at_a_time", walks_go_one_at_a_time, NULL, NULL, NULL},
        {"host/the_host_gets_the_answer_to_its_request", the_host_gets_the_answer_to_its_request,
         NULL, NULL, NULL},
        {"rows/what_cannot_happen_says_what_came_before", what_cannot_happen_says_what_came_before,
         NULL, NULL, NULL},
        {"host/the_host_reads_dirty_bytes_of_all", the_host_reads_dirty_bytes_of_all, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
