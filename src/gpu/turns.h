/* SPDX-License-Identifier: MIT */
/*
 * The turns of a compute unit's SIMDs to issue: SIMD i has its turn in each cycle c with
 * c mod turn_cycles = i mod turn_cycles. With fewer SIMDs than cycles, in the other cycles nothing
 * issues; with more, several SIMDs have their turn in one cycle, the lowest first.
 */
#ifndef GPU_TURNS_H
#define GPU_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

struct turns {
    uint64_t cycles; /* from one turn of a SIMD to its next */
    uint32_t simds;
    bool is_power; /* of two: then no division is needed */
    unsigned shift;
};

static inline struct turns turns_of(uint64_t simds, uint64_t cycles)
{
    return (struct turns){cycles, (uint32_t)simds, is_power_of_two(cycles), lowest_bit(cycles)};
}

/* The first SIMD whose turn it is, the others are turns->cycles apart; of turns->simds or more:
 * none's. */
static inline uint32_t turns_simd(const struct turns *turns, uint64_t cycle)
{
    return (uint32_t)(__builtin_expect(turns->is_power, 1) ? cycle & (turns->cycles - 1)
                                                           : cycle % turns->cycles);
}

/* The SIMD's first turn in `cycle` or later. */
static inline uint64_t turns_from(const struct turns *turns, uint32_t simd, uint64_t cycle)
{
    uint32_t place, turn;

    if (__builtin_expect(turns->is_power, 1))
        return cycle + ((simd - cycle) & (turns->cycles - 1));
    place = turns_simd(turns, cycle);
    turn = turns_simd(turns, simd);
    return cycle + turn - place + (place > turn ? turns->cycles : 0);
}

/* How many turns a SIMD has from one of its turns on until `end`, which does not count. */
static inline uint64_t turns_count(const struct turns *turns, uint64_t first, uint64_t end)
{
    uint64_t span = end - first + turns->cycles - 1;

    return __builtin_expect(turns->is_power, 1) ? span >> turns->shift : span / turns->cycles;
}

#endif
