/* SPDX-License-Identifier: MIT */
/* The threads of a tiny program as a small machine's traffic. */
#include <string.h>

#include "base/bits.h"
#include "verify/litmus_run.h"

/* ---- Requests ---- */

static void put_word(unsigned char *at, int value)
{
    const uint32_t word = (uint32_t)value;

    memcpy(at, &word, sizeof word);
}

static void thread_settle(struct run *run, uint32_t thread, uint8_t at)
{
    struct litmus_registers registers;

    run->state.at[thread] =
        litmus_settle(run->litmus, thread, at, run->state.returned[thread], &registers);
}

static int operand_of(const struct run *run, uint32_t thread,
                      const struct litmus_registers *registers)
{
    const struct litmus_operation *operation = run_next(run, thread);

    if (operation->kind == LITMUS_STORE_NEXT)
        return run->state.returned[thread][run->state.at[thread] - 1] + operation->value;
    return litmus_operand(operation, registers);
}

/* At a place that is not at the start of half a line the compare value is 32 bytes on: mem/msg.h */
static void write_atomic(const struct litmus_operation *operation,
                         const struct litmus_registers *registers, struct message *message)
{
    enum { COMPARE = LINE_BYTES / 2 };
    static const uint8_t kinds[] = {
        [LITMUS_CAS] = RMW_COMPARE_SWAP, [LITMUS_ADD] = RMW_ADD, [LITMUS_EXCHANGE] = RMW_SWAP};

    message->rmw = kinds[operation->kind];
    message->word_bytes = LITMUS_WORD_BYTES;
    message->returns = true;
    if (operation->kind == LITMUS_CAS)
        put_word(message->data + COMPARE + operation->word * LITMUS_WORD_BYTES,
                 litmus_expected(operation, registers));
}

static void write_request(const struct run *run, uint32_t thread, struct message *message)
{
    static const uint8_t kinds[] = {
        [LITMUS_LOAD] = MESSAGE_LOAD,        [LITMUS_STORE] = MESSAGE_STORE,
        [LITMUS_STORE_NEXT] = MESSAGE_STORE, [LITMUS_CAS] = MESSAGE_ATOMIC,
        [LITMUS_ADD] = MESSAGE_ATOMIC,       [LITMUS_EXCHANGE] = MESSAGE_ATOMIC};
    static const uint8_t scopes[] = {SCOPE_WAVEFRONT, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_DEVICE};
    const struct litmus_operation *operation = run_next(run, thread);
    struct litmus_registers registers;

    litmus_settle(run->litmus, thread, run->state.at[thread], run->state.returned[thread],
                  &registers);
    message->kind = kinds[operation->kind];
    message->mask = low_mask(LITMUS_WORD_BYTES) << operation->word * LITMUS_WORD_BYTES;
    message->scope = scopes[operation->reach];
    message->order = operation->order;
    message->remote = operation->reach == REACH_REMOTE;
    message->glc = operation->kind == LITMUS_LOAD && operation->reach >= REACH_DEVICE;
    message->requester.wavefront = (uint16_t)thread;
    put_word(message->data + operation->word * LITMUS_WORD_BYTES,
             operand_of(run, thread, &registers));
    if (message->kind == MESSAGE_ATOMIC)
        write_atomic(operation, &registers, message);
}

/* Whether the thread may go on now, with its L1. */
static bool may_go_on(const struct run *run, uint32_t l1, uint32_t thread)
{
    return thread < run->threads && litmus_l1(run->litmus, thread) == l1 &&
           run_next(run, thread) != NULL && !run->state.is_open[thread];
}

static bool is_without_l1(const struct litmus_operation *operation)
{
    return operation->is_local || operation->kind == LITMUS_BARRIER;
}

static bool thread_offer(struct traffic *traffic, uint32_t l1, uint32_t which,
                         struct message *message)
{
    const struct run *run = run_of(traffic);

    if (!may_go_on(run, l1, which) || is_without_l1(run_next(run, which)))
        return false;
    message->addr = traffic->world->lines[run_place(run, run_next(run, which)->line)];
    message->requester.unit = (uint16_t)(FIRST_UNIT + l1);
    write_request(run, which, message);
    return true;
}

static void thread_sent(struct traffic *traffic, uint32_t l1, uint32_t which,
                        const struct message *message)
{
    (void)l1;
    (void)message;
    run_of(traffic)->state.is_open[which] = true;
}

static void thread_output(struct traffic *traffic, const struct message *message)
{
    (void)traffic;
    (void)message;
}

static void thread_answered(struct traffic *traffic, uint32_t l1, const struct message *message)
{
    struct run *run = run_of(traffic);
    struct litmus_state *state = &run->state;
    uint32_t thread = message->requester.wavefront;
    const struct litmus_operation *operation = thread < run->threads ? run_next(run, thread) : NULL;

    if (operation == NULL || !state->is_open[thread] || is_without_l1(operation) ||
        litmus_l1(run->litmus, thread) != l1) {
        fault_note(traffic->fault, VERIFY_ANSWER, "L1 %u answers what was not asked", l1);
        return;
    }
    state->is_open[thread] = false;
    if (message->kind != MESSAGE_STORE_REPLY)
        state->returned[thread][state->at[thread]] =
            message->data[operation->word * LITMUS_WORD_BYTES];
    thread_settle(run, thread, (uint8_t)(state->at[thread] + 1));
}

/* ---- Without an L1 ---- */

