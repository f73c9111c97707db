/* SPDX-License-Identifier: MIT */
#include "verify/litmus.h"

#include <string.h>

#include "base/bits.h"
#include "mem/network.h"
#include "verify/litmus_run.h"

/* ---- Ends ---- */

static bool has_ended(const struct run *run)
{
    for (uint32_t i = 0; i < run->threads; i++)
        if (run_next(run, i) != NULL)
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
    uint32_t place = run_place(run, word / 2);
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

/* What all words hold then. A local one is its work-group's; that of the first, if several have
 * it. */
static void words_at_end(const struct run *run, const struct world *world, uint32_t last,
                         uint8_t at_end[LITMUS_WORDS])
{
    const struct litmus *litmus = run->litmus;

    memcpy(at_end, litmus->initial, LITMUS_WORDS);
    for (uint32_t word = 0; word < run->lines * 2; word++)
        at_end[word] = byte_at_end(run, world, word, last);
    for (uint32_t i = run->threads; i-- > 0;)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            if (litmus->threads[i][j].is_local)
                at_end[litmus_word(&litmus->threads[i][j])] =
                    run->state.locals[litmus_l1(litmus, i)][litmus->threads[i][j].line];
}

/* Two L1s may have dirty bytes of one word: a compare-exchange that fails writes what it found, as
 * the ISA has it, and two such are no race. So any L1 may be the last that writes back, and
 * happens-before must allow what memory holds then. */
static void judge_end(struct run *run, const struct world *world)
{
    for (uint32_t last = 0; last < run->l1s; last++) {
        struct litmus_outcome outcome = {.executions = 1};

        memcpy(outcome.returned, run->state.returned, sizeof outcome.returned);
        words_at_end(run, world, last, outcome.at_end);
        if (run->shown != NULL)
            litmus_note_outcome(run->shown, &outcome);
        if (run->outcomes == NULL || litmus_allows(run->outcomes, outcome.returned, outcome.at_end))
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
    if (!has_ended(run))
        return;
    if (run->outcomes != NULL && !litmus_allows(run->outcomes, run->state.returned, NULL))
        fault_note(traffic->fault, VERIFY_READ, "the outcome is one that happens-before forbids");
    else if (world_is_at_rest(world))
        judge_end(run, world);
}

/* ---- A search ---- */

static void threads_begin(void *context, uint32_t root)
{
    (void)root;
    litmus_traffic_begin(context);
}

static void count_parts(struct run *run)
{
    run->threads = litmus_threads(run->litmus);
    run->l1s = run->lines = 1; /* though none may be used */
    for (uint32_t i = 0; i < run->threads; i++) {
        if (litmus_l1(run->litmus, i) >= run->l1s)
            run->l1s = litmus_l1(run->litmus, i) + 1;
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            if (litmus_is_access(&run->litmus->threads[i][j]) &&
                !run->litmus->threads[i][j].is_local &&
                run->litmus->threads[i][j].line >= run->lines)
                run->lines = run->litmus->threads[i][j].line + 1u;
    }
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
    struct run run = {.traffic.judge = outcome_judge,
                      .litmus = litmus,
                      .outcomes = search->outcomes,
                      .shown = search->shown,
                      .has_columns = search->has_columns};
    struct explore_options options = {.roots = 1,
                                      .tells_l1s_apart = true,
                                      .takes_all_moves = true,
                                      .begin = threads_begin,
                                      .tell = litmus_tell_move,
                                      .bytes_max = search->bytes_max,
                                      .states_max = search->states_max,
                                      .context = &run};
    struct explore_result *explored = &result->explored;
    struct world_shape shape;
    struct fault fault = {VERIFY_NOTHING, ""};
    struct world world;

    litmus_traffic_init(&run.traffic);
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
        litmus_tell_fault(&run, &options, explored, story);
    world_finish(&world);
    return true;
}
