/* SPDX-License-Identifier: MIT */
/* Parameters of NMOESI. */
#ifndef MEM_PROTOCOL_NMOESI_PARAMETERS_H
#define MEM_PROTOCOL_NMOESI_PARAMETERS_H

#include <stdbool.h>

#include "base/diagnosis.h"
#include "sim/declare.h"

#define NMOESI_PARAMETERS(X)                                                                       \
    X(NUMBER, owner_writes_back, "", 0, 0, 1,                                                      \
      "1: a modified line that another reads goes to L2 and stays in S; 0: it stays in O")         \
    X(NUMBER, direct_transfers, "", 0, 0, 1,                                                       \
      "1: an owner sends the line to the cache that asks for it; 0: by way of L2")                 \
    X(TEXT, fence_scope, "", "work-group", 0, 0,                                                   \
      "of barrier and mem_fence: work-group, or device for old programs that pass data between "   \
      "work-groups by mem_fence and atomics")

struct nmoesi_parameters {
    NMOESI_PARAMETERS(PARAMETER_FIELD)
};
/* protocol.has_local_fences, protocol.check_parameters. */
bool nmoesi_has_local_fences(const void *parameters);
bool nmoesi_check_parameters(const void *parameters, struct diagnosis *diagnosis);
extern const struct parameter nmoesi_parameters[];
extern const uint32_t nmoesi_parameter_count;

#endif
