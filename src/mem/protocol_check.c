/* SPDX-License-Identifier: MIT */
/* Are a protocol's tables well made? */
#include <string.h>

#include "mem/protocol.h"

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

/* ---- Lanes ----
 * A FIFO is one direction of a link, or one lane of it where the wiring has them apart. It waits
 * for another where a message of the first can be handled only when the other has room. FIFOs that
 * wait in a circle are a possible deadlock.
 *
 *   compute units ══ link 0 ══ upper caches ══ link 1 ══ L2 ══ link 2 ══ memory
 *
 * Links 0 and 2 have one FIFO for each direction. A role's table says which responses come from
 * above, and which from another upper cache (ACROSS); the others come from below. */

enum { LINKS = 3, NETWORK = 1, ACROSS = LINKS * LANE_COUNT, FIFOS };

struct waits {
    const struct wiring *wiring; /* of link 1 */
    const struct protocol *protocol;
    struct text *complaints;
    uint32_t on[FIFOS]; /* for each, the set of those that it waits for */
    bool done[FIFOS], on_path[FIFOS];
};

static const struct wiring all_shared = {false, false};

static unsigned fifo_number(const struct waits *waits, unsigned link, enum output_side side,
                            unsigned channel)
{
    enum lane lane = side == OUTPUT_UP ? lane_up(channel) : lane_down(channel);

    return link * LANE_COUNT + wiring_fifo(link == NETWORK ? waits->wiring : &all_shared, lane);
}

/* A message and where it is handled. */
struct cause {
    const struct protocol_role *role;
    const struct protocol_row *row;
    unsigned above; /* link */
    unsigned channel, fifo;
};

static void add_output(struct waits *waits, const struct cause *cause, enum output_side side,
                       unsigned channel)
{
    unsigned link = side == OUTPUT_UP ? cause->above : cause->above + 1;

    if (channel == CHANNEL_SAME)
        channel = cause->channel;
    if (side == OUTPUT_UP ? channel < CHANNEL_PROBE : channel == CHANNEL_PROBE)
        text_add(waits->complaints, "%s %s: a %s goes %s in state %s, event %s\n",
                 waits->protocol->name, cause->role->name, side == OUTPUT_UP ? "request" : "probe",
                 side == OUTPUT_UP ? "up" : "down", cause->role->states[cause->row->state].name,
                 cause->role->events[cause->row->event].name);
    waits->on[cause->fifo] |= UINT32_C(1) << fifo_number(waits, link, side, channel);
}

static bool is_requests(const struct protocol_role *role, unsigned event)
{
    for (unsigned channel = 0; channel < CHANNEL_COUNT; channel++)
        if ((role->channel_events[channel] >> event & 1) != 0)
            return false;
    return true;
}

static bool row_needs(const struct protocol_row *row, unsigned need)
{
    for (unsigned i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++)
        if ((row->actions[i]->needs & need) != 0)
            return true;
    return false;
}

/* What is sent later holds up no message but requests, which may need the MSHR that sends it. */
static void add_actions(struct waits *waits, const struct cause *cause,
                        const struct protocol_row *row)
{
    for (unsigned i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++) {
        const struct protocol_action *action = row->actions[i];
        bool sends_later = action->up == 0 && action->up_channel != CHANNEL_REQUEST;

        if (action->up > 0 || (sends_later && cause->channel == CHANNEL_REQUEST))
            add_output(waits, cause, OUTPUT_UP, action->up_channel);
        if (action->down > 0)
            add_output(waits, cause, OUTPUT_DOWN, action->down_channel);
        if (action->across > 0)
            waits->on[cause->fifo] |= UINT32_C(1) << ACROSS;
    }
}

/* Whether the row may be a victim's: it frees the line, or moves it to the write-back buffer. */
static bool gives_way(const struct protocol_role *role, const struct protocol_row *row)
{
    if (row->state == STATE_INVALID || !is_requests(role, row->event))
        return false;
    return row->next == STATE_INVALID || row_needs(row, NEEDS_EVICTION);
}

