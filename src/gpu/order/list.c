/* SPDX-License-Identifier: MIT */
#include "gpu/issue_order.h"

#define ORDERS(X)                                                                                  \
    X(oldest_first)                                                                                \
    X(loose_round_robin)                                                                           \
    X(round_robin)

#define DECLARE(name) extern const struct issue_order issue_order_##name;
ORDERS(DECLARE)

#define LIST(name) &issue_order_##name,
const struct issue_order *const issue_orders[] = {ORDERS(LIST) NULL};
PARAMETER_LIST(struct issue_order, issue_order, issue_orders)
