/* SPDX-License-Identifier: MIT */
/* A set of nodes of the network: who may hold a copy, who must be probed. Plain data; all zeros is
 * the empty set. A node that the set has no room for is a mistake of ours: machine/parameters.h
 * refuses machines with more nodes above L2. */
#ifndef MEM_NODE_SET_H
#define MEM_NODE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"

/* 256 compute units, each with an L1, a scalar and an instruction cache of its own. */
enum { NODE_SET_NODES = 768, NODE_SET_WORDS = NODE_SET_NODES / 64 };

struct node_set {
    uint64_t used; /* set of the words that are not 0: most sets have one or none */
    uint64_t words[NODE_SET_WORDS];
};

static inline void node_set_check(uint32_t node)
{
    check(node < NODE_SET_NODES, "node %u, but a set of nodes has room for %d", node,
          NODE_SET_NODES);
}

static inline void node_set_add(struct node_set *set, uint32_t node)
{
    node_set_check(node);
    set->words[node / 64] |= UINT64_C(1) << node % 64;
    set->used |= UINT64_C(1) << node / 64;
}

static inline void node_set_remove(struct node_set *set, uint32_t node)
{
    node_set_check(node);
    set->words[node / 64] &= ~(UINT64_C(1) << node % 64);
    if (set->words[node / 64] == 0)
        set->used &= ~(UINT64_C(1) << node / 64);
}

static inline bool node_set_has(const struct node_set *set, uint32_t node)
{
    node_set_check(node);
    return (set->words[node / 64] >> node % 64 & 1) != 0;
}

/* The first member at or after `node`; NODE_SET_NODES: there is none. */
static inline uint32_t node_set_next(const struct node_set *set, uint32_t node)
{
    uint64_t rest, later;
    uint32_t word;

    if (node >= NODE_SET_NODES)
        return NODE_SET_NODES;
    rest = set->words[node / 64] >> node % 64;
    if (rest != 0)
        return node + (uint32_t)__builtin_ctzll(rest);
    later = set->used >> node / 64 >> 1;
    if (later == 0)
        return NODE_SET_NODES;
    word = node / 64 + 1 + (uint32_t)__builtin_ctzll(later);
    return word * 64 + (uint32_t)__builtin_ctzll(set->words[word]);
}

static inline bool node_set_is_empty(const struct node_set *set)
{
    return set->used == 0;
}

static inline uint32_t node_set_count(const struct node_set *set)
{
    uint32_t count = 0;

    for (uint64_t used = set->used; used != 0; used &= used - 1)
        count += (uint32_t)__builtin_popcountll(set->words[__builtin_ctzll(used)]);
    return count;
}

#endif
