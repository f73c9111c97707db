/* SPDX-License-Identifier: MIT */
/* Parameters of NMOESI. */
#ifndef MEM_PROTOCOL_NMOESI_PARAMETERS_H
#define MEM_PROTOCOL_NMOESI_PARAMETERS_H

#include <stdbool.h>

#include "mem/protocol/moesi/parameters.h"

parameter_words nmoesi_fence_scope_word;
#define NMOESI_PARAMETERS(X)                                                                       \
    X(NUMBER, owner_writes_back, "", 0, 0, 1,                                                      \
      "1: a modified line that another reads goes to L2 and stays in S; 0: it stays in O")         \
    X(NUMBER, direct_transfers, "", 0, 0, 1,                                                       \
      "1: an owner sends the line to the cache that asks for it; 0: by way of L2")                 \
    X(WORD, store_order, "", "line", moesi_store_order_word, 1,                                    \
      "what a coherent store waits for in its L1")                                                 \
    X(WORD, fence_scope, "", "work-group", nmoesi_fence_scope_word, 1, "of barrier and mem_fence")

struct nmoesi_parameters {
    NMOESI_PARAMETERS(PARAMETER_FIELD)
};
/* protocol.has_local_fences. */
bool nmoesi_has_local_fences(const void *parameters);
extern const struct parameter nmoesi_parameters[];
extern const uint32_t nmoesi_parameter_count;

#endif
