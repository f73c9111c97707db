/* SPDX-License-Identifier: MIT */
/* Random numbers that a seed repeats: splitmix64. */
#ifndef TESTS_FUZZ_DICE_H
#define TESTS_FUZZ_DICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dice {
    uint64_t state;
};

static inline uint64_t dice_next(struct dice *dice)
{
    uint64_t x = dice->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* 0 to n - 1; n is not 0. */
static inline uint64_t dice_below(struct dice *dice, uint64_t n)
{
    return dice_next(dice) % n;
}

/* low to high, both included. */
static inline uint64_t dice_between(struct dice *dice, uint64_t low, uint64_t high)
{
    return low + dice_below(dice, high - low + 1);
}

static inline bool dice_one_in(struct dice *dice, uint64_t n)
{
    return dice_below(dice, n) == 0;
}

static inline void dice_fill(struct dice *dice, unsigned char *bytes, size_t count)
{
    for (size_t at = 0; at < count; at += 8) {
        uint64_t x = dice_next(dice);
        memcpy(bytes + at, &x, count - at < 8 ? count - at : 8);
    }
}

#endif
