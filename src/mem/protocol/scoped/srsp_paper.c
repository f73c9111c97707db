/* SPDX-License-Identifier: MIT */
/*
 * sRSP as it is published (section 4), without the rules of probes.h. It is wrong: `wavetank verify srsp-paper`
 * shows how. For study.
 *
 * - Remote acquire (4.2): the line is locked until the atomic is done; L1s flush up to their latest release
 *   of the object. One whose own L1 remembers such a release asks no other.
 * - Remote release (4.3): done first; then the L1s are told to promote their next acquire.
 * - Both at once: no section says how. Here as an acquire, and then told as a release is.
 */
#include "mem/protocol/scoped/roles.h"
#include "mem/protocol/scoped/srsp.h"

/* ---- L1 ---- */

#define ANSWERED(state, event, answer)                                                             \
    {                                                                                              \
        state, event, state, { &srsp_note_probe, &answer }                                         \
    }
#define IN_EACH_STATE(event, answer)                                                               \
    ANSWERED(L1_I, event, answer), ANSWERED(L1_V, event, answer), ANSWERED(L1_F, event, answer),   \
        ANSWERED(L1_A, event, answer), ANSWERED(L1_Q, event, answer)

static const struct protocol_row l1_rows[] = {
    L1_ROWS,
    SRSP_L1_ROWS,
    IN_EACH_STATE(L1_PROBE_QUIET, scoped_tell_done),
    IN_EACH_STATE(L1_PROBE_FLUSH, scoped_flush_for_probe),
};

static void remember_left(struct controller *controller)
{
    struct scoped_l1 *l1 = controller_data(controller);

    l1->remembers_left = 1;
}

/* ---- L2 ---- */

#define PUBLISH_IN(state)                                                                          \
    {state,                                                                                        \
     L2_PUBLISH_STORE,                                                                             \
     L2_D,                                                                                         \
     {&verb_allocate_mshr, &verb_store_line_dirty, &l2_push, &l2_tell, &verb_acknowledge}},        \
        {state,                                                                                    \
         L2_PUBLISH_ATOMIC,                                                                        \
         L2_D,                                                                                     \
         {&verb_allocate_mshr, &verb_atomic_line, &l2_push, &l2_tell}},                            \
    {                                                                                              \
        state, L2_TOLD_LAST, state, { &l2_count, &l2_note_waits, &verb_release_mshr }              \
    }

static const struct protocol_row l2_rows[] = {
    L2_ROWS,
    L2_REMOTE_ROWS,
    {L2_I,
     L2_PUBLISH_STORE,
     L2_D,
     {&verb_allocate_mshr, &l2_take_way, &verb_store_line_dirty, &l2_push, &l2_tell,
      &verb_acknowledge}},
    PUBLISH_IN(L2_V),
    PUBLISH_IN(L2_D),
    {L2_K, L2_TOLD_LAST, L2_I, {&l2_count, &l2_note_waits, &verb_release_mshr}},
};

static bool is_told(const struct step *step)
{
    return scoped_is_asking(step) && step->mshr->probe_kind == SCOPED_PROBE_RELEASE;
}

/* No lock: requests of bytes that are here go on meanwhile. */
static uint8_t classify_told(const struct step *step)
{
    uint8_t event = scoped_classify_l2_request(step);

    return (event == L2_LOAD_HIT || event == L2_ATOMIC || event == L2_STORE) && !scoped_must_ask(step)
               ? event
               : L2_WAIT;
}

static uint8_t classify_release(const struct step *step)
{
    uint8_t event = scoped_classify_l2_request(step);

    if (event == L2_STORE)
        return L2_PUBLISH_STORE;
    return event == L2_ATOMIC ? (uint8_t)L2_PUBLISH_ATOMIC : event;
}

static bool is_access(const struct message *message)
{
    return message->kind == MESSAGE_LOAD || message->kind == MESSAGE_STORE ||
           message->kind == MESSAGE_ATOMIC;
}

static uint8_t classify_l2(const struct step *step, enum protocol_stimulus stimulus)
{
    const struct message *message = step->message;

    if (stimulus != STIMULUS_MESSAGE)
        return scoped_classify_remote(step, stimulus);
    if (message->kind == SCOPED_DONE && is_told(step))
        return scoped_classify_done(step, L2_TOLD_LAST);
    if (is_access(message) && is_told(step))
        return classify_told(step);
    if (!is_access(message) || step->mshr != NULL || !message->remote || !message_releases(message) ||
        controller_l1s(step->controller) == 1)
        return scoped_classify_remote(step, stimulus);
    if (message_acquires(message) && message->acks != MARK_GRANTED)
        return L2_REMOTE;
    return classify_release(step);
}

/* ---- The protocol ---- */

static const struct protocol_role l1 = {
    SCOPED_L1_ROLE(l1_rows, L1_SRSP_EVENTS),
    .channel_events = {[CHANNEL_RESPONSE] = L1_RESPONSES, [CHANNEL_PROBE] = L1_PROBES},
    .classify = srsp_classify_l1,
    .choose_walk = srsp_choose_walk,
    .controller_init = remember_left,
};
static const struct protocol_role l2 = {
    SCOPED_L2_ROLE(l2_rows, L2_STATES, L2_PAPER_EVENTS),
    SCOPED_L2_REMOTE,
    .classify = classify_l2,
};

static const struct message_kind kinds[] = {SCOPED_REMOTE_KINDS};

extern const struct protocol protocol_srsp_paper;
const struct protocol protocol_srsp_paper = {
    SCOPED_REMOTE_PROTOCOL("srsp-paper", "the same as published; it loses synchronisation (Yilmazer-Metin 2021)"),
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &si_scalar, [ROLE_L2] = &l2},
    .kinds = kinds,
};
