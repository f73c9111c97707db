/* SPDX-License-Identifier: MIT */
/* A small, fast, seeded generator (SplitMix64: Steele, Lea, Flood, OOPSLA 2014). Each component
 * that needs chance owns one, so that no part's draws depend on the order of another's. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state; /* the seed; any value will do */
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number in [0, bound), bound > 0; the bias is below 2^-32 for bounds below 2^32. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)random_next(random) * bound) >> 64);
}

#endif
