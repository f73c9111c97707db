/* SPDX-License-Identifier: MIT */
/*
 * The order of issue. Of a SIMD's wavefronts that could issue in its turn it says which may. It
 * also says which goes first where two want one unit or the issue is not wide enough.
 *
 *   the wavefronts that wait for nothing but time ──► admit ──► one of each kind, by rank ──► issue
 *
 * An order sees wavefront slots, keys (priority above age) and `last`. That is the slot of the
 * wavefront that went first in the latest turn in which any issued. It has no state of its own.
 * Wavefronts that ask for a transaction's begin or commit are not put in order: they may ask in
 * each turn.
 *
 * Left out: an order of its own for a place in a memory unit's queue, which the oldest gets.
 *
 * To add one: a file in gpu/order/ and its line in gpu/order/list.c.
 */
#ifndef GPU_ISSUE_ORDER_H
#define GPU_ISSUE_ORDER_H

#include <stdint.h>

#include "base/bits.h"
#include "sim/declare.h"

enum { ISSUE_ORDER_SLOTS = 64 };

struct issue_order {
    const char *name; /* "oldest_first" */
    const char *help; /* one line */
    /* Those of `slots`, which is not empty, that may issue in this turn. NULL: all. */
    uint64_t (*admit)(uint64_t slots, uint32_t last);
    /* The smallest goes first. NULL: the key. Priority counts more than anything else. */
    uint64_t (*rank)(uint64_t key, uint32_t slot, uint32_t last);
};

/* All orders, NULL-terminated; the first is the usual one. */
extern const struct issue_order *const issue_orders[];
/* NULL: there is none of that name. */
const struct issue_order *issue_order_find(const char *name);
parameter_words issue_order_word;

/* How far behind `last` the slot is, in turn: 0 for the one after it. */
static inline uint32_t issue_order_distance(uint32_t slot, uint32_t last)
{
    return (slot - last - 1) % ISSUE_ORDER_SLOTS;
}

/* Of `slots`, which is not empty, the first behind `last`. */
static inline uint32_t issue_order_first(uint64_t slots, uint32_t last)
{
    uint64_t later = slots & ~low_mask(last + 1);

    return lowest_bit(later != 0 ? later : slots);
}

/* The bits of a key that hold the priority: 0 for the highest. */
#define ISSUE_ORDER_PRIORITY (~(uint64_t)0 << 60)

#endif
