/* SPDX-License-Identifier: MIT */
#include "mem/protocol/moesi/directory.h"

#include <stddef.h>

#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/moesi/statistics.h"

static const struct protocol_state directory_states[] = {
    [DIR_I] = {"I", "not here, and so nowhere above", 0},
    [DIR_V] = {"V", "here, no copy above", STATE_READABLE | STATE_DIRTY},
    [DIR_S] = {"S", "shared: copies above, all clean", STATE_READABLE | STATE_DIRTY},
    [DIR_X] = {"X", "exclusive: one above may write it", STATE_DIRTY},
    [DIR_O] = {"O", "owned: one above has it dirty, others may share it", STATE_DIRTY},
    [DIR_F] = {"F", "on its way from memory", STATE_TRANSIENT},
    [DIR_B] = {"B", "owner is asked for its bytes", STATE_TRANSIENT | STATE_DIRTY},
    [DIR_D] = {"D", "copies are being dropped for a writer", STATE_TRANSIENT | STATE_DIRTY},
    [DIR_W] = {"W", "the requester's PUT is awaited", STATE_TRANSIENT | STATE_DIRTY},
    [DIR_R] = {"R", "given up, copies are being dropped (write-back buffer)",
               STATE_TRANSIENT | STATE_DIRTY},
};

