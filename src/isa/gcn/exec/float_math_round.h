/* SPDX-License-Identifier: MIT */
/*
 * Rounding to integers, splitting and scaling by powers of two, classes.
 *
 * All rounding adds and takes away 2^23 (2^52), where the next bit is worth one: no libm, no
 * branch. The results keep the operand's sign (floor(-0) is -0), NaNs become quiet.
 *
 * v_fract_* is x - floor(x) as the manual has it. For tiny negative x it can return 1.0, as the
 * hardware of this generation does (compilers for it add a minimum).
 * Of infinity or NaN, v_frexp_* gives exponent -1 and mantissa NaN. Denormal operands are split
 * exactly.
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_ROUND_H
#define ISA_GCN_EXEC_FLOAT_MATH_ROUND_H

#include "isa/gcn/exec/float_math_bits.h"

/* The integer nearest to |value| for |value| below 2^23 (2^52), with the value's sign. */
static inline float gcn_nearest_f32(float value)
{
    float magnitude = gcn_abs_f32(value);

    return gcn_copysign_f32((magnitude + 0x1p23f) - 0x1p23f, value);
}

static inline double gcn_nearest_f64(double value)
{
    double magnitude = gcn_abs_f64(value);

    return gcn_copysign_f64((magnitude + 0x1p52) - 0x1p52, value);
}

/* `rounded` where the value has a fraction; large values and infinities as they are, NaNs quiet. */
static inline float gcn_keep_large_f32(float rounded, float value)
{
    uint32_t whole = value != value ? gcn_bits_f32(value) | GCN_QUIET_F32 : gcn_bits_f32(value);

    return gcn_float(gcn_abs_f32(value) < 0x1p23f ? gcn_bits_f32(rounded) : whole);
}

static inline double gcn_keep_large_f64(double rounded, double value)
{
    uint64_t whole = value != value ? gcn_bits_f64(value) | GCN_QUIET_F64 : gcn_bits_f64(value);

    return gcn_double(gcn_abs_f64(value) < 0x1p52 ? gcn_bits_f64(rounded) : whole);
}

/* To the nearest integer, ties to even. */
static inline float gcn_rndne_f32(float value)
{
    return gcn_keep_large_f32(gcn_nearest_f32(value), value);
}

static inline double gcn_rndne_f64(double value)
{
    return gcn_keep_large_f64(gcn_nearest_f64(value), value);
}

/* Toward minus infinity. */
static inline float gcn_floor_f32(float value)
{
    float nearest = gcn_nearest_f32(value);
    float below = nearest - (nearest > value ? 1.0f : 0.0f);

    return gcn_keep_large_f32(gcn_copysign_f32(below, value), value);
}

static inline double gcn_floor_f64(double value)
{
    double nearest = gcn_nearest_f64(value);
    double below = nearest - (nearest > value ? 1.0 : 0.0);

    return gcn_keep_large_f64(gcn_copysign_f64(below, value), value);
}

/* Toward plus infinity. */
static inline float gcn_ceil_f32(float value)
{
    float nearest = gcn_nearest_f32(value);
    float above = nearest + (nearest < value ? 1.0f : 0.0f);

    return gcn_keep_large_f32(gcn_copysign_f32(above, value), value);
}

static inline double gcn_ceil_f64(double value)
{
    double nearest = gcn_nearest_f64(value);
    double above = nearest + (nearest < value ? 1.0 : 0.0);

    return gcn_keep_large_f64(gcn_copysign_f64(above, value), value);
}

/* Toward zero. */
static inline float gcn_trunc_f32(float value)
{
    float magnitude = gcn_abs_f32(value);
    float nearest = gcn_abs_f32(gcn_nearest_f32(value));
    float toward_zero = nearest - (nearest > magnitude ? 1.0f : 0.0f);

    return gcn_keep_large_f32(gcn_copysign_f32(toward_zero, value), value);
}

static inline double gcn_trunc_f64(double value)
{
    double magnitude = gcn_abs_f64(value);
    double nearest = gcn_abs_f64(gcn_nearest_f64(value));
    double toward_zero = nearest - (nearest > magnitude ? 1.0 : 0.0);

    return gcn_keep_large_f64(gcn_copysign_f64(toward_zero, value), value);
}

/* The fraction. Of an infinity: a NaN with its sign. */
static inline float gcn_fract_f32(float value)
{
    uint32_t sign = gcn_bits_f32(value) & GCN_SIGN_F32;
    uint32_t nan = value != value ? gcn_bits_f32(value) | GCN_QUIET_F32
                                  : sign | GCN_INFINITY_F32 | GCN_QUIET_F32;
    float fraction = value - gcn_floor_f32(value);

    return gcn_float(fraction != fraction ? nan : gcn_bits_f32(fraction));
}

static inline double gcn_fract_f64(double value)
{
    uint64_t sign = gcn_bits_f64(value) & GCN_SIGN_F64;
    uint64_t nan = value != value ? gcn_bits_f64(value) | GCN_QUIET_F64
                                  : sign | GCN_INFINITY_F64 | GCN_QUIET_F64;
    double fraction = value - gcn_floor_f64(value);

    return gcn_double(fraction != fraction ? nan : gcn_bits_f64(fraction));
}

/* value * 2^exponent, rounded once (to nearest even, into the denormals too). */
static inline float gcn_ldexp_f32(float value, int32_t exponent)
{
    int32_t high = exponent < 300 ? exponent : 300;
    int32_t limited = high > -300 ? high : -300;
    double power = gcn_double((uint64_t)(uint32_t)(limited + 1023) << 52);

    return gcn_settle_1_f32((float)((double)value * power), value);
}

