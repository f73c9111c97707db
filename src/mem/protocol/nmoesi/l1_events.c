/* SPDX-License-Identifier: MIT */
/* Which event a stimulus is to NMOESI's L1. */
#include "mem/bytes.h"
#include "mem/protocol/nmoesi/l1.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "mem/protocol/nmoesi/upper.h"

static uint8_t state_of(const struct step *step)
{
    return step->line == NULL ? (uint8_t)I : step->line->state;
}

static bool is_in(uint8_t state, uint32_t set)
{
    return (set >> state & 1) != 0;
}
#define IN_SET(state) (UINT32_C(1) << (state))
#define WILL_BE_M (IN_SET(IM) | IN_SET(SM) | IN_SET(OM))
#define WILL_BE_N (IN_SET(IN) | IN_SET(SN) | IN_SET(ON))
#define OWNERS (IN_SET(E) | IN_SET(O) | IN_SET(M) | IN_SET(OM) | IN_SET(ON))
#define MAY_BE_OLD (IN_SET(S) | IN_SET(SO) | IN_SET(N) | IN_SET(SS) | IN_SET(SN) | IN_SET(ON))

static bool is_plain(const struct message *message)
{
    return message->kind == MESSAGE_STORE && !message->glc && message->scope < SCOPE_DEVICE;
}

/* A load with GLC or of device scope: it sees what was released, without an acquire. */
static bool is_coherent_load(const struct message *message)
{
    return message->glc || message->scope >= SCOPE_DEVICE;
}

bool nmoesi_is_ordered(const void *parameters, const struct message *access)
{
    return access->kind != MESSAGE_LOAD && !is_plain(access) &&
           moesi_orders_stores(((const struct nmoesi_parameters *)parameters)->store_order);
}

static bool is_past(const struct step *step)
{
    return step->mshr->epoch != controller_epoch(step->controller);
}

static bool can_merge(const struct step *step)
{
    uint8_t state = state_of(step);

    if (step->mshr->filled || mshr_has_stalled(step->mshr))
        return false;
    if (step->message->kind == MESSAGE_LOAD)
        return !is_past(step) && !is_coherent_load(step->message);
    return is_in(state, WILL_BE_M) || (is_plain(step->message) && is_in(state, WILL_BE_N));
}

static uint8_t classify_load(const struct step *step)
{
    if (step->line == NULL)
        return LOAD_MISS;
    if (is_coherent_load(step->message) && is_in(step->line->state, MAY_BE_OLD))
        return LOAD_AGAIN;
    return (step->message->mask & ~step->line->valid) == 0 ? LOAD_HIT : LOAD_AGAIN;
}

static uint8_t classify_request(const struct step *step)
{
    uint8_t state = state_of(step);

    if (step->mshr != NULL)
        return can_merge(step) ? MERGE : WAIT;
    if (step->message->kind == MESSAGE_LOAD)
        return classify_load(step);
    if (is_plain(step->message))
        return state == I ? PLAIN_MISS : state == SO || state == O ? PLAIN_ASK : PLAIN_HIT;
    if (state == I)
        return WRITE_MISS;
    if (state != E && state != M)
        return UPGRADE;
    return step->message->kind == MESSAGE_STORE ? STORE_HIT : ATOMIC_HIT;
}

static uint8_t classify_answer(const struct step *step)
{
    if (step->message->kind == MESSAGE_LOAD)
        return ANSWER_LOAD;
    if (is_plain(step->message))
        return ANSWER_PLAIN;
    return step->message->kind == MESSAGE_STORE ? ANSWER_STORE : ANSWER_ATOMIC;
}

/* Whether this cache owns the line and has all of it: of ON an acquire may have cut clean bytes. */
static bool can_send(const struct step *step)
{
    return is_in(state_of(step), OWNERS) && step->line->valid == LINE_MASK;
}

