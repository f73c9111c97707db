/* SPDX-License-Identifier: MIT */
#include "mem/limit.h"

#include <string.h>

#define POLICIES(X)                                                                                \
    X(fixed)                                                                                       \
    X(adaptive)

#define DECLARE(name) extern const struct limit_policy limit_##name;
POLICIES(DECLARE)

#define LIST(name) &limit_##name,
const struct limit_policy *const limit_policies[] = {POLICIES(LIST) NULL};

const struct limit_policy *limit_policy_find(const char *name)
{
    for (unsigned i = 0; limit_policies[i] != NULL; i++)
        if (strcmp(limit_policies[i]->name, name) == 0)
            return limit_policies[i];
    return NULL;
}
