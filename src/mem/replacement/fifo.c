/* SPDX-License-Identifier: MIT */
/* First in, first out: a line's age in the cache decides, however often it is used. */
#include "mem/replacement.h"

static void fifo_enter(struct line *line, uint64_t *memory)
{
    line->used = ++*memory;
}

extern const struct replacement replacement_fifo;
const struct replacement replacement_fifo = {
    .name = "fifo",
    .help = "the line that came first",
    .enter = fifo_enter,
    .choose = replacement_least_used,
};
