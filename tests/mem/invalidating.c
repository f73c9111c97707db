/* SPDX-License-Identifier: MIT */
#include "invalidating.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define EVENT(event) (UINT64_C(1) << (event))

/* A miss: the request looks again when the line is here, or when it was refused. */
#define FETCH &verb_allocate_mshr, &verb_reserve_way, &verb_stall_line, &verb_fetch_line

static bool can_fetch(const struct step *step)
{
    return controller_has_mshr(step->controller) && controller_can_wait(step->controller) &&
           (step->line != NULL || controller_has_way(step->controller, step->addr));
}

/* ---- Upper caches ---- */

enum { UPPER_INVALID = STATE_INVALID, UPPER_VALID, UPPER_FILLING };

static const struct protocol_state upper_states[] = {
    [UPPER_INVALID] = {"I", "not here", 0},
    [UPPER_VALID] = {"V", "valid", STATE_READABLE},
    [UPPER_FILLING] = {"F", "on its way", STATE_TRANSIENT},
};

enum {
    UPPER_HIT,
    UPPER_MISS,
    UPPER_STORE,
    UPPER_WAIT,
    UPPER_FILL,
    UPPER_PAST,
    UPPER_REFUSED,
    UPPER_PROBE,
    UPPER_PROBE_EARLY,
    UPPER_RECALL,
    UPPER_ANSWER,
    UPPER_INVALIDATE,
    UPPER_FLUSH,
    UPPER_FLUSH_EARLY,
    UPPER_HOST,
    UPPER_WALK,
    UPPER_REPLACE,
    UPPER_EVENTS
};

static const struct protocol_event upper_events[] = {
    [UPPER_HIT] = {"HIT", "load of a line that is here"},
    [UPPER_MISS] = {"MISS", "load of one that is not"},
    [UPPER_STORE] = {"STORE", "store or atomic"},
    [UPPER_WAIT] = {"WAIT", "the line is on its way"},
    [UPPER_FILL] = {"FILL", "the line"},
    [UPPER_PAST] = {"PAST", "the line, but an invalidation has passed"},
    [UPPER_REFUSED] = {"REFUSED", "L2 had no room for the load"},
    [UPPER_PROBE] = {"PROBE", "another stores to the line"},
    [UPPER_PROBE_EARLY] = {"PROBE_EARLY", "the same, during a walk"},
    [UPPER_RECALL] = {"RECALL", "L2 has given the line up"},
    [UPPER_ANSWER] = {"ANSWER", "answer of a store or atomic"},
    [UPPER_INVALIDATE] = {"INVALIDATE", "acquire"},
    [UPPER_FLUSH] = {"FLUSH", "release, nothing unanswered"},
    [UPPER_FLUSH_EARLY] = {"FLUSH_EARLY", "release, stores unanswered"},
    [UPPER_HOST] = {"HOST", "the host writes"},
    [UPPER_WALK] = {"WALK", "a line's turn"},
    [UPPER_REPLACE] = {"REPLACE", "the way is needed"},
};

struct upper_data {
    uint32_t unanswered; /* stores and atomics */
};

static const struct protocol_field upper_fields[] = {
    {"unanswered", offsetof(struct upper_data, unanswered), sizeof(uint32_t), FIELD_STATE},
    {NULL, 0, 0, FIELD_STATE}};

static struct upper_data *upper_data(const struct step *step)
{
    return controller_data(step->controller);
}

static void add_unanswered(struct step *step)
{
    upper_data(step)->unanswered++;
}
static const struct protocol_action count_store = {.name = "count_store",
                                                   .perform = add_unanswered};

static void remove_unanswered(struct step *step)
{
    upper_data(step)->unanswered--;
}
static const struct protocol_action count_answer = {.name = "count_answer",
                                                    .perform = remove_unanswered};

static void answer_probe(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = INVALIDATING_DROPPED;
    message->source = controller_node(step->controller);
}
static const struct protocol_action tell_dropped = {
    .name = "tell_dropped", .perform = answer_probe, .down = 1, .down_channel = CHANNEL_RESPONSE};

static void say_gone(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = INVALIDATING_GONE;
    message->addr = step->addr;
    message->source = controller_node(step->controller);
}
static const struct protocol_action tell_gone = {
    .name = "tell_gone", .perform = say_gone, .down = 1, .down_channel = CHANNEL_WRITE_BACK};

