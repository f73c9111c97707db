/* SPDX-License-Identifier: MIT */
/*
 * SI: what the Southern Islands GPUs do. Source: F. Candel, Caracterizacion del sistema de memoria
 * de una GPGPU (2014), 5.2.1 and 6.3.3 (which wins over 4.1.4).
 *
 * L1: write-through.
 * - A load hits where the valid bytes cover it and GLC and SLC are 0. A miss takes a way and an
 *   MSHR at once, holds both, and fetches the whole line. Loads of a line on its way join it. A
 *   load with GLC never does: it waits, in order, and goes to L2 itself, and its reply is put into
 *   the line.
 * - A store goes on to L2 at once, with its byte mask. It needs a free MSHR to enter (6.3.3) but
 *   holds none. A store of part of a line, or one with GLC, drops the line; one of a whole line
 *   leaves (or makes) a valid line. A store under a fill overtakes it. The fill answers those that
 *   waited and is not cached, and later loads of the line wait for its end.
 * - Atomics are done in L2; the L1 drops its copy.
 * - INVALIDATE drops everything and begins an epoch; fills of older epochs are not cached.
 *
 * Scalar and instruction caches: the same table without stores and atomics.
 *
 * L2: write-back, dirty bytes by mask.
 * - A store that misses takes a way and fetches nothing (with store_fetches it fetches the line, as
 *   the simulator of that thesis went to memory). A load of bytes that a line lacks fetches
 *   the line and merges it under the dirty bytes. A store under a fill takes effect at once: what
 *   has joined the fill is answered from the MSHR, as memory was before.
 * - An eviction writes the dirty bytes back; nothing waits for that.
 *
 * SLC (5.2.1: "forces the access to main memory"): a load writes the line's dirty bytes back and
 * reads the line from memory again. A store goes through to memory as well. On atomics it has no
 * effect. GLC has no effect in L2.
 *
 * Decisions where the sources are silent: a partial store that misses in L1 evicts nothing. Where
 * every way of the set is held, a store of a whole line passes without a copy.
 */
#include "mem/msg.h"
#include "mem/protocol.h"
#include "mem/protocol/si/parameters.h"

static bool mask_covers(uint64_t have, uint64_t want)
{
    return (want & ~have) == 0;
}

static bool step_breaks(const struct step *step, enum debug_break which)
{
    return (controller_breaks(step->controller) >> which & 1) != 0;
}

/* A miss: the line is fetched into a way held for it; the request is answered with it, or looks
 * again after it. */
#define FETCH &verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line
#define FETCH_FIRST &verb_allocate_mshr, &verb_reserve_way, &verb_stall_line, &verb_fetch_line

/* ---- L1 and scalar caches ---- */

enum { L1_INVALID = STATE_INVALID, L1_VALID, L1_FILLING };

static const struct protocol_state l1_states[] = {
    [L1_INVALID] = {"I", "not here", 0},
    [L1_VALID] = {"V", "valid", STATE_READABLE},
    [L1_FILLING] = {"F", "way held, line on its way", STATE_TRANSIENT},
};

enum {
    L1_LOAD_HIT,
    L1_LOAD_MISS,
    L1_LOAD_MERGE,
    L1_STORE_WHOLE,
    L1_STORE_PART,
    L1_ATOMIC,
    L1_WAIT,
    L1_FILL,
    L1_FILL_OVERTAKEN,
    L1_ANSWER,
    L1_INVALIDATE,
    L1_FLUSH,
    L1_HOST_WRITE,
    L1_WALK,
    L1_REPLACE,
    L1_EVENTS
};

