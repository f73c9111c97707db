/* SPDX-License-Identifier: MIT */
/* What the L1 of the scoped protocols can meet, and what each stimulus is. */
#include "mem/protocol/scoped/l1.h"

#include <stddef.h>

const struct protocol_state l1_states[L1_STATES] = {
    [L1_I] = {"I", "not here", 0},
    [L1_V] = {"V", "some bytes valid, perhaps dirty", STATE_READABLE | STATE_DIRTY},
    [L1_F] = {"F", "way held, line on its way; bytes may be dirty", STATE_TRANSIENT | STATE_DIRTY},
    [L1_A] = {"A", "not here; accesses of it are done in L2", STATE_TRANSIENT},
    [L1_Q] = {"Q", "the same for an acquire, and other requests are held", STATE_TRANSIENT},
};

const struct protocol_event l1_events[L1_SRSP_EVENTS] = {
    [L1_LOAD_HIT] = {"LOAD_HIT", "load of valid bytes"},
    [L1_LOAD_MISS] = {"LOAD_MISS", "any other load, nothing on its way"},
    [L1_LOAD_MERGE] = {"LOAD_MERGE", "load of a line on its way"},
    [L1_STORE] = {"STORE", "store"},
    [L1_ATOMIC_HIT] = {"ATOMIC_HIT", "read-modify-write of the work-group's scope, bytes valid"},
    [L1_ATOMIC_MISS] = {"ATOMIC_MISS", "the same, bytes missing, nothing on its way"},
    [L1_WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [L1_HELD] = {"HELD", "request while an acquire or the line's write-back is not answered"},
    [L1_PREPARE] = {"PREPARE", "access for L2 before which lines must be written back or forgotten"},
    [L1_DEVICE] = {"DEVICE", "access for L2, all before it is there"},
    [L1_DEVICE_MORE] = {"DEVICE_MORE", "the same, others of the line are on their way"},
    [L1_DEVICE_ACQUIRE] = {"DEVICE_ACQUIRE", "acquire for L2, prepared"},
    [L1_FILL] = {"FILL", "line from L2"},
    [L1_FILL_PAST] = {"FILL_PAST", "the same, but an acquire or a probe has passed"},
    [L1_FILL_PAST_DIRTY] = {"FILL_PAST_DIRTY", "the same, and bytes are dirty: they stay"},
    [L1_ANSWER] = {"ANSWER", "answer of the last access in L2"},
    [L1_ANSWER_MORE] = {"ANSWER_MORE", "answer of another one"},
    [L1_ANSWER_ACQUIRE] = {"ANSWER_ACQUIRE", "answer of an acquire"},
    [L1_WRITTEN] = {"WRITTEN", "a write-back is in L2"},
    [L1_INVALIDATE] = {"INVALIDATE", "acquire fence, or a kernel's start"},
    [L1_FLUSH] = {"FLUSH", "release fence, or a kernel's end"},
    [L1_SYNCED] = {"SYNCED", "fence whose work was done with an access, or of the work-group"},
    [L1_HOST_READ] = {"HOST_READ", "the host reads dirty bytes"},
    [L1_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [L1_WALK_KEEP] = {"WALK_KEEP", "the oldest line's turn to be written back"},
    [L1_WALK_DROP] = {"WALK_DROP", "the same, and it is forgotten"},
    [L1_REPLACE] = {"REPLACE", "the way is needed"},
    [L1_PROBE_QUIET] = {"PROBE_QUIET", "remote operation: no release of the object is remembered"},
    [L1_PROBE_FLUSH] = {"PROBE_FLUSH", "remote operation: lines must be written back"},
    [L1_PROBE_DROP] = {"PROBE_DROP", "the same, and all lines are forgotten"},
    [L1_STORE_RELEASE] = {"STORE_RELEASE", "store that is a release of the work-group"},
    [L1_ATOMIC_RELEASE] = {"ATOMIC_RELEASE", "read-modify-write that is one, bytes valid"},
    [L1_PROMOTE] = {"PROMOTE", "acquire of the work-group that must be done in L2"},
};

const struct protocol_field scoped_l1_fields[] = {
    {"held", offsetof(struct scoped_l1, is_held), sizeof(uint64_t), FIELD_STATE},
    {"sfifo", offsetof(struct scoped_l1, fifo), sizeof(uint64_t), FIELD_STATE},
    {"releases", offsetof(struct scoped_l1, releases), sizeof(uint64_t), FIELD_STATE},
    {"promotions", offsetof(struct scoped_l1, promotions), sizeof(uint64_t), FIELD_STATE},
    {"held_since", offsetof(struct scoped_l1, held_since), 2 * sizeof(uint64_t), FIELD_STATISTICS},
    {NULL, 0, 0, FIELD_STATE}};

static bool mask_covers(uint64_t have, uint64_t want)
{
    return (want & ~have) == 0;
}

static bool step_breaks(const struct step *step, enum debug_break which)
{
    return (controller_breaks(step->controller) >> which & 1) != 0;
}

static uint8_t state_of(const struct step *step)
{
    if (step->line != NULL)
        return step->line->state;
    return step->mshr != NULL ? step->mshr->state : (uint8_t)L1_I;
}

/* ---- Accesses ---- */

static bool is_for_device(const struct step *step)
{
    const struct message *message = step->message;

    if (message->kind == MESSAGE_LOAD && !message->remote && message->order == ORDER_RELAXED &&
        step_breaks(step, DEBUG_BREAK_IGNORE_GLC))
        return false;
    return message_is_for_device(message);
}

static bool must_be_prepared(const struct step *step)
{
    const struct message *message = step->message;

    return message_acquires(message) || *scoped_in_flight(step) > 0 ||
           (step->line != NULL && step->line->dirty != 0) ||
           (message_releases(message) && (scoped_l1_of(step)->fifo.count > 0 ||
                                          controller_awaited(step->controller) > 0));
}

static uint8_t classify_device(const struct step *step)
{
    if (step->mshr == NULL)
        return must_be_prepared(step) ? L1_PREPARE : L1_DEVICE;
    return state_of(step) == L1_A && !must_be_prepared(step) ? L1_DEVICE_MORE : L1_WAIT;
}

/* A load or read-modify-write of bytes that are not here. */
static uint8_t classify_miss(const struct step *step, uint8_t event)
{
    return *scoped_in_flight(step) > 0 ? (uint8_t)L1_HELD : event;
}

static uint8_t classify_load(const struct step *step)
{
    const struct mshr *mshr = step->mshr;

    if (state_of(step) == L1_V && mask_covers(step->line->valid, step->message->mask))
        return L1_LOAD_HIT;
    if (mshr == NULL)
        return classify_miss(step, L1_LOAD_MISS);
    if (state_of(step) != L1_F || mshr->filled || mshr->overtaken ||
        mshr->epoch != controller_epoch(step->controller))
        return L1_WAIT;
    return L1_LOAD_MERGE;
}

static uint8_t classify_atomic(const struct step *step)
{
    if (state_of(step) == L1_V && mask_covers(step->line->valid, step->message->mask))
        return L1_ATOMIC_HIT;
    return step->mshr != NULL ? (uint8_t)L1_WAIT : classify_miss(step, L1_ATOMIC_MISS);
}

/* What came before a release must have been done: here, so that a flush or a probe finds it, or in L2. And
 * an acquire that holds all requests must not wait for one of them. */
static bool must_come_last(const struct step *step)
{
    bool is_release = message_releases(step->message);

    if (is_release && scoped_l1_of(step)->in_l2 > 0)
        return true;
    return (is_release || (message_acquires(step->message) && is_for_device(step))) &&
           controller_has_stalled(step->controller);
}

static uint8_t classify_access(const struct step *step)
{
    const struct message *message = step->message;

    if (message->acks == MARK_PREPARED)
        return message_acquires(message) ? L1_DEVICE_ACQUIRE : L1_DEVICE;
    if (scoped_l1_of(step)->is_held != 0)
        return L1_HELD;
    if (step->mshr != NULL && mshr_has_stalled(step->mshr))
        return L1_WAIT;
    if (must_come_last(step))
        return step->mshr != NULL ? L1_WAIT : L1_HELD;
    if (is_for_device(step))
        return classify_device(step);
    if (message->kind == MESSAGE_LOAD)
        return classify_load(step);
    if (message->kind == MESSAGE_ATOMIC)
        return classify_atomic(step);
    return step->mshr != NULL && state_of(step) != L1_V ? L1_WAIT : L1_STORE;
}

/* ---- The whole cache ---- */

static bool is_from_unit(const struct message *message)
{
    return message->requester.unit < REQUESTER_KERNEL;
}

static uint8_t classify_whole(const struct step *step)
{
    const struct message *message = step->message;
    bool is_acquire = message->kind == MESSAGE_INVALIDATE;
    bool is_done = is_acquire && message->order == ORDER_RELAXED && message->scope != SCOPE_WAVEFRONT;

    if (scoped_l1_of(step)->is_held != 0 || must_come_last(step))
        return L1_HELD;
    if (is_from_unit(message) && (is_done || message->scope == SCOPE_WORK_GROUP))
        return L1_SYNCED;
    return is_acquire ? L1_INVALIDATE : L1_FLUSH;
}

/* ---- Answers ---- */

static uint8_t classify_fill(const struct step *step)
{
    bool is_old = step->mshr->epoch != controller_epoch(step->controller) &&
                  !step_breaks(step, DEBUG_BREAK_CACHE_OVERTAKEN_FILL);

    if (!step->mshr->overtaken && !is_old)
        return L1_FILL;
    return step->line->dirty != 0 ? L1_FILL_PAST_DIRTY : L1_FILL_PAST;
}

static uint8_t classify_answer(const struct step *step)
{
    if (state_of(step) == L1_F)
        return classify_fill(step);
    if (state_of(step) == L1_Q)
        return L1_ANSWER_ACQUIRE;
    return step->mshr->acks > 1 ? L1_ANSWER_MORE : L1_ANSWER;
}

uint8_t scoped_classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return L1_REPLACE;
    if (stimulus == STIMULUS_WALK)
        return scoped_walk_forgets(step) ? L1_WALK_DROP : L1_WALK_KEEP;
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_access(step);
    case MESSAGE_LOAD_REPLY:
    case MESSAGE_STORE_REPLY:
    case MESSAGE_ATOMIC_REPLY:
        return classify_answer(step);
    case SCOPED_WRITTEN:
        return L1_WRITTEN;
    case MESSAGE_INVALIDATE:
    case MESSAGE_FLUSH:
        return classify_whole(step);
    case MESSAGE_HOST_READ:
        return L1_HOST_READ;
    case MESSAGE_HOST_WRITE:
        return L1_HOST_WRITE;
    default:
        return L1_SRSP_EVENTS; /* stopped by the mechanism */
    }
}

