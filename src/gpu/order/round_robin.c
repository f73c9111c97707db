/* SPDX-License-Identifier: MIT */
/* Round robin: a turn belongs to one wavefront. It keeps it until its instruction has issued,
 * though its unit is busy. One that waits for memory, a barrier or a queue is passed over, since
 * others may have to act first. */
#include "gpu/issue_order.h"

static uint64_t round_robin_admit(uint64_t slots, uint32_t last)
{
    return UINT64_C(1) << issue_order_first(slots, last);
}

extern const struct issue_order issue_order_round_robin;
const struct issue_order issue_order_round_robin = {
    .name = "round_robin",
    .help = "in turn, one wavefront a turn, which others wait for while its unit is busy",
    .admit = round_robin_admit,
};
