/* SPDX-License-Identifier: MIT */
/* Executions of a tiny program: each combination of its threads' paths, of the sources of their
 * loads and of the orders of their stores. */
#include "verify/axioms_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

struct maker {
    const struct litmus *litmus;
    struct axiom_paths paths[LITMUS_THREADS];
    struct axioms_found *found;
    struct axiom_execution execution;
    uint64_t tries;
    struct text *why; /* NULL: executions are kept; else the first that is impossible is told */
};

static void explain_execution(struct maker *maker)
{
    const struct axiom_execution *execution = &maker->execution;
    const struct axiom_event *first = &execution->events[execution->broken[0]];
    const struct axiom_event *second = &execution->events[execution->broken[1]];
    const struct litmus *litmus = maker->litmus;

    if (maker->why->length > 0 || first->kind != AXIOM_ACCESS || second->kind != AXIOM_ACCESS)
        return;
    text_add(maker->why, "Broken: thread %u: ", first->thread);
    litmus_print_operation(litmus, first->thread, &litmus->threads[first->thread][first->operation],
                           maker->why);
    text_add(maker->why, " happens before thread %u: ", second->thread);
    litmus_print_operation(litmus, second->thread,
                           &litmus->threads[second->thread][second->operation], maker->why);
    text_add(maker->why, ", which is older or takes an older value\n");
}

static void note_execution(struct maker *maker)
{
    struct axiom_execution *execution = &maker->execution;
    struct axioms_found *found = maker->found;
    enum axiom_verdict verdict;

    if (++maker->tries > AXIOM_TRIES_MAX)
        return;
    verdict = axiom_judge(execution, found);
    if (verdict == AXIOM_IMPOSSIBLE && maker->why != NULL)
        explain_execution(maker);
    if (verdict == AXIOM_IMPOSSIBLE)
        return;
    found->executions++;
    found->undefined += verdict == AXIOM_UNDEFINED;
    for (uint32_t word = 0; word < LITMUS_WORDS; word++) {
        uint64_t stores = execution->stores[word];

        execution->outcome.at_end[word] = 0;
        for_each_bit(store, stores) if (execution->behind[store] == 0)
            execution->outcome.at_end[word] = execution->events[store].written;
    }
    litmus_note_outcome(&found->outcomes, &execution->outcome)->executions++;
}

/* ---- Orders of a word's stores ---- */

static void order_word(struct maker *maker, uint32_t word);

/* Whether a store of the same thread that comes first in the program is still to be placed. */
static bool must_wait(const struct axiom_execution *execution, uint64_t left, uint32_t store)
{
    left &= low_mask(store);
    for_each_bit(other, left) if (execution->events[other].thread ==
                                  execution->events[store].thread) return true;
    return false;
}

/* Places one more of the word's stores, those of `left`, right behind `last`. */
static void order_on(struct maker *maker, uint32_t word, uint64_t left, uint32_t last)
{
    struct axiom_execution *execution = &maker->execution;
    uint64_t next = left;

    execution->behind[last] = left;
    if (left == 0)
        order_word(maker, word + 1);
    for_each_bit(store, next)
    {
        if (execution->events[store].reads && execution->source[store] != last)
            continue;
        if (!must_wait(execution, left, store))
            order_on(maker, word, left & ~(UINT64_C(1) << store), store);
    }
}

static void order_word(struct maker *maker, uint32_t word)
{
    struct axiom_execution *execution = &maker->execution;
    uint64_t first;

    while (word < LITMUS_WORDS && execution->stores[word] == 0)
        word++;
    if (word == LITMUS_WORDS) {
        note_execution(maker);
        return;
    }
    first = lowest_bit(execution->stores[word]);
    order_on(maker, word, execution->stores[word] & ~(UINT64_C(1) << first), (uint32_t)first);
}

/* ---- Sources ---- */

static void choose_sources(struct maker *maker, uint32_t from)
{
    struct axiom_execution *execution = &maker->execution;
    const struct axiom_event *event;
    uint64_t stores;

    while (from < execution->count && !execution->events[from].reads)
        from++;
    if (from == execution->count) {
        order_word(maker, 0);
        return;
    }
    event = &execution->events[from];
    stores = execution->stores[event->word] & ~(UINT64_C(1) << from);
    for_each_bit(store, stores)
    {
        if (execution->events[store].written != event->read)
            continue;
        execution->source[from] = (uint8_t)store;
        choose_sources(maker, from + 1);
    }
}

