/* SPDX-License-Identifier: MIT */
/* Numbers and their bits, for the files of the reference. */
#ifndef TESTS_ISA_REFERENCE_BITS_H
#define TESTS_ISA_REFERENCE_BITS_H

#include <string.h>

#include "reference.h"

static inline float to_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;

    memcpy(&value, &low, sizeof value);
    return value;
}

static inline uint64_t from_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double to_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t from_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline bool is_nan_float(uint64_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static inline bool is_nan_double(uint64_t bits)
{
    return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

static inline bool is_signaling_float(uint64_t bits)
{
    return is_nan_float(bits) && !(bits & 0x400000);
}

static inline bool is_signaling_double(uint64_t bits)
{
    return is_nan_double(bits) && !(bits & 0x8000000000000ull);
}

/* The NaN that an operation on the first `count` sources gives. */
static inline uint64_t nan_of_floats(const struct reference_lane *lane, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_nan_float(lane->source[i]))
            return lane->source[i] | 0x400000;
    }
    return 0xffc00000;
}

static inline uint64_t nan_of_doubles(const struct reference_lane *lane, int count)
{
    for (int i = 0; i < count; i++) {
        if (is_nan_double(lane->source[i]))
            return lane->source[i] | 0x8000000000000ull;
    }
    return 0xfff8000000000000ull;
}

#endif
