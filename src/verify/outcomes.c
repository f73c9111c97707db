/* SPDX-License-Identifier: MIT */
#include "verify/outcomes.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = LITMUS_THREADS * LITMUS_OPERATIONS, START = 0xff };

/* An operation that is done. */
struct event {
    uint8_t thread, operation, word;
    bool reads, writes;
    uint8_t source;  /* the event whose value it took; START: none wrote before */
    uint8_t value;   /* that it wrote */
    uint64_t before; /* set of events that happen before it */
};

struct execution {
    uint32_t count;
    uint8_t at[LITMUS_THREADS];
    struct event events[EVENTS_MAX];
    uint8_t written[LITMUS_WORDS][EVENTS_MAX]; /* a word's stores in their order */
    uint8_t written_count[LITMUS_WORDS];
    struct litmus_outcome outcome;
};

struct known {
    uint64_t *slots;
    uint64_t mask, count;
};

struct finder {
    const struct litmus *litmus;
    struct litmus_outcomes *outcomes;
    struct known known; /* executions that were met, by fingerprint */
};

/* ---- Executions that are one, whatever the order in which they were made ---- */

static uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t name_of(const struct execution *execution, uint8_t event)
{
    return event == START ? 0
                          : (uint64_t)execution->events[event].thread * LITMUS_OPERATIONS +
                                execution->events[event].operation + 1;
}

static uint64_t execution_hash(const struct execution *execution)
{
    uint64_t sources[EVENTS_MAX + 1] = {0}, hash = 1;

    for (uint32_t i = 0; i < execution->count; i++)
        sources[name_of(execution, (uint8_t)i)] =
            name_of(execution, execution->events[i].source) * 2 + 1;
    for (uint32_t i = 1; i <= EVENTS_MAX; i++)
        hash = hash_mix(hash, sources[i]);
    for (uint32_t word = 0; word < LITMUS_WORDS; word++)
        for (uint32_t i = 0; i <= execution->written_count[word]; i++)
            hash = hash_mix(hash, i == execution->written_count[word]
                                      ? UINT64_MAX
                                      : name_of(execution, execution->written[word][i]));
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        hash = hash_mix(hash, execution->at[i]);
    return hash == 0 ? 1 : hash;
}

static bool is_new(struct known *known, uint64_t hash);

static void known_grow(struct known *known)
{
    const struct known old = *known;

    known->mask = old.slots == NULL ? 255 : old.mask * 2 + 1;
    known->slots = allocate(known->mask + 1, sizeof *known->slots);
    known->count = 0;
    for (uint64_t i = 0; old.slots != NULL && i <= old.mask; i++)
        if (old.slots[i] != 0)
            is_new(known, old.slots[i]);
    free(old.slots);
}

static bool is_new(struct known *known, uint64_t hash)
{
    uint64_t slot;

    if (known->slots == NULL || known->count * 2 > known->mask)
        known_grow(known);
    for (slot = hash & known->mask; known->slots[slot] != 0; slot = (slot + 1) & known->mask)
        if (known->slots[slot] == hash)
            return false;
    known->slots[slot] = hash;
    known->count++;
    return true;
}

/* ---- Outcomes ---- */

static bool is_outcome(const struct litmus_outcome *outcome, const void *returned,
                       const uint8_t *at_end)
{
    return memcmp(outcome->returned, returned, sizeof outcome->returned) == 0 &&
           (at_end == NULL || memcmp(outcome->at_end, at_end, LITMUS_WORDS) == 0);
}

bool litmus_allows(const struct litmus_outcomes *outcomes,
                   uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS], const uint8_t *at_end)
{
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (is_outcome(&outcomes->list[i], returned, at_end))
            return true;
    return false;
}

struct litmus_outcome *litmus_note_outcome(struct litmus_outcomes *outcomes,
                                           const struct litmus_outcome *outcome)
{
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (is_outcome(&outcomes->list[i], outcome->returned, outcome->at_end))
            return &outcomes->list[i];
    if (outcomes->count == outcomes->capacity) {
        outcomes->capacity = outcomes->capacity * 2 + 16;
        outcomes->list = reallocate(outcomes->list, outcomes->capacity, sizeof *outcomes->list);
    }
    outcomes->list[outcomes->count] = *outcome;
    return &outcomes->list[outcomes->count++];
}

