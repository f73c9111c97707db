/* SPDX-License-Identifier: MIT */
/* Any number of channels: channel = (addr / interleave_bytes) % channels. */
#include "mem/address_map.h"

static struct address_block modulo_place(const struct address_map *map, uint64_t block)
{
    uint64_t local = block / map->channels;

    return (struct address_block){.local = local,
                                  .channel = (uint32_t)(block - local * map->channels)};
}

static uint64_t modulo_block(const struct address_map *map, struct address_block place)
{
    return place.local * map->channels + place.channel;
}

extern const struct address_rule address_rule_modulo;
const struct address_rule address_rule_modulo = {.name = "modulo",
                                                 .help = "one channel after another",
                                                 .place = modulo_place,
                                                 .block = modulo_block};