static const struct protocol_row upper_rows[] = {
    {UPPER_INVALID, UPPER_MISS, UPPER_FILLING, {FETCH}},
    {UPPER_INVALID, UPPER_STORE, UPPER_INVALID, {&count_store, &verb_forward}},
    {UPPER_INVALID, UPPER_PROBE, UPPER_INVALID, {&tell_dropped}},
    {UPPER_INVALID, UPPER_PROBE_EARLY, UPPER_INVALID, {&verb_stall_resource}},
    {UPPER_INVALID, UPPER_RECALL, UPPER_INVALID, {NULL}},
    {UPPER_INVALID, UPPER_ANSWER, UPPER_INVALID, {&count_answer, &verb_pass_up}},
    {UPPER_INVALID, UPPER_INVALIDATE, UPPER_INVALID, {&verb_new_epoch, &verb_start_walk}},
    {UPPER_INVALID, UPPER_FLUSH, UPPER_INVALID, {&verb_acknowledge}},
    {UPPER_INVALID, UPPER_FLUSH_EARLY, UPPER_INVALID, {&verb_recycle}},

    {UPPER_VALID, UPPER_HIT, UPPER_VALID, {&verb_reply}},
    {UPPER_VALID, UPPER_STORE, UPPER_INVALID, {&count_store, &verb_forward}},
    {UPPER_VALID, UPPER_PROBE, UPPER_INVALID, {&tell_dropped}},
    {UPPER_VALID, UPPER_PROBE_EARLY, UPPER_VALID, {&verb_stall_resource}},
    {UPPER_VALID, UPPER_RECALL, UPPER_INVALID, {NULL}},
    {UPPER_VALID, UPPER_ANSWER, UPPER_VALID, {&count_answer, &verb_pass_up}},
    {UPPER_VALID, UPPER_HOST, UPPER_INVALID, {&verb_acknowledge}},
    {UPPER_VALID, UPPER_WALK, UPPER_INVALID, {NULL}},
    {UPPER_VALID, UPPER_REPLACE, UPPER_INVALID, {&tell_gone}},

    /* A probe here is for an older copy: those behind our load wait for us to have the line. */
    {UPPER_FILLING, UPPER_PROBE, UPPER_FILLING, {&tell_dropped}},
    {UPPER_FILLING, UPPER_PROBE_EARLY, UPPER_FILLING, {&verb_stall_resource}},
    {UPPER_FILLING, UPPER_RECALL, UPPER_FILLING, {NULL}},
    {UPPER_FILLING, UPPER_WAIT, UPPER_FILLING, {&verb_stall_line}},
    {UPPER_FILLING, UPPER_FILL, UPPER_VALID, {&verb_fill_line, &verb_release_mshr}},
    {UPPER_FILLING, UPPER_PAST, UPPER_INVALID, {&verb_release_mshr}},
    {UPPER_FILLING, UPPER_REFUSED, UPPER_INVALID, {&verb_release_mshr}},
    {UPPER_FILLING, UPPER_ANSWER, UPPER_FILLING, {&count_answer, &verb_pass_up}},
    {UPPER_FILLING, UPPER_WALK, UPPER_FILLING, {NULL}},
};

static uint8_t classify_upper_request(const struct step *step)
{
    if (step->mshr != NULL)
        return UPPER_WAIT;
    if (step->message->kind != MESSAGE_LOAD)
        return UPPER_STORE;
    if (step->line != NULL)
        return UPPER_HIT;
    return UPPER_MISS;
}

static uint8_t classify_upper(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return stimulus == STIMULUS_WALK ? UPPER_WALK : UPPER_REPLACE;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_upper_request(step);
    case MESSAGE_LOAD_REPLY:
        return step->mshr->epoch == controller_epoch(step->controller) ? UPPER_FILL : UPPER_PAST;
    case INVALIDATING_REFUSED:
        return UPPER_REFUSED;
    case INVALIDATING_PROBE:
        return controller_walk_kind(step->controller) == MESSAGE_NONE ? UPPER_PROBE
                                                                      : UPPER_PROBE_EARLY;
    case INVALIDATING_RECALL:
        return UPPER_RECALL;
    case MESSAGE_INVALIDATE:
        return UPPER_INVALIDATE;
    case MESSAGE_FLUSH:
        if (upper_data(step)->unanswered == 0)
            return UPPER_FLUSH;
        return UPPER_FLUSH_EARLY;
    case MESSAGE_HOST_WRITE:
        return UPPER_HOST;
    default:
        return UPPER_ANSWER;
    }
}

