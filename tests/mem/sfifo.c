/* SPDX-License-Identifier: MIT */
#include "sfifo.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EVENT(event) (UINT64_C(1) << (event))

/* ---- L1: dirty lines, oldest first ---- */

struct fifo {
    uint64_t count;
    uint64_t lines[SFIFO_LINES];
};

static const struct protocol_field fifo_fields[] = {
    {"count", offsetof(struct fifo, count), sizeof(uint64_t), FIELD_STATE},
    {NULL, 0, 0, FIELD_STATE}};

static struct fifo *fifo_of(const struct step *step)
{
    return controller_data(step->controller);
}

uint32_t sfifo_count(struct controller *l1)
{
    return (uint32_t)((struct fifo *)controller_data(l1))->count;
}

static bool has_line(const struct fifo *fifo, uint64_t addr)
{
    for (uint64_t i = 0; i < fifo->count; i++)
        if (fifo->lines[i] == addr)
            return true;
    return false;
}

enum { INVALID = STATE_INVALID, VALID, FILLING };

static const struct protocol_state l1_states[] = {
    [INVALID] = {"I", "not here", 0},
    [VALID] = {"V", "some bytes valid, perhaps dirty", STATE_READABLE | STATE_DIRTY},
    [FILLING] = {"F", "on its way; bytes may be dirty", STATE_TRANSIENT | STATE_DIRTY},
};

enum {
    HIT,
    MISS,
    STORE,
    WAIT,
    FILL,
    PAST,
    WRITTEN,
    SYNC,
    SYNCED,
    PROBE,
    INVALIDATE,
    FLUSH,
    WALK_DROP,
    WALK_POP,
    REPLACE,
    L1_EVENTS
};

static const struct protocol_event l1_events[] = {
    [HIT] = {"HIT", "load of valid bytes"},
    [MISS] = {"MISS", "any other load"},
    [STORE] = {"STORE", "store"},
    [WAIT] = {"WAIT", "the line is on its way"},
    [FILL] = {"FILL", "the line"},
    [PAST] = {"PAST", "the line, but an invalidation has passed"},
    [WRITTEN] = {"WRITTEN", "a write-back has been acknowledged"},
    [SYNC] = {"SYNC", "the other node must flush up to a line"},
    [SYNCED] = {"SYNCED", "it has"},
    [PROBE] = {"PROBE", "flush up to a line"},
    [INVALIDATE] = {"INVALIDATE", "acquire"},
    [FLUSH] = {"FLUSH", "release"},
    [WALK_DROP] = {"WALK_DROP", "a line's turn in an invalidation"},
    [WALK_POP] = {"WALK_POP", "the oldest line's turn in a flush"},
    [REPLACE] = {"REPLACE", "the way is needed"},
};

static void remember(struct step *step)
{
    struct fifo *fifo = fifo_of(step);

    if (!has_line(fifo, step->addr))
        fifo->lines[fifo->count++] = step->addr;
}
static const struct protocol_action push = {.name = "push", .perform = remember};

static void forget_oldest(struct step *step)
{
    struct fifo *fifo = fifo_of(step);

    fifo->count--;
    memmove(&fifo->lines[0], &fifo->lines[1], fifo->count * sizeof fifo->lines[0]);
}
static const struct protocol_action pop = {.name = "pop", .perform = forget_oldest};

static void write_dirty_bytes(struct step *step)
{
    struct message *message;

    if (step->line->dirty == 0)
        return;
    message = step_output(step, OUTPUT_DOWN);
    memset(message, 0, sizeof *message);
    message->kind = SFIFO_WRITE_BACK;
    message->addr = step->addr;
    message->mask = step->line->dirty;
    message->source = controller_node(step->controller);
    memcpy(message->data, step->line->data, LINE_BYTES);
    step->line->dirty = 0;
    controller_await(step->controller);
}
static const struct protocol_action write_dirty = {.name = "write_dirty",
                                                   .perform = write_dirty_bytes,
                                                   .down = 1,
                                                   .down_channel = CHANNEL_WRITE_BACK};

static void start_flush(struct step *step)
{
    step_start_walk(step, (struct walk_terms){.awaits = true});
}
static const struct protocol_action flush = {.name = "flush",
                                             .perform = start_flush,
                                             .up = 1,
                                             .up_channel = CHANNEL_RESPONSE,
                                             .needs = NEEDS_WALK};

