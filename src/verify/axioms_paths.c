/* SPDX-License-Identifier: MIT */
/* The paths of the threads of a tiny program. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "verify/axioms_private.h"

struct values {
    bool of[LITMUS_WORDS][AXIOM_VALUES];
};

struct path_finder {
    const struct litmus *litmus;
    const struct values *values; /* that loads may return */
    struct values *stored;
    struct axiom_paths *paths;
    uint8_t thread;
    bool leaves_values, has_too_many;
};

static void path_add(struct path_finder *finder, const struct axiom_path *path)
{
    struct axiom_paths *paths = finder->paths;

    if (paths->count == AXIOM_PATHS_MAX) {
        finder->has_too_many = true;
        return;
    }
    if (paths->count == paths->capacity) {
        paths->capacity = paths->capacity * 2 + 16;
        paths->list = reallocate(paths->list, paths->capacity, sizeof *paths->list);
    }
    paths->list[paths->count++] = *path;
}

static void path_go_on(struct path_finder *finder, const struct axiom_path *path, uint8_t at);

/* The path with the access, which has returned a value (of a store LITMUS_NO_VALUE). */
static void access_add(struct path_finder *finder, const struct axiom_path *path, uint8_t at,
                       struct axiom_event event, int written)
{
    struct axiom_path next = *path;

    if (event.writes && (written < 0 || written >= AXIOM_VALUES)) {
        finder->leaves_values = true;
        return;
    }
    if (event.writes) {
        event.written = (uint8_t)written;
        finder->stored->of[event.word][written] = true;
    }
    if (event.reads)
        next.returned[at] = event.read;
    next.events[next.count++] = event;
    path_go_on(finder, &next, (uint8_t)(at + 1));
}

static void access_read(struct path_finder *finder, const struct axiom_path *path, uint8_t at,
                        struct axiom_event event, const struct litmus_registers *registers)
{
    const struct litmus_operation *operation = &finder->litmus->threads[finder->thread][at];
    int operand = litmus_operand(operation, registers);

    for (unsigned value = 0; value < AXIOM_VALUES; value++) {
        struct axiom_event read = event;

        if (!finder->values->of[event.word][value])
            continue;
        read.reads = true;
        read.read = (uint8_t)value;
        read.writes =
            operation->kind == LITMUS_ADD || operation->kind == LITMUS_EXCHANGE ||
            (operation->kind == LITMUS_CAS && (int)value == litmus_expected(operation, registers));
        if (operation->kind == LITMUS_CAS && !read.writes && operation->fails_relaxed)
            read.order = ORDER_RELAXED;
        access_add(finder, path, at, read,
                   operation->kind == LITMUS_ADD ? (int)value + operand : operand);
    }
}

static void barrier_add(struct path_finder *finder, const struct axiom_path *path, uint8_t at,
                        struct axiom_event event)
{
    struct axiom_path next = *path;

    for (uint8_t i = 0; i < path->count; i++)
        event.number += path->events[i].kind == AXIOM_ENTRY;
    event.kind = AXIOM_ENTRY;
    next.events[next.count++] = event;
    event.kind = AXIOM_EXIT;
    next.events[next.count++] = event;
    path_go_on(finder, &next, (uint8_t)(at + 1));
}

static void path_go_on(struct path_finder *finder, const struct axiom_path *path, uint8_t at)
{
    const struct litmus *litmus = finder->litmus;
    const struct litmus_operation *operation;
    struct litmus_registers registers;
    struct axiom_event event = {.kind = AXIOM_ACCESS, .thread = finder->thread};

    at = litmus_settle(litmus, finder->thread, at, path->returned, &registers);
    if (at >= LITMUS_OPERATIONS || litmus->threads[finder->thread][at].kind == LITMUS_END) {
        path_add(finder, path);
        return;
    }
    operation = &litmus->threads[finder->thread][at];
    event.operation = at;
    event.reach = operation->reach;
    event.order = operation->order;
    event.regions = operation->is_local ? REGION_LOCAL : REGION_GLOBAL;
    if (operation->kind == LITMUS_BARRIER) {
        event.regions = operation->regions;
        barrier_add(finder, path, at, event);
        return;
    }
    event.word = (uint8_t)litmus_word(operation);
    event.writes = operation->kind == LITMUS_STORE || operation->kind == LITMUS_STORE_NEXT;
    if (operation->kind == LITMUS_STORE_NEXT)
        access_add(finder, path, at, event, path->returned[at - 1] + operation->value);
    else if (event.writes)
        access_add(finder, path, at, event, litmus_operand(operation, &registers));
    else
        access_read(finder, path, at, event, &registers);
}

/* All threads' paths where loads return the values. False: there are too many, or a value leaves
 * its bounds. */
static bool find_with(const struct litmus *litmus, const struct values *values,
                      struct values *stored, struct axiom_paths paths[LITMUS_THREADS],
                      struct diagnosis *diagnosis)
{
    for (uint8_t thread = 0; thread < LITMUS_THREADS; thread++) {
        struct path_finder finder = {litmus, values, stored, &paths[thread], thread, false, false};
        struct axiom_path start;

        memset(&start, 0, sizeof start);
        memset(start.returned, LITMUS_NO_VALUE, sizeof start.returned);
        paths[thread].count = 0;
        path_go_on(&finder, &start, 0);
        if (finder.has_too_many)
            return diagnose(diagnosis, "thread %u has over %d paths", thread, AXIOM_PATHS_MAX);
        if (finder.leaves_values)
            return diagnose(diagnosis, "thread %u stores a value that is not from 0 to %d", thread,
                            AXIOM_VALUES - 1);
    }
    return true;
}

static uint32_t count_stores(const struct litmus *litmus)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            count += litmus_is_access(&litmus->threads[i][j]) &&
                     litmus->threads[i][j].kind != LITMUS_LOAD;
    return count;
}

bool axiom_find_paths(const struct litmus *litmus, struct axiom_paths paths[LITMUS_THREADS],
                      struct diagnosis *diagnosis)
{
    struct values *values = allocate(2, sizeof *values);
    uint32_t rounds = count_stores(litmus) + 1; /* a value comes of a chain of stores */
    bool is_done = true;

    memset(paths, 0, LITMUS_THREADS * sizeof *paths);
    for (uint32_t word = 0; word < LITMUS_WORDS; word++)
        values[0].of[word][litmus->initial[word]] = true;
    while (rounds-- > 0 && is_done) {
        values[1] = values[0];
        is_done = find_with(litmus, &values[0], &values[1], paths, diagnosis);
        if (memcmp(&values[0], &values[1], sizeof values[0]) == 0)
            break;
        values[0] = values[1];
    }
    free(values);
    if (!is_done)
        axiom_paths_finish(paths);
    return is_done;
}

void axiom_paths_finish(struct axiom_paths paths[LITMUS_THREADS])
{
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        free(paths[i].list);
    memset(paths, 0, LITMUS_THREADS * sizeof *paths);
}
