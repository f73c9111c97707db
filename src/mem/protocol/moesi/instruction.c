/* SPDX-License-Identifier: MIT */
/* Instruction caches: the directory does not know them; a kernel's start drops what they hold. */
#include "mem/msg.h"
#include "mem/protocol/moesi/roles.h"

enum { CODE_I = STATE_INVALID, CODE_V, CODE_F };

static const struct protocol_state code_states[] = {
    [CODE_I] = {"I", "not here", 0},
    [CODE_V] = {"V", "valid", STATE_READABLE},
    [CODE_F] = {"F", "on its way", STATE_TRANSIENT},
};

enum {
    CODE_HIT,
    CODE_MISS,
    CODE_MERGE,
    CODE_WAIT,
    CODE_FILL,
    CODE_FILL_PAST,
    CODE_INVALIDATE,
    CODE_FLUSH,
    CODE_WALK,
    CODE_HOST_WRITE,
    CODE_REPLACE,
    CODE_EVENTS
};

static const struct protocol_event code_events[] = {
    [CODE_HIT] = {"LOAD_HIT", "fetch of a line that is here"},
    [CODE_MISS] = {"LOAD_MISS", "fetch of one that is not"},
    [CODE_MERGE] = {"MERGE", "fetch of a line on its way"},
    [CODE_WAIT] = {"WAIT", "fetch that must come after what the line waits for"},
    [CODE_FILL] = {"FILL", "line from L2"},
    [CODE_FILL_PAST] = {"FILL_PAST", "the same, but an invalidation has passed"},
    [CODE_INVALIDATE] = {"INVALIDATE", "a kernel's start"},
    [CODE_FLUSH] = {"FLUSH", "release: nothing is dirty here"},
    [CODE_WALK] = {"WALK", "a line's turn in an invalidation"},
    [CODE_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [CODE_REPLACE] = {"REPLACE", "the way is needed"},
};

static const struct protocol_row code_rows[] = {
    {CODE_I,
     CODE_MISS,
     CODE_F,
     {&verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line}},
    {CODE_I, CODE_WAIT, CODE_I, {&verb_stall_line}},
    {CODE_I, CODE_INVALIDATE, CODE_I, {&verb_new_epoch, &verb_start_walk}},
    {CODE_I, CODE_FLUSH, CODE_I, {&verb_acknowledge}},

    {CODE_V, CODE_HIT, CODE_V, {&verb_reply}},
    {CODE_V, CODE_WAIT, CODE_V, {&verb_stall_line}},
    {CODE_V, CODE_WALK, CODE_I, {NULL}},
    {CODE_V, CODE_HOST_WRITE, CODE_I, {&verb_acknowledge}},
    {CODE_V, CODE_REPLACE, CODE_I, {NULL}},

    {CODE_F, CODE_MERGE, CODE_F, {&verb_merge}},
    {CODE_F, CODE_WAIT, CODE_F, {&verb_stall_line}},
    {CODE_F, CODE_FILL, CODE_V, {&verb_fill_line, &verb_fill_mshr}},
    {CODE_F, CODE_FILL_PAST, CODE_I, {&verb_fill_mshr}},
    {CODE_F, CODE_WALK, CODE_F, {NULL}},
};

static bool is_past(const struct step *step)
{
    return step->mshr->epoch != controller_epoch(step->controller);
}

static uint8_t classify_fetch(const struct step *step)
{
    if (step->mshr != NULL)
        return step->mshr->filled || mshr_has_stalled(step->mshr) || is_past(step) ? CODE_WAIT
                                                                                   : CODE_MERGE;
    return step->line == NULL ? CODE_MISS : CODE_HIT;
}

static uint8_t classify_code(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return stimulus == STIMULUS_REPLACE ? CODE_REPLACE : CODE_WALK;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_fetch(step);
    case MESSAGE_LOAD_REPLY:
        return is_past(step) ? CODE_FILL_PAST : CODE_FILL;
    case MESSAGE_INVALIDATE:
        return CODE_INVALIDATE;
    case MESSAGE_FLUSH:
        return CODE_FLUSH;
    case MESSAGE_HOST_WRITE:
        return CODE_HOST_WRITE;
    default:
        return CODE_EVENTS;
    }
}

const struct protocol_role moesi_instruction = {
    .name = "instruction",
    .states = code_states,
    .state_count = COUNT(code_states),
    .events = code_events,
    .event_count = COUNT(code_events),
    .rows = code_rows,
    .row_count = COUNT(code_rows),
    .channel_events = {[CHANNEL_RESPONSE] = EVENT(CODE_FILL) | EVENT(CODE_FILL_PAST)},
    .classify = classify_code,
};