static void start_flush_for_probe(struct step *step)
{
    step_start_walk(step, (struct walk_terms){
                              .is_answered_below = true, .awaits = true, .kind = SFIFO_FLUSHED});
}
static const struct protocol_action flush_up_to = {.name = "flush_up_to",
                                                   .perform = start_flush_for_probe,
                                                   .down = 1,
                                                   .down_channel = CHANNEL_RESPONSE,
                                                   .needs = NEEDS_WALK};

#define ANYWHERE(state)                                                                            \
    {state, WRITTEN, state, {&verb_awaited}}, {state, SYNC, state, {&verb_forward}},               \
        {state, SYNCED, state, {&verb_pass_up}}, {state, PROBE, state, {&flush_up_to}}

static const struct protocol_row l1_rows[] = {
    ANYWHERE(INVALID),
    ANYWHERE(VALID),
    ANYWHERE(FILLING),
    {INVALID,
     MISS,
     FILLING,
     {&verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line}},
    {INVALID,
     STORE,
     VALID,
     {&verb_reserve_way, &verb_store_line_dirty, &push, &verb_acknowledge}},
    {INVALID, INVALIDATE, INVALID, {&verb_new_epoch, &verb_start_walk}},
    {INVALID, FLUSH, INVALID, {&flush}},
    {INVALID, WALK_POP, INVALID, {&pop}},
    {VALID, HIT, VALID, {&verb_reply}},
    {VALID,
     MISS,
     FILLING,
     {&verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line}},
    {VALID, STORE, VALID, {&verb_store_line_dirty, &push, &verb_acknowledge}},
    {VALID, WALK_DROP, INVALID, {&write_dirty}},
    {VALID, WALK_POP, VALID, {&pop, &write_dirty}},
    {VALID, REPLACE, INVALID, {&write_dirty}},
    {FILLING, WAIT, FILLING, {&verb_stall_line}},
    {FILLING, FILL, VALID, {&verb_fill_line, &verb_fill_mshr}},
    {FILLING, PAST, INVALID, {&verb_fill_mshr}},
    {FILLING, WALK_DROP, FILLING, {&write_dirty}},
    {FILLING, WALK_POP, FILLING, {&pop, &write_dirty}},
};

/* An invalidation visits all; a flush the oldest, and one for a probe as long as its line is to come. */
static enum walk_choice choose_walk(const struct step *step, uint64_t *addr)
{
    const struct fifo *fifo = fifo_of(step);

    if (step->message->kind == MESSAGE_INVALIDATE)
        return WALK_IN_ORDER;
    if (fifo->count == 0 ||
        (step->message->kind == SFIFO_PROBE && !has_line(fifo, step->message->addr)))
        return WALK_OVER;
    *addr = fifo->lines[0];
    return WALK_LINE;
}

static uint8_t classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return REPLACE;
    if (stimulus == STIMULUS_WALK)
        return controller_walk_kind(step->controller) == MESSAGE_INVALIDATE ? WALK_DROP : WALK_POP;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        if (step->mshr != NULL)
            return WAIT;
        return step->line != NULL && (step->message->mask & ~step->line->valid) == 0 ? HIT : MISS;
    case MESSAGE_STORE:
        return step->mshr != NULL ? WAIT : STORE;
    case MESSAGE_LOAD_REPLY:
        return step->mshr->epoch == controller_epoch(step->controller) ? FILL : PAST;
    case SFIFO_WRITTEN:
        return WRITTEN;
    case SFIFO_SYNC:
        return SYNC;
    case SFIFO_SYNC_REPLY:
        return SYNCED;
    case SFIFO_PROBE:
        return PROBE;
    case MESSAGE_INVALIDATE:
        return INVALIDATE;
    case MESSAGE_FLUSH:
        return FLUSH;
    default:
        return L1_EVENTS;
    }
}

/* ---- Below: memory, and one synchronisation at a time for each line ---- */

static const struct protocol_state l2_states[] = {{"I", "nothing is kept here", 0}};

enum { L2_LOAD, L2_WAIT, L2_FILL, L2_WRITE_BACK, L2_SYNC, L2_FLUSHED, L2_EVENTS };

