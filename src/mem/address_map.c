/* SPDX-License-Identifier: MIT */
#include "mem/address_map.h"

#include <string.h>

#include "base/bits.h"

#define ROW(...) PARAMETER_ROW(struct address_map_parameters, __VA_ARGS__)
const struct parameter address_map_parameters[] = {ADDRESS_MAP_PARAMETERS(ROW)};
const uint32_t address_map_parameter_count =
    sizeof address_map_parameters / sizeof address_map_parameters[0];

enum { TAHITI_CHANNELS = 12 };

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
    if (strcmp(parameters->rule, "modulo") == 0) {
        map->rule = ADDRESS_MODULO;
        return true;
    }
    if (strcmp(parameters->rule, "tahiti") != 0) {
        diagnose(diagnosis, "address.rule: there is no address rule '%s'", parameters->rule);
        return diagnose_hint(diagnosis, "tahiti or modulo");
    }
    map->rule = ADDRESS_TAHITI;
    if (parameters->interleave_bytes != ADDRESS_INTERLEAVE_BYTES) {
        diagnose(diagnosis, "address.rule: tahiti interleaves every 256 bytes, not every %llu",
                 (unsigned long long)parameters->interleave_bytes);
        return diagnose_hint(diagnosis, "use address.rule=modulo");
    }
    if (map->channels == TAHITI_CHANNELS)
        return true;
    diagnose(diagnosis, "address.rule: tahiti is one for 12 channels, and there are %u",
             map->channels);
    return diagnose_hint(diagnosis, "use address.rule=modulo");
}

uint64_t address_map_addr(const struct address_map *map, uint32_t channel, uint64_t line)
{
    uint64_t local = line >> map->line_bits, block;

    if (map->rule == ADDRESS_TAHITI) {
        uint64_t quadrant = channel / 3, third = local / 2, odd = local % 2, row, pipe;

        if (channel % 3 == 1) { /* both pipes of every third row */
            row = third * 3 + 1;
            pipe = odd;
        } else {
            row = third * 3 + 2 * odd;
            pipe = channel % 3 / 2;
        }
        block = row << 3 | quadrant << 1 | pipe;
    } else {
        block = local * map->channels + channel;
    }
    return (block << map->line_bits | (line & ((UINT64_C(1) << map->line_bits) - 1))) * 64;
}
