/* SPDX-License-Identifier: MIT */
#include "mem/replacement.h"

#define POLICIES(X)                                                                                \
    X(lru)                                                                                         \
    X(fifo)                                                                                        \
    X(random)

#define DECLARE(name) extern const struct replacement replacement_##name;
POLICIES(DECLARE)

#define LIST(name) &replacement_##name,
const struct replacement *const replacements[] = {POLICIES(LIST) NULL};
PARAMETER_LIST(struct replacement, replacement, replacements)
