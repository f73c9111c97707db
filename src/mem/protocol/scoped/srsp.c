/* SPDX-License-Identifier: MIT */
/* sRSP with the five rules of probes.h. */
#include "mem/protocol/scoped/roles.h"
#include "mem/protocol/scoped/srsp.h"

static const struct protocol_row l1_rows[] = {
    L1_ROWS,
    SRSP_L1_ROWS,
    L1_PROBED(L1_PROBE_QUIET, &srsp_note_probe, &scoped_tell_done),
    L1_PROBED(L1_PROBE_FLUSH, &srsp_note_probe, &scoped_flush_for_probe),
};
static const struct protocol_row l2_rows[] = {L2_ROWS, L2_REMOTE_ROWS};

static const struct protocol_role l1 = {
    SCOPED_L1_ROLE(l1_rows, L1_SRSP_EVENTS),
    .channel_events = {[CHANNEL_RESPONSE] = L1_RESPONSES, [CHANNEL_PROBE] = L1_PROBES},
    .classify = srsp_classify_l1,
    .choose_walk = srsp_choose_walk,
};
static const struct protocol_role l2 = {
    SCOPED_L2_ROLE(l2_rows, L2_STATES, L2_RSP_EVENTS),
    SCOPED_L2_REMOTE,
    .classify = scoped_classify_remote,
};

static const struct message_kind kinds[] = {SCOPED_REMOTE_KINDS};

extern const struct protocol protocol_srsp;
const struct protocol protocol_srsp = {
    SCOPED_REMOTE_PROTOCOL("srsp", "remote scope promotion by selective flushes (Yilmazer-Metin 2021), repaired"),
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &si_scalar, [ROLE_L2] = &l2},
    .kinds = kinds,
};
