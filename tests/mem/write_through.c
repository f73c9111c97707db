/* SPDX-License-Identifier: MIT */
#include "write_through.h"

/*
 * Both levels: I, V, F. Stores go to memory at once and drop the line where they pass. Loads with
 * GLC, and all that meets a fill, wait their turn in order. Atomics are done in L2 on a whole line,
 * which is then written through.
 */

enum { INVALID = STATE_INVALID, VALID, FILLING };

static const struct protocol_state states[] = {
    [INVALID] = {"I", "not here", 0},
    [VALID] = {"V", "valid", STATE_READABLE},
    [FILLING] = {"F", "on its way", STATE_TRANSIENT},
};

enum {
    HIT,
    MISS,
    STORE,
    ATOMIC,
    ATOMIC_MISS,
    WAIT,
    FILL,
    PAST,
    ANSWER,
    INVALIDATE,
    FLUSH,
    HOST,
    PING,
    WALK,
    REPLACE,
    EVENTS
};

static const struct protocol_event events[EVENTS] = {
    [HIT] = {"HIT", "load of a line that is here"},
    [MISS] = {"MISS", "load of one that is not"},
    [STORE] = {"STORE", "store"},
    [ATOMIC] = {"ATOMIC", "read-modify-write"},
    [ATOMIC_MISS] = {"ATOMIC_MISS", "the same, line not here"},
    [WAIT] = {"WAIT", "the line is on its way"},
    [FILL] = {"FILL", "the line"},
    [PAST] = {"PAST", "the line, but an invalidation has passed"},
    [ANSWER] = {"ANSWER", "answer from below"},
    [INVALIDATE] = {"INVALIDATE", "acquire"},
    [FLUSH] = {"FLUSH", "release"},
    [HOST] = {"HOST", "the host writes"},
    [PING] = {"PING", "a question of the tests"},
    [WALK] = {"WALK", "a line's turn"},
    [REPLACE] = {"REPLACE", "the way is needed"},
};

static void to_memory(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = MESSAGE_WRITE;
    message->source = controller_node(step->controller);
}
static const struct protocol_action write_message = {
    .name = "write_message", .perform = to_memory, .down = 1, .down_channel = CHANNEL_WRITE_BACK};

#define COMMON                                                                                     \
    {INVALID,                                                                                      \
     MISS,                                                                                         \
     FILLING,                                                                                      \
     {&verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line}},                     \
        {INVALID, WAIT, INVALID, {&verb_stall_line}},                                              \
                                                                                                   \
        {VALID, HIT, VALID, {&verb_reply}}, {VALID, WAIT, VALID, {&verb_stall_line}},              \
        {VALID, REPLACE, INVALID, {NULL}}, {FILLING, WAIT, FILLING, {&verb_stall_line}},           \
                                                                                                   \
    {                                                                                              \
        FILLING, FILL, VALID,                                                                      \
        {                                                                                          \
            &verb_fill_line, &verb_fill_mshr                                                       \
        }                                                                                          \
    }

static void answer_ping(struct step *step)
{
    step_output(step, OUTPUT_UP)->kind = WRITE_THROUGH_PONG;
}
static const struct protocol_action pong = {
    .name = "pong", .perform = answer_ping, .up = 1, .up_channel = CHANNEL_RESPONSE};

static const struct protocol_row upper_rows[] = {
    COMMON,
    {INVALID, PING, INVALID, {&pong}},
    {VALID, PING, VALID, {&pong}},
    {FILLING, PING, FILLING, {&pong}},
    {VALID, MISS, FILLING, {&verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line}},
    {INVALID, STORE, INVALID, {&verb_forward}},
    {INVALID, ATOMIC, INVALID, {&verb_forward}},
    {INVALID, ANSWER, INVALID, {&verb_pass_up}},
    {INVALID, INVALIDATE, INVALID, {&verb_new_epoch, &verb_start_walk}},
    {INVALID, FLUSH, INVALID, {&verb_acknowledge}},
    {VALID, STORE, INVALID, {&verb_forward}},
    {VALID, ATOMIC, INVALID, {&verb_forward}},
    {VALID, ANSWER, VALID, {&verb_pass_up}},
    {VALID, HOST, INVALID, {&verb_acknowledge}},
    {VALID, WALK, INVALID, {NULL}},
    {FILLING, ANSWER, FILLING, {&verb_pass_up}},
    {FILLING, PAST, INVALID, {&verb_fill_mshr}},
    {FILLING, WALK, FILLING, {NULL}},
};