/* ---- Walks ---- */

static bool is_access(unsigned kind)
{
    return kind == MESSAGE_LOAD || kind == MESSAGE_STORE || kind == MESSAGE_ATOMIC;
}

/* An access that holds others is an acquire's; while it does no other walk is begun by an access. */
bool scoped_walk_forgets(const struct step *step)
{
    const struct message *message = controller_walk_message(step->controller);
    bool is_acquire = message->kind == MESSAGE_INVALIDATE ||
                      (is_access(message->kind) && scoped_l1_of(step)->is_held != 0);

    if (is_acquire && is_from_unit(message) && step_breaks(step, DEBUG_BREAK_KEEP_L1_AT_ACQUIRE))
        return false;
    return is_acquire;
}

enum walk_choice scoped_choose_oldest(const struct step *step, uint64_t *addr)
{
    const struct sfifo *fifo = &scoped_l1_of(step)->fifo;

    *addr = fifo->lines[0];
    return fifo->count > 0 ? WALK_LINE : WALK_OVER;
}

enum walk_choice scoped_choose_walk(const struct step *step, uint64_t *addr)
{
    const struct scoped_l1 *l1 = scoped_l1_of(step);
    const struct scoped_parameters *parameters = scoped_parameters_of(step);

    if (!is_access(step->message->kind) || l1->is_held != 0)
        return scoped_choose_oldest(step, addr);
    if (message_is_for_device(step->message))
        return message_releases(step->message) ? scoped_choose_oldest(step, addr) : WALK_OVER;
    if (l1->fifo.count <= parameters->l1_sfifo_entries &&
        l1->releases.count <= parameters->release_entries)
        return WALK_OVER;
    return scoped_choose_oldest(step, addr);
}