/* What a row needs is let go by responses to the role. (A response that needs a way has its
 * line.) */
static void add_needs(struct waits *waits, const struct cause *cause)
{
    unsigned needed = NEEDS_MSHR | NEEDS_WAITING | NEEDS_EVICTION | NEEDS_WALK;

    if (cause->channel != CHANNEL_RESPONSE)
        needed |= NEEDS_WAY;
    if (!row_needs(cause->row, needed))
        return;
    waits->on[cause->fifo] |= UINT32_C(1)
                              << fifo_number(waits, cause->above + 1, OUTPUT_UP, CHANNEL_RESPONSE);
    if (cause->role->from_across != 0)
        waits->on[cause->fifo] |= UINT32_C(1) << ACROSS;
    if (cause->role->from_above != 0 && (cause->role->let_go_above == 0 ||
                                         row_needs(cause->row, needed & cause->role->let_go_above)))
        waits->on[cause->fifo] |=
            UINT32_C(1) << fifo_number(waits, cause->above, OUTPUT_DOWN, CHANNEL_RESPONSE);
}

/* A row that takes a way may send what the victim's replacement sends. */
static void add_cause(struct waits *waits, const struct cause *cause)
{
    const struct protocol_role *role = cause->role;

    add_actions(waits, cause, cause->row);
    add_needs(waits, cause);
    if (!row_needs(cause->row, NEEDS_WAY))
        return;
    for (uint32_t i = 0; i < role->row_count; i++)
        if (gives_way(role, &role->rows[i]))
            add_actions(waits, cause, &role->rows[i]);
}

static void add_row(struct waits *waits, const struct protocol_role *role,
                    const struct protocol_row *row, unsigned above)
{
    for (unsigned channel = 0; channel < CHANNEL_COUNT; channel++) {
        struct cause cause = {role, row, above, channel, 0};
        bool goes_up = channel == CHANNEL_PROBE ||
                       (channel == CHANNEL_RESPONSE && (role->from_above >> row->event & 1) == 0);

        if ((role->channel_events[channel] >> row->event & 1) == 0 &&
            !(channel == CHANNEL_REQUEST && is_requests(role, row->event)))
            continue;
        cause.fifo = goes_up ? fifo_number(waits, above + 1, OUTPUT_UP, channel)
                             : fifo_number(waits, above, OUTPUT_DOWN, channel);
        if (channel == CHANNEL_RESPONSE && (role->from_across >> row->event & 1) != 0)
            cause.fifo = ACROSS;
        add_cause(waits, &cause);
    }
}

static void name_fifo(const struct waits *waits, unsigned number, struct text *text)
{
    static const char *const links[LINKS] = {"compute units and upper caches",
                                             "upper caches and L2", "L2 and memory"};
    static const char *const lanes[LANE_COUNT] = {"request", "write-back", "response", "probe"};
    unsigned link = number / LANE_COUNT;
    enum lane lane = number % LANE_COUNT, other = lane ^ 1;
    const struct wiring *wiring = link == NETWORK ? waits->wiring : &all_shared;

    if (number == ACROSS) {
        text_add(text, " response between upper caches");
        return;
    }
    text_add(text, " %s%s%s %s between %s", lanes[lane],
             wiring_fifo(wiring, other) == lane ? " or " : "",
             wiring_fifo(wiring, other) == lane ? lanes[other] : "",
             lane >= LANE_RESPONSES ? "up" : "down", links[link]);
}

/* Follows the waits from a FIFO; `path` are those on the way to it. */
static void fifo_follow(struct waits *waits, unsigned number, unsigned *path, unsigned length)
{
    path[length++] = number;
    waits->on_path[number] = true;
    for (unsigned next = 0; next < FIFOS; next++) {
        if ((waits->on[number] >> next & 1) == 0)
            continue;
        if (waits->on_path[next]) {
            unsigned first = 0;

            text_add(waits->complaints,
                     "%s: messages can wait in a circle:", waits->protocol->name);
            while (path[first] != next)
                first++;
            for (; first < length; first++) {
                name_fifo(waits, path[first], waits->complaints);
                text_add(waits->complaints, ",");
            }
            name_fifo(waits, next, waits->complaints);
            text_add(waits->complaints, "\n");
        } else if (!waits->done[next]) {
            fifo_follow(waits, next, path, length);
        }
    }
    waits->on_path[number] = false;
    waits->done[number] = true;
}

