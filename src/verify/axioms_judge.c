/* SPDX-License-Identifier: MIT */
/* What the axioms say of an execution. Names in brackets are those of herd's opencl_rem.cat. */
#include <string.h>

#include "base/bits.h"
#include "verify/axioms_private.h"

static uint64_t bit_of(uint32_t event)
{
    return UINT64_C(1) << event;
}

static bool is_in(uint64_t set, uint32_t event)
{
    return (set >> event & 1) != 0;
}

static const struct litmus_operation *operation_of(const struct axiom_execution *execution,
                                                   uint32_t event)
{
    return &execution->litmus
                ->threads[execution->events[event].thread][execution->events[event].operation];
}

/* Whether both are atomic and their scopes reach each other [incl]. */
static bool events_meet(const struct axiom_execution *execution, uint32_t one, uint32_t other)
{
    const struct axiom_event *events = execution->events;

    if (events[one].kind != AXIOM_ACCESS || events[other].kind != AXIOM_ACCESS)
        return false;
    return litmus_meet(execution->litmus, events[one].thread, operation_of(execution, one),
                       events[other].thread, operation_of(execution, other));
}

static bool is_of_group(const struct axiom_execution *execution, uint32_t one, uint32_t other)
{
    const struct litmus *litmus = execution->litmus;
    uint8_t thread = execution->events[one].thread, other_thread = execution->events[other].thread;

    return litmus_l1(litmus, thread) == litmus_l1(litmus, other_thread) &&
           litmus->devices[thread] == litmus->devices[other_thread];
}

/* ---- Synchronises-with ---- */

/* Whether the store is the release or goes on with it [rs]. */
static bool goes_on(const struct axiom_execution *execution, uint32_t release, uint32_t store)
{
    return execution->events[store].reads ||
           execution->events[store].thread == execution->events[release].thread;
}

/* Whether `store` is of the release sequence that `release` heads [max_co]. */
static bool is_of_sequence(const struct axiom_execution *execution, uint32_t release,
                           uint32_t store)
{
    uint64_t between = execution->behind[release] & ~execution->behind[store] & ~bit_of(store);

    if (release == store)
        return true;
    if (!is_in(execution->behind[release], store) || !goes_on(execution, release, store))
        return false;
    for_each_bit(other, between) if (!goes_on(execution, release, other)) return false;
    return true;
}

/* [ra_sw] */
static bool acquire_takes_release(const struct axiom_execution *execution, uint32_t release,
                                  uint32_t acquire)
{
    const struct axiom_event *from = &execution->events[release];
    const struct axiom_event *to = &execution->events[acquire];

    return from->writes && (from->order & ORDER_RELEASE) != 0 && to->reads &&
           (to->order & ORDER_ACQUIRE) != 0 && from->word == to->word &&
           from->thread != to->thread && events_meet(execution, release, acquire) &&
           is_of_sequence(execution, release, execution->source[acquire]);
}

/* [bar_sw], whatever the region. */
static bool barrier_joins(const struct axiom_execution *execution, uint32_t entry, uint32_t exit)
{
    const struct axiom_event *from = &execution->events[entry], *to = &execution->events[exit];

    return from->kind == AXIOM_ENTRY && to->kind == AXIOM_EXIT && from->number == to->number &&
           from->thread != to->thread && is_of_group(execution, entry, exit);
}

/* ---- Happens-before, of one region ---- */

static bool is_before_at_once(const struct axiom_execution *execution, uint32_t one, uint32_t other)
{
    const struct axiom_event *from = &execution->events[one], *to = &execution->events[other];

    if (from->kind == AXIOM_FIRST || to->kind == AXIOM_FIRST)
        return from->kind == AXIOM_FIRST && to->kind != AXIOM_FIRST;
    return (from->thread == to->thread && one < other) ||
           acquire_takes_release(execution, one, other) || barrier_joins(execution, one, other);
}

/* False: it has a cycle. */
static bool find_before(struct axiom_execution *execution, unsigned region)
{
    uint64_t *before = execution->before[region];

    memset(before, 0, sizeof execution->before[region]);
    for (uint32_t i = 0; i < execution->count; i++)
        for (uint32_t j = 0; j < execution->count; j++)
            if (i != j &&
                (execution->events[i].regions & execution->events[j].regions & 1u << region) != 0 &&
                is_before_at_once(execution, i, j))
                before[i] |= bit_of(j);
    for (uint32_t middle = 0; middle < execution->count; middle++)
        for (uint32_t i = 0; i < execution->count; i++)
            if (is_in(before[i], middle))
                before[i] |= before[middle];
    for (uint32_t i = 0; i < execution->count; i++)
        if (is_in(before[i], i))
            return false;
    return true;
}