static void access_local(struct run *run, uint32_t thread)
{
    static const uint8_t kinds[] = {[LITMUS_STORE] = RMW_SWAP,
                                    [LITMUS_CAS] = RMW_COMPARE_SWAP,
                                    [LITMUS_ADD] = RMW_ADD,
                                    [LITMUS_EXCHANGE] = RMW_SWAP};
    struct litmus_state *state = &run->state;
    const struct litmus_operation *operation = run_next(run, thread);
    uint8_t *word = &state->locals[litmus_l1(run->litmus, thread)][operation->line], old = *word;
    struct litmus_registers registers;

    litmus_settle(run->litmus, thread, state->at[thread], state->returned[thread], &registers);
    if (operation->kind != LITMUS_LOAD)
        *word = (uint8_t)rmw_apply_32(kinds[operation->kind], old,
                                      (uint32_t)litmus_operand(operation, &registers),
                                      (uint32_t)litmus_expected(operation, &registers));
    if (operation->kind != LITMUS_STORE)
        state->returned[thread][state->at[thread]] = old;
    thread_settle(run, thread, (uint8_t)(state->at[thread] + 1));
}

/* The last of the work-group that comes to a barrier lets all go on. */
static void meet_at_barrier(struct run *run, uint32_t thread)
{
    struct litmus_state *state = &run->state;
    uint32_t l1 = litmus_l1(run->litmus, thread);

    state->is_open[thread] = true;
    for (uint32_t i = 0; i < run->threads; i++)
        if (litmus_l1(run->litmus, i) == l1 &&
            (!state->is_open[i] || run_next(run, i)->kind != LITMUS_BARRIER))
            return;
    for (uint32_t i = 0; i < run->threads; i++) {
        if (litmus_l1(run->litmus, i) != l1)
            continue;
        state->is_open[i] = false;
        thread_settle(run, i, (uint8_t)(state->at[i] + 1));
    }
}

static bool thread_act(struct traffic *traffic, uint32_t l1, uint32_t which)
{
    struct run *run = run_of(traffic);
    struct text *story = traffic->world->story;

    if (!may_go_on(run, l1, which) || !is_without_l1(run_next(run, which)))
        return false;
    if (story != NULL) {
        text_add(story, "thread %u: ", which);
        litmus_print_operation(run->litmus, which, run_next(run, which), story);
    }
    if (run_next(run, which)->kind == LITMUS_BARRIER)
        meet_at_barrier(run, which);
    else
        access_local(run, which);
    return true;
}

/* ---- States ---- */

/* A thread that waits at a barrier waits for others' operations. */
static bool is_idle(const struct traffic *traffic)
{
    const struct run *run = run_of(traffic);

    for (uint32_t i = 0; i < run->threads; i++)
        if (run->state.is_open[i] && run_next(run, i)->kind != LITMUS_BARRIER)
            return false;
    return true;
}

static uint32_t first_alike(const struct traffic *traffic)
{
    return run_of(traffic)->l1s; /* none are */
}

static void thread_encode(const struct traffic *traffic, uint32_t l1, const struct form *form)
{
    if (l1 == TRAFFIC_COMMON)
        form->add(form->context, &run_of(traffic)->state, sizeof(struct litmus_state));
}

static void answer_describe(const struct traffic *traffic, const struct message *message,
                            struct text *text)
{
    const struct message_kind *kind = protocol_kind(traffic->world->shape.protocol, message->kind);

    for (unsigned at = 0; at <= LITMUS_WORD_BYTES && kind->has_data; at += LITMUS_WORD_BYTES)
        if ((message->mask >> at & 1) != 0)
            text_add(text, at == 0 ? " (%u)" : " (second word: %u)", message->data[at]);
}

static void request_introduce(const struct traffic *traffic, const struct message *message,
                              struct text *text)
{
    const struct run *run = run_of(traffic);
    uint32_t thread = message->requester.wavefront;

    text_add(text, "thread %u: ", thread);
    litmus_print_operation(run->litmus, thread, run_next(run, thread), text);
    text_add(text, ": ");
}

/* By its first word that the program has. */
static void line_name(const struct traffic *traffic, uint32_t line, struct text *text)
{
    const struct run *run = run_of(traffic);
    uint32_t number = 0;

    while (number < run->lines && run_place(run, number) != line)
        number++;
    litmus_print_word(run->litmus, number * 2, text);
}

void litmus_traffic_begin(struct run *run)
{
    struct world *world = run->traffic.world;
    struct litmus_state *state = &run->state;

    memset(state, 0, sizeof *state);
    memset(state->returned, LITMUS_NO_VALUE, sizeof state->returned);
    for (uint32_t word = 0; word < run->lines * 2; word++)
        world->memory[run_place(run, word / 2)][word % 2 * LITMUS_WORD_BYTES] =
            run->litmus->initial[word];
    world_touch(world, world_part_memory(world));
    for (uint32_t i = 0; i < run->threads; i++) {
        memcpy(state->locals[i], run->litmus->initial + LITMUS_GLOBALS, LITMUS_LOCALS);
        thread_settle(run, i, 0);
    }
}

void litmus_traffic_init(struct traffic *traffic)
{
    traffic->offers = LITMUS_THREADS;
    traffic->bytes = sizeof(struct litmus_state);
    traffic->offer = thread_offer;
    traffic->act = thread_act;
    traffic->sent = thread_sent;
    traffic->output = thread_output;
    traffic->answered = thread_answered;
    traffic->is_idle = is_idle;
    traffic->first_alike = first_alike;
    traffic->encode = thread_encode;
    traffic->describe = answer_describe;
    traffic->introduce = request_introduce;
    traffic->name_line = line_name;
}