/* Steps of 2^1023 up are exact; steps of 2^-969 down leave the last step at least 53 bits, so that
 * only one of them rounds. */
static inline double gcn_ldexp_f64(double value, int32_t exponent)
{
    int32_t high = exponent < 2200 ? exponent : 2200;
    int32_t left = high > -2200 ? high : -2200;
    double scaled = value;

    for (int step = 0; step < 2; step++) {
        bool up = left > 1023, down = left < -1022;

        scaled *= up ? 0x1p1023 : down ? 0x1p-969 : 1.0;
        left -= up ? 1023 : down ? -969 : 0;
    }
    left = left < 1023 ? left : 1023;
    left = left > -1022 ? left : -1022;
    scaled *= gcn_double((uint64_t)(uint32_t)(left + 1023) << 52);
    return gcn_settle_1_f64(scaled, value);
}

/* The exponent e of value = m * 2^e with 0.5 <= |m| < 1; 0 for zero. */
static inline int32_t gcn_frexp_exp_f32(float value)
{
    uint64_t bits = gcn_bits_f64((double)value);
    uint32_t biased = (uint32_t)(bits >> 52) & 0x7ff;
    int32_t exponent = value == 0 ? 0 : (int32_t)biased - 1022;

    return ((gcn_bits_f32(value) & GCN_INFINITY_F32) == GCN_INFINITY_F32) ? -1 : exponent;
}

static inline int32_t gcn_frexp_exp_f64(double value)
{
    bool tiny = gcn_abs_f64(value) < GCN_MIN_F64;
    uint64_t bits = gcn_bits_f64(value * (tiny ? 0x1p64 : 1.0));
    int32_t biased = (int32_t)((bits >> 52) & 0x7ff);
    int32_t exponent = value == 0 ? 0 : biased - (tiny ? 1086 : 1022);

    return ((gcn_bits_f64(value) & GCN_INFINITY_F64) == GCN_INFINITY_F64) ? -1 : exponent;
}

/* The mantissa m of value = m * 2^e with 0.5 <= |m| < 1; zeros stay. */
static inline float gcn_frexp_mant_f32(float value)
{
    double wide = (double)value;
    uint64_t bits = gcn_bits_f64(wide);
    double mantissa = gcn_double((bits & ~GCN_INFINITY_F64) | 0x3fe0000000000000ull);
    float finite = value == 0 ? value : (float)mantissa;
    bool special = (gcn_bits_f32(value) & GCN_INFINITY_F32) == GCN_INFINITY_F32;
    uint32_t nan = value != value ? gcn_bits_f32(value) | GCN_QUIET_F32 : GCN_DEFAULT_NAN_F32;

    return gcn_float(special ? nan : gcn_bits_f32(finite));
}

static inline double gcn_frexp_mant_f64(double value)
{
    bool tiny = gcn_abs_f64(value) < GCN_MIN_F64;
    uint64_t bits = gcn_bits_f64(value * (tiny ? 0x1p64 : 1.0));
    uint64_t finite = (bits & ~GCN_INFINITY_F64) | 0x3fe0000000000000ull;
    bool special = (gcn_bits_f64(value) & GCN_INFINITY_F64) == GCN_INFINITY_F64;
    uint64_t nan = value != value ? gcn_bits_f64(value) | GCN_QUIET_F64 : GCN_DEFAULT_NAN_F64;

    finite = value == 0 ? gcn_bits_f64(value) : finite;
    return gcn_double(special ? nan : finite);
}

/* The class of a number as the one bit that v_cmp_class tests:
 *
 *     9     8        7          6    5    4          3        2     1          0
 *     +inf  +normal  +denormal  +0   -0   -denormal  -normal  -inf  quiet NaN  signaling NaN
 */
static inline uint32_t gcn_class_f32(float value)
{
    uint32_t bits = gcn_bits_f32(value), magnitude = bits & ~GCN_SIGN_F32;
    bool minus = bits != magnitude;
    uint32_t kind = minus ? 1u << 3 : 1u << 8;

    kind = magnitude < 0x00800000u ? (minus ? 1u << 4 : 1u << 7) : kind;
    kind = magnitude == 0 ? (minus ? 1u << 5 : 1u << 6) : kind;
    kind = magnitude == GCN_INFINITY_F32 ? (minus ? 1u << 2 : 1u << 9) : kind;
    kind = magnitude > GCN_INFINITY_F32 ? 1u << 0 : kind;
    return (magnitude >= (GCN_INFINITY_F32 | GCN_QUIET_F32)) ? 1u << 1 : kind;
}

static inline uint32_t gcn_class_f64(double value)
{
    uint64_t bits = gcn_bits_f64(value), magnitude = bits & ~GCN_SIGN_F64;
    bool minus = bits != magnitude;
    uint32_t kind = minus ? 1u << 3 : 1u << 8;

    kind = magnitude < 0x0010000000000000ull ? (minus ? 1u << 4 : 1u << 7) : kind;
    kind = magnitude == 0 ? (minus ? 1u << 5 : 1u << 6) : kind;
    kind = magnitude == GCN_INFINITY_F64 ? (minus ? 1u << 2 : 1u << 9) : kind;
    kind = magnitude > GCN_INFINITY_F64 ? 1u << 0 : kind;
    return (magnitude >= (GCN_INFINITY_F64 | GCN_QUIET_F64)) ? 1u << 1 : kind;
}

#endif
