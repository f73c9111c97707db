/* SPDX-License-Identifier: MIT */
/*
 * NMOESI's L2 slice: MOESI's directory, which knows N copies as sharers.
 *
 * - Requests for plain stores (GETN, UPGRADE_N), and dirty bytes of an N copy (PUT_N, WRITE_N), may
 *   find an owner. They make it write back and become a sharer first. So an owner's bytes are never
 *   older than what has been merged here, and O does not stand beside N.
 * - So does a copy that is fetched again (REFETCH): who polls asks this slice, not the owner.
 * - Who is to write coherently gets the line with the leave, merged from all copies.
 * - Dirty bytes of N copies are acknowledged when they are here; of a line that has left they go on to
 *   memory.
 */
#include "mem/protocol/moesi/directory_rows.h"
#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/nmoesi/messages.h"
#include "mem/protocol/nmoesi/roles.h"
#include "mem/protocol/nmoesi/statistics.h"

enum {
    READ_N = DIR_MOESI_EVENTS,
    READ_CLEAN,
    ANSWER_N,
    DISOWN,
    DISOWN_LATE,
    BYTES,
    BYTES_LAST,
    BYTES_OWNED,
    BYTES_PAST,
    ANSWER_BYTES,
    ANSWER_BYTES_LAST,
    EVENTS
};

static const struct protocol_state directory_states[] = {DIRECTORY_STATES};

static const struct protocol_event directory_events[] = {
    DIRECTORY_EVENTS,
    [READ_N] = {"READ_N", "line for plain stores, no owner"},
    [READ_CLEAN] = {"READ_CLEAN", "the same, or a copy fetched again, and a copy may be newer"},
    [ANSWER_N] = {"ANSWER_N", "turn of one that will store plainly"},
    [DISOWN] = {"DISOWN", "the owner is a sharer from now on, with an N copy"},
    [DISOWN_LATE] = {"DISOWN_LATE", "the same, of one that is not the owner any more"},
    [BYTES] = {"BYTES", "dirty bytes of an N copy, sharers remain"},
    [BYTES_LAST] = {"BYTES_LAST", "the same, no copy remains above"},
    [BYTES_OWNED] = {"BYTES_OWNED", "the same, but another owns the line"},
    [BYTES_PAST] = {"BYTES_PAST", "the same, of a line that has left"},
    [ANSWER_BYTES] = {"ANSWER_BYTES", "turn of dirty bytes, sharers remain"},
    [ANSWER_BYTES_LAST] = {"ANSWER_BYTES_LAST", "the same, no copy remains above"},
};

/* ---- Actions ---- */

#define STATISTICS_ROW(...) STATISTIC_ROW(struct nmoesi_directory_statistics, __VA_ARGS__)
const struct statistic nmoesi_directory_statistics[] = {
    NMOESI_DIRECTORY_STATISTICS(STATISTICS_ROW)};

static struct nmoesi_directory_statistics *statistics_of(const struct step *step)
{
    return controller_statistics(step->controller);
}

static void give_shared(struct step *step)
{
    bool has_owner = step->line->owner != NO_INDEX;

    directory_give(step, has_owner ? NMOESI_DATA_SO : MOESI_DATA_S, UINT64_MAX,
                   has_owner ? step->mshr->data : step->line->data);
    node_set_add(&step->line->sharers, step->message->source);
}

static void give_n(struct step *step)
{
    directory_give(step, NMOESI_DATA_N, UINT64_MAX, step->line->data);
    node_set_add(&step->line->sharers, step->message->source);
    statistics_of(step)->n_grants++;
}

static void give_modified(struct step *step)
{
    struct line *line = step->line;

    directory_give(step, MOESI_DATA_M, UINT64_MAX, line->data);
    line->sharers = (struct node_set){0};
    line->owner = step->message->source;
}

static void ask_to_clean(struct step *step)
{
    statistics_of(step)->probes_clean++;
    directory_ask_owner(step, NMOESI_PROBE_CLEAN);
}

static void make_sharer(struct step *step)
{
    step->line->owner = NO_INDEX;
    node_set_add(&step->line->sharers, step->message->source);
}

static void merge_bytes(struct step *step)
{
    verb_store_line_dirty.perform(step);
    if (step->message->kind == NMOESI_PUT_N)
        directory_forget(step->line, step->message->source);
    statistics_of(step)->n_writes++;
}

static void pass_bytes(struct step *step)
{
    directory_write_to_memory.perform(step);
    statistics_of(step)->n_writes_past++;
}

#define GRANT .up = 1, .up_channel = CHANNEL_RESPONSE, .uses_line = true
static const struct protocol_action grant_s = {.name = "grant_s", .perform = give_shared, GRANT},
                                    grant_n = {.name = "grant_n", .perform = give_n, GRANT},
                                    grant_m = {.name = "grant_m", .perform = give_modified, GRANT},
                                    probe_clean = {.name = "probe_clean",
                                                   .perform = ask_to_clean,
                                                   .up_channel = CHANNEL_PROBE},
                                    disown = {.name = "owner_shares", .perform = make_sharer},
                                    merge = {.name = "merge_bytes", .perform = merge_bytes},
                                    pass_on = {.name = "write_to_memory",
                                               .perform = pass_bytes,
                                               .down = 1,
                                               .down_channel = CHANNEL_WRITE_BACK};

/* ---- The table ---- */

#define MERGE &merge, &verb_acknowledge
#define CLEAN HOLD, &verb_merge, &probe_clean

