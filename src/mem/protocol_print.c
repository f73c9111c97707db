/* SPDX-License-Identifier: MIT */
/* A protocol as people read it: its tables in Markdown, its states as a drawing for Graphviz. */
#include "mem/protocol.h"

static const char *const channel_names[CHANNEL_COUNT] = {
    [CHANNEL_REQUEST] = "request",
    [CHANNEL_WRITE_BACK] = "write-back",
    [CHANNEL_PROBE] = "probe",
    [CHANNEL_RESPONSE] = "response",
};

static const struct protocol_row *find_row(const struct protocol_role *role, uint32_t state,
                                           uint32_t event)
{
    for (uint32_t i = 0; i < role->row_count; i++)
        if (role->rows[i].state == state && role->rows[i].event == event)
            return &role->rows[i];
    return NULL;
}

static bool has_event(const struct protocol_role *role, uint32_t event)
{
    for (uint32_t i = 0; i < role->row_count; i++)
        if (role->rows[i].event == event)
            return true;
    return false;
}

/* The row's next state, its own if it has no other. */
static uint8_t next_of(const struct protocol_row *row)
{
    return row->next == STATE_SAME ? row->state : row->next;
}

static void print_cell(const struct protocol_role *role, const struct protocol_row *row,
                       struct text *text)
{
    text_add(text, " |");
    if (row == NULL)
        return;
    for (unsigned i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++)
        text_add(text, "%s %s", i == 0 ? "" : ",", row->actions[i]->name);
    if (next_of(row) != row->state)
        text_add(text, " → **%s**", role->states[next_of(row)].name);
    else if (row->actions[0] == NULL)
        text_add(text, " –");
}

void protocol_print(const struct protocol_role *role, struct text *text)
{
    text_add(text, "| %s |", role->name);
    for (uint32_t state = 0; state < role->state_count; state++)
        text_add(text, " %s |", role->states[state].name);
    text_add(text, "\n| --- |");
    for (uint32_t state = 0; state < role->state_count; state++)
        text_add(text, " --- |");
    text_add(text, "\n");
    for (uint32_t event = 0; event < role->event_count; event++) {
        if (!has_event(role, event))
            continue;
        text_add(text, "| %s", role->events[event].name);
        for (uint32_t state = 0; state < role->state_count; state++)
            print_cell(role, find_row(role, state, event), text);
        text_add(text, " |\n");
    }
}

/* ---- A whole protocol ---- */

static void describe_states(const struct protocol_role *role, struct text *text)
{
    text_add(text, "\n| state | meaning | loads may read it | may be dirty | transient |\n"
                   "| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < role->state_count; i++) {
        const struct protocol_state *state = &role->states[i];

        text_add(text, "| %s | %s | %s | %s | %s |\n", state->name, state->help,
                 state->flags & STATE_READABLE ? "yes" : "",
                 state->flags & STATE_DIRTY ? "yes" : "",
                 state->flags & STATE_TRANSIENT ? "yes" : "");
    }
}

static void describe_events(const struct protocol_role *role, struct text *text)
{
    text_add(text, "\n| event | meaning | comes as |\n| --- | --- | --- |\n");
    for (uint32_t i = 0; i < role->event_count; i++) {
        const char *channel = "request, or no message";

        if (!has_event(role, i))
            continue;
        for (unsigned j = 0; j < CHANNEL_COUNT; j++)
            if (role->channel_events[j] >> i & 1)
                channel = channel_names[j];
        if (role->from_across >> i & 1)
            channel = "response of another upper cache";
        text_add(text, "| %s | %s | %s |\n", role->events[i].name, role->events[i].help, channel);
    }
}

static void describe_statistics(const struct protocol_role *role, struct text *text)
{
    if (role->statistics.count == 0)
        return;
    text_add(text, "\n| statistic (under `coherence`) | unit | meaning |\n| --- | --- | --- |\n");
    for (uint32_t i = 0; i < role->statistics.count; i++)
        text_add(text, "| `%s` | %s | %s |\n", role->statistics.rows[i].name,
                 role->statistics.rows[i].unit, role->statistics.rows[i].help);
}