static void note_outcome(struct litmus_outcomes *outcomes, struct execution *execution)
{
    struct litmus_outcome *outcome = &execution->outcome;

    for (uint32_t word = 0; word < LITMUS_WORDS; word++) {
        uint8_t count = execution->written_count[word];

        outcome->at_end[word] =
            count > 0 ? execution->events[execution->written[word][count - 1]].value : 0;
    }
    litmus_note_outcome(outcomes, outcome);
}

/* ---- One more operation ---- */

static const struct litmus_operation *operation_of(const struct finder *finder,
                                                   const struct event *event)
{
    return &finder->litmus->threads[event->thread][event->operation];
}

static bool is_before(const struct event *event, uint8_t other)
{
    return (event->before >> other & 1) != 0;
}

/* The place among the word's stores of an event; those before any: 0. */
static uint32_t place_of(const struct execution *execution, uint32_t word, uint8_t event)
{
    for (uint32_t i = 0; i < execution->written_count[word]; i++)
        if (execution->written[word][i] == event)
            return i + 1;
    return 0;
}

/* The first place that the event may take a value from, or be behind: the last among those of what
 * happens before it. For a load, that is the place of the store that it read. */
static uint32_t place_min(const struct execution *execution, const struct event *event)
{
    uint32_t min = 0;

    for (uint8_t i = 0; i < execution->count; i++) {
        const struct event *other = &execution->events[i];
        uint32_t place = 0;

        if (other->word != event->word || !is_before(event, i))
            continue;
        place = place_of(execution, event->word, other->writes ? i : other->source);
        min = place > min ? place : min;
    }
    return min;
}

/* An acquire takes the value of event `from`: what that and the releases that it goes on with
 * publish happens before it. */
static void event_synchronise(const struct finder *finder, const struct execution *execution,
                              struct event *event, uint8_t from)
{
    const struct litmus_operation *operation = operation_of(finder, event);

    if ((operation->order & ORDER_ACQUIRE) == 0)
        return;
    for (; from != START; from = execution->events[from].source) {
        const struct event *other = &execution->events[from];
        const struct litmus_operation *release = operation_of(finder, other);

        if ((release->order & ORDER_RELEASE) != 0 &&
            litmus_meet(finder->litmus, event->thread, operation, other->thread, release))
            event->before |= other->before | UINT64_C(1) << from;
        if (!other->reads)
            return;
    }
}

static bool event_races(const struct finder *finder, const struct execution *execution,
                        const struct event *event)
{
    const struct litmus_operation *operation = operation_of(finder, event);

    for (uint8_t i = 0; i < execution->count; i++) {
        const struct event *other = &execution->events[i];

        if (other->word == event->word && other->thread != event->thread &&
            (other->writes || event->writes) && !is_before(event, i) &&
            !litmus_meet(finder->litmus, event->thread, operation, other->thread,
                         operation_of(finder, other)))
            return true;
    }
    return false;
}

static void find_from(struct finder *finder, const struct execution *execution);

/* The execution with the event, its store behind `place` others of its word. */
static void add_event(struct finder *finder, const struct execution *execution,
                      const struct event *event, uint8_t returned, uint32_t place)
{
    const struct litmus_operation *operation = operation_of(finder, event);
    struct execution next = *execution;
    uint8_t *written = next.written[event->word];
    bool skips;

    if (event_races(finder, execution, event)) {
        finder->outcomes->has_race = true;
        return;
    }
    if (event->reads && event->source != START &&
        litmus_l1(finder->litmus, event->thread) !=
            litmus_l1(finder->litmus, execution->events[event->source].thread)) {
        finder->outcomes->communicates = true;
        finder->outcomes->passes_data |= operation->reach == REACH_PLAIN;
    }
    if (event->writes) {
        memmove(written + place + 1, written + place, next.written_count[event->word] - place);
        written[place] = (uint8_t)next.count;
        next.written_count[event->word]++;
    }
    next.events[next.count++] = *event;
    if (event->reads)
        next.outcome.returned[event->thread][event->operation] = returned;
    skips = event->reads && (operation->kind == LITMUS_CAS ? returned != 0 : returned == 0);
    next.at[event->thread] = (uint8_t)(event->operation + 1 + (skips ? operation->skip : 0));
    find_from(finder, &next);
}

