/* SPDX-License-Identifier: MIT */
#include "mem/protocol/moesi/directory_rows.h"

#include <stddef.h>

#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/moesi/statistics.h"

static const struct protocol_state directory_states[] = {DIRECTORY_STATES};
static const struct protocol_event directory_events[] = {DIRECTORY_EVENTS};
static const struct protocol_row directory_rows[] = {
    DIRECTORY_ROWS(&directory_grant_s, &directory_grant_m)};

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

/* Of a line with an owner, asked for to be written: whether nothing but that copy has to go. */
static bool has_owner_alone(const struct step *step, const struct node_set *others)
{
    return step->line->owner != NO_INDEX && node_set_count(others) == 1 &&
           !directory_is_held_by(step->line, step->message->source) &&
           controller_sends_across(step->controller);
}

static uint8_t classify_owned(const struct step *step)
{
    /* instruction caches are no owners' readers */
    return step->message->kind != MESSAGE_LOAD && controller_sends_across(step->controller)
               ? DIR_READ_SENT
               : DIR_READ_OWNED;
}

uint8_t directory_classify_request(const struct step *step)
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
        return node_set_is_empty(&others)       ? DIR_WRITE
               : has_owner_alone(step, &others) ? DIR_WRITE_SENT
                                                : DIR_WRITE_HELD;
    if (line->owner != NO_INDEX)
        return classify_owned(step);
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

    if (line == NULL || line->state == DIR_B || line->state == DIR_D || line->state == DIR_T ||
        (line->state == DIR_W && directory_transaction(step)->awaited != node + 1))
        return DIR_PUT;
    others = directory_holders_but(line, node);
    if (node_set_is_empty(&others))
        return DIR_PUT_LAST;
    return line->owner == node || line->owner == NO_INDEX ? DIR_PUT_SHARED : DIR_PUT_OWNED;
}

static uint8_t classify_received(const struct step *step)
{
    if (directory_transaction(step)->is_write)
        return DIR_SENT_M;
    return step->message->kind == MOESI_RECEIVED && step->line->owner != NO_INDEX ? DIR_SENT_O
                                                                                  : DIR_SENT_S;
}

static uint8_t classify_answer(const struct step *step)
{
    struct node_set set;

    if (step->line == NULL || step->line->state == DIR_D || step->message->kind == MOESI_DROPPED)
        return step->mshr->acks == 1 ? DIR_DROPPED_LAST : DIR_DROPPED;
    if (step->message->kind == MOESI_OWNED)
        return DIR_OWNED;
    if (step->message->kind == MOESI_SHARED)
        return DIR_SHARED;
    set = directory_holders_but(step->line, step->message->source);
    return node_set_is_empty(&set) ? DIR_GONE_LAST : DIR_GONE_SHARED;
}

static uint8_t classify_common(const struct step *step)
{
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return directory_classify_request(step);
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

uint8_t moesi_classify_directory(const struct step *step, enum protocol_stimulus stimulus)
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
        return directory_classify_request(step);
    case MOESI_PUT:
        return classify_put(step);
    case MOESI_GONE:
    case MOESI_SHARED:
    case MOESI_OWNED:
    case MOESI_DROPPED:
        return classify_answer(step);
    case MOESI_RECEIVED:
    case MOESI_RECEIVED_S:
        return classify_received(step);
    default:
        return classify_common(step);
    }
}

const struct protocol_field directory_transaction_fields[] = {
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
    .classify = moesi_classify_directory,
    .statistics = {moesi_directory_statistics, MOESI_DIRECTORY_STATISTIC_COUNT,
                   sizeof(struct moesi_directory_statistics)},
    .mshr_data = {sizeof(struct moesi_transaction), directory_transaction_fields},
};
