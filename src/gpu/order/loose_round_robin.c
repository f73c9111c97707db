/* SPDX-License-Identifier: MIT */
/* Loose round robin: in turn by slot, past those that cannot issue now. */
#include "gpu/issue_order.h"

static uint64_t loose_round_robin_rank(uint64_t key, uint32_t slot, uint32_t last)
{
    return (key & ISSUE_ORDER_PRIORITY) | issue_order_distance(slot, last);
}

extern const struct issue_order issue_order_loose_round_robin;
const struct issue_order issue_order_loose_round_robin = {
    .name = "loose_round_robin",
    .help = "in turn, without those that cannot issue now",
    .rank = loose_round_robin_rank,
};