/* Who cannot send the line answers a request that was sent on as if L2 had asked. */
static uint8_t classify_probe(const struct step *step)
{
    const struct nmoesi_parameters *parameters = controller_parameters(step->controller);
    uint8_t kind = step->message->kind;

    if (step->mshr != NULL && step->mshr->filled)
        return PROBE_EARLY;
    if (kind == NMOESI_PROBE_CLEAN)
        return PROBE_CLEAN;
    if (kind == MOESI_PROBE_HAND_OVER && can_send(step))
        return PROBE_HAND_OVER;
    if (kind != MOESI_PROBE_SHARE && kind != MOESI_PROBE_SEND)
        return PROBE_DROP;
    if (state_of(step) == M && parameters->owner_writes_back != 0)
        return PROBE_WRITE_BACK;
    return kind == MOESI_PROBE_SEND && can_send(step) ? PROBE_SEND : PROBE_SHARE;
}

static uint8_t classify_walk(const struct step *step)
{
    const struct nmoesi_l1 *l1 = controller_data(step->controller);
    bool acquires = controller_walk_kind(step->controller) == MESSAGE_INVALIDATE;
    bool releases = !acquires || l1->acquire_releases != 0;

    if (releases && step->line->state == N)
        return acquires ? WALK_WRITE_CUT : WALK_WRITE;
    return acquires && is_in(step->line->state, MAY_BE_OLD) ? WALK_CUT : WALK_PASS;
}

static uint8_t classify_whole(const struct step *step)
{
    const struct message *message = step->message;
    bool is_acquire = message->kind == MESSAGE_INVALIDATE;
    bool is_fence = is_acquire && message->order == ORDER_ACQUIRE_RELEASE;

    if (message->scope == SCOPE_WORK_GROUP ||
        (is_fence && nmoesi_has_local_fences(controller_parameters(step->controller))))
        return LOCAL;
    if (is_acquire && !is_fence)
        return ACQUIRE;
    if (controller_holds(step->controller, MESSAGE_STORE) ||
        controller_holds(step->controller, MESSAGE_ATOMIC))
        return RELEASE_EARLY;
    return message->kind == MESSAGE_FLUSH ? RELEASE : ACQUIRE_RELEASE;
}

static uint8_t classify_data(const struct step *step)
{
    switch (step->message->kind) {
    case MOESI_DATA_S:
        return is_past(step) ? DATA_S_PAST : DATA_S;
    case NMOESI_DATA_SO:
        return is_past(step) ? DATA_SO_PAST : DATA_SO;
    case NMOESI_DATA_N:
        return is_past(step) ? DATA_N_PAST : DATA_N;
    case MOESI_SENT_S:
        return SENT_S;
    case MOESI_SENT_O:
        return SENT_O;
    case MOESI_SENT_E:
        return SENT_E;
    case MOESI_SENT_M:
        return SENT_M;
    case MOESI_DATA_E:
        return DATA_E;
    case MOESI_DATA_M:
        return DATA_M;
    default:
        return EVENTS; /* stopped by the mechanism */
    }
}

uint8_t nmoesi_classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return REPLACE;
    if (stimulus == STIMULUS_WALK)
        return classify_walk(step);
    if (stimulus == STIMULUS_ANSWER)
        return classify_answer(step);
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_request(step);
    case MOESI_PROBE_SHARE:
    case MOESI_PROBE_INVALIDATE:
    case MOESI_RECALL:
    case NMOESI_PROBE_CLEAN:
    case MOESI_PROBE_SEND:
    case MOESI_PROBE_HAND_OVER:
        return classify_probe(step);
    case NMOESI_PUT_N_ACK:
    case NMOESI_WRITE_N_ACK:
        return MERGED;
    case MESSAGE_INVALIDATE:
    case MESSAGE_FLUSH:
        return classify_whole(step);
    case MESSAGE_HOST_READ:
        return HOST_READ;
    case MESSAGE_HOST_WRITE:
        return HOST_WRITE;
    default:
        return classify_data(step);
    }
}
