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

uint32_t replacement_least_used(const struct line *ways, uint64_t candidates,
                                const uint64_t *memory)
{
    uint32_t best = (uint32_t)__builtin_ctzll(candidates);

    (void)memory;
    for (candidates &= candidates - 1; candidates != 0; candidates &= candidates - 1) {
        uint32_t way = (uint32_t)__builtin_ctzll(candidates);

        if (ways[way].used < ways[best].used)
            best = way;
    }
    return best;
}