static const struct protocol_role upper = {
    .name = "upper",
    .states = upper_states,
    .state_count = COUNT(upper_states),
    .events = upper_events,
    .event_count = COUNT(upper_events),
    .rows = upper_rows,
    .row_count = COUNT(upper_rows),
    .channel_events = {[CHANNEL_PROBE] =
                           EVENT(UPPER_PROBE) | EVENT(UPPER_PROBE_EARLY) | EVENT(UPPER_RECALL),
                       [CHANNEL_RESPONSE] = EVENT(UPPER_FILL) | EVENT(UPPER_PAST) |
                                            EVENT(UPPER_REFUSED) | EVENT(UPPER_ANSWER)},
    .classify = classify_upper,
    .controller_data = {sizeof(struct upper_data), upper_fields},
};

/* ---- L2 ---- */

enum { L2_INVALID = STATE_INVALID, L2_VALID, L2_FILLING, L2_PROBING };

static const struct protocol_state l2_states[] = {
    [L2_INVALID] = {"I", "not here", 0},
    [L2_VALID] = {"V", "valid, as in memory", STATE_READABLE},
    [L2_FILLING] = {"F", "on its way", STATE_TRANSIENT},
    [L2_PROBING] = {"P", "holders are dropping it", STATE_TRANSIENT},
};

enum {
    L2_LOAD,
    L2_MISS,
    L2_REFUSE,
    L2_STORE,
    L2_ATOMIC,
    L2_SHARED,
    L2_WAIT,
    L2_FILL,
    L2_DROPPED,
    L2_LAST_DROPPED,
    L2_HOST,
    L2_FLUSH,
    L2_GONE,
    L2_REPLACE,
    L2_RECALL,
    L2_EVENTS
};

