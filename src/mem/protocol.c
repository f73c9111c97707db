/* SPDX-License-Identifier: MIT */
#include "mem/protocol.h"

#include <string.h>

#include "base/check.h"

const struct protocol *protocol_find(const char *name)
{
    for (unsigned i = 0; protocols[i] != NULL; i++)
        if (strcmp(protocols[i]->name, name) == 0)
            return protocols[i];
    return NULL;
}

const struct message_kind *protocol_kind(const struct protocol *protocol, unsigned kind)
{
    if (kind < MESSAGE_PROTOCOL)
        return message_common_kind(kind);
    check(kind - MESSAGE_PROTOCOL < protocol->kind_count, "protocol %s has no message kind %u",
          protocol->name, kind);
    return &protocol->kinds[kind - MESSAGE_PROTOCOL];
}

/* ---- Checks ---- */

static void check_rows(const struct protocol_role *role, const char *name, struct text *complaints)
{
    bool seen[PROTOCOL_MAX_STATES][PROTOCOL_MAX_EVENTS] = {{false}};

    for (uint32_t i = 0; i < role->row_count; i++) {
        const struct protocol_row *row = &role->rows[i];

        if (row->state >= role->state_count || row->event >= role->event_count ||
            (row->next >= role->state_count && row->next != STATE_SAME)) {
            text_add(complaints, "%s %s: row %u names a state or event that does not exist\n", name,
                     role->name, i);
            continue;
        }
        if (seen[row->state][row->event])
            text_add(complaints, "%s %s: two rows for state %s, event %s\n", name, role->name,
                     role->states[row->state].name, role->events[row->event].name);
        seen[row->state][row->event] = true;
    }
}

static void check_states(const struct protocol_role *role, const char *name,
                         struct text *complaints)
{
    bool reached[PROTOCOL_MAX_STATES] = {true}, has_exit[PROTOCOL_MAX_STATES] = {false};
    bool grew = true;

    while (grew) {
        grew = false;
        for (uint32_t i = 0; i < role->row_count; i++) {
            const struct protocol_row *row = &role->rows[i];

            if (row->next == STATE_SAME || !reached[row->state] || reached[row->next])
                continue;
            reached[row->next] = true;
            grew = true;
        }
    }
    for (uint32_t i = 0; i < role->row_count; i++)
        if (role->rows[i].next != STATE_SAME && role->rows[i].next != role->rows[i].state)
            has_exit[role->rows[i].state] = true;
    for (uint32_t i = 0; i < role->state_count; i++) {
        if (!reached[i])
            text_add(complaints, "%s %s: state %s cannot be reached\n", name, role->name,
                     role->states[i].name);
        if ((role->states[i].flags & STATE_TRANSIENT) != 0 && !has_exit[i])
            text_add(complaints, "%s %s: transient state %s has no exit\n", name, role->name,
                     role->states[i].name);
    }
}

static void check_names(const struct protocol_role *role, const char *name, struct text *complaints)
{
    for (uint32_t i = 0; i < role->state_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(role->states[i].name, role->states[j].name) == 0)
                text_add(complaints, "%s %s: two states named %s\n", name, role->name,
                         role->states[i].name);
    for (uint32_t i = 0; i < role->event_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(role->events[i].name, role->events[j].name) == 0)
                text_add(complaints, "%s %s: two events named %s\n", name, role->name,
                         role->events[i].name);
}

bool protocol_check(const struct protocol *protocol, struct text *complaints)
{
    size_t before = complaints->length;

    for (unsigned kind = 0; kind < ROLE_COUNT; kind++) {
        const struct protocol_role *role = protocol->roles[kind];

        if (role == NULL)
            continue;
        if (role->state_count > PROTOCOL_MAX_STATES || role->event_count > PROTOCOL_MAX_EVENTS) {
            text_add(complaints, "%s %s: too many states or events\n", protocol->name, role->name);
            continue;
        }
        check_names(role, protocol->name, complaints);
        check_rows(role, protocol->name, complaints);
        if (complaints->length == before)
            check_states(role, protocol->name, complaints);
    }
    return complaints->length == before;
}

/* ---- Printing ---- */

static const struct protocol_row *find_row(const struct protocol_role *role, uint32_t state,
                                           uint32_t event)
{
    for (uint32_t i = 0; i < role->row_count; i++)
        if (role->rows[i].state == state && role->rows[i].event == event)
            return &role->rows[i];
    return NULL;
}

static void print_cell(const struct protocol_role *role, const struct protocol_row *row,
                       struct text *text)
{
    text_add(text, " |");
    if (row == NULL)
        return;
    for (unsigned i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++)
        text_add(text, "%s %s", i == 0 ? "" : ",", row->actions[i]->name);
    if (row->next != STATE_SAME && row->next != row->state)
        text_add(text, " → **%s**", role->states[row->next].name);
    else if (row->actions[0] == NULL)
        text_add(text, " –");
}

void protocol_print(const struct protocol_role *role, struct text *text)
{
    text_add(text, "| %s |", role->name);
    for (uint32_t state = 0; state < role->state_count; state++)
        text_add(text, " %s: %s |", role->states[state].name, role->states[state].help);
    text_add(text, "\n| --- |");
    for (uint32_t state = 0; state < role->state_count; state++)
        text_add(text, " --- |");
    text_add(text, "\n");
    for (uint32_t event = 0; event < role->event_count; event++) {
        bool is_used = false;

        for (uint32_t state = 0; state < role->state_count; state++)
            is_used |= find_row(role, state, event) != NULL;
        if (!is_used)
            continue;
        text_add(text, "| %s: %s", role->events[event].name, role->events[event].help);
        for (uint32_t state = 0; state < role->state_count; state++)
            print_cell(role, find_row(role, state, event), text);
        text_add(text, " |\n");
    }
}
