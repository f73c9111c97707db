/* SPDX-License-Identifier: MIT */
/* Least recently used: each use gives the line the cache's next number. */
#include "mem/replacement.h"

static void lru_use(struct line *line, uint64_t *memory)
{
    line->used = ++*memory;
}

extern const struct replacement replacement_lru;
const struct replacement replacement_lru = {
    .name = "lru",
    .help = "the line that was used least recently",
    .enter = lru_use,
    .use = lru_use,
    .choose = replacement_least_used,
};