/* ---- Paths ---- */

static void add_event(struct axiom_execution *execution, const struct axiom_event *event)
{
    uint64_t bit = UINT64_C(1) << execution->count;

    execution->events[execution->count++] = *event;
    if (event->kind > AXIOM_ACCESS)
        return;
    execution->of_word[event->word] |= bit;
    if (event->writes)
        execution->stores[event->word] |= bit;
}

/* False: it is too large. */
static bool start_execution(struct maker *maker, const struct axiom_path *const *chosen)
{
    struct axiom_execution *execution = &maker->execution;
    uint32_t count = LITMUS_WORDS;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        count += chosen[i]->count;
    if (count > AXIOM_EVENTS)
        return false;
    memset(execution, 0, sizeof *execution);
    execution->litmus = maker->litmus;
    for (uint8_t word = 0; word < LITMUS_WORDS; word++) {
        const struct axiom_event first = {.kind = AXIOM_FIRST,
                                          .word = word,
                                          .writes = true,
                                          .written = maker->litmus->initial[word],
                                          .regions =
                                              word < LITMUS_GLOBALS ? REGION_GLOBAL : REGION_LOCAL};

        add_event(execution, &first);
    }
    for (uint32_t i = 0; i < LITMUS_THREADS; i++) {
        for (uint32_t j = 0; j < chosen[i]->count; j++)
            add_event(execution, &chosen[i]->events[j]);
        memcpy(execution->outcome.returned[i], chosen[i]->returned, LITMUS_OPERATIONS);
    }
    return true;
}

static bool choose_paths(struct maker *maker, const struct axiom_path **chosen, uint32_t thread)
{
    if (thread == LITMUS_THREADS) {
        if (!start_execution(maker, chosen))
            return false;
        choose_sources(maker, 0);
        return maker->tries <= AXIOM_TRIES_MAX;
    }
    for (uint32_t i = 0; i < maker->paths[thread].count; i++) {
        chosen[thread] = &maker->paths[thread].list[i];
        if (!choose_paths(maker, chosen, thread + 1))
            return false;
    }
    return true;
}

bool axioms_find(struct axioms_found *found, const struct litmus *litmus,
                 struct diagnosis *diagnosis)
{
    struct maker maker = {.litmus = litmus, .found = found};
    const struct axiom_path *chosen[LITMUS_THREADS];
    bool is_done;

    memset(found, 0, sizeof *found);
    if (!axiom_find_paths(litmus, maker.paths, diagnosis))
        return false;
    is_done = choose_paths(&maker, chosen, 0);
    axiom_paths_finish(maker.paths);
    found->outcomes.has_race = found->undefined > 0;
    if (is_done)
        return true;
    litmus_outcomes_finish(&found->outcomes);
    return diagnose(diagnosis, "the program has too many executions, or over %d operations at once",
                    AXIOM_EVENTS - LITMUS_WORDS);
}

/* ---- Why not ---- */

static bool path_returns(const struct axiom_path *path, const uint8_t *returned)
{
    for (uint32_t i = 0; i < LITMUS_OPERATIONS; i++)
        if (returned[i] != LITMUS_NO_VALUE && path->returned[i] != returned[i])
            return false;
    return true;
}

static void keep_paths(struct axiom_paths *paths, const uint8_t *returned)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < paths->count; i++)
        if (path_returns(&paths->list[i], returned))
            paths->list[kept++] = paths->list[i];
    paths->count = kept;
}

void axioms_explain(const struct litmus *litmus,
                    uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS], struct text *text)
{
    struct axioms_found found = {.undefined = 0};
    struct text why = {0};
    struct maker maker = {.litmus = litmus, .found = &found, .why = &why};
    const struct axiom_path *chosen[LITMUS_THREADS];
    struct diagnosis diagnosis;

    if (!axiom_find_paths(litmus, maker.paths, &diagnosis))
        return;
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        keep_paths(&maker.paths[i], returned[i]);
    if (choose_paths(&maker, chosen, 0) && found.executions == 0)
        text_add(text, "%s",
                 why.length > 0 ? text_chars(&why)
                                : "Broken: two atomics take one value, or none stores it\n");
    axiom_paths_finish(maker.paths);
    litmus_outcomes_finish(&found.outcomes);
    text_finish(&why);
}
