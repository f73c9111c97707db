/* SPDX-License-Identifier: MIT */
/* Oldest first: the key, which is age below priority. */
#include "gpu/issue_order.h"

extern const struct issue_order issue_order_oldest_first;
const struct issue_order issue_order_oldest_first = {
    .name = "oldest_first",
    .help = "the wavefront that started first",
};
