/* SPDX-License-Identifier: MIT */
#include "mem/protocol/moesi/l1.h"

#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/moesi/upper.h"

static const struct protocol_state l1_states[] = {
    [L1_I] = {"I", "not here", 0},
    [L1_S] = {"S", "shared: others may have it, clean", STATE_READABLE},
    [L1_E] = {"E", "exclusive: no other has it, clean", STATE_READABLE},
    [L1_O] = {"O", "owned: others may share it, dirty", STATE_READABLE | STATE_DIRTY},
    [L1_M] = {"M", "modified: no other has it, dirty", STATE_READABLE | STATE_DIRTY},
    [L1_IS] = {"IS", "asked for, to read", STATE_TRANSIENT},
    [L1_IM] = {"IM", "asked for, to write", STATE_TRANSIENT},
    [L1_SM] = {"SM", "shared, leave to write asked for", STATE_TRANSIENT | STATE_READABLE},
    [L1_OM] = {"OM", "owned, leave to write asked for",
               STATE_TRANSIENT | STATE_READABLE | STATE_DIRTY},
};

static const struct protocol_event l1_events[] = {
    [L1_LOAD_HIT] = {"LOAD_HIT", "load of a copy"},
    [L1_STORE_HIT] = {"STORE_HIT", "store to the only copy"},
    [L1_ATOMIC_HIT] = {"ATOMIC_HIT", "read-modify-write of the only copy"},
    [L1_LOAD_MISS] = {"LOAD_MISS", "load, no copy"},
    [L1_WRITE_MISS] = {"WRITE_MISS", "store or read-modify-write, no copy"},
    [L1_UPGRADE] = {"UPGRADE", "the same, others may have copies too"},
    [L1_MERGE] = {"MERGE", "request that the line on its way will answer"},
    [L1_WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [L1_DATA_S] = {"DATA_S", "line, to read"},
    [L1_DATA_E] = {"DATA_E", "line, no other has it"},
    [L1_DATA_M] = {"DATA_M", "line, to write"},
    [L1_GRANT_M] = {"GRANT_M", "leave to write the copy"},
    [L1_ANSWER_LOAD] = {"ANSWER_LOAD", "turn of a load that waited for the line"},
    [L1_ANSWER_STORE] = {"ANSWER_STORE", "turn of a store"},
    [L1_ANSWER_ATOMIC] = {"ANSWER_ATOMIC", "turn of a read-modify-write"},
    [L1_PROBE_SHARE] = {"PROBE_SHARE", "another reads"},
    [L1_PROBE_WRITE_BACK] = {"PROBE_WRITE_BACK", "the same; owner_writes_back, line modified"},
    [L1_PROBE_DROP] = {"PROBE_DROP", "another writes, or L2 gives the line up"},
    [L1_PROBE_EARLY] = {"PROBE_EARLY", "probe, while requests are answered from the line"},
    [L1_SYNCHRONIZE] = {"SYNCHRONIZE", "acquire or release"},
    [L1_HOST_READ] = {"HOST_READ", "the host reads dirty bytes"},
    [L1_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [L1_REPLACE] = {"REPLACE", "the way is needed"},
    [L1_PROBE_SEND] = {"PROBE_SEND", "another reads: it is sent the line"},
    [L1_PROBE_HAND_OVER] = {"PROBE_HAND_OVER", "another writes: it is sent the line"},
    [L1_SENT_S] = {"SENT_S", "line, to read, from its owner, who shares it now"},
    [L1_SENT_O] = {"SENT_O", "the same, who keeps it"},
    [L1_SENT_E] = {"SENT_E", "line, to write, clean, from who had it alone"},
    [L1_SENT_M] = {"SENT_M", "line, to write, dirty, from its owner"},
};

#define l1_probes                                                                                  \
    (EVENT(L1_PROBE_SHARE) | EVENT(L1_PROBE_WRITE_BACK) | EVENT(L1_PROBE_DROP) |                   \
     EVENT(L1_PROBE_EARLY) | EVENT(L1_PROBE_SEND) | EVENT(L1_PROBE_HAND_OVER))
#define l1_across (EVENT(L1_SENT_S) | EVENT(L1_SENT_O) | EVENT(L1_SENT_E) | EVENT(L1_SENT_M))
#define l1_responses                                                                               \
    (EVENT(L1_DATA_S) | EVENT(L1_DATA_E) | EVENT(L1_DATA_M) | EVENT(L1_GRANT_M) | l1_across)

/* ---- The table ---- */

#define HOLD &verb_allocate_mshr, &verb_reserve_way, &verb_merge
#define MISS &upper_note_miss, HOLD
#define FILL &verb_fill_line, &verb_answer_targets
#define FILL_DIRTY &verb_fill_line, &upper_mark_dirty, &verb_answer_targets

static const struct protocol_row l1_rows[] = {
    {L1_I, L1_LOAD_MISS, L1_IS, {MISS, &upper_gets}},
    {L1_I, L1_WRITE_MISS, L1_IM, {MISS, &upper_getm}},
    {L1_I, L1_PROBE_SHARE, L1_I, {&upper_gone}}, /* the PUT has gone before */
    {L1_I, L1_PROBE_DROP, L1_I, {&upper_gone}},
    {L1_I, L1_SYNCHRONIZE, L1_I, {&verb_acknowledge}},

    {L1_S, L1_LOAD_HIT, L1_S, {&verb_reply, &upper_touch}},
    {L1_S, L1_UPGRADE, L1_SM, {HOLD, &upper_upgrade}},
    {L1_S, L1_WAIT, L1_S, {&verb_stall_line}},
    {L1_S, L1_ANSWER_LOAD, L1_S, {&verb_reply, &upper_touch}},
    {L1_S, L1_PROBE_DROP, L1_I, {&upper_dropped}},
    {L1_S, L1_PROBE_EARLY, L1_S, {&verb_stall_resource}},
    {L1_S, L1_HOST_WRITE, L1_S, {&verb_store_line, &verb_acknowledge}},
    {L1_S, L1_REPLACE, L1_I, {&upper_put}},

    {L1_E, L1_LOAD_HIT, L1_E, {&verb_reply, &upper_touch}},
    {L1_E, L1_STORE_HIT, L1_M, {&verb_store_line_dirty, &verb_acknowledge, &upper_touch}},
    {L1_E, L1_ATOMIC_HIT, L1_M, {&verb_atomic_line, &upper_touch}},
    {L1_E, L1_WAIT, L1_E, {&verb_stall_line}},
    {L1_E, L1_ANSWER_LOAD, L1_E, {&verb_reply, &upper_touch}},
    {L1_E, L1_PROBE_SHARE, L1_S, {&upper_shared}},
    {L1_E, L1_PROBE_SEND, L1_S, {&upper_send_shared}},
    {L1_E, L1_PROBE_DROP, L1_I, {&upper_dropped}},
    {L1_E, L1_PROBE_HAND_OVER, L1_I, {&upper_hand_over}},
    {L1_E, L1_PROBE_EARLY, L1_E, {&verb_stall_resource}},
    {L1_E, L1_HOST_WRITE, L1_E, {&verb_store_line, &verb_acknowledge}},
    {L1_E, L1_REPLACE, L1_I, {&upper_put}},

    {L1_O, L1_LOAD_HIT, L1_O, {&verb_reply, &upper_touch}},
    {L1_O, L1_UPGRADE, L1_OM, {HOLD, &upper_upgrade}},
    {L1_O, L1_PROBE_SHARE, L1_O, {&upper_owned}},
    {L1_O, L1_PROBE_SEND, L1_O, {&upper_send_owned}},
    {L1_O, L1_PROBE_DROP, L1_I, {&upper_dropped}},
    {L1_O, L1_PROBE_HAND_OVER, L1_I, {&upper_hand_over}},
    {L1_O, L1_HOST_READ, L1_O, {&verb_reply}},
    {L1_O, L1_HOST_WRITE, L1_O, {&verb_store_line, &verb_acknowledge}},
    {L1_O, L1_REPLACE, L1_I, {&upper_put}},

    {L1_M, L1_LOAD_HIT, L1_M, {&verb_reply, &upper_touch}},
    {L1_M, L1_STORE_HIT, L1_M, {&verb_store_line_dirty, &verb_acknowledge, &upper_touch}},
    {L1_M, L1_ATOMIC_HIT, L1_M, {&verb_atomic_line, &upper_touch}},
    {L1_M, L1_WAIT, L1_M, {&verb_stall_line}},
    {L1_M, L1_ANSWER_LOAD, L1_M, {&verb_reply, &upper_touch}},
    {L1_M, L1_ANSWER_STORE, L1_M, {&verb_store_line_dirty, &verb_acknowledge, &upper_touch}},
    {L1_M, L1_ANSWER_ATOMIC, L1_M, {&verb_atomic_line, &upper_touch}},
    {L1_M, L1_PROBE_SHARE, L1_O, {&upper_owned}},
    {L1_M, L1_PROBE_WRITE_BACK, L1_S, {&upper_shared}},
    {L1_M, L1_PROBE_SEND, L1_O, {&upper_send_owned}},
    {L1_M, L1_PROBE_DROP, L1_I, {&upper_dropped}},
    {L1_M, L1_PROBE_HAND_OVER, L1_I, {&upper_hand_over}},
    {L1_M, L1_PROBE_EARLY, L1_M, {&verb_stall_resource}},
    {L1_M, L1_HOST_READ, L1_M, {&verb_reply}},
    {L1_M, L1_HOST_WRITE, L1_M, {&verb_store_line, &verb_acknowledge}},
    {L1_M, L1_REPLACE, L1_I, {&upper_put}},

    {L1_IS, L1_MERGE, L1_IS, {&verb_merge}},
    {L1_IS, L1_WAIT, L1_IS, {&verb_stall_line}},
    {L1_IS, L1_DATA_S, L1_S, {FILL}},
    {L1_IS, L1_DATA_E, L1_E, {FILL}},
    {L1_IS, L1_SENT_S, L1_S, {FILL, &upper_received}},
    {L1_IS, L1_SENT_O, L1_S, {FILL, &upper_received}},
    {L1_IS, L1_PROBE_SHARE, L1_IS, {&upper_gone}}, /* of an earlier copy, as are those below */
    {L1_IS, L1_PROBE_DROP, L1_IS, {&upper_gone}},

    {L1_IM, L1_MERGE, L1_IM, {&verb_merge}},
    {L1_IM, L1_WAIT, L1_IM, {&verb_stall_line}},
    {L1_IM, L1_DATA_M, L1_M, {FILL}},
    {L1_IM, L1_SENT_E, L1_M, {FILL, &upper_received}},
    {L1_IM, L1_SENT_M, L1_M, {FILL_DIRTY, &upper_received}},
    {L1_IM, L1_PROBE_SHARE, L1_IM, {&upper_gone}},
    {L1_IM, L1_PROBE_DROP, L1_IM, {&upper_gone}},

    {L1_SM, L1_MERGE, L1_SM, {&verb_merge}},
    {L1_SM, L1_WAIT, L1_SM, {&verb_stall_line}},
    {L1_SM, L1_GRANT_M, L1_M, {&verb_answer_targets}},
    {L1_SM, L1_PROBE_DROP, L1_IM, {&upper_dropped}},

    {L1_OM, L1_MERGE, L1_OM, {&verb_merge}},
    {L1_OM, L1_WAIT, L1_OM, {&verb_stall_line}},
    {L1_OM, L1_GRANT_M, L1_M, {&verb_answer_targets}},
    {L1_OM, L1_PROBE_SHARE, L1_OM, {&upper_owned}},
    {L1_OM, L1_PROBE_SEND, L1_OM, {&upper_send_owned}},
    {L1_OM, L1_PROBE_DROP, L1_IM, {&upper_dropped}},
    {L1_OM, L1_PROBE_HAND_OVER, L1_IM, {&upper_hand_over}},
};

/* ---- Events ---- */

static uint8_t l1_state(const struct step *step)
{
    return step->line == NULL ? (uint8_t)L1_I : step->line->state;
}

static uint8_t classify_l1_request(const struct step *step)
{
    bool is_load = step->message->kind == MESSAGE_LOAD;
    uint8_t state = l1_state(step);

    if (step->mshr != NULL) {
        if (step->mshr->filled || mshr_has_stalled(step->mshr) || (!is_load && state == L1_IS))
            return L1_WAIT;
        return L1_MERGE;
    }
    if (state == L1_I)
        return is_load ? L1_LOAD_MISS : L1_WRITE_MISS;
    if (is_load)
        return L1_LOAD_HIT;
    if (state == L1_S || state == L1_O)
        return L1_UPGRADE;
    return step->message->kind == MESSAGE_STORE ? L1_STORE_HIT : L1_ATOMIC_HIT;
}

static uint8_t classify_l1_answer(const struct step *step)
{
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return L1_ANSWER_LOAD;
    case MESSAGE_STORE:
        return L1_ANSWER_STORE;
    default:
        return L1_ANSWER_ATOMIC;
    }
}

/* A copy that is gone answers a request that was sent on as if L2 had asked. */
static uint8_t classify_l1_probe(const struct step *step)
{
    const struct moesi_parameters *parameters = controller_parameters(step->controller);
    uint8_t state = l1_state(step), kind = step->message->kind;
    bool is_owner = state == L1_E || state == L1_O || state == L1_M || state == L1_OM;

    if (step->mshr != NULL && step->mshr->filled)
        return L1_PROBE_EARLY;
    if (kind == MOESI_PROBE_HAND_OVER && is_owner)
        return L1_PROBE_HAND_OVER;
    if (kind != MOESI_PROBE_SHARE && kind != MOESI_PROBE_SEND)
        return L1_PROBE_DROP;
    if (state == L1_M && parameters->owner_writes_back != 0)
        return L1_PROBE_WRITE_BACK;
    return kind == MOESI_PROBE_SEND && is_owner ? L1_PROBE_SEND : L1_PROBE_SHARE;
}

static uint8_t classify_l1_sent(const struct step *step)
{
    switch (step->message->kind) {
    case MOESI_SENT_S:
        return L1_SENT_S;
    case MOESI_SENT_O:
        return L1_SENT_O;
    case MOESI_SENT_E:
        return L1_SENT_E;
    case MOESI_SENT_M:
        return L1_SENT_M;
    default:
        return L1_MOESI_EVENTS; /* stopped by the mechanism */
    }
}

static uint8_t classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return L1_REPLACE;
    if (stimulus == STIMULUS_ANSWER)
        return classify_l1_answer(step);
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_l1_request(step);
    case MOESI_DATA_S:
        return L1_DATA_S;
    case MOESI_DATA_E:
        return L1_DATA_E;
    case MOESI_DATA_M:
        return L1_DATA_M;
    case MOESI_GRANT_M:
        return L1_GRANT_M;
    case MOESI_PROBE_SHARE:
    case MOESI_PROBE_INVALIDATE:
    case MOESI_RECALL:
    case MOESI_PROBE_SEND:
    case MOESI_PROBE_HAND_OVER:
        return classify_l1_probe(step);
    case MESSAGE_INVALIDATE:
    case MESSAGE_FLUSH:
        return L1_SYNCHRONIZE;
    case MESSAGE_HOST_READ:
        return L1_HOST_READ;
    case MESSAGE_HOST_WRITE:
        return L1_HOST_WRITE;
    default:
        return classify_l1_sent(step);
    }
}

static bool is_ordered(const void *parameters, const struct message *access)
{
    return access->kind != MESSAGE_LOAD &&
           moesi_orders_stores(((const struct moesi_parameters *)parameters)->store_order);
}

const struct protocol_role moesi_l1 = {
    .name = "L1",
    .states = l1_states,
    .state_count = COUNT(l1_states),
    .events = l1_events,
    .event_count = COUNT(l1_events),
    .rows = l1_rows,
    .row_count = COUNT(l1_rows),
    .channel_events = {[CHANNEL_PROBE] = l1_probes, [CHANNEL_RESPONSE] = l1_responses},
    .from_across = l1_across,
    .answers_targets = true,
    .line_data = {sizeof(struct upper_line), upper_line_fields},
    .statistics = {moesi_upper_statistics, MOESI_UPPER_STATISTIC_COUNT,
                   sizeof(struct moesi_upper_statistics)},
    .classify = classify_l1,
    .is_ordered = is_ordered,
};