static void describe_kinds(const struct protocol *protocol, struct text *text)
{
    if (protocol->kind_count == 0)
        return;
    text_add(text, "\n## Its own messages\n\n| kind | channel | carries the line's bytes |\n"
                   "| --- | --- | --- |\n");
    for (uint32_t i = 0; i < protocol->kind_count; i++)
        text_add(text, "| `%s` | %s | %s |\n", protocol->kinds[i].name,
                 channel_names[protocol->kinds[i].channel],
                 protocol->kinds[i].has_data ? "yes" : "");
}

/* Two roles may share one table. */
static bool is_told_before(const struct protocol *protocol, unsigned role)
{
    for (unsigned i = 0; i < role; i++)
        if (protocol->roles[i] == protocol->roles[role])
            return true;
    return false;
}

void protocol_describe(const struct protocol *protocol, struct text *text)
{
    text_add(text, "# Protocol `%s`\n\n%s.\n\n", protocol->name, protocol->help);
    text_add(text, "- Probes and responses of a slice to a cache %s.\n- A release %s.\n",
             protocol->probes_may_pass ? "may come in any order"
                                       : "come in the order in which they were sent",
             protocol->flushes_at_release
                 ? "makes an L1 send down what it has kept to itself"
                 : "waits until the stores before it are answered; an L1 keeps none to itself");
    if (protocol->parameters != NULL)
        text_add(text, "- Its parameters: `wavetank explain %s`.\n", protocol->name);
    text_add(text,
             "\nA cell has the actions of a row, in order, and the next state if it is another. "
             "An empty cell cannot happen: a run that came there would stop.\n");
    describe_kinds(protocol, text);
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        const struct protocol_role *role = protocol->roles[i];

        if (role == NULL || is_told_before(protocol, i))
            continue;
        text_add(text, "\n## %s\n", role->name);
        describe_states(role, text);
        describe_events(role, text);
        text_add(text, "\n");
        protocol_print(role, text);
        describe_statistics(role, text);
    }
}

/* ---- The drawing ---- */

static void draw_states(const struct protocol_role *role, unsigned number, struct text *text)
{
    for (uint32_t i = 0; i < role->state_count; i++) {
        const struct protocol_state *state = &role->states[i];

        text_add(text, "    r%u_%u [label=\"%s\", tooltip=\"%s\"%s%s];\n", number, i, state->name,
                 state->help, state->flags & STATE_TRANSIENT ? ", style=dashed" : "",
                 state->flags & STATE_DIRTY ? ", peripheries=2" : "");
    }
}

/* One arrow from state to state, with all events that lead along it. */
static void draw_arrow(const struct protocol_role *role, unsigned number, uint32_t from,
                       uint32_t to, struct text *text)
{
    bool is_first = true;

    for (uint32_t event = 0; event < role->event_count; event++) {
        const struct protocol_row *row = find_row(role, from, event);

        if (row == NULL || next_of(row) != to)
            continue;
        if (is_first)
            text_add(text, "    r%u_%u -> r%u_%u [label=\"", number, from, number, to);
        text_add(text, "%s%s", is_first ? "" : "\\n", role->events[event].name);
        is_first = false;
    }
    if (!is_first)
        text_add(text, "\"];\n");
}

void protocol_draw(const struct protocol *protocol, struct text *text)
{
    text_add(text,
             "// States of protocol %s. Dashed: transient. Two rings: may be dirty.\n"
             "// Events that leave the state as it is are left out.\n"
             "digraph %s {\n  node [shape=ellipse];\n",
             protocol->name, protocol->name);
    for (unsigned i = 0; i < ROLE_COUNT; i++) {
        const struct protocol_role *role = protocol->roles[i];

        if (role == NULL || is_told_before(protocol, i))
            continue;
        text_add(text, "  subgraph cluster_%u {\n    label=\"%s\";\n", i, role->name);
        draw_states(role, i, text);
        for (uint32_t from = 0; from < role->state_count; from++)
            for (uint32_t to = 0; to < role->state_count; to++)
                if (from != to)
                    draw_arrow(role, i, from, to, text);
        text_add(text, "  }\n");
    }
    text_add(text, "}\n");
}
