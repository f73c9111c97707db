/* SPDX-License-Identifier: MIT */
/* Scalar caches: sharers that the directory knows, and that never write. Plain stores of others do not
 * take their copies: a kernel's start makes the bytes invalid, and the copies stay known. */
#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/nmoesi/roles.h"
#include "mem/protocol/nmoesi/statistics.h"
#include "mem/protocol/nmoesi/upper.h"

enum { I = STATE_INVALID, S, IS, SS };

static const struct protocol_state scalar_states[] = {
    [I] = {"I", "not here", 0},
    [S] = {"S", "shared", STATE_READABLE},
    [IS] = {"IS", "asked for", STATE_TRANSIENT},
    [SS] = {"SS", "shared, asked for again", STATE_TRANSIENT},
};

enum {
    LOAD_HIT,
    LOAD_MISS,
    LOAD_AGAIN,
    MERGE,
    WAIT,
    DATA,
    DATA_PAST,
    SENT,
    ANSWER,
    PROBE_DROP,
    PROBE_EARLY,
    ACQUIRE,
    LOCAL,
    WALK,
    HOST_WRITE,
    REPLACE,
    EVENTS
};

static const struct protocol_event scalar_events[] = {
    [LOAD_HIT] = {"LOAD_HIT", "load of valid bytes"},
    [LOAD_MISS] = {"LOAD_MISS", "load, no copy"},
    [LOAD_AGAIN] = {"LOAD_AGAIN", "load of bytes that an acquire made invalid"},
    [MERGE] = {"MERGE", "load that the line on its way will answer"},
    [WAIT] = {"WAIT", "load that must come after what the line waits for"},
    [DATA] = {"DATA_S", "line, to read"},
    [DATA_PAST] = {"DATA_S_PAST", "the same, but an acquire has passed"},
    [SENT] = {"SENT", "line, to read, from its owner"},
    [ANSWER] = {"ANSWER_LOAD", "turn of a load that waited for the line"},
    [PROBE_DROP] = {"PROBE_DROP", "another writes coherently, or L2 gives the line up"},
    [PROBE_EARLY] = {"PROBE_EARLY", "probe, while loads are answered from the line"},
    [ACQUIRE] = {"ACQUIRE", "a kernel's start"},
    [LOCAL] = {"RELEASE", "release: nothing is dirty here"},
    [WALK] = {"WALK", "a line's turn in an acquire"},
    [HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [REPLACE] = {"REPLACE", "the way is needed"},
};

#define HOLD &verb_allocate_mshr, &verb_reserve_way, &verb_merge
#define FILL &nmoesi_fill, &verb_answer_targets
#define FILL_PAST &nmoesi_fill_past, &verb_answer_targets

static const struct protocol_row scalar_rows[] = {
    {I, LOAD_MISS, IS, {&upper_note_miss, HOLD, &upper_getr}},
    {I, PROBE_DROP, I, {&upper_gone}}, /* the PUT has gone before */
    {I, ACQUIRE, I, {&nmoesi_acquire}},
    {I, LOCAL, I, {&verb_acknowledge}},

    {S, LOAD_HIT, S, {&verb_reply, &upper_touch}},
    {S, LOAD_AGAIN, SS, {HOLD, &nmoesi_refetch}},
    {S, WAIT, S, {&verb_stall_line}},
    {S, ANSWER, S, {&nmoesi_reply, &upper_touch}},
    {S, PROBE_DROP, I, {&upper_dropped}},
    {S, PROBE_EARLY, S, {&verb_stall_resource}},
    {S, WALK, S, {&nmoesi_cut}},
    {S, HOST_WRITE, S, {&verb_store_line, &verb_acknowledge}},
    {S, REPLACE, I, {&upper_put}},

    {IS, MERGE, IS, {&verb_merge}},
    {IS, WAIT, IS, {&verb_stall_line}},
    {IS, DATA, S, {FILL}},
    {IS, DATA_PAST, S, {FILL_PAST}},
    {IS, SENT, S, {FILL, &upper_received}},
    {IS, PROBE_DROP, IS, {&upper_gone}}, /* of an earlier copy */
    {IS, WALK, IS, {NULL}},

    {SS, MERGE, SS, {&verb_merge}},
    {SS, WAIT, SS, {&verb_stall_line}},
    {SS, DATA, S, {FILL}},
    {SS, DATA_PAST, S, {FILL_PAST}},
    {SS, PROBE_DROP, IS, {&upper_dropped}},
    {SS, WALK, SS, {&nmoesi_cut}},
};

static bool is_past(const struct step *step)
{
    return step->mshr->epoch != controller_epoch(step->controller);
}

static uint8_t classify_load(const struct step *step)
{
    if (step->mshr != NULL)
        return step->mshr->filled || mshr_has_stalled(step->mshr) || is_past(step) ? WAIT : MERGE;
    if (step->line == NULL)
        return LOAD_MISS;
    return (step->message->mask & ~step->line->valid) == 0 ? LOAD_HIT : LOAD_AGAIN;
}

static uint8_t classify_scalar(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_WALK)
        return WALK;
    if (stimulus != STIMULUS_MESSAGE)
        return stimulus == STIMULUS_REPLACE ? REPLACE : ANSWER;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_load(step);
    case MOESI_DATA_S:
    case NMOESI_DATA_SO:
        return is_past(step) ? DATA_PAST : DATA;
    case MOESI_SENT_S:
    case MOESI_SENT_O:
        return SENT;
    case MOESI_PROBE_INVALIDATE:
    case MOESI_RECALL:
        return step->mshr != NULL && step->mshr->filled ? PROBE_EARLY : PROBE_DROP;
    case MESSAGE_INVALIDATE:
        return ACQUIRE;
    case MESSAGE_FLUSH:
        return LOCAL;
    case MESSAGE_HOST_WRITE:
        return HOST_WRITE;
    default:
        return EVENTS;
    }
}

const struct protocol_role nmoesi_scalar = {
    .name = "scalar",
    .states = scalar_states,
    .state_count = COUNT(scalar_states),
    .events = scalar_events,
    .event_count = COUNT(scalar_events),
    .rows = scalar_rows,
    .row_count = COUNT(scalar_rows),
    .channel_events = {[CHANNEL_PROBE] = EVENT(PROBE_DROP) | EVENT(PROBE_EARLY),
                       [CHANNEL_RESPONSE] = EVENT(DATA) | EVENT(DATA_PAST) | EVENT(SENT)},
    .from_across = EVENT(SENT),
    .answers_targets = true,
    .classify = classify_scalar,
    .line_data = {sizeof(struct upper_line), upper_line_fields},
    .statistics = {nmoesi_upper_statistics, NMOESI_UPPER_STATISTIC_COUNT,
                   sizeof(struct nmoesi_upper_statistics)},
};
