/* SPDX-License-Identifier: MIT */
/* A set of nodes of the network: who may hold a copy, who must be probed. Plain data; all zeros is
 * the empty set. */
#ifndef MEM_NODE_SET_H
#define MEM_NODE_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { NODE_SET_NODES = 256, NODE_SET_WORDS = NODE_SET_NODES / 64 };

struct node_set {
    uint64_t words[NODE_SET_WORDS];
};

static inline void node_set_add(struct node_set *set, uint32_t node)
{
    set->words[node / 64] |= UINT64_C(1) << node % 64;
}

static inline void node_set_remove(struct node_set *set, uint32_t node)
{
    set->words[node / 64] &= ~(UINT64_C(1) << node % 64);
}

static inline bool node_set_has(const struct node_set *set, uint32_t node)
{
    return (set->words[node / 64] >> node % 64 & 1) != 0;
}

/* The first member at or after `node`; NODE_SET_NODES: there is none. */
static inline uint32_t node_set_next(const struct node_set *set, uint32_t node)
{
    for (; node < NODE_SET_NODES; node = (node / 64 + 1) * 64) {
        uint64_t rest = set->words[node / 64] >> node % 64;

        if (rest != 0)
            return node + (uint32_t)__builtin_ctzll(rest);
    }
    return NODE_SET_NODES;
}

static inline bool node_set_is_empty(const struct node_set *set)
{
    return node_set_next(set, 0) == NODE_SET_NODES;
}

static inline uint32_t node_set_count(const struct node_set *set)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < NODE_SET_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(set->words[i]);
    return count;
}

#endif
