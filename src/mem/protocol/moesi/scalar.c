/* SPDX-License-Identifier: MIT */
/* Scalar caches: sharers that the directory knows, and that never write. */
#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/moesi/upper.h"

enum { SCALAR_I = STATE_INVALID, SCALAR_S, SCALAR_IS };

static const struct protocol_state scalar_states[] = {
    [SCALAR_I] = {"I", "not here", 0},
    [SCALAR_S] = {"S", "shared", STATE_READABLE},
    [SCALAR_IS] = {"IS", "asked for", STATE_TRANSIENT},
};

enum {
    SCALAR_HIT,
    SCALAR_MISS,
    SCALAR_MERGE,
    SCALAR_WAIT,
    SCALAR_DATA_S,
    SCALAR_SENT,
    SCALAR_ANSWER,
    SCALAR_PROBE_DROP,
    SCALAR_PROBE_EARLY,
    SCALAR_SYNCHRONIZE,
    SCALAR_HOST_WRITE,
    SCALAR_REPLACE,
    SCALAR_EVENTS
};

static const struct protocol_event scalar_events[] = {
    [SCALAR_HIT] = {"LOAD_HIT", "load of a copy"},
    [SCALAR_MISS] = {"LOAD_MISS", "load, no copy"},
    [SCALAR_MERGE] = {"MERGE", "load that the line on its way will answer"},
    [SCALAR_WAIT] = {"WAIT", "load that must come after what the line waits for"},
    [SCALAR_DATA_S] = {"DATA_S", "line, to read"},
    [SCALAR_SENT] = {"SENT", "line, to read, from its owner"},
    [SCALAR_ANSWER] = {"ANSWER_LOAD", "turn of a load that waited for the line"},
    [SCALAR_PROBE_DROP] = {"PROBE_DROP", "another writes, or L2 gives the line up"},
    [SCALAR_PROBE_EARLY] = {"PROBE_EARLY", "probe, while loads are answered from the line"},
    [SCALAR_SYNCHRONIZE] = {"SYNCHRONIZE", "acquire or release"},
    [SCALAR_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [SCALAR_REPLACE] = {"REPLACE", "the way is needed"},
};

static const struct protocol_row scalar_rows[] = {
    {SCALAR_I,
     SCALAR_MISS,
     SCALAR_IS,
     {&upper_note_miss, &verb_allocate_mshr, &verb_reserve_way, &verb_merge, &upper_getr}},
    {SCALAR_I, SCALAR_PROBE_DROP, SCALAR_I, {&upper_gone}}, /* the PUT has gone before */
    {SCALAR_I, SCALAR_SYNCHRONIZE, SCALAR_I, {&verb_acknowledge}},

    {SCALAR_S, SCALAR_HIT, SCALAR_S, {&verb_reply, &upper_touch}},
    {SCALAR_S, SCALAR_WAIT, SCALAR_S, {&verb_stall_line}},
    {SCALAR_S, SCALAR_ANSWER, SCALAR_S, {&verb_reply, &upper_touch}},
    {SCALAR_S, SCALAR_PROBE_DROP, SCALAR_I, {&upper_dropped}},
    {SCALAR_S, SCALAR_PROBE_EARLY, SCALAR_S, {&verb_stall_resource}},
    {SCALAR_S, SCALAR_HOST_WRITE, SCALAR_S, {&verb_store_line, &verb_acknowledge}},
    {SCALAR_S, SCALAR_REPLACE, SCALAR_I, {&upper_put}},

    {SCALAR_IS, SCALAR_MERGE, SCALAR_IS, {&verb_merge}},
    {SCALAR_IS, SCALAR_WAIT, SCALAR_IS, {&verb_stall_line}},
    {SCALAR_IS, SCALAR_DATA_S, SCALAR_S, {&verb_fill_line, &verb_answer_targets}},
    {SCALAR_IS, SCALAR_SENT, SCALAR_S, {&verb_fill_line, &verb_answer_targets, &upper_received}},
    {SCALAR_IS, SCALAR_PROBE_DROP, SCALAR_IS, {&upper_gone}}, /* of an earlier copy */
};

static uint8_t classify_load(const struct step *step)
{
    if (step->mshr != NULL)
        return step->mshr->filled || mshr_has_stalled(step->mshr) ? SCALAR_WAIT : SCALAR_MERGE;
    return step->line == NULL ? SCALAR_MISS : SCALAR_HIT;
}

static uint8_t classify_scalar(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return stimulus == STIMULUS_REPLACE ? SCALAR_REPLACE : SCALAR_ANSWER;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_load(step);
    case MOESI_DATA_S:
        return SCALAR_DATA_S;
    case MOESI_SENT_S:
    case MOESI_SENT_O:
        return SCALAR_SENT;
    case MOESI_PROBE_INVALIDATE:
    case MOESI_RECALL:
        return step->mshr != NULL && step->mshr->filled ? SCALAR_PROBE_EARLY : SCALAR_PROBE_DROP;
    case MESSAGE_INVALIDATE:
    case MESSAGE_FLUSH:
        return SCALAR_SYNCHRONIZE;
    case MESSAGE_HOST_WRITE:
        return SCALAR_HOST_WRITE;
    default:
        return SCALAR_EVENTS;
    }
}

const struct protocol_role moesi_scalar = {
    .name = "scalar",
    .states = scalar_states,
    .state_count = COUNT(scalar_states),
    .events = scalar_events,
    .event_count = COUNT(scalar_events),
    .rows = scalar_rows,
    .row_count = COUNT(scalar_rows),
    .channel_events = {[CHANNEL_PROBE] = EVENT(SCALAR_PROBE_DROP) | EVENT(SCALAR_PROBE_EARLY),
                       [CHANNEL_RESPONSE] = EVENT(SCALAR_DATA_S) | EVENT(SCALAR_SENT)},
    .from_across = EVENT(SCALAR_SENT),
    .answers_targets = true,
    .line_data = {sizeof(struct upper_line), upper_line_fields},
    .statistics = {moesi_upper_statistics, MOESI_UPPER_STATISTIC_COUNT,
                   sizeof(struct moesi_upper_statistics)},
    .classify = classify_scalar,
};