static const struct protocol_event l1_events[] = {
    [L1_LOAD_HIT] = {"LOAD_HIT", "load of valid bytes, GLC = SLC = 0"},
    [L1_LOAD_MISS] = {"LOAD_MISS", "any other load, nothing on its way"},
    [L1_LOAD_MERGE] = {"LOAD_MERGE", "load of a line on its way"},
    [L1_STORE_WHOLE] = {"STORE_WHOLE", "store of all bytes, GLC = 0"},
    [L1_STORE_PART] = {"STORE_PART", "any other store"},
    [L1_ATOMIC] = {"ATOMIC", "read-modify-write"},
    [L1_WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [L1_FILL] = {"FILL", "line from L2"},
    [L1_FILL_OVERTAKEN] = {"FILL_OVERTAKEN", "the same, but a store or invalidation has passed"},
    [L1_ANSWER] = {"ANSWER", "answer of a store or atomic from L2"},
    [L1_INVALIDATE] = {"INVALIDATE", "buffer_wbinvl1, or a kernel's start"},
    [L1_FLUSH] = {"FLUSH", "release: nothing is dirty here"},
    [L1_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [L1_WALK] = {"WALK", "a line's turn in an invalidation"},
    [L1_REPLACE] = {"REPLACE", "the way is needed"},
};

#define EVENT(event) (UINT64_C(1) << (event))
#define l1_responses (EVENT(L1_FILL) | EVENT(L1_FILL_OVERTAKEN) | EVENT(L1_ANSWER))

/* A store under a way-held fill must not keep the way's old bytes readable, but the way stays held.
 */
static void drop_stale(struct step *step)
{
    if (!step_breaks(step, DEBUG_BREAK_KEEP_LINE_AT_STORE))
        verb_drop_line.perform(step);
}
static const struct protocol_action drop_stale_line = {.name = "drop_line", .perform = drop_stale};

static const struct protocol_row l1_rows[] = {
    {L1_INVALID, L1_LOAD_MISS, L1_FILLING, {FETCH}},
    {L1_INVALID,
     L1_STORE_WHOLE,
     L1_VALID,
     {&verb_admit, &verb_reserve_way, &verb_store_line, &verb_forward}},
    {L1_INVALID, L1_STORE_PART, L1_INVALID, {&verb_admit, &verb_forward}},
    {L1_INVALID, L1_ATOMIC, L1_INVALID, {&verb_admit, &verb_forward}},
    {L1_INVALID, L1_WAIT, L1_INVALID, {&verb_stall_line}},
    {L1_INVALID, L1_ANSWER, L1_INVALID, {&verb_pass_up}},
    {L1_INVALID, L1_INVALIDATE, L1_INVALID, {&verb_new_epoch, &verb_start_walk}},
    {L1_INVALID, L1_FLUSH, L1_INVALID, {&verb_acknowledge}},

    {L1_VALID, L1_LOAD_HIT, L1_VALID, {&verb_reply}},
    {L1_VALID, L1_LOAD_MISS, L1_FILLING, {FETCH}},
    {L1_VALID, L1_STORE_WHOLE, L1_VALID, {&verb_admit, &verb_store_line, &verb_forward}},
    {L1_VALID, L1_STORE_PART, STATE_SAME, {&verb_admit, &drop_stale_line, &verb_forward}},
    {L1_VALID, L1_ATOMIC, L1_INVALID, {&verb_admit, &verb_forward}},
    {L1_VALID, L1_WAIT, L1_VALID, {&verb_stall_line}},
    {L1_VALID, L1_ANSWER, L1_VALID, {&verb_pass_up}},
    {L1_VALID, L1_HOST_WRITE, L1_INVALID, {&verb_acknowledge}},
    {L1_VALID, L1_WALK, L1_INVALID, {NULL}},
    {L1_VALID, L1_REPLACE, L1_INVALID, {NULL}},

    {L1_FILLING, L1_LOAD_MERGE, L1_FILLING, {&verb_merge}},
    {L1_FILLING, L1_STORE_WHOLE, L1_FILLING, {&verb_admit, &verb_overtake, &verb_forward}},
    {L1_FILLING, L1_STORE_PART, L1_FILLING, {&verb_admit, &verb_overtake, &verb_forward}},
    {L1_FILLING, L1_ATOMIC, L1_FILLING, {&verb_admit, &verb_overtake, &verb_forward}},
    {L1_FILLING, L1_WAIT, L1_FILLING, {&verb_stall_line}},
    {L1_FILLING, L1_FILL, L1_VALID, {&verb_fill_line, &verb_fill_mshr}},
    {L1_FILLING, L1_FILL_OVERTAKEN, L1_INVALID, {&verb_fill_mshr}},
    {L1_FILLING, L1_ANSWER, L1_FILLING, {&verb_pass_up}},
    {L1_FILLING, L1_WALK, L1_FILLING, {NULL}},
};

static uint8_t classify_l1_load(const struct step *step)
{
    const struct message *message = step->message;
    const struct mshr *mshr = step->mshr;
    bool past_l1 = (message->glc || message->slc) && !step_breaks(step, DEBUG_BREAK_IGNORE_GLC);
    bool hits = step->line != NULL && step->line->state == L1_VALID && !past_l1 &&
                mask_covers(step->line->valid, message->mask);

    if (mshr != NULL && mshr_has_stalled(mshr))
        return L1_WAIT;
    if (hits)
        return L1_LOAD_HIT;
    if (mshr != NULL) {
        if (past_l1 || mshr->filled || mshr->overtaken ||
            mshr->epoch != controller_epoch(step->controller))
            return L1_WAIT;
        return L1_LOAD_MERGE;
    }
    return L1_LOAD_MISS;
}

static uint8_t classify_l1_store(const struct step *step)
{
    const struct message *message = step->message;

    if (step->mshr != NULL && mshr_has_stalled(step->mshr))
        return L1_WAIT;
    if (message->mask != UINT64_MAX || message->glc || message->slc)
        return L1_STORE_PART;
    if (step->line == NULL &&
        (step->mshr != NULL || !controller_has_way(step->controller, step->addr)))
        return L1_STORE_PART; /* no copy, but it goes on */
    return L1_STORE_WHOLE;
}

static uint8_t classify_l1_atomic(const struct step *step)
{
    if (step->mshr != NULL && mshr_has_stalled(step->mshr))
        return L1_WAIT;
    return L1_ATOMIC;
}

static uint8_t classify_l1_fill(const struct step *step)
{
    bool is_old = step->mshr->epoch != controller_epoch(step->controller) &&
                  !step_breaks(step, DEBUG_BREAK_CACHE_OVERTAKEN_FILL);

    return step->mshr->overtaken || is_old ? L1_FILL_OVERTAKEN : L1_FILL;
}

static uint8_t classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return L1_REPLACE;
    if (stimulus == STIMULUS_WALK)
        return L1_WALK;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_l1_load(step);
    case MESSAGE_STORE:
        return classify_l1_store(step);
    case MESSAGE_ATOMIC:
        return classify_l1_atomic(step);
    case MESSAGE_LOAD_REPLY:
        return classify_l1_fill(step);
    case MESSAGE_STORE_REPLY:
    case MESSAGE_ATOMIC_REPLY:
        return L1_ANSWER;
    case MESSAGE_INVALIDATE:
        return L1_INVALIDATE;
    case MESSAGE_FLUSH:
        return L1_FLUSH;
    case MESSAGE_HOST_WRITE:
        return L1_HOST_WRITE;
    default:
        return L1_EVENTS; /* stopped by the mechanism */
    }
}

