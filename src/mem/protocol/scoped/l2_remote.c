/* SPDX-License-Identifier: MIT */
/* Remote operations in L2. */
#include "mem/protocol/scoped/probes.h"

/* ---- Events ---- */

bool scoped_must_ask(const struct step *step)
{
    return step->message->remote && step->message->acks != MARK_GRANTED &&
           controller_l1s(step->controller) > 1;
}

static bool is_access(unsigned kind)
{
    return kind == MESSAGE_LOAD || kind == MESSAGE_STORE || kind == MESSAGE_ATOMIC;
}

uint8_t scoped_classify_remote(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return scoped_classify_l2(step, stimulus);
    if (step->message->kind == SCOPED_DONE)
        return scoped_classify_done(step, L2_DONE_LAST);
    if (is_access(step->message->kind) && scoped_is_asking(step))
        return L2_WAIT;
    if (!is_access(step->message->kind) || !scoped_must_ask(step))
        return scoped_classify_l2(step, stimulus);
    return step->mshr != NULL ? L2_WAIT : L2_REMOTE;
}

/* ---- Actions ---- */

static void remote_broadcast(struct step *step, uint8_t kind)
{
    struct node_set others = {0};

    for (uint32_t node = 0; node < controller_l1s(step->controller); node++)
        if (node != step->message->source)
            node_set_add(&others, node);
    step->mshr->acks = (uint16_t)node_set_count(&others);
    step->mshr->state = L2_K; /* for when the line has gone */
    step_multicast(step, kind, &others);
    scoped_l2_count(step)->broadcasts++;
    scoped_l2_count(step)->probes_sent += step->mshr->acks;
}

static void l1s_ask(struct step *step)
{
    static const uint8_t kinds[] = {[ORDER_RELAXED] = SCOPED_PROBE_BOTH,
                                    [ORDER_ACQUIRE] = SCOPED_PROBE_ACQUIRE,
                                    [ORDER_RELEASE] = SCOPED_PROBE_RELEASE,
                                    [ORDER_ACQUIRE_RELEASE] = SCOPED_PROBE_BOTH};

    remote_broadcast(step, kinds[step->message->order]);
}

static void l1s_tell(struct step *step)
{
    remote_broadcast(step, SCOPED_PROBE_RELEASE);
}

static void answer_count(struct step *step)
{
    step->mshr->acks--;
}

static void note_waits(struct step *step)
{
    struct line_waits waits = mshr_waits(step->controller, step->mshr);

    scoped_l2_count(step)->lock_waits += waits.requests;
    scoped_l2_count(step)->lock_wait_cycles += waits.cycles;
}

/* All that wait but the first, whose lock it is. */
static void lock_grant(struct step *step)
{
    struct line_waits waits = mshr_waits(step->controller, step->mshr);
    struct message *waiting = mshr_waiting(step->controller, step->mshr);
    const struct journey *first = message_journey(waiting);

    scoped_l2_count(step)->lock_waits += waits.requests - 1;
    scoped_l2_count(step)->lock_wait_cycles += waits.cycles;
    if (first != NULL)
        scoped_l2_count(step)->lock_wait_cycles -=
            controller_cycle(step->controller) - first->since;
    waiting->acks = waiting->acks == MARK_ASKS_AGAIN ? MARK_NONE : MARK_GRANTED;
}

const struct protocol_action
    l2_ask = {.name = "ask_others", .perform = l1s_ask, .up_channel = CHANNEL_PROBE},
    l2_tell = {.name = "tell_others", .perform = l1s_tell, .up_channel = CHANNEL_PROBE},
    l2_count = {.name = "count_answer", .perform = answer_count},
    l2_grant = {.name = "grant", .perform = lock_grant},
    l2_note_waits = {.name = "note_waits", .perform = note_waits};
