/* SPDX-License-Identifier: MIT */
#include "mem/protocol/list.h"

#include "mem/protocol.h"

#define DECLARED(name) extern const struct protocol protocol_##name;
PROTOCOLS(DECLARED)

#define LISTED(name) &protocol_##name,
const struct protocol *const protocols[] = {PROTOCOLS(LISTED) NULL};
PARAMETER_LIST(struct protocol, protocol, protocols)
