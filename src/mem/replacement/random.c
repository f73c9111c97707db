/* SPDX-License-Identifier: MIT */
/* Any line. The cache's word is a generator's state, which goes on when a line enters, so that the
 * same run draws the same lines. */
#include "base/random.h"
#include "mem/replacement.h"

static void random_enter(struct line *line, uint64_t *memory)
{
    struct random random = {.state = *memory};

    (void)line;
    random_next(&random);
    *memory = random.state;
}

static uint32_t random_choose(const struct line *ways, uint64_t candidates, const uint64_t *memory)
{
    struct random random = {.state = *memory};
    uint64_t skipped = random_below(&random, (uint64_t)__builtin_popcountll(candidates));

    (void)ways;
    while (skipped-- > 0)
        candidates &= candidates - 1;
    return (uint32_t)__builtin_ctzll(candidates);
}

extern const struct replacement replacement_random;
const struct replacement replacement_random = {
    .name = "random",
    .help = "any line, drawn by a generator of the cache's own",
    .enter = random_enter,
    .choose = random_choose,
    .is_by_way = true,
};