static void check_waits(const struct protocol *protocol, const struct wiring *wiring,
                        struct text *complaints)
{
    struct waits waits = {.wiring = wiring, .protocol = protocol, .complaints = complaints};
    unsigned path[FIFOS], memory = LINKS - 1;

    for (unsigned kind = 0; kind < ROLE_COUNT; kind++) {
        const struct protocol_role *role = protocol->roles[kind];

        for (uint32_t i = 0; role != NULL && i < role->row_count; i++)
            add_row(&waits, role, &role->rows[i], kind == ROLE_L2 ? 1 : 0);
    }
    for (unsigned channel = CHANNEL_REQUEST; channel <= CHANNEL_WRITE_BACK; channel++)
        waits.on[fifo_number(&waits, memory, OUTPUT_DOWN, channel)] |=
            UINT32_C(1) << fifo_number(&waits, memory, OUTPUT_UP, CHANNEL_RESPONSE);
    for (unsigned number = 0; number < FIFOS; number++)
        if (!waits.done[number])
            fifo_follow(&waits, number, path, 0);
}

/* ---- */

static void check_role(const struct protocol *protocol, const struct protocol_role *role,
                       struct text *complaints)
{
    size_t before = complaints->length;

    if (role->state_count > PROTOCOL_MAX_STATES || role->event_count > PROTOCOL_MAX_EVENTS) {
        text_add(complaints, "%s %s: too many states or events\n", protocol->name, role->name);
        return;
    }
    check_names(role, protocol->name, complaints);
    check_rows(role, protocol->name, complaints);
    if (complaints->length == before)
        check_states(role, protocol->name, complaints);
}

bool protocol_check(const struct protocol *protocol, struct text *complaints)
{
    const struct wiring widest = {true, protocol->probes_may_pass};
    size_t before = complaints->length;

    for (unsigned kind = 0; kind < ROLE_COUNT; kind++)
        if (protocol->roles[kind] != NULL)
            check_role(protocol, protocol->roles[kind], complaints);
    if (complaints->length == before)
        check_waits(protocol, &widest, complaints);
    return complaints->length == before;
}

static bool has_probes(const struct protocol *protocol)
{
    for (unsigned kind = 0; kind < ROLE_COUNT; kind++)
        if (protocol->roles[kind] != NULL &&
            protocol->roles[kind]->channel_events[CHANNEL_PROBE] != 0)
            return true;
    return false;
}

bool protocol_can_be_wired(const struct protocol *protocol, const struct wiring *wiring,
                           struct text *complaints)
{
    struct text found = {0};
    bool is_good;

    if (wiring->probes_apart && !protocol->probes_may_pass && has_probes(protocol))
        text_add(&found, "%s: its probes and responses must stay in order, in one FIFO\n",
                 protocol->name);
    check_waits(protocol, wiring, &found);
    is_good = found.length == 0;
    if (!is_good && complaints != NULL)
        text_add(complaints, "%s", text_chars(&found));
    text_finish(&found);
    return is_good;
}

bool protocol_may_be_built(const struct protocol *protocol, const struct wiring *wiring,
                           struct diagnosis *diagnosis)
{
    struct text complaints = {0};
    bool is_good = protocol_check(protocol, &complaints) &&
                   protocol_can_be_wired(protocol, wiring, &complaints);

    if (!is_good) {
        const char *first = text_chars(&complaints);

        diagnose(diagnosis, "%.*s", (int)strcspn(first, "\n"), first);
        diagnose_hint(diagnosis, "the protocol '%s' cannot run on this machine", protocol->name);
    }
    text_finish(&complaints);
    return is_good;
}