static const struct protocol_row scalar_rows[] = {
    {L1_INVALID, L1_LOAD_MISS, L1_FILLING, {FETCH}},
    {L1_INVALID, L1_WAIT, L1_INVALID, {&verb_stall_line}},
    {L1_INVALID, L1_INVALIDATE, L1_INVALID, {&verb_new_epoch, &verb_start_walk}},
    {L1_INVALID, L1_FLUSH, L1_INVALID, {&verb_acknowledge}},

    {L1_VALID, L1_LOAD_HIT, L1_VALID, {&verb_reply}},
    {L1_VALID, L1_LOAD_MISS, L1_FILLING, {FETCH}},
    {L1_VALID, L1_WAIT, L1_VALID, {&verb_stall_line}},
    {L1_VALID, L1_HOST_WRITE, L1_INVALID, {&verb_acknowledge}},
    {L1_VALID, L1_WALK, L1_INVALID, {NULL}},
    {L1_VALID, L1_REPLACE, L1_INVALID, {NULL}},

    {L1_FILLING, L1_LOAD_MERGE, L1_FILLING, {&verb_merge}},
    {L1_FILLING, L1_WAIT, L1_FILLING, {&verb_stall_line}},
    {L1_FILLING, L1_FILL, L1_VALID, {&verb_fill_line, &verb_fill_mshr}},
    {L1_FILLING, L1_FILL_OVERTAKEN, L1_INVALID, {&verb_fill_mshr}},
    {L1_FILLING, L1_WALK, L1_FILLING, {NULL}},
};

