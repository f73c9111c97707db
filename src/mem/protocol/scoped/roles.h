/* SPDX-License-Identifier: MIT */
/* What the roles of the scoped protocols have in common. */
#ifndef MEM_PROTOCOL_SCOPED_ROLES_H
#define MEM_PROTOCOL_SCOPED_ROLES_H

#include "mem/protocol/scoped/l1.h"
#include "mem/protocol/scoped/l2.h"

extern const struct scoped_parameters scoped_defaults;
extern const struct protocol_role si_scalar; /* SI's scalar and instruction caches */

#define SCOPED_L1_ROLE(table, events_)                                                             \
    .name = "L1", .states = l1_states, .state_count = L1_STATES, .events = l1_events,              \
    .event_count = (events_), .rows = (table), .row_count = COUNT(table),                          \
    .statistics = {scoped_l1_statistics, SCOPED_L1_STATISTIC_COUNT,                                \
                   sizeof(struct scoped_l1_statistics)},                                           \
    .controller_data = {sizeof(struct scoped_l1), scoped_l1_fields}

#define SCOPED_L2_ROLE(table, states_, events_)                                                    \
    .name = "L2", .states = l2_states, .state_count = (states_), .events = l2_events,              \
    .event_count = (events_), .rows = (table), .row_count = COUNT(table),                          \
    .choose_walk = scoped_choose_l2_walk,                                                          \
    .statistics = {scoped_l2_statistics, SCOPED_L2_STATISTIC_COUNT,                                \
                   sizeof(struct scoped_l2_statistics)},                                           \
    .controller_data = {sizeof(struct scoped_l2), scoped_l2_fields}

/* What L2s that know remote operations declare beside that. */
#define SCOPED_L2_REMOTE                                                                           \
    .channel_events = {[CHANNEL_RESPONSE] = L2_RESPONSES | L2_ANSWERS,                             \
                       [CHANNEL_WRITE_BACK] = EVENT(L2_WRITE_BACK)},                               \
    .from_above = L2_ANSWERS, .let_go_above = NEEDS_MSHR | NEEDS_WAITING

#define SCOPED_REMOTE_PROTOCOL(name_, help_)                                                       \
    .name = (name_), .help = (help_), .probes_may_pass = true,                                     \
    .kind_count = SCOPED_REMOTE_KINDS_END - MESSAGE_PROTOCOL, .flushes_at_release = true,          \
    .acquires_at_access = true, .has_remote_scope = true,                                          \
    .parameters = &scoped_defaults, .parameter_group = "scoped"

#endif