static const struct protocol_event directory_events[] = {
    [DIR_READ_E] = {"READ_E", "read, no copy above"},
    [DIR_READ_S] = {"READ_S", "read, sharers or a read-only reader"},
    [DIR_READ_PLAIN] = {"READ_PLAIN", "read of an instruction cache, no owner"},
    [DIR_READ_OWNED] = {"READ_OWNED", "read, a copy may be newer"},
    [DIR_WRITE] = {"WRITE", "to write, no other has a copy"},
    [DIR_WRITE_HELD] = {"WRITE_HELD", "to write, others have copies"},
    [DIR_MISS] = {"MISS", "request for a line that is not here"},
    [DIR_MERGE] = {"MERGE", "read of a line that is on its way for readers"},
    [DIR_WAIT] = {"WAIT", "request that must come after the line's transaction"},
    [DIR_OVERTOOK] = {"OVERTOOK", "request that has overtaken its node's PUT"},
    [DIR_FILL] = {"FILL", "line from memory"},
    [DIR_ANSWER_E] = {"ANSWER_E", "turn of the only reader"},
    [DIR_ANSWER_S] = {"ANSWER_S", "turn of another reader"},
    [DIR_ANSWER_PLAIN] = {"ANSWER_PLAIN", "turn of an instruction cache"},
    [DIR_ANSWER_M] = {"ANSWER_M", "turn of the writer"},
    [DIR_PUT] = {"PUT", "a copy is given up, in mid-transaction"},
    [DIR_PUT_SHARED] = {"PUT_SHARED", "a copy is given up, sharers alone remain"},
    [DIR_PUT_OWNED] = {"PUT_OWNED", "the same, an owner remains"},
    [DIR_PUT_LAST] = {"PUT_LAST", "the last copy is given up"},
    [DIR_OWNED] = {"OWNED", "the owner stays owner: its bytes"},
    [DIR_SHARED] = {"SHARED", "the owner is a sharer now: its bytes, if dirty"},
    [DIR_GONE_SHARED] = {"GONE_SHARED", "the owner has given it up, sharers remain"},
    [DIR_GONE_LAST] = {"GONE_LAST", "the same, no copy remains"},
    [DIR_DROPPED] = {"DROPPED", "a copy is dropped, others still to come"},
    [DIR_DROPPED_LAST] = {"DROPPED_LAST", "the last of them"},
    [DIR_FLUSH] = {"FLUSH", "dirty bytes go to memory"},
    [DIR_WALK] = {"WALK", "a line's turn in a flush"},
    [DIR_HOST_READ] = {"HOST_READ", "the host reads dirty bytes"},
    [DIR_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [DIR_REPLACE] = {"REPLACE", "the way is needed, no copy above"},
    [DIR_RECALL] = {"RECALL", "the way is needed, copies above"},
};

#define directory_answers                                                                          \
    (EVENT(DIR_OWNED) | EVENT(DIR_SHARED) | EVENT(DIR_GONE_SHARED) | EVENT(DIR_GONE_LAST) |        \
     EVENT(DIR_DROPPED) | EVENT(DIR_DROPPED_LAST))
#define directory_puts                                                                             \
    (EVENT(DIR_PUT) | EVENT(DIR_PUT_SHARED) | EVENT(DIR_PUT_OWNED) | EVENT(DIR_PUT_LAST))

/* ---- The table ---- */

#define HOLD &verb_allocate_mshr, &verb_reserve_way
#define MISS HOLD, &verb_merge, &directory_note_kind, &verb_fetch_line
#define ANSWER &verb_answer_targets
#define IDLE(state)                                                                                \
    {state, DIR_WALK, state, {&verb_write_back}}, {state, DIR_HOST_READ, state, {&verb_reply}},    \
    {                                                                                              \
        state, DIR_HOST_WRITE, state, { &verb_store_line, &directory_write_to_memory, &verb_acknowledge }    \
    }

static const struct protocol_row directory_rows[] = {
    {DIR_I, DIR_MISS, DIR_F, {MISS}},
    {DIR_I, DIR_FLUSH, DIR_I, {&verb_start_walk}},

    {DIR_V, DIR_READ_E, DIR_X, {&directory_grant_e}},
    {DIR_V, DIR_READ_S, DIR_S, {&directory_grant_s}},
    {DIR_V, DIR_READ_PLAIN, DIR_V, {&directory_reply_plain}},
    {DIR_V, DIR_WRITE, DIR_X, {&directory_grant_m}},
    {DIR_V, DIR_WAIT, DIR_V, {&verb_stall_line}},
    {DIR_V, DIR_ANSWER_E, DIR_X, {&directory_grant_e}},
    {DIR_V, DIR_ANSWER_S, DIR_S, {&directory_grant_s}},
    {DIR_V, DIR_ANSWER_PLAIN, DIR_V, {&directory_reply_plain}},
    {DIR_V, DIR_ANSWER_M, DIR_X, {&directory_grant_m}},
    {DIR_V, DIR_REPLACE, DIR_I, {&verb_write_back}},
    IDLE(DIR_V),

    {DIR_S, DIR_READ_S, DIR_S, {&directory_grant_s}},
    {DIR_S, DIR_READ_PLAIN, DIR_S, {&directory_reply_plain}},
    {DIR_S, DIR_WRITE, DIR_X, {&directory_grant_m}},
    {DIR_S, DIR_WRITE_HELD, DIR_D, {HOLD, &verb_merge, &directory_probe_others}},
    {DIR_S, DIR_OVERTOOK, DIR_W, {HOLD, &directory_await, &verb_stall_line}},
    {DIR_S, DIR_WAIT, DIR_S, {&verb_stall_line}},
    {DIR_S, DIR_ANSWER_S, DIR_S, {&directory_grant_s}},
    {DIR_S, DIR_ANSWER_PLAIN, DIR_S, {&directory_reply_plain}},
    {DIR_S, DIR_PUT_SHARED, DIR_S, {&directory_take}},
    {DIR_S, DIR_PUT_LAST, DIR_V, {&directory_take}},
    {DIR_S, DIR_RECALL, DIR_R, {&directory_recall}},
    IDLE(DIR_S),

    {DIR_X, DIR_READ_OWNED, DIR_B, {HOLD, &verb_merge, &directory_probe_owner}},
    {DIR_X, DIR_WRITE_HELD, DIR_D, {HOLD, &verb_merge, &directory_probe_others}},
    {DIR_X, DIR_OVERTOOK, DIR_W, {HOLD, &directory_await, &verb_stall_line}},
    {DIR_X, DIR_WAIT, DIR_X, {&verb_stall_line}},
    {DIR_X, DIR_PUT_LAST, DIR_V, {&directory_take}},
    {DIR_X, DIR_RECALL, DIR_R, {&directory_recall}},
    IDLE(DIR_X),

    {DIR_O, DIR_READ_OWNED, DIR_B, {HOLD, &verb_merge, &directory_probe_owner}},
    {DIR_O, DIR_WRITE, DIR_X, {&directory_grant_m}},
    {DIR_O, DIR_WRITE_HELD, DIR_D, {HOLD, &verb_merge, &directory_probe_others}},
    {DIR_O, DIR_OVERTOOK, DIR_W, {HOLD, &directory_await, &verb_stall_line}},
    {DIR_O, DIR_WAIT, DIR_O, {&verb_stall_line}},
    {DIR_O, DIR_ANSWER_S, DIR_O, {&directory_grant_s}},
    {DIR_O, DIR_ANSWER_PLAIN, DIR_O, {&directory_reply_plain}},
    {DIR_O, DIR_PUT_SHARED, DIR_S, {&directory_take}},
    {DIR_O, DIR_PUT_OWNED, DIR_O, {&directory_take}},
    {DIR_O, DIR_PUT_LAST, DIR_V, {&directory_take}},
    {DIR_O, DIR_RECALL, DIR_R, {&directory_recall}},
    IDLE(DIR_O),

    {DIR_F, DIR_MERGE, DIR_F, {&verb_merge}},
    {DIR_F, DIR_WAIT, DIR_F, {&verb_stall_line}},
    {DIR_F, DIR_FILL, DIR_V, {&verb_fill_line, ANSWER}},

    {DIR_B, DIR_WAIT, DIR_B, {&verb_stall_line}},
    {DIR_B, DIR_PUT, DIR_B, {&directory_take}},
    {DIR_B, DIR_OWNED, DIR_O, {&directory_pass, ANSWER}},
    {DIR_B, DIR_SHARED, DIR_S, {&directory_owner_shares, ANSWER}},
    {DIR_B, DIR_GONE_SHARED, DIR_S, {ANSWER}},
    {DIR_B, DIR_GONE_LAST, DIR_V, {ANSWER}},

    {DIR_D, DIR_WAIT, DIR_D, {&verb_stall_line}},
    {DIR_D, DIR_PUT, DIR_D, {&directory_take}},
    {DIR_D, DIR_DROPPED, DIR_D, {&directory_take, &directory_count}},
    {DIR_D, DIR_DROPPED_LAST, DIR_V, {&directory_take, ANSWER}},

    {DIR_W, DIR_WAIT, DIR_W, {&verb_stall_line}},
    {DIR_W, DIR_PUT, DIR_W, {&directory_take}},
    {DIR_W, DIR_PUT_SHARED, DIR_S, {&directory_take, &verb_release_mshr}},
    {DIR_W, DIR_PUT_OWNED, DIR_O, {&directory_take, &verb_release_mshr}},
    {DIR_W, DIR_PUT_LAST, DIR_V, {&directory_take, &verb_release_mshr}},

    {DIR_R, DIR_WAIT, DIR_R, {&verb_stall_line}},
    {DIR_R, DIR_PUT, DIR_R, {&directory_gather}},
    {DIR_R, DIR_DROPPED, DIR_R, {&directory_gather, &directory_count}},
    {DIR_R, DIR_DROPPED_LAST, DIR_I, {&directory_gather, &directory_write_gathered, &verb_release_mshr}},
};

/* ---- Events ---- */

static bool is_write(const struct message *message)
{
    return message->kind == MOESI_GETM || message->kind == MOESI_UPGRADE;
}

static bool can_merge(const struct step *step)
{
    return step->line != NULL && step->line->state == DIR_F && !step->mshr->filled &&
           !mshr_has_stalled(step->mshr) && !directory_transaction(step)->is_write &&
           !is_write(step->message);
}

static uint8_t classify_request(const struct step *step)
{
    const struct message *message = step->message;
    const struct line *line = step->line;
    struct node_set others;

    if (step->mshr != NULL)
        return can_merge(step) ? DIR_MERGE : DIR_WAIT;
    if (line == NULL)
        return DIR_MISS;
    if (message->kind != MOESI_UPGRADE && directory_is_held_by(line, message->source))
        return DIR_OVERTOOK;
    others = directory_holders_but(line, message->source);
    if (is_write(message))
        return node_set_is_empty(&others) ? DIR_WRITE : DIR_WRITE_HELD;
    if (line->owner != NO_INDEX)
        return DIR_READ_OWNED;
    if (message->kind == MESSAGE_LOAD)
        return DIR_READ_PLAIN;
    return message->kind == MOESI_GETS && node_set_is_empty(&others) ? DIR_READ_E : DIR_READ_S;
}

static uint8_t classify_target(const struct step *step)
{
    const struct message *message = step->message;
    struct node_set set = directory_holders(step->line);

    if (is_write(message))
        return DIR_ANSWER_M;
    if (message->kind == MESSAGE_LOAD)
        return DIR_ANSWER_PLAIN;
    return message->kind == MOESI_GETS && node_set_is_empty(&set) &&
                   step->mshr->first_target == step->mshr->last_target
               ? DIR_ANSWER_E
               : DIR_ANSWER_S;
}

static uint8_t classify_put(const struct step *step)
{
    const struct line *line = step->line;
    uint16_t node = step->message->source;
    struct node_set others;

    if (line == NULL || line->state == DIR_B || line->state == DIR_D ||
        (line->state == DIR_W && directory_transaction(step)->awaited != node + 1))
        return DIR_PUT;
    others = directory_holders_but(line, node);
    if (node_set_is_empty(&others))
        return DIR_PUT_LAST;
    return line->owner == node || line->owner == NO_INDEX ? DIR_PUT_SHARED : DIR_PUT_OWNED;
}

static uint8_t classify_answer(const struct step *step)
{
    struct node_set set;

    if (step->line == NULL || step->line->state == DIR_D)
        return step->mshr->acks == 1 ? DIR_DROPPED_LAST : DIR_DROPPED;
    if (step->message->kind == MOESI_OWNED)
        return DIR_OWNED;
    if (step->message->kind == MOESI_SHARED)
        return DIR_SHARED;
    set = directory_holders(step->line);
    return node_set_is_empty(&set) ? DIR_GONE_LAST : DIR_GONE_SHARED;
}

static uint8_t classify_common(const struct step *step)
{
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_request(step);
    case MESSAGE_READ_REPLY:
        return DIR_FILL;
    case MESSAGE_HOST_READ:
        return DIR_HOST_READ;
    case MESSAGE_HOST_WRITE:
        return DIR_HOST_WRITE;
    case MESSAGE_FLUSH:
        return DIR_FLUSH;
    default:
        return DIR_MOESI_EVENTS;
    }
}

