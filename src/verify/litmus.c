/* SPDX-License-Identifier: MIT */
#include "verify/litmus.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mem/network.h"

enum { WORD = 4, NOTHING = 255 };

struct litmus_state {
    uint8_t at[LITMUS_THREADS]; /* the next operation */
    uint8_t is_open[LITMUS_THREADS];
    uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS]; /* NOTHING: not done, or no value */
};

struct run {
    struct traffic traffic;
    const struct litmus *litmus;
    uint32_t threads, lines;
    struct litmus_state state;
};

static struct run *run_of(const struct traffic *traffic)
{
    return container_of(traffic, struct run, traffic);
}

static const struct litmus_operation *next_of(const struct run *run, uint32_t thread)
{
    uint8_t at = run->state.at[thread];

    return at < LITMUS_OPERATIONS && run->litmus->threads[thread][at].kind != LITMUS_END
               ? &run->litmus->threads[thread][at]
               : NULL;
}

/* ---- Requests ---- */

static void put_word(unsigned char *at, uint8_t value)
{
    const uint32_t word = value;

    memcpy(at, &word, sizeof word);
}

static bool offer(struct traffic *traffic, uint32_t l1, uint32_t which, struct message *message)
{
    static const uint8_t kinds[] = {[LITMUS_LOAD] = MESSAGE_LOAD,
                                    [LITMUS_STORE] = MESSAGE_STORE,
                                    [LITMUS_STORE_NEXT] = MESSAGE_STORE,
                                    [LITMUS_CAS] = MESSAGE_ATOMIC,
                                    [LITMUS_ADD] = MESSAGE_ATOMIC};
    static const uint8_t scopes[] = {SCOPE_WAVEFRONT, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_DEVICE};
    const struct run *run = run_of(traffic);
    const struct litmus_operation *operation = next_of(run, l1);

    (void)which;
    if (operation == NULL || run->state.is_open[l1])
        return false;
    message->kind = kinds[operation->kind];
    message->addr = traffic->world->lines[operation->line];
    message->mask = low_mask(WORD);
    message->scope = scopes[operation->reach];
    message->order = operation->order;
    message->remote = operation->reach == REACH_REMOTE;
    message->glc = operation->kind == LITMUS_LOAD && operation->reach >= REACH_DEVICE;
    message->requester.unit = (uint16_t)(FIRST_UNIT + l1);
    put_word(message->data, operation->value);
    if (operation->kind == LITMUS_STORE_NEXT)
        put_word(message->data, (uint8_t)(run->state.returned[l1][run->state.at[l1] - 1] + 1));
    if (message->kind == MESSAGE_ATOMIC) {
        message->rmw = operation->kind == LITMUS_ADD ? RMW_ADD : RMW_COMPARE_SWAP;
        message->word_bytes = WORD;
        message->returns = true;
    }
    return true;
}

static void sent(struct traffic *traffic, uint32_t l1, uint32_t which,
                 const struct message *message)
{
    (void)which;
    (void)message;
    run_of(traffic)->state.is_open[l1] = true;
}

static void output(struct traffic *traffic, const struct message *message)
{
    (void)traffic;
    (void)message;
}

static void answered(struct traffic *traffic, uint32_t l1, const struct message *message)
{
    struct run *run = run_of(traffic);
    struct litmus_state *state = &run->state;
    const struct litmus_operation *operation = next_of(run, l1);

    if (operation == NULL || !state->is_open[l1]) {
        fault_note(traffic->fault, VERIFY_ANSWER, "L1 %u answers what was not asked", l1);
        return;
    }
    state->is_open[l1] = false;
    if (message->kind != MESSAGE_STORE_REPLY)
        state->returned[l1][state->at[l1]] = message->data[0];
    if (operation->kind == LITMUS_CAS && message->data[0] != 0)
        state->at[l1] = (uint8_t)(state->at[l1] + operation->skip);
    state->at[l1]++;
}

/* ---- States ---- */

