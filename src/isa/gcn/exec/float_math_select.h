/* SPDX-License-Identifier: MIT */
/*
 * Minimum, maximum, median; cube map faces; the small integer helpers of VOP3 (sad, lerp).
 *
 * Minimum and maximum with MODE.IEEE set (the default of compute kernels): a signaling NaN gives
 * itself made quiet. A quiet NaN gives the other operand, and -0 is below +0. The 3-operand kinds
 * are two steps of the 2-operand ones; the median of operands with a NaN is their minimum. These do
 * not flush denormals on this generation. The legacy kinds are one compare: a NaN, or a tie of
 * zeros, selects src1 (min) or, for max, src0 in a tie of zeros. Source: AMD's ISA manuals
 * (Southern Islands; the later ones spell out NaNs and zeros).
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_SELECT_H
#define ISA_GCN_EXEC_FLOAT_MATH_SELECT_H

#include "isa/gcn/exec/float_math_bits.h"

/* A number's bits as an integer that orders as the numbers do, -0 below +0. Not for NaNs. */
static inline int32_t gcn_order_f32(float value)
{
    int32_t bits = (int32_t)gcn_bits_f32(value);

    return bits < 0 ? (int32_t)(0x7fffffffu ^ (uint32_t)bits) : bits;
}

static inline int64_t gcn_order_f64(double value)
{
    int64_t bits = (int64_t)gcn_bits_f64(value);

    return bits < 0 ? (int64_t)(0x7fffffffffffffffull ^ (uint64_t)bits) : bits;
}

/* What a minimum or maximum gives: `chosen` unless an operand is a NaN. */
static inline float gcn_choose_f32(float chosen, float a, float b)
{
    uint32_t bits = b != b ? gcn_bits_f32(a) : gcn_bits_f32(chosen);

    bits = a != a ? gcn_bits_f32(b) : bits;
    bits = gcn_is_signaling_f32(b) ? gcn_bits_f32(b) | GCN_QUIET_F32 : bits;
    bits = gcn_is_signaling_f32(a) ? gcn_bits_f32(a) | GCN_QUIET_F32 : bits;
    return gcn_float(bits);
}

static inline double gcn_choose_f64(double chosen, double a, double b)
{
    uint64_t bits = b != b ? gcn_bits_f64(a) : gcn_bits_f64(chosen);

    bits = a != a ? gcn_bits_f64(b) : bits;
    bits = gcn_is_signaling_f64(b) ? gcn_bits_f64(b) | GCN_QUIET_F64 : bits;
    bits = gcn_is_signaling_f64(a) ? gcn_bits_f64(a) | GCN_QUIET_F64 : bits;
    return gcn_double(bits);
}

static inline float gcn_min_f32(float a, float b)
{
    return gcn_choose_f32(gcn_order_f32(a) < gcn_order_f32(b) ? a : b, a, b);
}

static inline float gcn_max_f32(float a, float b)
{
    return gcn_choose_f32(gcn_order_f32(a) < gcn_order_f32(b) ? b : a, a, b);
}

static inline double gcn_min_f64(double a, double b)
{
    return gcn_choose_f64(gcn_order_f64(a) < gcn_order_f64(b) ? a : b, a, b);
}

static inline double gcn_max_f64(double a, double b)
{
    return gcn_choose_f64(gcn_order_f64(a) < gcn_order_f64(b) ? b : a, a, b);
}

static inline float gcn_min_legacy_f32(float a, float b)
{
    return a < b ? a : b;
}

static inline float gcn_max_legacy_f32(float a, float b)
{
    return a >= b ? a : b;
}

static inline float gcn_min3_f32(float a, float b, float c)
{
    return gcn_min_f32(gcn_min_f32(a, b), c);
}

static inline float gcn_max3_f32(float a, float b, float c)
{
    return gcn_max_f32(gcn_max_f32(a, b), c);
}

static inline float gcn_med3_f32(float a, float b, float c)
{
    float low = gcn_min_f32(a, b), high = gcn_max_f32(a, b);
    float median = gcn_max_f32(low, gcn_min_f32(high, c));
    float min = gcn_min_f32(low, c);

    return gcn_float(((a != a) | (b != b) | (c != c)) ? gcn_bits_f32(min) : gcn_bits_f32(median));
}

static inline int32_t gcn_min_i32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t gcn_max_i32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t gcn_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t gcn_max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline int32_t gcn_med3_i32(int32_t a, int32_t b, int32_t c)
{
    return gcn_max_i32(gcn_min_i32(a, b), gcn_min_i32(gcn_max_i32(a, b), c));
}

static inline uint32_t gcn_med3_u32(uint32_t a, uint32_t b, uint32_t c)
{
    return gcn_max_u32(gcn_min_u32(a, b), gcn_min_u32(gcn_max_u32(a, b), c));
}

