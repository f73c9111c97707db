/* SPDX-License-Identifier: MIT */
#include "mem/replacement.h"

#include <string.h>

#define POLICIES(X)                                                                                \
    X(lru)                                                                                         \
    X(fifo)                                                                                        \
    X(random)

#define DECLARE(name) extern const struct replacement replacement_##name;
POLICIES(DECLARE)

#define LIST(name) &replacement_##name,
const struct replacement *const replacements[] = {POLICIES(LIST) NULL};

const struct replacement *replacement_find(const char *name)
{
    for (unsigned i = 0; replacements[i] != NULL; i++)
        if (strcmp(replacements[i]->name, name) == 0)
            return replacements[i];
    return NULL;
}
