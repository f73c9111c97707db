/* SPDX-License-Identifier: MIT */
/*
 * Add, subtract, multiply, fused multiply-add, and the clamp and scale of results (CLAMP, OMOD):
 * IEEE 754 in round-to-nearest-even, with the NaN rule of float_math_bits.h.
 *
 * v_mad_f32 and v_mac_f32 are unfused (two roundings) and flush denormals whatever MODE says, the
 * product too; v_fma_f32 and v_fma_f64 round once. The legacy kinds give +0 for 0 * anything.
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_ARITHMETIC_H
#define ISA_GCN_EXEC_FLOAT_MATH_ARITHMETIC_H

#include "isa/gcn/exec/float_math_bits.h"

static inline float gcn_add_f32(float a, float b)
{
    return gcn_settle_2_f32(a + b, a, b);
}

static inline float gcn_sub_f32(float a, float b)
{
    return gcn_settle_2_f32(a - b, a, b);
}

static inline float gcn_mul_f32(float a, float b)
{
    return gcn_settle_2_f32(a * b, a, b);
}

static inline double gcn_add_f64(double a, double b)
{
    return gcn_settle_2_f64(a + b, a, b);
}

static inline double gcn_mul_f64(double a, double b)
{
    return gcn_settle_2_f64(a * b, a, b);
}

static inline double gcn_fma_f64(double a, double b, double c)
{
    return gcn_settle_3_f64(__builtin_fma(a, b, c), a, b, c);
}

/* a * b + c in double, rounded to odd: with 53 bits that leaves every binary32 rounding right. The
 * product of two floats is exact in double, so there is one sum, whose error two-sum gives. */
static inline double gcn_fma_odd(float a, float b, float c)
{
    double product = (double)a * (double)b;
    double addend = (double)c;
    double sum = product + addend;
    double part = sum - product;
    double error = (product - (sum - part)) + (addend - part);
    uint64_t bits = gcn_bits_f64(sum);
    uint64_t away = (error > 0) == (sum > 0) ? 1 : ~0ull;
    uint64_t step = ((error > 0) | (error < 0)) ? away : 0;

    return gcn_double((bits & 1) ? bits : bits + step);
}

static inline float gcn_fma_f32(float a, float b, float c)
{
#ifdef __FMA__
    return gcn_settle_3_f32(__builtin_fmaf(a, b, c), a, b, c);
#else
    return gcn_settle_3_f32((float)gcn_fma_odd(a, b, c), a, b, c);
#endif
}

/* v_mad_f32, v_mac_f32, v_madmk_f32, v_madak_f32. */
static inline float gcn_mad_f32(float a, float b, float c)
{
    float x = gcn_flush_f32(a), y = gcn_flush_f32(b), z = gcn_flush_f32(c);

    return gcn_flush_f32(gcn_settle_3_f32(gcn_flush_f32(x * y) + z, a, b, c));
}

/* v_mul_legacy_f32. */
static inline float gcn_mul_legacy_f32(float a, float b)
{
    return ((a == 0) | (b == 0)) ? 0.0f : gcn_mul_f32(a, b);
}

/* v_mad_legacy_f32, v_mac_legacy_f32. */
static inline float gcn_mad_legacy_f32(float a, float b, float c)
{
    float x = gcn_flush_f32(a), y = gcn_flush_f32(b), z = gcn_flush_f32(c);
    float product = ((x == 0) | (y == 0)) ? 0.0f : gcn_flush_f32(x * y);
    float sum = product + z;
    float settled =
        ((x == 0) | (y == 0)) ? gcn_settle_1_f32(sum, c) : gcn_settle_3_f32(sum, a, b, c);

    return gcn_flush_f32(settled);
}

/* v_mullit_f32: a * b by the legacy rule where c > 0, else the most negative finite number. */
static inline float gcn_mullit_f32(float a, float b, float c)
{
    return c > 0 ? gcn_mul_legacy_f32(a, b) : -GCN_MAX_F32;
}

/* CLAMP: to [0, 1]; a NaN becomes 0 with DX10_CLAMP, else it stays. */
static inline float gcn_clamp_f32(float value, bool nan_to_zero)
{
    float above = value > 0 ? value : 0.0f;
    float result = above < 1 ? above : 1.0f;

    return ((value != value) & !nan_to_zero) ? value : result;
}

static inline double gcn_clamp_f64(double value, bool nan_to_zero)
{
    double above = value > 0 ? value : 0.0;
    double result = above < 1 ? above : 1.0;

    return ((value != value) & !nan_to_zero) ? value : result;
}

#endif