static const struct protocol_event l2_events[] = {
    [L2_LOAD] = {"LOAD", "load"},
    [L2_WAIT] = {"WAIT", "request to a line that is being handled"},
    [L2_FILL] = {"FILL", "line from memory"},
    [L2_WRITE_BACK] = {"WRITE_BACK", "dirty bytes"},
    [L2_SYNC] = {"SYNC", "the other node must flush"},
    [L2_FLUSHED] = {"FLUSHED", "it has"},
};

static void write_through(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = MESSAGE_WRITE;
    message->source = controller_node(step->controller);
}
static const struct protocol_action write_message = {
    .name = "write", .perform = write_through, .down = 1, .down_channel = CHANNEL_WRITE_BACK};

static void send_probe(struct step *step)
{
    struct message *probe = step_output(step, OUTPUT_UP);

    probe->kind = SFIFO_PROBE;
    probe->destination = (uint16_t)(1 - step->message->source);
    probe->source = controller_node(step->controller);
}
static const struct protocol_action probe_other = {
    .name = "probe_other", .perform = send_probe, .up = 1, .up_channel = CHANNEL_PROBE};

static const struct protocol_row l2_rows[] = {
    {INVALID, L2_LOAD, INVALID, {&verb_allocate_mshr, &verb_merge, &verb_fetch_line}},
    {INVALID, L2_WAIT, INVALID, {&verb_stall_line}},
    {INVALID, L2_FILL, INVALID, {&verb_fill_mshr}},
    {INVALID, L2_WRITE_BACK, INVALID, {&write_message, &verb_acknowledge}},
    {INVALID, L2_SYNC, INVALID, {&verb_allocate_mshr, &verb_merge, &probe_other}},
    {INVALID, L2_FLUSHED, INVALID, {&verb_answer_targets}},
};

static uint8_t classify_l2(const struct step *step, enum protocol_stimulus stimulus)
{
    (void)stimulus;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return step->mshr != NULL ? L2_WAIT : L2_LOAD;
    case SFIFO_SYNC:
        return step->mshr != NULL ? L2_WAIT : L2_SYNC;
    case MESSAGE_READ_REPLY:
        return L2_FILL;
    case SFIFO_WRITE_BACK:
        return L2_WRITE_BACK;
    default:
        return L2_FLUSHED;
    }
}

/* ---- The protocol ---- */

static const struct protocol_role l1 = {
    .name = "L1",
    .states = l1_states,
    .state_count = COUNT(l1_states),
    .events = l1_events,
    .event_count = COUNT(l1_events),
    .rows = l1_rows,
    .row_count = COUNT(l1_rows),
    .channel_events = {[CHANNEL_RESPONSE] =
                           EVENT(FILL) | EVENT(PAST) | EVENT(WRITTEN) | EVENT(SYNCED),
                       [CHANNEL_PROBE] = EVENT(PROBE)},
    .classify = classify_l1,
    .choose_walk = choose_walk,
    .controller_data = {sizeof(struct fifo), fifo_fields},
};

static const struct protocol_role l2 = {
    .name = "L2",
    .states = l2_states,
    .state_count = COUNT(l2_states),
    .events = l2_events,
    .event_count = COUNT(l2_events),
    .rows = l2_rows,
    .row_count = COUNT(l2_rows),
    .channel_events = {[CHANNEL_RESPONSE] = EVENT(L2_FILL) | EVENT(L2_FLUSHED),
                       [CHANNEL_WRITE_BACK] = EVENT(L2_WRITE_BACK)},
    .from_above = EVENT(L2_FLUSHED),
    .classify = classify_l2,
};

static const struct message_kind kinds[] = {
    {.name = "WRITE_BACK", .channel = CHANNEL_WRITE_BACK, .has_data = true},
    {.name = "WRITTEN", .channel = CHANNEL_RESPONSE},
    {.name = "SYNC", .channel = CHANNEL_REQUEST},
    {.name = "SYNC_REPLY", .channel = CHANNEL_RESPONSE},
    {.name = "PROBE", .channel = CHANNEL_PROBE},
    {.name = "FLUSHED", .channel = CHANNEL_RESPONSE},
};

const struct protocol protocol_sfifo = {
    .name = "sfifo",
    .help = "dirty lines are written back oldest first",
    .probes_may_pass = true,
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &l1, [ROLE_L2] = &l2},
    .kinds = kinds,
    .kind_count = COUNT(kinds),
};
