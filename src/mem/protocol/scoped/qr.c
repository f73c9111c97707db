/* SPDX-License-Identifier: MIT */
/*
 * QR: scoped synchronisation on write-combining caches with FIFOs of dirty lines, as QuickRelease
 * (Hechtman et al., HPCA 2014). It is the base of RSP and sRSP (Yilmazer-Metin, 2021, 2.2). It has
 * no remote scope: a remote operation is one of the device.
 */
#include "mem/protocol/scoped/l1.h"
#include "mem/protocol/scoped/l2.h"
#include "mem/protocol/scoped/roles.h"

#define ROW(...) PARAMETER_ROW(struct scoped_parameters, __VA_ARGS__)
const struct parameter scoped_parameters[] = {SCOPED_PARAMETERS(ROW)};
const uint32_t scoped_parameter_count = COUNT(scoped_parameters);

const struct scoped_parameters scoped_defaults = {
    .l1_sfifo_entries = 16, .release_entries = 16, .promotion_entries = 16};

static const struct protocol_row l1_rows[] = {L1_ROWS};
static const struct protocol_row l2_rows[] = {L2_ROWS};

static const struct protocol_role l1 = {
    SCOPED_L1_ROLE(l1_rows, L1_QR_EVENTS),
    .channel_events = {[CHANNEL_RESPONSE] = L1_RESPONSES},
    .classify = scoped_classify_l1,
    .choose_walk = scoped_choose_walk,
};
static const struct protocol_role l2 = {
    SCOPED_L2_ROLE(l2_rows, L2_QR_STATES, L2_QR_EVENTS),
    .channel_events = {[CHANNEL_RESPONSE] = L2_RESPONSES,
                       [CHANNEL_WRITE_BACK] = EVENT(L2_WRITE_BACK)},
    .classify = scoped_classify_l2,
};

static const struct message_kind kinds[] = {SCOPED_KINDS};
_Static_assert(COUNT(kinds) == SCOPED_KINDS_END - MESSAGE_PROTOCOL, "a kind for each number");

extern const struct protocol protocol_qr;
const struct protocol protocol_qr = {
    .name = "qr",
    .help = "write-combining L1s and L2 with FIFOs of dirty lines; work-group scope is done in L1 "
            "(Hechtman et al. 2014)",
    .roles = {[ROLE_L1] = &l1, [ROLE_SCALAR] = &si_scalar, [ROLE_L2] = &l2},
    .kinds = kinds,
    .kind_count = COUNT(kinds),
    .flushes_at_release = true,
    .acquires_at_access = true,
    .parameters = &scoped_defaults,
    .parameter_group = "scoped",
};