static void atomic_through(struct step *step)
{
    verb_atomic_line.perform(step);
    verb_write_back.perform(step);
}
static const struct protocol_action atomic_and_write = {.name = "atomic_and_write",
                                                        .perform = atomic_through,
                                                        .up = 1,
                                                        .down = 1,
                                                        .uses_line = true,
                                                        .up_channel = CHANNEL_RESPONSE,
                                                        .down_channel = CHANNEL_WRITE_BACK};

static const struct protocol_row slice_rows[] = {
    COMMON,
    {INVALID, STORE, INVALID, {&write_message, &verb_acknowledge}},
    {VALID, STORE, VALID, {&verb_store_line, &write_message, &verb_acknowledge}},
    {INVALID,
     ATOMIC_MISS,
     FILLING,
     {&verb_allocate_mshr, &verb_reserve_way, &verb_stall_line, &verb_fetch_line}},
    {VALID, ATOMIC, VALID, {&atomic_and_write}},
    {INVALID, FLUSH, INVALID, {&verb_acknowledge}},
};

static uint8_t classify(const struct step *step, bool is_upper)
{
    const struct message *message = step->message;

    switch (message->kind) {
    case MESSAGE_LOAD:
        if (step->mshr != NULL)
            return WAIT;
        if (step->line != NULL && !(is_upper && (message->glc || message->slc)))
            return HIT;
        return MISS;
    case MESSAGE_STORE:
        return step->mshr != NULL ? WAIT : STORE;
    case MESSAGE_ATOMIC:
        if (step->mshr != NULL)
            return WAIT;
        if (is_upper || step->line != NULL)
            return ATOMIC;
        return ATOMIC_MISS;
    case MESSAGE_LOAD_REPLY:
    case MESSAGE_READ_REPLY:
        return step->mshr->epoch == controller_epoch(step->controller) ? FILL : PAST;
    case MESSAGE_INVALIDATE:
        return INVALIDATE;
    case MESSAGE_FLUSH:
        return FLUSH;
    case MESSAGE_HOST_WRITE:
        return is_upper ? HOST : STORE;
    case WRITE_THROUGH_PING:
        return PING;
    default:
        return ANSWER;
    }
}

static uint8_t classify_upper(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return stimulus == STIMULUS_WALK ? WALK : REPLACE;
    return classify(step, true);
}

static uint8_t classify_slice(const struct step *step, enum protocol_stimulus stimulus)
{
    return stimulus == STIMULUS_REPLACE ? (uint8_t)REPLACE : classify(step, false);
}

#define ROLE(label, table, function)                                                               \
    {                                                                                              \
        .name = label, .states = states, .state_count = 3, .events = events,                       \
        .event_count = EVENTS, .rows = table, .row_count = sizeof(table) / sizeof((table)[0]),     \
        .channel_events = {[CHANNEL_RESPONSE] = 1 << FILL | 1 << PAST | 1 << ANSWER},              \
        .classify = function                                                                       \
    }

static const struct protocol_role upper = ROLE("upper", upper_rows, classify_upper);
static const struct protocol_role slice = ROLE("slice", slice_rows, classify_slice);

static const struct message_kind kinds[] = {
    {"PONG", CHANNEL_RESPONSE, true, MESSAGE_NONE},
    {"PING", CHANNEL_REQUEST, false, MESSAGE_NONE},
};

const struct protocol protocol_write_through = {
    .name = "write_through",
    .help = "nothing is ever dirty",
    .roles = {[ROLE_L1] = &upper, [ROLE_SCALAR] = &upper, [ROLE_L2] = &slice},
    .kinds = kinds,
    .kind_count = sizeof kinds / sizeof kinds[0],
};
