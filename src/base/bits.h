/* SPDX-License-Identifier: MIT */
/* Bit tricks used in several layers. Masks are 64 bits wide: a wavefront's lanes, a line's bytes.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The struct that contains `member`, given a pointer to that member. */
#define container_of(pointer, type, member)                                                        \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#define ARRAY_COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

/* For what a function does now and then: it saves no registers where there is nothing to do. */
#define NOT_INLINE __attribute__((noinline))

static inline unsigned count_bits(uint64_t mask)
{
    return mask == UINT64_MAX ? 64 : (unsigned)__builtin_popcountll(mask);
}

/* The lowest set bit's number. `mask` is not zero. */
static inline unsigned lowest_bit(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

/* `count` ones from bit 0 up; 64 or more gives all ones. */
static inline uint64_t low_mask(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static inline bool is_power_of_two(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static inline uint64_t align_up(uint64_t value, uint64_t power_of_two)
{
    return (value + power_of_two - 1) & ~(power_of_two - 1);
}

/* for (lanes of mask): `bit` takes the number of each set bit, lowest first; `mask` is consumed. */
#define for_each_bit(bit, mask)                                                                    \
    for (unsigned bit; (mask) != 0 && ((bit) = lowest_bit(mask), true); (mask) &= (mask)-1)

#endif