static const struct protocol_event l2_events[] = {
    [L2_LOAD] = {"LOAD", "load of a line that is here"},
    [L2_MISS] = {"MISS", "load or atomic of one that is not"},
    [L2_REFUSE] = {"REFUSE", "load, and no MSHR, way or slot"},
    [L2_STORE] = {"STORE", "store, no cache above holds the line"},
    [L2_ATOMIC] = {"ATOMIC", "the same, atomic"},
    [L2_SHARED] = {"SHARED", "store or atomic, some do"},
    [L2_WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [L2_FILL] = {"FILL", "the line"},
    [L2_DROPPED] = {"DROPPED", "a holder has dropped it"},
    [L2_LAST_DROPPED] = {"LAST_DROPPED", "the last one has"},
    [L2_HOST] = {"HOST", "the host writes"},
    [L2_FLUSH] = {"FLUSH", "nothing is dirty"},
    [L2_GONE] = {"GONE", "a cache above has replaced it"},
    [L2_REPLACE] = {"REPLACE", "the way is needed"},
    [L2_RECALL] = {"RECALL", "the same, caches above may hold the line"},
};

/* The protocol's own data, which the mechanism must clear. */
struct l2_data {
    uint32_t gone;
};
struct l2_line {
    uint32_t loads; /* since the line came */
};
struct l2_mshr {
    uint32_t waits; /* behind this miss */
};
static const struct protocol_field l2_fields[] = {
    {"gone", offsetof(struct l2_data, gone), sizeof(uint32_t), FIELD_STATE},
    {NULL, 0, 0, FIELD_STATE}};
static const struct protocol_field l2_line_fields[] = {
    {"loads", offsetof(struct l2_line, loads), sizeof(uint32_t), FIELD_STATE},
    {NULL, 0, 0, FIELD_STATE}};
static const struct protocol_field l2_mshr_fields[] = {
    {"waits", offsetof(struct l2_mshr, waits), sizeof(uint32_t), FIELD_STATE},
    {NULL, 0, 0, FIELD_STATE}};

static void add_gone(struct step *step)
{
    ((struct l2_data *)controller_data(step->controller))->gone++;
}
static const struct protocol_action count_gone = {.name = "count_gone", .perform = add_gone};

static void add_load(struct step *step)
{
    ((struct l2_line *)controller_line_data(step->controller, step->line))->loads++;
}
static const struct protocol_action count_load = {.name = "count_load", .perform = add_load};

static void add_wait(struct step *step)
{
    ((struct l2_mshr *)controller_mshr_data(step->controller, step->mshr))->waits++;
}
static const struct protocol_action count_wait = {.name = "count_wait", .perform = add_wait};

static void add_sharer(struct step *step)
{
    node_set_add(&step->line->sharers, step->message->source);
}
static const struct protocol_action note_sharer = {.name = "note_sharer", .perform = add_sharer};

static void probe_all(struct step *step)
{
    struct line *line = step->line;

    step_multicast(step, INVALIDATING_PROBE, &line->sharers);
    line->acks = (uint16_t)node_set_count(&line->sharers);
    memset(&line->sharers, 0, sizeof line->sharers);
}
static const struct protocol_action probe_sharers = {
    .name = "probe_sharers", .perform = probe_all, .up_channel = CHANNEL_PROBE};

static void recall_all(struct step *step)
{
    const struct node_set *sharers = &step->line->sharers;

    for (uint32_t node = node_set_next(sharers, 0); node < NODE_SET_NODES;
         node = node_set_next(sharers, node + 1)) {
        struct message *message = step_output(step, OUTPUT_UP);

        message->kind = INVALIDATING_RECALL;
        message->addr = step->addr;
        message->source = controller_node(step->controller);
        message->destination = (uint16_t)node;
    }
}
static const struct protocol_action recall_sharers = {.name = "recall_sharers",
                                                      .perform = recall_all,
                                                      .up = INVALIDATING_MAX_UPPERS,
                                                      .up_channel = CHANNEL_PROBE};

static void remove_ack(struct step *step)
{
    step->line->acks--;
}
static const struct protocol_action count_dropped = {.name = "count_dropped",
                                                     .perform = remove_ack};

static void refusal(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_UP);

    message->kind = INVALIDATING_REFUSED;
    message->destination = message->source;
    message->source = controller_node(step->controller);
}
static const struct protocol_action tell_refused = {
    .name = "tell_refused", .perform = refusal, .up = 1, .up_channel = CHANNEL_RESPONSE};

static void to_memory(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = MESSAGE_WRITE;
    message->source = controller_node(step->controller);
}
static const struct protocol_action write_message = {
    .name = "write_message", .perform = to_memory, .down = 1, .down_channel = CHANNEL_WRITE_BACK};

static const struct protocol_row l2_rows[] = {
    {L2_INVALID, L2_MISS, L2_FILLING, {FETCH}},
    {L2_INVALID, L2_REFUSE, L2_INVALID, {&verb_refuse, &tell_refused}},
    {L2_INVALID, L2_STORE, L2_INVALID, {&write_message, &verb_acknowledge}},
    {L2_INVALID, L2_FLUSH, L2_INVALID, {&verb_acknowledge}},
    {L2_INVALID, L2_GONE, L2_INVALID, {&count_gone}},

    {L2_VALID, L2_LOAD, L2_VALID, {&note_sharer, &count_load, &verb_reply}},
    {L2_VALID, L2_GONE, L2_VALID, {&count_gone}},
    {L2_VALID, L2_REPLACE, L2_INVALID, {NULL}},
    {L2_VALID, L2_RECALL, L2_INVALID, {&recall_sharers}},
    {L2_VALID, L2_STORE, L2_VALID, {&verb_store_line, &write_message, &verb_acknowledge}},
    {L2_VALID, L2_ATOMIC, L2_VALID, {&verb_atomic_line, &verb_write_back}},
    {L2_VALID,
     L2_SHARED,
     L2_PROBING,
     {&verb_allocate_mshr, &verb_reserve_way, &verb_stall_line, &probe_sharers}},
    {L2_VALID, L2_HOST, L2_VALID, {&verb_store_line, &write_message, &verb_acknowledge}},

    {L2_FILLING, L2_WAIT, L2_FILLING, {&count_wait, &verb_stall_line}},
    {L2_FILLING, L2_GONE, L2_FILLING, {&count_gone}},
    {L2_FILLING, L2_REFUSE, L2_FILLING, {&verb_refuse, &tell_refused}},
    {L2_FILLING, L2_FILL, L2_VALID, {&verb_fill_line, &verb_release_mshr}},

    {L2_PROBING, L2_WAIT, L2_PROBING, {&count_wait, &verb_stall_line}},
    {L2_PROBING, L2_GONE, L2_PROBING, {&count_gone}},
    {L2_PROBING, L2_REFUSE, L2_PROBING, {&verb_refuse, &tell_refused}},
    {L2_PROBING, L2_DROPPED, L2_PROBING, {&count_dropped}},
    {L2_PROBING, L2_LAST_DROPPED, L2_VALID, {&count_dropped, &verb_release_mshr}},
};

