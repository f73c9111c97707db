/* SPDX-License-Identifier: MIT */
/* Parameters of MOESI. */
#ifndef MEM_PROTOCOL_MOESI_PARAMETERS_H
#define MEM_PROTOCOL_MOESI_PARAMETERS_H

#include "sim/declare.h"

parameter_words moesi_store_order_word;
/* Whether the word is "program". */
bool moesi_orders_stores(const char *store_order);

#define MOESI_PARAMETERS(X)                                                                        \
    X(NUMBER, owner_writes_back, "", 0, 0, 1,                                                      \
      "1: a modified line that another reads goes to L2 and stays in S; 0: it stays in O")         \
    X(NUMBER, direct_transfers, "", 0, 0, 1,                                                       \
      "1: an owner sends the line to the cache that asks for it; 0: by way of L2")                 \
    X(WORD, store_order, "", "line", moesi_store_order_word, 1, "what a store waits for in its L1")

struct moesi_parameters {
    MOESI_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter moesi_parameters[];
extern const uint32_t moesi_parameter_count;

#endif