/* Whether the store at the place (from 1; 0: what was there before) is followed at once by a
 * read-modify-write, which took its value. */
static bool is_followed(const struct execution *execution, uint32_t word, uint32_t place)
{
    return place < execution->written_count[word] &&
           execution->events[execution->written[word][place]].reads;
}

static void add_store(struct finder *finder, const struct execution *execution, struct event *event)
{
    event->source = START;
    event->writes = true;
    for (uint32_t place = place_min(execution, event);
         place <= execution->written_count[event->word] && !finder->outcomes->has_race; place++)
        if (!is_followed(execution, event->word, place))
            add_event(finder, execution, event, 0, place);
}

static void add_load(struct finder *finder, const struct execution *execution,
                     const struct event *event)
{
    const struct litmus_operation *operation = operation_of(finder, event);

    for (uint32_t place = place_min(execution, event);
         place <= execution->written_count[event->word] && !finder->outcomes->has_race; place++) {
        struct event loads = *event;
        uint8_t value;

        loads.reads = true;
        loads.source = place == 0 ? START : execution->written[event->word][place - 1];
        value = loads.source == START ? 0 : execution->events[loads.source].value;
        loads.writes =
            operation->kind == LITMUS_ADD || (operation->kind == LITMUS_CAS && value == 0);
        loads.value =
            (uint8_t)(operation->kind == LITMUS_ADD ? value + operation->value : operation->value);
        if (loads.writes && is_followed(execution, event->word, place))
            continue;
        event_synchronise(finder, execution, &loads, loads.source);
        if (place_min(execution, &loads) <= place)
            add_event(finder, execution, &loads, value, place);
    }
}

/* What comes of the execution by the thread's next operation. */
static void step_thread(struct finder *finder, const struct execution *execution, uint8_t thread)
{
    uint8_t at = execution->at[thread];
    const struct litmus_operation *operation = &finder->litmus->threads[thread][at];
    struct event event = {.thread = thread, .operation = at, .source = START};

    event.word = (uint8_t)(operation->line * 2 + operation->word);
    event.value = operation->value;
    if (operation->kind == LITMUS_STORE_NEXT)
        event.value = (uint8_t)(execution->outcome.returned[thread][at - 1] + operation->value);
    for (uint8_t i = 0; i < execution->count; i++)
        if (execution->events[i].thread == thread)
            event.before |= execution->events[i].before | UINT64_C(1) << i;
    if (operation->kind == LITMUS_STORE || operation->kind == LITMUS_STORE_NEXT)
        add_store(finder, execution, &event);
    else
        add_load(finder, execution, &event);
}

static bool has_ended(const struct litmus *litmus, uint32_t thread, uint8_t at)
{
    return at >= LITMUS_OPERATIONS || litmus->threads[thread][at].kind == LITMUS_END;
}

static void find_from(struct finder *finder, const struct execution *execution)
{
    bool goes_on = false;

    if (finder->outcomes->has_race || !is_new(&finder->known, execution_hash(execution)))
        return;
    for (uint8_t thread = 0; thread < LITMUS_THREADS; thread++)
        if (!has_ended(finder->litmus, thread, execution->at[thread])) {
            goes_on = true;
            step_thread(finder, execution, thread);
        }
    if (!goes_on) {
        struct execution ended = *execution;

        note_outcome(finder->outcomes, &ended);
    }
}

void litmus_find_outcomes(struct litmus_outcomes *outcomes, const struct litmus *litmus)
{
    struct finder finder = {.litmus = litmus, .outcomes = outcomes};
    struct execution start;

    memset(outcomes, 0, sizeof *outcomes);
    memset(&start, 0, sizeof start);
    memset(start.outcome.returned, LITMUS_NO_VALUE, sizeof start.outcome.returned);
    find_from(&finder, &start);
    free(finder.known.slots);
}

void litmus_outcomes_finish(struct litmus_outcomes *outcomes)
{
    free(outcomes->list);
    memset(outcomes, 0, sizeof *outcomes);
}