/* Loads are refused where others stall. */
static bool is_refused(const struct step *step)
{
    return step->message->kind == MESSAGE_LOAD &&
           (step->mshr != NULL ? !controller_can_wait(step->controller)
                               : step->line == NULL && !can_fetch(step));
}

static uint8_t classify_l2_request(const struct step *step)
{
    uint8_t kind = step->message->kind;

    if (is_refused(step))
        return L2_REFUSE;
    if (step->mshr != NULL)
        return L2_WAIT;
    if (step->line == NULL)
        return kind == MESSAGE_STORE ? L2_STORE : L2_MISS;
    if (kind == MESSAGE_LOAD)
        return L2_LOAD;
    if (!node_set_is_empty(&step->line->sharers))
        return L2_SHARED;
    return kind == MESSAGE_STORE ? L2_STORE : L2_ATOMIC;
}

static uint8_t classify_l2(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return !node_set_is_empty(&step->line->sharers) ? L2_RECALL : L2_REPLACE;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_l2_request(step);
    case MESSAGE_READ_REPLY:
        return L2_FILL;
    case INVALIDATING_DROPPED:
        return step->line->acks > 1 ? L2_DROPPED : L2_LAST_DROPPED;
    case INVALIDATING_GONE:
        return L2_GONE;
    case MESSAGE_HOST_WRITE: /* probes before a store, the host's too */
        if (step->mshr != NULL)
            return L2_WAIT;
        return step->line != NULL && !node_set_is_empty(&step->line->sharers) ? L2_SHARED : L2_HOST;
    case MESSAGE_FLUSH:
        return L2_FLUSH;
    default:
        return L2_EVENTS;
    }
}

static const struct protocol_role l2 = {
    .name = "L2",
    .states = l2_states,
    .state_count = COUNT(l2_states),
    .events = l2_events,
    .event_count = COUNT(l2_events),
    .rows = l2_rows,
    .row_count = COUNT(l2_rows),
    .channel_events = {[CHANNEL_WRITE_BACK] = EVENT(L2_GONE),
                       [CHANNEL_RESPONSE] =
                           EVENT(L2_FILL) | EVENT(L2_DROPPED) | EVENT(L2_LAST_DROPPED)},
    .from_above = EVENT(L2_DROPPED) | EVENT(L2_LAST_DROPPED),
    .classify = classify_l2,
    .line_data = {sizeof(struct l2_line), l2_line_fields},
    .mshr_data = {sizeof(struct l2_mshr), l2_mshr_fields},
    .controller_data = {sizeof(struct l2_data), l2_fields},
};

static const struct message_kind kinds[] = {
    {"DROPPED", CHANNEL_RESPONSE, false, MESSAGE_NONE}, {"REFUSED", CHANNEL_RESPONSE, false, MESSAGE_NONE},
    {"GONE", CHANNEL_WRITE_BACK, false, MESSAGE_NONE},  {"RECALL", CHANNEL_PROBE, false, MESSAGE_NONE},
    {"PROBE", CHANNEL_PROBE, false, MESSAGE_NONE},
};

const struct protocol protocol_invalidating = {
    .name = "invalidating",
    .help = "stores invalidate all copies",
    .roles = {[ROLE_L1] = &upper, [ROLE_SCALAR] = &upper, [ROLE_L2] = &l2},
    .kinds = kinds,
    .kind_count = COUNT(kinds),
};
