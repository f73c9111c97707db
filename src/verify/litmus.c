/* SPDX-License-Identifier: MIT */
#include "verify/litmus.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mem/network.h"
#include "verify/outcomes.h"

struct litmus_state {
    _Alignas(8) uint8_t at[LITMUS_THREADS]; /* the next operation */
    uint8_t is_open[LITMUS_THREADS];
    uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS];
};

struct run {
    struct traffic traffic;
    const struct litmus *litmus;
    const struct litmus_outcomes *outcomes;
    uint32_t threads, l1s, lines;
    uint32_t slices, lines_of_slice;
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

/* The machine's number of a line: its slices' lines lie one behind the other. */
static uint32_t place_of(const struct run *run, uint32_t line)
{
    return line % run->slices * run->lines_of_slice + line / run->slices;
}

/* ---- Requests ---- */

static void put_word(unsigned char *at, uint8_t value)
{
    const uint32_t word = value;

    memcpy(at, &word, sizeof word);
}

static void write_request(const struct run *run, uint32_t thread, struct message *message)
{
    static const uint8_t kinds[] = {[LITMUS_LOAD] = MESSAGE_LOAD,
                                    [LITMUS_STORE] = MESSAGE_STORE,
                                    [LITMUS_STORE_NEXT] = MESSAGE_STORE,
                                    [LITMUS_CAS] = MESSAGE_ATOMIC,
                                    [LITMUS_ADD] = MESSAGE_ATOMIC};
    static const uint8_t scopes[] = {SCOPE_WAVEFRONT, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_DEVICE};
    const struct litmus_operation *operation = next_of(run, thread);
    uint8_t value = operation->value;

    message->kind = kinds[operation->kind];
    message->mask = low_mask(LITMUS_WORD_BYTES) << operation->word * LITMUS_WORD_BYTES;
    message->scope = scopes[operation->reach];
    message->order = operation->order;
    message->remote = operation->reach == REACH_REMOTE;
    message->glc = operation->kind == LITMUS_LOAD && operation->reach >= REACH_DEVICE;
    message->requester.wavefront = (uint16_t)thread;
    if (operation->kind == LITMUS_STORE_NEXT)
        value = (uint8_t)(run->state.returned[thread][run->state.at[thread] - 1] + value);
    put_word(message->data + operation->word * LITMUS_WORD_BYTES, value);
    if (message->kind == MESSAGE_ATOMIC) {
        message->rmw = operation->kind == LITMUS_ADD ? RMW_ADD : RMW_COMPARE_SWAP;
        message->word_bytes = LITMUS_WORD_BYTES;
        message->returns = true;
    }
}

static bool thread_offer(struct traffic *traffic, uint32_t l1, uint32_t which,
                         struct message *message)
{
    const struct run *run = run_of(traffic);

    if (which >= run->threads || litmus_l1(run->litmus, which) != l1 ||
        next_of(run, which) == NULL || run->state.is_open[which])
        return false;
    message->addr = traffic->world->lines[place_of(run, next_of(run, which)->line)];
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
    const struct litmus_operation *operation = thread < run->threads ? next_of(run, thread) : NULL;
    uint8_t value = LITMUS_NO_VALUE;

