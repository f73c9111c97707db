/* SPDX-License-Identifier: MIT */
/* 12 channels out of 8 virtual pipes, 256-byte interleave.
 *
 *     addr[10:8] = pipe, quadrant = pipe[2:1], r = addr >> 11
 *     channel in the quadrant: 1 if r % 3 == 1, else 2 * pipe[0]
 *
 * Source: AMD OpenCL Optimization Guide 2.1.1. That r is everything left of bit 10, and the
 * channel-local address, are inferences that reproduce the guide's statements and use all of each
 * channel. */
#include "mem/address_map.h"

static struct address_block tahiti_place(const struct address_map *map, uint64_t block)
{
    uint64_t row = block >> 3, third = row / 3;
    uint32_t rest = (uint32_t)(row - third * 3), pipe = (uint32_t)block & 1;

    (void)map;
    return (struct address_block){
        .local = 2 * third + (rest == 1 ? pipe : rest / 2),
        .channel = 3 * ((uint32_t)block >> 1 & 3) + (rest == 1 ? 1 : 2 * pipe),
    };
}

static uint64_t tahiti_block(const struct address_map *map, struct address_block place)
{
    uint64_t quadrant = place.channel / 3, third = place.local / 2, odd = place.local % 2, row,
             pipe;

    (void)map;
    if (place.channel % 3 == 1) { /* both pipes of every third row */
        row = third * 3 + 1;
        pipe = odd;
    } else {
        row = third * 3 + 2 * odd;
        pipe = place.channel % 3 / 2;
    }
    return row << 3 | quadrant << 1 | pipe;
}

extern const struct address_rule address_rule_tahiti;
const struct address_rule address_rule_tahiti = {
    .name = "tahiti",
    .help = "twelve channels of 256 bytes, as Tahiti's",
    .channels = 12,
    .interleave_bytes = 256,
    .place = tahiti_place,
    .block = tahiti_block,
};
