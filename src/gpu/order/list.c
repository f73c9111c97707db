/* SPDX-License-Identifier: MIT */
#include "gpu/issue_order.h"

#include <stddef.h>
#include <string.h>

#define ORDERS(X)                                                                                  \
    X(oldest_first)                                                                                \
    X(loose_round_robin)                                                                           \
    X(round_robin)

#define DECLARE(name) extern const struct issue_order issue_order_##name;
ORDERS(DECLARE)

#define LIST(name) &issue_order_##name,
const struct issue_order *const issue_orders[] = {ORDERS(LIST) NULL};

const struct issue_order *issue_order_find(const char *name)
{
    for (unsigned i = 0; issue_orders[i] != NULL; i++)
        if (strcmp(issue_orders[i]->name, name) == 0)
            return issue_orders[i];
    return NULL;
}