    if (operation == NULL || !state->is_open[thread] || litmus_l1(run->litmus, thread) != l1) {
        fault_note(traffic->fault, VERIFY_ANSWER, "L1 %u answers what was not asked", l1);
        return;
    }
    state->is_open[thread] = false;
    if (message->kind != MESSAGE_STORE_REPLY) {
        value = message->data[operation->word * LITMUS_WORD_BYTES];
        state->returned[thread][state->at[thread]] = value;
        if (operation->kind == LITMUS_CAS ? value != 0 : value == 0)
            state->at[thread] = (uint8_t)(state->at[thread] + operation->skip);
    }
    state->at[thread]++;
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

static bool has_ended(const struct run *run)
{
    for (uint32_t i = 0; i < run->threads; i++)
        if (next_of(run, i) != NULL)
            return false;
    return true;
}

static bool is_dirty(const struct line *line, uint32_t byte)
{
    return line != NULL && (line->dirty >> byte & 1) != 0;
}

/* What memory holds when all is written back, L1 `last` as the last: its dirty byte of the word,
 * else another L1's, else L2's, else memory's. */
static uint8_t byte_at_end(const struct run *run, const struct world *world, uint32_t word,
                           uint32_t last)
{
    uint32_t at = word % 2 * LITMUS_WORD_BYTES;
    uint32_t place = place_of(run, word / 2);
    uint64_t addr = world->lines[place];
    uint8_t value = world->memory[place][at];

    for (uint32_t i = world->controller_count; i-- > 0;) {
        const struct line *line = controller_find(&world->controllers[i], addr);

        if (is_dirty(line, at) || (i >= run->l1s && line != NULL && (line->valid >> at & 1) != 0))
            value = line->data[at];
        if (i == last && is_dirty(line, at))
            return value;
    }
    return value;
}

/* Two L1s may have dirty bytes of one word: a compare-exchange that fails writes what it found, as
 * the ISA has it, and two such are no race. So any L1 may be the last that writes back, and
 * happens-before must allow what memory holds then. */
static void judge_end(struct run *run, const struct world *world)
{
    for (uint32_t last = 0; last < run->l1s; last++) {
        uint8_t at_end[LITMUS_WORDS] = {0};

        for (uint32_t word = 0; word < run->lines * 2; word++)
            at_end[word] = byte_at_end(run, world, word, last);
        if (litmus_allows(run->outcomes, run->state.returned, at_end))
            continue;
        fault_note(run->traffic.fault, VERIFY_DIRTY,
                   "what is in memory at the end is what happens-before forbids");
        return;
    }
}

static bool meets_terms(const struct run *run)
{
    const struct litmus *litmus = run->litmus;

    for (unsigned i = 0; i < litmus->term_count; i++) {
        const struct litmus_term *term = &litmus->terms[i];

        if (run->state.returned[term->thread][term->operation] != term->value)
            return false;
    }
    return litmus->term_count > 0;
}

static void outcome_judge(struct traffic *traffic, const struct world *world)
{
    struct run *run = run_of(traffic);

    if (run->litmus->verdict != VERDICT_ALLOWED && meets_terms(run))
        fault_note(traffic->fault, VERIFY_READ, "the outcome is one that happens-before forbids");
    if (run->outcomes == NULL || !has_ended(run))
        return;
    if (!litmus_allows(run->outcomes, run->state.returned, NULL))
        fault_note(traffic->fault, VERIFY_READ, "the outcome is one that happens-before forbids");
    else if (world_is_at_rest(world))
        judge_end(run, world);
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

/* ---- A search ---- */

static void threads_begin(void *context, uint32_t root)
{
    struct run *run = context;

    (void)root;
    memset(&run->state, 0, sizeof run->state);
    memset(run->state.returned, LITMUS_NO_VALUE, sizeof run->state.returned);
}

static void count_parts(struct run *run)
{
    run->threads = litmus_threads(run->litmus);
    for (uint32_t i = 0; i < run->threads; i++) {
        if (litmus_l1(run->litmus, i) >= run->l1s)
            run->l1s = litmus_l1(run->litmus, i) + 1;
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            if (run->litmus->threads[i][j].kind != LITMUS_END &&
                run->litmus->threads[i][j].line >= run->lines)
                run->lines = run->litmus->threads[i][j].line + 1u;
    }
}

static void fault_tell(const struct run *run, const struct explore_options *options,
                       const struct explore_result *result, struct text *story)
{
    const struct litmus *litmus = run->litmus;

    text_add(story, "The program %s: %s\n", litmus->name, litmus->help);
    litmus_print(litmus, story);
    text_add(story, "The shortest path:\n");
    explore_tell(options, result, story);
    text_add(story, "%s: %s\n", verify_check_name(result->fault.check), result->fault.text);
}

static struct world_shape shape_of(const struct run *run, const struct litmus_search *search)
{
    return (struct world_shape){.protocol = search->protocol,
                                .l1s = run->l1s,
                                .slices = run->slices,
                                .lines = run->lines_of_slice,
                                .l1_ways = run->lines,
                                .l2_ways = run->lines_of_slice,
                                .l1_mshrs = 2,
                                .l2_mshrs = 3,
                                .l1_waiting = 4,
                                .l2_waiting = 6,
                                .room = 2,
                                .breaks = search->breaks,
                                .evicts = search->evicts};
}

bool litmus_explore(const struct litmus *litmus, const struct litmus_search *search,
                    struct litmus_result *result, struct text *story, struct diagnosis *diagnosis)
{
    const struct crossbar_parameters fifos = {.down_fifos = 0};
    struct run run = {.traffic = {.offers = LITMUS_THREADS,
                                  .bytes = sizeof run.state,
                                  .offer = thread_offer,
                                  .sent = thread_sent,
                                  .output = thread_output,
                                  .answered = thread_answered,
                                  .is_idle = is_idle,
                                  .judge = outcome_judge,
                                  .first_alike = first_alike,
                                  .encode = thread_encode,
                                  .describe = answer_describe},
                      .litmus = litmus,
                      .outcomes = search->outcomes};
    struct explore_options options = {.roots = 1,
                                      .tells_l1s_apart = true,
                                      .takes_all_moves = true,
                                      .begin = threads_begin,
                                      .bytes_max = search->bytes_max,
                                      .states_max = search->states_max,
                                      .context = &run};
    struct explore_result *explored = &result->explored;
    struct world_shape shape;
    struct fault fault = {VERIFY_NOTHING, ""};
    struct world world;

    count_parts(&run);
    run.slices = search->slices;
    run.lines_of_slice = (run.lines + run.slices - 1) / run.slices;
    run.traffic.state = &run.state;
    shape = shape_of(&run, search);
    if (!network_choose_wiring(search->protocol, &fifos, &shape.wiring, diagnosis) ||
        !world_init(&world, &shape, &run.traffic, &fault, diagnosis))
        return false;
    options.world = &world;
    for (uint32_t i = 0; i < world.controller_count && search->look != NULL; i++)
        controller_count_coverage(&world.controllers[i]);
    explore_run(&options, explored);
    if (search->look != NULL)
        search->look(search->context, &world);
    result->is_shown = litmus->verdict == VERDICT_SHOWN && explored->end == EXPLORE_FAULT &&
                       explored->fault.check == VERIFY_READ;
    if (explored->end == EXPLORE_FAULT && !result->is_shown)
        fault_tell(&run, &options, explored, story);
    world_finish(&world);
    return true;
}
