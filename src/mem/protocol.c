/* SPDX-License-Identifier: MIT */
#include "mem/protocol.h"

#include "base/check.h"

const struct message_kind *protocol_find_kind(const struct protocol *protocol, unsigned kind)
{
    if (kind <= MESSAGE_HOST_WRITE_REPLY)
        return message_common_kind(kind);
    if (kind < MESSAGE_PROTOCOL || kind - MESSAGE_PROTOCOL >= protocol->kind_count)
        return NULL;
    return &protocol->kinds[kind - MESSAGE_PROTOCOL];
}

const struct protocol_role *protocol_role_of(const struct protocol *protocol,
                                             enum protocol_role_kind kind)
{
    if (kind == ROLE_INSTRUCTION && protocol->roles[kind] == NULL)
        return protocol->roles[ROLE_SCALAR];
    return protocol->roles[kind];
}

const struct message_kind *protocol_kind(const struct protocol *protocol, unsigned kind)
{
    if (kind < MESSAGE_PROTOCOL)
        return message_common_kind(kind);
    check(kind - MESSAGE_PROTOCOL < protocol->kind_count, "protocol %s has no message kind %u",
          protocol->name, kind);
    return &protocol->kinds[kind - MESSAGE_PROTOCOL];
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