/* ---- L2 ---- */

enum { L2_INVALID = STATE_INVALID, L2_VALID, L2_DIRTY, L2_FILLING };

static const struct protocol_state l2_states[] = {
    [L2_INVALID] = {"I", "not here", 0},
    [L2_VALID] = {"V", "valid bytes, none dirty", STATE_READABLE},
    [L2_DIRTY] = {"D", "some bytes dirty", STATE_READABLE | STATE_DIRTY},
    [L2_FILLING] = {"F", "way held, line on its way; bytes may be dirty",
                    STATE_TRANSIENT | STATE_READABLE | STATE_DIRTY},
};

enum {
    L2_LOAD_HIT,
    L2_LOAD_MISS,
    L2_LOAD_SLC,
    L2_LOAD_MERGE,
    L2_STORE,
    L2_STORE_FETCH,
    L2_STORE_THROUGH,
    L2_ATOMIC,
    L2_ATOMIC_MISS,
    L2_WAIT,
    L2_FILL_CLEAN,
    L2_FILL_DIRTY,
    L2_HOST_READ,
    L2_FLUSH,
    L2_WALK,
    L2_REPLACE,
    L2_EVENTS
};

static const struct protocol_event l2_events[] = {
    [L2_LOAD_HIT] = {"LOAD_HIT", "load of valid bytes, SLC = 0"},
    [L2_LOAD_MISS] = {"LOAD_MISS", "load of a byte that is not here, nothing on its way"},
    [L2_LOAD_SLC] = {"LOAD_SLC", "load from memory of a line that is here"},
    [L2_LOAD_MERGE] = {"LOAD_MERGE", "load of a line on its way"},
    [L2_STORE] = {"STORE", "store"},
    [L2_STORE_FETCH] = {"STORE_FETCH", "store of a line that is not here, with store_fetches"},
    [L2_STORE_THROUGH] = {"STORE_THROUGH", "store with SLC, or the host's"},
    [L2_ATOMIC] = {"ATOMIC", "read-modify-write of valid bytes"},
    [L2_ATOMIC_MISS] = {"ATOMIC_MISS", "the same, bytes missing, nothing on its way"},
    [L2_WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [L2_FILL_CLEAN] = {"FILL_CLEAN", "line from memory, no byte dirty"},
    [L2_FILL_DIRTY] = {"FILL_DIRTY", "the same, some bytes dirty: they stay"},
    [L2_HOST_READ] = {"HOST_READ", "the host reads dirty bytes"},
    [L2_FLUSH] = {"FLUSH", "dirty bytes go to memory"},
    [L2_WALK] = {"WALK", "a line's turn in a flush"},
    [L2_REPLACE] = {"REPLACE", "the way is needed"},
};

#define l2_responses (EVENT(L2_FILL_CLEAN) | EVENT(L2_FILL_DIRTY))

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

/* What joins the fetch later is answered with the stored bytes, not with memory's. They are the
 * line's: a store may keep what is there (MESSAGE_KEEPS), and have none of its own. */
static void keep_stored(struct step *step)
{
    uint64_t mask = step->message->mask;

    for (unsigned i = 0; i < LINE_BYTES; i++)
        if ((mask >> i & 1) != 0)
            step->mshr->data[i] = step->line->data[i];
    step->mshr->filled_mask |= mask;
}
static const struct protocol_action keep_stored_bytes = {.name = "keep_stored_bytes",
                                                         .perform = keep_stored};

static const struct protocol_row l2_rows[] = {
    {L2_INVALID, L2_LOAD_MISS, L2_FILLING, {FETCH}},
    {L2_INVALID,
     L2_STORE,
     L2_DIRTY,
     {&verb_reserve_way, &verb_store_line_dirty, &verb_acknowledge}},
    {L2_INVALID,
     L2_STORE_FETCH,
     L2_FILLING,
     {&verb_allocate_mshr, &verb_reserve_way, &verb_store_line_dirty, &keep_stored_bytes,
      &verb_fetch_line, &verb_acknowledge}},
    {L2_INVALID, L2_STORE_THROUGH, L2_INVALID, {&write_to_memory, &verb_acknowledge}},
    {L2_INVALID, L2_ATOMIC_MISS, L2_FILLING, {FETCH_FIRST}},
    {L2_INVALID, L2_FLUSH, L2_INVALID, {&verb_start_walk}},

    {L2_VALID, L2_LOAD_HIT, L2_VALID, {&verb_reply}},
    {L2_VALID, L2_LOAD_MISS, L2_FILLING, {FETCH}},
    {L2_VALID, L2_LOAD_SLC, L2_FILLING, {FETCH}},
    {L2_VALID, L2_STORE, L2_DIRTY, {&verb_store_line_dirty, &verb_acknowledge}},
    {L2_VALID, L2_STORE_THROUGH, L2_VALID, {&verb_store_line, &write_to_memory, &verb_acknowledge}},
    {L2_VALID, L2_ATOMIC, L2_DIRTY, {&verb_atomic_line}},
    {L2_VALID, L2_ATOMIC_MISS, L2_FILLING, {FETCH_FIRST}},
    {L2_VALID, L2_WAIT, L2_VALID, {&verb_stall_line}},
    {L2_VALID, L2_WALK, L2_VALID, {NULL}},
    {L2_VALID, L2_REPLACE, L2_INVALID, {NULL}},

    {L2_DIRTY, L2_LOAD_HIT, L2_DIRTY, {&verb_reply}},
    {L2_DIRTY, L2_LOAD_MISS, L2_FILLING, {FETCH}},
    {L2_DIRTY, L2_LOAD_SLC, L2_FILLING, {&verb_write_back, FETCH}},
    {L2_DIRTY, L2_STORE, L2_DIRTY, {&verb_store_line_dirty, &verb_acknowledge}},
    {L2_DIRTY,
     L2_STORE_THROUGH,
     L2_VALID,
     {&verb_store_line_dirty, &verb_write_back, &verb_acknowledge}},
    {L2_DIRTY, L2_ATOMIC, L2_DIRTY, {&verb_atomic_line}},
    {L2_DIRTY, L2_ATOMIC_MISS, L2_FILLING, {FETCH_FIRST}},
    {L2_DIRTY, L2_WAIT, L2_DIRTY, {&verb_stall_line}},
    {L2_DIRTY, L2_HOST_READ, L2_DIRTY, {&verb_reply}},
    {L2_DIRTY, L2_WALK, L2_VALID, {&verb_write_back}},
    {L2_DIRTY, L2_REPLACE, L2_INVALID, {&verb_write_back}},

    {L2_FILLING, L2_LOAD_HIT, L2_FILLING, {&verb_reply}},
    {L2_FILLING, L2_LOAD_MERGE, L2_FILLING, {&verb_merge}},
    {L2_FILLING, L2_STORE, L2_FILLING, {&verb_store_line_dirty, &verb_overtake, &verb_acknowledge}},
    {L2_FILLING, L2_ATOMIC, L2_FILLING, {&verb_atomic_line, &verb_overtake}},
    {L2_FILLING, L2_WAIT, L2_FILLING, {&verb_stall_line}},
    {L2_FILLING, L2_FILL_CLEAN, L2_VALID, {&verb_fill_line, &verb_fill_mshr}},
    {L2_FILLING, L2_FILL_DIRTY, L2_DIRTY, {&verb_fill_line, &verb_fill_mshr}},
};

static uint8_t classify_l2_load(const struct step *step)
{
    bool slc = step->message->slc;
    const struct mshr *mshr = step->mshr;

    if (mshr != NULL && mshr_has_stalled(mshr))
        return L2_WAIT;
    if (step->line != NULL && !slc && mask_covers(step->line->valid, step->message->mask))
        return L2_LOAD_HIT;
    if (mshr != NULL) {
        if (slc || mshr->filled || mshr->overtaken)
            return L2_WAIT;
        return L2_LOAD_MERGE;
    }
    return slc && step->line != NULL ? L2_LOAD_SLC : L2_LOAD_MISS;
}

/* A line that is here takes a store at any time. Under a fill its bytes are dirty and stay, and
 * what has joined the fill is answered from the MSHR, as it was before. */
static uint8_t classify_l2_store(const struct step *step)
{
    const struct si_parameters *parameters = controller_parameters(step->controller);
    bool through = step->message->slc || step->message->kind == MESSAGE_HOST_WRITE;

    if (step->mshr != NULL && (mshr_has_stalled(step->mshr) || through || step->line == NULL))
        return L2_WAIT;
    if (through)
        return L2_STORE_THROUGH;
    return step->line == NULL && parameters->store_fetches ? L2_STORE_FETCH : L2_STORE;
}

static uint8_t classify_l2_atomic(const struct step *step)
{
    if (step->mshr != NULL && mshr_has_stalled(step->mshr))
        return L2_WAIT;
    if (step->line != NULL && mask_covers(step->line->valid, step->message->mask))
        return L2_ATOMIC;
    if (step->mshr != NULL)
        return L2_WAIT;
    return L2_ATOMIC_MISS;
}

static uint8_t classify_l2_fill(const struct step *step)
{
    return step->line->dirty != 0 ? L2_FILL_DIRTY : L2_FILL_CLEAN;
}

static uint8_t classify_l2(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return L2_REPLACE;
    if (stimulus == STIMULUS_WALK)
        return L2_WALK;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
        return classify_l2_load(step);
    case MESSAGE_HOST_READ:
        return L2_HOST_READ;
    case MESSAGE_STORE:
    case MESSAGE_HOST_WRITE:
        return classify_l2_store(step);
    case MESSAGE_ATOMIC:
        return classify_l2_atomic(step);
    case MESSAGE_READ_REPLY:
        return classify_l2_fill(step);
    case MESSAGE_FLUSH:
        return L2_FLUSH;
    default:
        return L2_EVENTS;
    }
}

