/* SPDX-License-Identifier: MIT */
/*
 * RSP: remote scope promotion as first proposed (Orr et al., "Synchronization Using Remote-Scope
 * Promotion", ASPLOS 2015), on QR's caches. A remote operation flushes all L1s. A remote release
 * makes them forget all that they hold, so that their next local acquire is new. With the rules of
 * probes.h.
 */
#include "mem/protocol/scoped/probes.h"
#include "mem/protocol/scoped/roles.h"

static const struct protocol_row l1_rows[] = {
    L1_ROWS,
    L1_PROBED(L1_PROBE_FLUSH, &scoped_note_probe, &scoped_flush_for_probe),
    L1_PROBED(L1_PROBE_DROP, &scoped_note_probe, &scoped_forget_for_probe, &scoped_flush_for_probe),
};
static const struct protocol_row l2_rows[] = {L2_ROWS, L2_REMOTE_ROWS};

static bool message_forgets(const struct message *message)
{
    return message->kind == SCOPED_PROBE_RELEASE || message->kind == SCOPED_PROBE_BOTH;
}

static uint8_t classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_WALK && message_forgets(controller_walk_message(step->controller)))
        return L1_WALK_DROP;
    if (stimulus != STIMULUS_MESSAGE || !scoped_is_probe(step->message->kind))
        return scoped_classify_l1(step, stimulus);
    return message_forgets(step->message) ? L1_PROBE_DROP : L1_PROBE_FLUSH;
}

static enum walk_choice choose_walk(const struct step *step, uint64_t *addr)
{
    return scoped_is_probe(step->message->kind) ? scoped_choose_oldest(step, addr)
                                                : scoped_choose_walk(step, addr);
}

static const struct protocol_role l1 = {
    SCOPED_L1_ROLE(l1_rows, L1_RSP_EVENTS),
    .channel_events = {[CHANNEL_RESPONSE] = L1_RESPONSES, [CHANNEL_PROBE] = L1_PROBES},
    .classify = classify_l1,
    .choose_walk = choose_walk,
};
static const struct protocol_role l2 = {
    SCOPED_L2_ROLE(l2_rows, L2_STATES, L2_RSP_EVENTS),
    SCOPED_L2_REMOTE,
    .classify = scoped_classify_remote,
};

static const struct message_kind kinds[] = {SCOPED_REMOTE_KINDS};
_Static_assert(COUNT(kinds) == SCOPED_REMOTE_KINDS_END - MESSAGE_PROTOCOL, "a kind for each number");

extern const struct protocol protocol_rsp;
const struct protocol protocol_rsp = {
    SCOPED_REMOTE_PROTOCOL("rsp", "remote scope promotion by flushing all L1s (Orr et al. 2015), repaired"),
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &si_scalar, [ROLE_L2] = &l2},
    .kinds = kinds,
};
