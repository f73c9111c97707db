/* SPDX-License-Identifier: MIT */
#include "verify/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "mem/controller.h"
#include "sim/debug.h"

struct mutant {
    struct protocol protocol;
    struct mutant_role {
        struct protocol_role role; /* first: a step leads to it */
        const struct protocol_role *original;
        struct protocol_row *rows;
        uint8_t state, event, taken_for; /* PROTOCOL_MAX_EVENTS: nothing */
    } role;
    uint64_t breaks;
};

enum { NOT_FOUND = 255 };

static unsigned find_state(const struct protocol_role *role, const char *name)
{
    for (unsigned i = 0; name != NULL && i < role->state_count; i++)
        if (strcmp(role->states[i].name, name) == 0)
            return i;
    return NOT_FOUND;
}

static unsigned find_event(const struct protocol_role *role, const char *name)
{
    for (unsigned i = 0; name != NULL && i < role->event_count; i++)
        if (strcmp(role->events[i].name, name) == 0)
            return i;
    return NOT_FOUND;
}

/* The events of the role in question are the original's, but one. */
static uint8_t classify_mutant(const struct step *step, enum protocol_stimulus stimulus)
{
    const struct mutant_role *mutant =
        (const struct mutant_role *)(const void *)step->controller->role;
    uint8_t event = mutant->original->classify(step, stimulus);
    uint8_t state = step->line != NULL   ? step->line->state
                    : step->mshr != NULL ? step->mshr->state
                                         : (uint8_t)STATE_INVALID;

    return event == mutant->event && state == mutant->state ? mutant->taken_for : event;
}

/* ---- One row changed ---- */

static bool leave_out(struct protocol_row *row, const char *action)
{
    for (unsigned i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++) {
        if (strcmp(row->actions[i]->name, action) != 0)
            continue;
        for (; i + 1 < PROTOCOL_MAX_ACTIONS; i++)
            row->actions[i] = row->actions[i + 1];
        row->actions[PROTOCOL_MAX_ACTIONS - 1] = NULL;
        return true;
    }
    return false;
}

static bool change_row(struct mutant_role *mutant, const struct mutation *mutation,
                       struct protocol_row *row)
{
    unsigned next = find_state(mutant->original, mutation->what);

    if (mutation->kind == LEAVES_OUT)
        return leave_out(row, mutation->what);
    if (next == NOT_FOUND)
        return false;
    row->next = (uint8_t)next;
    return true;
}

static bool change_rows(struct mutant_role *mutant, const struct mutation *mutation)
{
    unsigned state = find_state(mutant->original, mutation->state);
    unsigned event = find_event(mutant->original, mutation->event);
    bool changed = false;

    for (uint32_t i = 0; i < mutant->role.row_count; i++)
        if (mutant->rows[i].event == event &&
            (mutation->state == NULL || mutant->rows[i].state == state))
            changed |= change_row(mutant, mutation, &mutant->rows[i]);
    return changed;
}

static bool take_for(struct mutant_role *mutant, const struct mutation *mutation)
{
    unsigned state = find_state(mutant->original, mutation->state);
    unsigned event = find_event(mutant->original, mutation->event);
    unsigned taken_for = find_event(mutant->original, mutation->what);

    mutant->state = (uint8_t)state;
    mutant->event = (uint8_t)event;
    mutant->taken_for = (uint8_t)taken_for;
    mutant->role.classify = classify_mutant;
    return state != NOT_FOUND && event != NOT_FOUND && taken_for != NOT_FOUND;
}

static bool mutant_apply(struct mutant *mutant, const struct mutation *mutation)
{
    struct mutant_role *role = &mutant->role;
    size_t bytes;

    role->original = mutant->protocol.roles[mutation->role];
    if (role->original == NULL)
        return false;
    role->role = *role->original;
    bytes = role->original->row_count * sizeof *role->rows;
    role->rows = allocate(1, bytes);
    memcpy(role->rows, role->original->rows, bytes);
    role->role.rows = role->rows;
    mutant->protocol.roles[mutation->role] = &role->role;
    return mutation->kind == TAKES_FOR ? take_for(role, mutation) : change_rows(role, mutation);
}

struct mutant *mutant_create(const struct protocol *protocol, const struct mutation *mutation,
                             struct diagnosis *diagnosis)
{
    struct mutant *mutant = allocate(1, sizeof *mutant);
    bool is_made = true;

    mutant->protocol = *protocol;
    if (mutation != NULL && mutation->kind == BREAKS)
        is_made = debug_parse(mutation->what, &mutant->breaks, diagnosis);
    else if (mutation != NULL && !mutant_apply(mutant, mutation))
        is_made = diagnose(diagnosis,
                           "%s: the fault '%s' names no row, action, state or event of "
                           "the tables",
                           protocol->name, mutation->name);
    if (is_made)
        return mutant;
    mutant_destroy(mutant);
    return NULL;
}

void mutant_destroy(struct mutant *mutant)
{
    if (mutant != NULL)
        free(mutant->role.rows);
    free(mutant);
}

const struct protocol *mutant_protocol(const struct mutant *mutant)
{
    return &mutant->protocol;
}

uint64_t mutant_breaks(const struct mutant *mutant)
{
    return mutant->breaks;
}

const struct mutation *mutation_find(const char *protocol, const char *name,
                                     struct diagnosis *diagnosis)
{
    const struct rules *rules = rules_of(protocol);
    const char *names[64];

    for (uint32_t i = 0; i < rules->mutation_count; i++)
        if (strcmp(rules->mutations[i].name, name) == 0)
            return &rules->mutations[i];
    diagnose(diagnosis, "%s has no deliberate fault named '%s'", protocol, name);
    for (uint32_t i = 0; i < rules->mutation_count && i < ARRAY_COUNT(names); i++)
        names[i] = rules->mutations[i].name;
    if (nearest_word(name, names, rules->mutation_count) != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'?",
                      nearest_word(name, names, rules->mutation_count));
    else
        diagnose_hint(diagnosis, "`wavetank verify --list-breaks` lists them");
    return NULL;
}