static uint64_t events_after(const struct axiom_execution *execution, uint32_t event)
{
    return execution->before[0][event] | execution->before[1][event];
}

/* ---- Loads and stores ---- */

/* The loads that take the store's value. */
static uint64_t loads_of(const struct axiom_execution *execution, uint32_t store)
{
    uint64_t accesses = execution->of_word[execution->events[store].word], loads = 0;

    for_each_bit(load, accesses) if (execution->events[load].reads &&
                                     execution->source[load] == store) loads |= bit_of(load);
    return loads;
}

/* What a store, and the loads of its value, are behind: nothing of that happens after them. */
static bool is_coherent(struct axiom_execution *execution, uint32_t store)
{
    uint64_t older = execution->stores[execution->events[store].word];
    uint64_t newer = bit_of(store) | loads_of(execution, store), earlier = 0;

    for_each_bit(other, older) if (is_in(execution->behind[other], store)) earlier |=
        bit_of(other) | loads_of(execution, other);
    for_each_bit(event, newer)
    {
        uint64_t wrong = events_after(execution, event) & earlier;

        if (wrong == 0)
            continue;
        execution->broken[0] = (uint8_t)event;
        execution->broken[1] = (uint8_t)lowest_bit(wrong);
        return false;
    }
    return true;
}

/* Whether the load may take its value: it does not happen before that is stored; of a word that is
 * not atomic the store is visible, that is, none is between. */
static bool is_taken_rightly(struct axiom_execution *execution, uint32_t load)
{
    const struct axiom_event *event = &execution->events[load];
    uint32_t source = execution->source[load];
    uint64_t between;

    execution->broken[0] = (uint8_t)load;
    execution->broken[1] = (uint8_t)source;
    if (is_in(events_after(execution, load), source))
        return false;
    if (!execution->litmus->is_plain[event->word])
        return true;
    between = events_after(execution, source) & execution->stores[event->word];
    for_each_bit(store, between) if (is_in(events_after(execution, store), load)) return false;
    return is_in(events_after(execution, source), load);
}

/* ---- What is undefined ---- */

static void note_race(struct axioms_found *found, const struct axiom_event *one,
                      const struct axiom_event *other)
{
    if (found->undefined > 0)
        return;
    found->race[0] = (struct litmus_term){one->thread, one->operation, 0};
    found->race[1] = (struct litmus_term){other->thread, other->operation, 0};
}

/* [dr] */
static bool has_race(const struct axiom_execution *execution, struct axioms_found *found)
{
    for (uint32_t i = LITMUS_WORDS; i < execution->count; i++)
        for (uint32_t j = i + 1; j < execution->count; j++) {
            const struct axiom_event *one = &execution->events[i], *other = &execution->events[j];

            if (one->kind != AXIOM_ACCESS || other->kind != AXIOM_ACCESS ||
                one->word != other->word || one->thread == other->thread ||
                (!one->writes && !other->writes) || is_in(events_after(execution, i), j) ||
                is_in(events_after(execution, j), i) || events_meet(execution, i, j))
                continue;
            note_race(found, one, other);
            return true;
        }
    return false;
}

/* A barrier that some other thread of its work-group does not meet [bd]. */
static bool has_diverged(const struct axiom_execution *execution)
{
    const struct litmus *litmus = execution->litmus;

    for (uint32_t i = LITMUS_WORDS; i < execution->count; i++)
        for (uint8_t thread = 0; thread < litmus_threads(litmus); thread++) {
            const struct axiom_event *entry = &execution->events[i];
            bool is_met = thread == entry->thread ||
                          litmus_l1(litmus, thread) != litmus_l1(litmus, entry->thread);

            for (uint32_t j = LITMUS_WORDS; j < execution->count && !is_met; j++)
                is_met = execution->events[j].thread == thread && barrier_joins(execution, i, j);
            if (entry->kind == AXIOM_ENTRY && !is_met)
                return true;
        }
    return false;
}

enum axiom_verdict axiom_judge(struct axiom_execution *execution, struct axioms_found *found)
{
    if (!find_before(execution, 0) || !find_before(execution, 1))
        return AXIOM_IMPOSSIBLE;
    for (uint32_t i = 0; i < execution->count; i++) {
        const struct axiom_event *event = &execution->events[i];

        if (event->writes && !is_coherent(execution, i))
            return AXIOM_IMPOSSIBLE;
        if (event->reads && !is_taken_rightly(execution, i))
            return AXIOM_IMPOSSIBLE;
    }
    if (has_diverged(execution)) {
        found->has_diverged |= found->undefined == 0;
        return AXIOM_UNDEFINED;
    }
    return has_race(execution, found) ? AXIOM_UNDEFINED : AXIOM_DEFINED;
}
