/* SPDX-License-Identifier: MIT */
#include "mem/address_map.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

#define ROW(...) PARAMETER_ROW(struct address_map_parameters, __VA_ARGS__)
const struct parameter address_map_parameters[] = {ADDRESS_MAP_PARAMETERS(ROW)};
const uint32_t address_map_parameter_count =
    sizeof address_map_parameters / sizeof address_map_parameters[0];

static bool has_channels(const struct address_rule *rule, const struct address_map *map)
{
    return rule->channels == 0 || rule->channels == map->channels;
}

static bool has_blocks(const struct address_rule *rule, const struct address_map *map)
{
    return rule->interleave_bytes == 0 || rule->interleave_bytes == UINT32_C(64) << map->line_bits;
}

/* The rules for the map's channels. */
static bool hint_rules(struct diagnosis *diagnosis, const struct address_map *map)
{
    char names[128] = "";
    size_t at = 0;

    for (uint32_t i = 0; address_rules[i] != NULL && at < sizeof names; i++)
        if (has_channels(address_rules[i], map) && has_blocks(address_rules[i], map))
            at += (size_t)snprintf(names + at, sizeof names - at, "%saddress.rule=%s",
                                   at > 0 ? " or " : "", address_rules[i]->name);
    return diagnose_hint(diagnosis, "%s", names);
}

bool address_map_init(struct address_map *map, const struct address_map_parameters *parameters,
                      struct diagnosis *diagnosis)
{
    memset(map, 0, sizeof *map);
    map->slices = (uint32_t)parameters->slices;
    map->ports = (uint32_t)parameters->channels_per_slice;
    map->channels = map->slices * map->ports;
    if (!is_power_of_two(parameters->interleave_bytes))
        return diagnose(diagnosis, "address.interleave_bytes: %llu is no power of two",
                        (unsigned long long)parameters->interleave_bytes);
    map->line_bits = lowest_bit(parameters->interleave_bytes / 64);
    map->rule = address_rule_find(parameters->rule);
    check(map->rule != NULL, "a known rule");
    if (!has_blocks(map->rule, map)) {
        diagnose(diagnosis, "address.rule: %s interleaves every %u bytes, not every %llu",
                 map->rule->name, map->rule->interleave_bytes,
                 (unsigned long long)parameters->interleave_bytes);
        return hint_rules(diagnosis, map);
    }
    if (has_channels(map->rule, map))
        return true;
    diagnose(diagnosis, "address.rule: %s is one for %u channels, and there are %u",
             map->rule->name, map->rule->channels, map->channels);
    return hint_rules(diagnosis, map);
}

uint64_t address_map_addr(const struct address_map *map, uint32_t channel, uint64_t line)
{
    struct address_block place = {.local = line >> map->line_bits, .channel = channel};
    uint64_t rest = line & ((UINT64_C(1) << map->line_bits) - 1);

    return (map->rule->block(map, place) << map->line_bits | rest) * 64;
}