static bool is_idle(const struct traffic *traffic)
{
    const struct run *run = run_of(traffic);

    for (uint32_t i = 0; i < run->threads; i++)
        if (run->state.is_open[i])
            return false;
    return true;
}

static void judge(struct traffic *traffic, const struct world *world)
{
    const struct run *run = run_of(traffic);
    const struct litmus *litmus = run->litmus;

    (void)world;
    for (unsigned i = 0; i < litmus->term_count; i++) {
        const struct litmus_term *term = &litmus->forbidden[i];

        if (run->state.returned[term->thread][term->operation] != term->value)
            return;
    }
    fault_note(traffic->fault, VERIFY_READ, "the outcome is one that happens-before forbids");
}

static uint32_t first_alike(const struct traffic *traffic)
{
    return run_of(traffic)->threads; /* none are */
}

static void encode(const struct traffic *traffic, uint32_t l1, const struct form *form)
{
    if (l1 == TRAFFIC_COMMON)
        form->add(form->context, &run_of(traffic)->state, sizeof(struct litmus_state));
}

static void describe(const struct traffic *traffic, const struct message *message,
                     struct text *text)
{
    const struct message_kind *kind = protocol_kind(traffic->world->shape.protocol, message->kind);

    if (kind->has_data && (message->mask & 1) != 0)
        text_add(text, " (%u)", message->data[0]);
}

/* ---- A search ---- */

static void begin(void *context, uint32_t root)
{
    struct run *run = context;

    (void)root;
    memset(&run->state, 0, sizeof run->state);
    memset(run->state.returned, NOTHING, sizeof run->state.returned);
}

static void count_parts(struct run *run)
{
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++) {
            const struct litmus_operation *operation = &run->litmus->threads[i][j];

            if (operation->kind == LITMUS_END)
                break;
            run->threads = i + 1;
            if (operation->line >= run->lines)
                run->lines = operation->line + 1u;
        }
}

uint32_t litmus_operations(const struct litmus *litmus)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            count += litmus->threads[i][j].kind != LITMUS_END;
    return count;
}

bool litmus_explore(const struct litmus *litmus, const struct protocol *protocol, bool evicts,
                    uint64_t most_states, struct explore_result *result, struct text *story,
                    struct diagnosis *diagnosis)
{
    const struct crossbar_parameters fifos = {.down_fifos = 0};
    struct run run = {.traffic = {.offers = 1,
                                  .bytes = sizeof run.state,
                                  .offer = offer,
                                  .sent = sent,
                                  .output = output,
                                  .answered = answered,
                                  .is_idle = is_idle,
                                  .judge = judge,
                                  .first_alike = first_alike,
                                  .encode = encode,
                                  .describe = describe},
                      .litmus = litmus};
    struct explore_options options = {.roots = 1,
                                      .tells_l1s_apart = true,
                                      .takes_all_moves = true,
                                      .begin = begin,
                                      .most_bytes = UINT64_C(2) << 30,
                                      .most_states = most_states,
                                      .context = &run};
    struct world_shape shape = {.protocol = protocol,
                                .slices = 1,
                                .l1_mshrs = 2,
                                .l2_mshrs = 3,
                                .l1_waiting = 4,
                                .l2_waiting = 6,
                                .room = 2,
                                .evicts = evicts};
    struct fault fault = {VERIFY_NOTHING, ""};
    struct world world;

    count_parts(&run);
    run.traffic.state = &run.state;
    shape.l1s = run.threads;
    shape.lines = shape.l1_ways = shape.l2_ways = run.lines;
    if (!network_choose_wiring(protocol, &fifos, &shape.wiring, diagnosis) ||
        !world_init(&world, &shape, &run.traffic, &fault, diagnosis))
        return false;
    options.world = &world;
    explore(&options, result);
    if (result->end == EXPLORE_FAULT) {
        text_add(story, "The program %s: %s\nThe shortest path:\n", litmus->name, litmus->help);
        explore_tell(&options, result, story);
        text_add(story, "%s: %s\n", verify_check_name(result->fault.check), result->fault.text);
    }
    world_finish(&world);
    return true;
}
