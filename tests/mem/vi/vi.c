/* SPDX-License-Identifier: MIT */
/*
 * VI: write-through at both levels, so that nothing is ever dirty. A test of how little a protocol
 * needs. Loads of a line on its way join it, or wait their turn where they may not. A store drops
 * the line in L1, updates it in L2, and goes on to memory. Atomics are done in L2.
 */
#include "mem/protocol.h"

enum { INVALID = STATE_INVALID, VALID, FILLING };

static const struct protocol_state states[] = {
    [INVALID] = {"I", "not here", 0},
    [VALID] = {"V", "the whole line", STATE_READABLE},
    [FILLING] = {"F", "on its way", STATE_TRANSIENT},
};

enum {
    HIT, MISS, JOIN, WAIT, STORE, ATOMIC, ATOMIC_MISS, FILL, PAST, ANSWER, INVALIDATE, FLUSH, HOST,
    WALK, REPLACE, EVENTS
};

static const struct protocol_event events[EVENTS] = {
    [HIT] = {"HIT", "load of a line that is here"},
    [MISS] = {"MISS", "load of one that is not, or past L1"},
    [JOIN] = {"JOIN", "load of one on its way"},
    [WAIT] = {"WAIT", "what must come after the line, or its answers"},
    [STORE] = {"STORE", "store; in L1 also an atomic"},
    [ATOMIC] = {"ATOMIC", "read-modify-write in L2"},
    [ATOMIC_MISS] = {"ATOMIC_MISS", "the same, line not here"},
    [FILL] = {"FILL", "the line"},
    [PAST] = {"PAST", "the line, but an invalidation has passed"},
    [ANSWER] = {"ANSWER", "answer of a store or atomic from below"},
    [INVALIDATE] = {"INVALIDATE", "acquire"},
    [FLUSH] = {"FLUSH", "release: nothing is dirty"},
    [HOST] = {"HOST", "the host writes"},
    [WALK] = {"WALK", "a line's turn in an acquire"},
    [REPLACE] = {"REPLACE", "the way is needed"},
};

static void write_through(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = MESSAGE_WRITE;
    message->source = controller_node(step->controller);
}
static const struct protocol_action write_to_memory = {.name = "write_to_memory",
                                                       .perform = write_through,
                                                       .down = 1,
                                                       .down_channel = CHANNEL_WRITE_BACK};

#define FETCH &verb_allocate_mshr, &verb_reserve_way
#define BOTH_LEVELS                                                                                \
    {INVALID, MISS, FILLING, {FETCH, &verb_merge, &verb_fetch_line}},                              \
        {VALID, HIT, VALID, {&verb_reply}}, {FILLING, JOIN, FILLING, {&verb_merge}},               \
        {INVALID, WAIT, INVALID, {&verb_stall_line}}, {VALID, WAIT, VALID, {&verb_stall_line}},    \
        {FILLING, WAIT, FILLING, {&verb_stall_line}}, {VALID, REPLACE, INVALID, {NULL}},           \
        {INVALID, FLUSH, INVALID, {&verb_acknowledge}},                                            \
        {FILLING, FILL, VALID, {&verb_fill_line, &verb_fill_mshr}}

static const struct protocol_row l1_rows[] = {
    BOTH_LEVELS,
    {VALID, MISS, FILLING, {FETCH, &verb_merge, &verb_fetch_line}},
    {INVALID, STORE, INVALID, {&verb_forward}},
    {VALID, STORE, INVALID, {&verb_forward}},
    {INVALID, ANSWER, INVALID, {&verb_pass_up}},
    {VALID, ANSWER, VALID, {&verb_pass_up}},
    {FILLING, ANSWER, FILLING, {&verb_pass_up}},
    {FILLING, PAST, INVALID, {&verb_fill_mshr}},
    {INVALID, INVALIDATE, INVALID, {&verb_new_epoch, &verb_start_walk}},
    {VALID, WALK, INVALID, {NULL}},
    {FILLING, WALK, FILLING, {NULL}},
    {VALID, HOST, INVALID, {&verb_acknowledge}},
};

/* The atomic leaves its bytes dirty; they go to memory with it. */
static const struct protocol_row l2_rows[] = {
    BOTH_LEVELS,
    {INVALID, STORE, INVALID, {&write_to_memory, &verb_acknowledge}},
    {VALID, STORE, VALID, {&verb_store_line, &write_to_memory, &verb_acknowledge}},
    {INVALID, ATOMIC_MISS, FILLING, {FETCH, &verb_stall_line, &verb_fetch_line}},
    {VALID, ATOMIC, VALID, {&verb_atomic_line, &verb_write_back}},
};

static uint8_t classify_load(const struct step *step, bool is_l1)
{
    bool past_l1 = is_l1 && (step->message->glc || step->message->slc);
    const struct mshr *mshr = step->mshr;

    if (mshr == NULL)
        return step->line != NULL && !past_l1 ? HIT : MISS;
    if (past_l1 || mshr_has_stalled(mshr) || mshr->filled ||
        mshr->epoch != controller_epoch(step->controller))
        return WAIT;
    return JOIN;
}

static uint8_t classify_message(const struct step *step, bool is_l1)
{
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_load(step, is_l1);
    case MESSAGE_ATOMIC:
        if (!is_l1 && step->mshr == NULL)
            return step->line != NULL ? ATOMIC : ATOMIC_MISS;
        return step->mshr != NULL ? WAIT : STORE;
    case MESSAGE_STORE:
        return step->mshr != NULL ? WAIT : STORE;
    case MESSAGE_LOAD_REPLY:
    case MESSAGE_READ_REPLY:
        return step->mshr->epoch == controller_epoch(step->controller) ? FILL : PAST;
    case MESSAGE_INVALIDATE:
        return INVALIDATE;
    case MESSAGE_FLUSH:
        return FLUSH;
    case MESSAGE_HOST_WRITE:
        return is_l1 ? HOST : STORE;
    default:
        return ANSWER;
    }
}

static uint8_t classify(const struct step *step, enum protocol_stimulus stimulus, bool is_l1)
{
    if (stimulus == STIMULUS_MESSAGE)
        return classify_message(step, is_l1);
    return stimulus == STIMULUS_WALK ? WALK : REPLACE;
}

static uint8_t classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    return classify(step, stimulus, true);
}

static uint8_t classify_l2(const struct step *step, enum protocol_stimulus stimulus)
{
    return classify(step, stimulus, false);
}

#define ROLE(level)                                                                                \
    {                                                                                              \
        .name = #level, .states = states, .state_count = 3, .events = events,                      \
        .event_count = EVENTS, .rows = level##_rows,                                               \
        .row_count = sizeof level##_rows / sizeof level##_rows[0],                                 \
        .channel_events = {[CHANNEL_RESPONSE] = 1 << FILL | 1 << PAST | 1 << ANSWER},              \
        .classify = classify_##level                                                               \
    }
static const struct protocol_role l1 = ROLE(l1), l2 = ROLE(l2);

extern const struct protocol protocol_vi;
const struct protocol protocol_vi = {
    .name = "vi",
    .help = "write-through at both levels, nothing is ever dirty",
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &l1, [ROLE_L2] = &l2},
};