/* Cube maps: the direction (x, y, z) meets the face of its largest component; z wins ties, then y.
 *
 *     face         id    s    t    major axis
 *     +x   -x     0  1  -z   z   -y        2x
 *     +y   -y     2  3       x   z  -z     2y
 *     +z   -z     4  5   x  -x   -y        2z
 */
static inline bool gcn_cube_is_z(float x, float y, float z)
{
    bool above_x = gcn_abs_f32(z) >= gcn_abs_f32(x), above_y = gcn_abs_f32(z) >= gcn_abs_f32(y);

    return above_x & above_y;
}

static inline bool gcn_cube_is_y(float x, float y)
{
    return gcn_abs_f32(y) >= gcn_abs_f32(x);
}

static inline float gcn_cubeid_f32(float x, float y, float z)
{
    float side = gcn_cube_is_y(x, y) ? (y < 0 ? 3.0f : 2.0f) : (x < 0 ? 1.0f : 0.0f);

    return gcn_cube_is_z(x, y, z) ? (z < 0 ? 5.0f : 4.0f) : side;
}

static inline float gcn_cubema_f32(float x, float y, float z)
{
    float side = gcn_cube_is_y(x, y) ? y : x;
    float major = gcn_cube_is_z(x, y, z) ? z : side;

    return gcn_settle_1_f32(major * 2.0f, major);
}

static inline float gcn_negate_f32(float value, bool negate)
{
    return gcn_float(gcn_bits_f32(value) ^ (negate ? GCN_SIGN_F32 : 0));
}

static inline float gcn_cubesc_f32(float x, float y, float z)
{
    float side = gcn_cube_is_y(x, y) ? x : gcn_negate_f32(z, !(x < 0));

    return gcn_cube_is_z(x, y, z) ? gcn_negate_f32(x, z < 0) : side;
}

static inline float gcn_cubetc_f32(float x, float y, float z)
{
    float side = gcn_cube_is_y(x, y) ? gcn_negate_f32(z, y < 0) : gcn_negate_f32(y, true);

    return gcn_cube_is_z(x, y, z) ? gcn_negate_f32(y, true) : side;
}

/* |a - b| of unsigned numbers. */
static inline uint32_t gcn_difference_u32(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static inline uint32_t gcn_byte(uint32_t word, int index)
{
    return (word >> (index * 8)) & 0xff;
}

/* Sum of absolute differences of bytes, added to c. v_sad_hi_u8 adds it 16 bits higher. */
static inline uint32_t gcn_sad_u8(uint32_t a, uint32_t b, uint32_t c)
{
    for (int i = 0; i < 4; i++)
        c += gcn_difference_u32(gcn_byte(a, i), gcn_byte(b, i));
    return c;
}

static inline uint32_t gcn_sad_hi_u8(uint32_t a, uint32_t b, uint32_t c)
{
    return c + (gcn_sad_u8(a, b, 0) << 16);
}

/* Bytes that are 0 in the reference b do not count. */
static inline uint32_t gcn_msad_u8(uint32_t a, uint32_t b, uint32_t c)
{
    for (int i = 0; i < 4; i++)
        c += gcn_byte(b, i) ? gcn_difference_u32(gcn_byte(a, i), gcn_byte(b, i)) : 0;
    return c;
}

static inline uint32_t gcn_sad_u16(uint32_t a, uint32_t b, uint32_t c)
{
    return c + gcn_difference_u32(a & 0xffff, b & 0xffff) + gcn_difference_u32(a >> 16, b >> 16);
}

static inline uint32_t gcn_sad_u32(uint32_t a, uint32_t b, uint32_t c)
{
    return c + gcn_difference_u32(a, b);
}

/* Four sums of absolute differences at byte offsets 0 to 3 of a, each 16 bits, wrapping. */
static inline uint64_t gcn_qsad_u8(uint64_t a, uint32_t b, uint64_t c)
{
    uint64_t result = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t sum = gcn_sad_u8((uint32_t)(a >> (8 * i)), b, (uint32_t)(c >> (16 * i)) & 0xffff);

        result |= (uint64_t)(sum & 0xffff) << (16 * i);
    }
    return result;
}

static inline uint64_t gcn_mqsad_u8(uint64_t a, uint32_t b, uint64_t c)
{
    uint64_t result = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t sum = gcn_msad_u8((uint32_t)(a >> (8 * i)), b, (uint32_t)(c >> (16 * i)) & 0xffff);

        result |= (uint64_t)(sum & 0xffff) << (16 * i);
    }
    return result;
}

/* The average of each byte, rounded up where bit 0 of c's byte is set. */
static inline uint32_t gcn_lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t result = 0;

    for (int i = 0; i < 4; i++)
        result |= ((gcn_byte(a, i) + gcn_byte(b, i) + (gcn_byte(c, i) & 1)) >> 1) << (8 * i);
    return result;
}

#endif