/* ---- The protocol ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ROLE(role, label, table)                                                                   \
    .name = label, .states = role##_states, .state_count = COUNT(role##_states),                   \
    .events = role##_events, .event_count = COUNT(role##_events), .rows = table,                   \
    .row_count = COUNT(table), .channel_events = {[CHANNEL_RESPONSE] = role##_responses},          \
    .classify = classify_##role

static const struct protocol_role l1 = {ROLE(l1, "L1", l1_rows)};
extern const struct protocol_role si_scalar; /* the scoped protocols use it too */
const struct protocol_role si_scalar = {ROLE(l1, "scalar", scalar_rows)};
static const struct protocol_role l2 = {ROLE(l2, "L2", l2_rows)};

#define ROW(...) PARAMETER_ROW(struct si_parameters, __VA_ARGS__)
const struct parameter si_parameters[] = {SI_PARAMETERS(ROW)};
const uint32_t si_parameter_count = COUNT(si_parameters);

static const struct si_parameters defaults = {.store_fetches = 0};

extern const struct protocol protocol_si;
const struct protocol protocol_si = {
    .name = "si",
    .help = "Southern Islands: write-through L1, write-back L2, GLC and SLC (Candel 2014, 5.2.1, "
            "6.3.3)",
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &si_scalar, [ROLE_L2] = &l2},
    .parameters = &defaults,
};
