/* SPDX-License-Identifier: MIT */
/*
 * Scans over the lanes of a wavefront, for work_group.cl and sub_group.cl. All work-items of a
 * wavefront come here together, and are its first lanes.
 *
 * In step k a lane whose bit k is set takes what the 2^k lanes before its block of so many have
 * together. The last of them holds it: a pattern that ds_swizzle_b32 can express within 32 lanes.
 * Lanes before an active one are active, so that no value of an inactive one is taken.
 * Source: J. Sklansky, Conditional-Sum Addition Logic, IRE Trans. Electronic Computers 9 (1960);
 * AMD, Southern Islands Series Instruction Set Architecture, DS_SWIZZLE_B32.
 */
#ifndef BUILTIN_WAVE_H
#define BUILTIN_WAVE_H

#include "builtin/builtin.h"

static inline uint wave_lane(void)
{
    return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}
/* Lanes of this wavefront that have a work-item. */
static inline uint wave_count(void)
{
    return popcount((ulong)__builtin_amdgcn_ballot_w64(true));
}
/* Work-items of a work-group: all of a launch have as many. */
static inline size_t group_items(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

/* The value of the lane that ends the block of 2^step lanes before this lane's. */
#define SWIZZLE(step) ((31 & ~((2 << (step)) - 1)) | ((1 << (step)) - 1) << 5)

#define MOVE_32(type)                                                                              \
    static inline type wave_read_##type(type value, uint lane)                                     \
    {                                                                                              \
        return as_##type(__builtin_amdgcn_readlane(as_int(value), (int)lane));                     \
    }                                                                                              \
    static inline __attribute__((always_inline))                                                   \
    type wave_before_##type(type value, const int step)                                            \
    {                                                                                              \
        int bits = as_int(value);                                                                  \
                                                                                                   \
        switch (step) {                                                                            \
        case 0:                                                                                    \
            return as_##type(__builtin_amdgcn_ds_swizzle(bits, SWIZZLE(0)));                       \
        case 1:                                                                                    \
            return as_##type(__builtin_amdgcn_ds_swizzle(bits, SWIZZLE(1)));                       \
        case 2:                                                                                    \
            return as_##type(__builtin_amdgcn_ds_swizzle(bits, SWIZZLE(2)));                       \
        case 3:                                                                                    \
            return as_##type(__builtin_amdgcn_ds_swizzle(bits, SWIZZLE(3)));                       \
        case 4:                                                                                    \
            return as_##type(__builtin_amdgcn_ds_swizzle(bits, SWIZZLE(4)));                       \
        default:                                                                                   \
            return wave_read_##type(value, 31);                                                    \
        }                                                                                          \
    }                                                                                              \
    static inline ulong wave_bits_##type(type value)                                               \
    {                                                                                              \
        return as_uint(value);                                                                     \
    }                                                                                              \
    static inline type wave_of_bits_##type(ulong bits)                                             \
    {                                                                                              \
        return as_##type((uint)bits);                                                              \
    }

#define MOVE_64(type)                                                                              \
    static inline type wave_read_##type(type value, uint lane)                                     \
    {                                                                                              \
        int2 bits = as_int2(value);                                                                \
                                                                                                   \
        return as_##type((int2)(wave_read_int(bits.x, lane), wave_read_int(bits.y, lane)));        \
    }                                                                                              \
    static inline __attribute__((always_inline))                                                   \
    type wave_before_##type(type value, const int step)                                            \
    {                                                                                              \
        int2 bits = as_int2(value);                                                                \
                                                                                                   \
        return as_##type((int2)(wave_before_int(bits.x, step), wave_before_int(bits.y, step)));    \
    }                                                                                              \
    static inline ulong wave_bits_##type(type value)                                               \
    {                                                                                              \
        return as_ulong(value);                                                                    \
    }                                                                                              \
    static inline type wave_of_bits_##type(ulong bits)                                             \
    {                                                                                              \
        return as_##type(bits);                                                                    \
    }

MOVE_32(int)
MOVE_32(uint)
MOVE_32(float)
MOVE_64(long)
MOVE_64(ulong)
MOVE_64(double)

/* The operations, and what changes nothing in each. */
#define COMBINE_ADD(a, b) ((a) + (b))
#define COMBINE_MIN_INTEGER(a, b) min(a, b)
#define COMBINE_MAX_INTEGER(a, b) max(a, b)
#define COMBINE_MIN_FLOAT(a, b) fmin(a, b)
#define COMBINE_MAX_FLOAT(a, b) fmax(a, b)

/* DO(type, add|min|max, COMBINE, identity) */
#define FOR_OPERATIONS(DO)                                                                         \
    DO(int, add, COMBINE_ADD, 0)                                                                   \
    DO(int, min, COMBINE_MIN_INTEGER, INT_MAX)                                                     \
    DO(int, max, COMBINE_MAX_INTEGER, INT_MIN)                                                     \
    DO(uint, add, COMBINE_ADD, 0)                                                                  \
    DO(uint, min, COMBINE_MIN_INTEGER, UINT_MAX)                                                   \
    DO(uint, max, COMBINE_MAX_INTEGER, 0)                                                          \
    DO(long, add, COMBINE_ADD, 0)                                                                  \
    DO(long, min, COMBINE_MIN_INTEGER, LONG_MAX)                                                   \
    DO(long, max, COMBINE_MAX_INTEGER, LONG_MIN)                                                   \
    DO(ulong, add, COMBINE_ADD, 0)                                                                 \
    DO(ulong, min, COMBINE_MIN_INTEGER, ULONG_MAX)                                                 \
    DO(ulong, max, COMBINE_MAX_INTEGER, 0)                                                         \
    DO(float, add, COMBINE_ADD, 0.0f)                                                              \
    DO(float, min, COMBINE_MIN_FLOAT, INFINITY)                                                    \
    DO(float, max, COMBINE_MAX_FLOAT, -INFINITY)                                                   \
    DO(double, add, COMBINE_ADD, 0.0)                                                              \
    DO(double, min, COMBINE_MIN_FLOAT, (double)INFINITY)                                           \
    DO(double, max, COMBINE_MAX_FLOAT, -(double)INFINITY)
#define FOR_GROUP_TYPES(DO) DO(int) DO(uint) DO(long) DO(ulong) DO(float) DO(double)

/* What the lane and those before it have together; in *before, what those before it have. */
#define WAVE_SCAN(type, name, COMBINE, identity)                                                   \
    static inline __attribute__((always_inline))                                                   \
    type wave_scan_##name##_##type(type value, __private type *before)                             \
    {                                                                                              \
        uint lane = wave_lane();                                                                   \
        type others = identity;                                                                    \
                                                                                                   \
        _Pragma("unroll") for (int step = 0; step < 6; step++)                                     \
        {                                                                                          \
            type earlier = wave_before_##type(value, step);                                        \
                                                                                                   \
            if ((lane >> step & 1) == 0)                                                           \
                continue;                                                                          \
            others = (lane & ((1u << step) - 1)) == 0 ? earlier : COMBINE(earlier, others);        \
            value = COMBINE(earlier, value);                                                       \
        }                                                                                          \
        *before = others;                                                                          \
        return value;                                                                              \
    }

#endif