static uint8_t classify_replace(const struct step *step)
{
    struct node_set set = directory_holders(step->line);

    return node_set_is_empty(&set) ? DIR_REPLACE : DIR_RECALL;
}

static uint8_t classify_directory(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return classify_replace(step);
    if (stimulus == STIMULUS_WALK)
        return DIR_WALK;
    if (stimulus == STIMULUS_ANSWER)
        return classify_target(step);
    switch (step->message->kind) {
    case MOESI_GETS:
    case MOESI_GETR:
    case MOESI_GETM:
    case MOESI_UPGRADE:
        return classify_request(step);
    case MOESI_PUT:
        return classify_put(step);
    case MOESI_GONE:
    case MOESI_SHARED:
    case MOESI_OWNED:
    case MOESI_DROPPED:
        return classify_answer(step);
    default:
        return classify_common(step);
    }
}

static const struct protocol_field transaction_fields[] = {
    {"awaited", offsetof(struct moesi_transaction, awaited), sizeof(uint16_t), FIELD_NODE},
    {"is_write", offsetof(struct moesi_transaction, is_write), sizeof(uint8_t), FIELD_STATE},
    {NULL, 0, 0, FIELD_STATE}};

const struct protocol_role moesi_directory = {
    .name = "L2",
    .states = directory_states,
    .state_count = COUNT(directory_states),
    .events = directory_events,
    .event_count = COUNT(directory_events),
    .rows = directory_rows,
    .row_count = COUNT(directory_rows),
    .channel_events = {[CHANNEL_WRITE_BACK] = directory_puts,
                       [CHANNEL_RESPONSE] = directory_answers | EVENT(DIR_FILL)},
    .from_above = directory_answers,
    .answers_targets = true,
    .classify = classify_directory,
    .statistics = {moesi_directory_statistics, MOESI_DIRECTORY_STATISTIC_COUNT,
                   sizeof(struct moesi_directory_statistics)},
    .mshr_data = {sizeof(struct moesi_transaction), transaction_fields},
};
