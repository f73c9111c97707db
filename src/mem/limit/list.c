/* SPDX-License-Identifier: MIT */
#include "mem/limit.h"

#define POLICIES(X)                                                                                \
    X(fixed)                                                                                       \
    X(adaptive)

#define DECLARE(name) extern const struct limit_policy limit_##name;
POLICIES(DECLARE)

#define LIST(name) &limit_##name,
const struct limit_policy *const limit_policies[] = {POLICIES(LIST) NULL};
PARAMETER_LIST(struct limit_policy, limit_policy, limit_policies)
