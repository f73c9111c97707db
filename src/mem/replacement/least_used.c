/* SPDX-License-Identifier: MIT */
#include "mem/replacement.h"

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
