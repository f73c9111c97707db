/* SPDX-License-Identifier: MIT */
#include "mem/protocol/moesi/parameters.h"

#include <string.h>

#include "base/bits.h"

#define ROW(...) PARAMETER_ROW(struct moesi_parameters, __VA_ARGS__)
const struct parameter moesi_parameters[] = {MOESI_PARAMETERS(ROW)};
const uint32_t moesi_parameter_count = ARRAY_COUNT(moesi_parameters);

PARAMETER_CHOICES(moesi_store_order_word, {"line", "older accesses to its line"},
                  {"program",
                   "all older accesses, and younger ones wait for it, as in Multi2Sim 4.2 "
                   "(coherent stores)"})

bool moesi_orders_stores(const char *store_order)
{
    return strcmp(store_order, "program") == 0;
}
