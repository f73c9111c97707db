/* SPDX-License-Identifier: MIT */
/*
 * Which L2 slice, slice port and memory channel a device address belongs to, and where it lies
 * inside the channel.
 *
 *   addr (low 40 bits) ──► channel ──► slice = channel / ports, port = channel % ports
 *                     └──► line: its number inside the channel (0, 1, 2, ...), from which come
 *                                the set of L2, and the bank, column and row of memory
 *
 * A rule is a file in mem/address/, with its source: it divides blocks of interleave_bytes among
 * the channels. To add one: the file and its line in mem/address/list.c.
 *
 * Invariants: one-to-one; each channel gets the same share.
 * Left out: hashing of banks or channels.
 */
#ifndef MEM_ADDRESS_MAP_H
#define MEM_ADDRESS_MAP_H

#include <stdint.h>

#include "base/diagnosis.h"
#include "sim/declare.h"

enum {
    ADDRESS_INTERLEAVE_BYTES = 256,
    ADDRESS_LINES = 4 /* lines of 64 bytes in an interleave unit */
};

parameter_words address_rule_word;
#define ADDRESS_MAP_PARAMETERS(X)                                                                  \
    X(WORD, rule, "", "tahiti", address_rule_word, 1, "how addresses choose a channel")            \
    X(NUMBER, interleave_bytes, "bytes", 256, 64, 65536,                                           \
      "consecutive bytes of one channel (a power of two; tahiti: 256)")                            \
    X(NUMBER, slices, "slices", 6, 1, 64, "L2 slices")                                             \
    X(NUMBER, channels_per_slice, "channels", 2, 1, 8,                                             \
      "memory channels, and crossbar ports, of each L2 slice")

struct address_map_parameters {
    ADDRESS_MAP_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter address_map_parameters[];
extern const uint32_t address_map_parameter_count;

/* A block's channel, and its number among the channel's blocks (0, 1, 2, ...). */
struct address_block {
    uint64_t local;
    uint32_t channel;
};

struct address_map;

struct address_rule {
    const char *name, *help;   /* "modulo", one line */
    uint32_t channels;         /* it is one for so many; 0: for any number */
    uint32_t interleave_bytes; /* and for blocks of so many; 0: of any number */
    struct address_block (*place)(const struct address_map *map, uint64_t block);
    uint64_t (*block)(const struct address_map *map, struct address_block place); /* its inverse */
};

/* All rules, NULL-terminated. */
extern const struct address_rule *const address_rules[];
const struct address_rule *address_rule_find(const char *name);

struct address_map {
    const struct address_rule *rule;
    uint32_t slices;    /* L2 slices */
    uint32_t ports;     /* of each slice: one a channel */
    uint32_t channels;  /* slices * ports */
    uint32_t line_bits; /* of the lines of an interleave unit: 2 for 256 bytes */
};

struct address_place {
    uint64_t line;    /* channel-local line number */
    uint16_t channel; /* 0 to channels - 1; also the crossbar's output that leads to it */
    uint16_t slice, port;
};

/* Fills the map. False and a diagnosis for an unknown rule, or one that does not fit the number of
 * channels. */
bool address_map_init(struct address_map *map, const struct address_map_parameters *parameters,
                      struct diagnosis *diagnosis) MUST_USE;

/* The device address (low 40 bits, of the line's first byte) of a channel-local line: the inverse
 * of address_place. */
uint64_t address_map_addr(const struct address_map *map, uint32_t channel, uint64_t line);

static inline struct address_place address_place(const struct address_map *map, uint64_t addr)
{
    uint64_t lines = (addr & UINT64_C(0xffffffffff)) / 64;
    struct address_block block = map->rule->place(map, lines >> map->line_bits);

    return (struct address_place){
        .line = block.local << map->line_bits | (lines & ((UINT64_C(1) << map->line_bits) - 1)),
        .channel = (uint16_t)block.channel,
        .slice = (uint16_t)(block.channel / map->ports),
        .port = (uint16_t)(block.channel % map->ports),
    };
}

#endif