static const struct protocol_row directory_rows[] = {
    DIRECTORY_ROWS(&grant_s, &grant_m),

    {DIR_I, DISOWN_LATE, DIR_I, {NULL}},
    {DIR_I, BYTES_PAST, DIR_I, {&pass_on, &verb_acknowledge}},

    {DIR_V, READ_N, DIR_S, {&grant_n}},
    {DIR_V, ANSWER_N, DIR_S, {&grant_n}},
    {DIR_V, DISOWN_LATE, DIR_V, {NULL}},
    {DIR_V, BYTES_LAST, DIR_V, {MERGE}},
    {DIR_V, ANSWER_BYTES_LAST, DIR_V, {MERGE}},

    {DIR_S, READ_N, DIR_S, {&grant_n}},
    {DIR_S, ANSWER_N, DIR_S, {&grant_n}},
    {DIR_S, DISOWN_LATE, DIR_S, {NULL}},
    {DIR_S, BYTES, DIR_S, {MERGE}},
    {DIR_S, BYTES_LAST, DIR_V, {MERGE}},
    {DIR_S, ANSWER_BYTES, DIR_S, {MERGE}},

    {DIR_X, DIR_WAIT, DIR_X, {&verb_stall_resource}}, /* behind a DISOWN that waits for an entry */
    {DIR_X, READ_CLEAN, DIR_B, {CLEAN}},
    {DIR_X, DISOWN, DIR_S, {&disown}},
    {DIR_X, DISOWN_LATE, DIR_X, {NULL}},
    {DIR_X, BYTES_OWNED, DIR_B, {CLEAN}},

    /* An owner of whom an acquire has cut clean bytes, or whose DISOWN is on its way. */
    {DIR_T, DIR_OWNED, DIR_O, {&directory_pass, ANSWER}},
    {DIR_T, DIR_DROPPED_LAST, DIR_V, {&directory_take, ANSWER}},

    {DIR_O, READ_CLEAN, DIR_B, {CLEAN}},
    {DIR_O, DISOWN_LATE, DIR_O, {NULL}},
    {DIR_O, BYTES_OWNED, DIR_B, {CLEAN}},
};

/* ---- Events ---- */

/* Whether copies above remain when the message's bytes have been merged. */
static bool is_last(const struct step *step)
{
    struct node_set rest = step->message->kind == NMOESI_PUT_N
                               ? directory_holders_but(step->line, step->message->source)
                               : directory_holders(step->line);

    return node_set_is_empty(&rest);
}

static uint8_t classify_fetch(const struct step *step, uint8_t free, uint8_t owned)
{
    const struct message *message = step->message;

    if (step->mshr != NULL || step->line == NULL)
        return directory_classify_request(step);
    if (message->kind == NMOESI_GETN && directory_is_held_by(step->line, message->source))
        return DIR_OVERTOOK;
    return step->line->owner != NO_INDEX ? owned : free;
}

/* A copy that has left E is known by its DISOWN, which came before this request. The DISOWN may
 * itself wait for an entry: so does this request, or it stalls. */
static bool is_behind_disown(const struct step *step)
{
    uint8_t kind = step->message->kind;

    return step->mshr == NULL && step->line != NULL && step->line->state == DIR_X &&
           step->line->owner == step->message->source &&
           (kind == MOESI_UPGRADE || kind == NMOESI_REFETCH || kind == NMOESI_UPGRADE_N ||
            kind == NMOESI_PUT_N || kind == NMOESI_WRITE_N);
}

static uint8_t classify_bytes(const struct step *step)
{
    if (step->mshr != NULL)
        return DIR_WAIT;
    if (step->line == NULL)
        return BYTES_PAST;
    if (step->line->owner != NO_INDEX)
        return BYTES_OWNED;
    return is_last(step) ? BYTES_LAST : BYTES;
}

static uint8_t classify_disown(const struct step *step)
{
    if (step->mshr != NULL)
        return DIR_WAIT;
    return step->line != NULL && step->line->owner == step->message->source ? DISOWN : DISOWN_LATE;
}

static uint8_t classify_target(const struct step *step)
{
    switch (step->message->kind) {
    case NMOESI_GETN:
    case NMOESI_UPGRADE_N:
        return ANSWER_N;
    case NMOESI_PUT_N:
    case NMOESI_WRITE_N:
        return is_last(step) ? ANSWER_BYTES_LAST : ANSWER_BYTES;
    default:
        return moesi_classify_directory(step, STIMULUS_ANSWER);
    }
}

static uint8_t classify_directory(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_ANSWER)
        return classify_target(step);
    if (stimulus != STIMULUS_MESSAGE)
        return moesi_classify_directory(step, stimulus);
    if (is_behind_disown(step))
        return DIR_WAIT;
    switch (step->message->kind) {
    case NMOESI_REFETCH:
        return classify_fetch(step, DIR_READ_S, READ_CLEAN);
    case NMOESI_GETN:
    case NMOESI_UPGRADE_N:
        return classify_fetch(step, READ_N, READ_CLEAN);
    case NMOESI_DISOWN:
        return classify_disown(step);
    case NMOESI_PUT_N:
    case NMOESI_WRITE_N:
        return classify_bytes(step);
    default:
        return moesi_classify_directory(step, stimulus);
    }
}

const struct protocol_role nmoesi_directory = {
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
    .statistics = {nmoesi_directory_statistics, NMOESI_DIRECTORY_STATISTIC_COUNT,
                   sizeof(struct nmoesi_directory_statistics)},
    .mshr_data = {sizeof(struct moesi_transaction), directory_transaction_fields},
};
