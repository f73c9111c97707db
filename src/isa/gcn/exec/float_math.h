/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations of Southern Islands without libm. They give the same bits on every
 * processor and with every compiler, given -ffp-contract=off and round-to-nearest. They are plain
 * enough, without branches, for a loop over 64 lanes to become vector instructions.
 *
 *     float_math_bits.h        bits, NaN rule, flush
 *     float_math_arithmetic.h  add, mul, fma, mad, legacy, clamp
 *     float_math_round.h       floor, ceil, trunc, rndne, fract, ldexp, frexp, class
 *     float_math_convert.h     between floats, halves, doubles, integers
 *     float_math_select.h      min, max, med3, cube, sad, lerp
 *     float_math_divide.h      div_scale, div_fmas, div_fixup, trig_preop
 *     this file                rcp, rsq, sqrt, exp2, log2, sin, cos
 *
 * AMD's manual grants 1 unit in the last place (ulp) to the 32-bit functions here. Ours compute in
 * double to about 2^-46 and round once: correctly rounded but for about one argument in a million,
 * always below 0.51 ulp. They treat denormal operands as zero and flush denormal results, whatever
 * MODE says, as the manual says of them.
 *
 * What differs from the hardware: its last bit, which is not published. There, v_rcp_f64, v_rsq_f64
 * and v_sqrt_f64 are about 2^-29 exact and are meant to be refined. Here they are correctly rounded
 * (v_rsq_f64: within 1 ulp), and take and give denormals. Both v_sin and v_cos take revolutions.
 * Beyond +-256 they give 0 and 1, infinities included (the manual's "out of range").
 *
 * Sources: AMD, "Southern Islands Series Instruction Set Architecture" (2012), chapter 12; CLRX's
 * documentation of GCN instructions for the clamp and legacy kinds. Polynomials: Taylor's, cut
 * where the next term is below 2^-46.
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_H
#define ISA_GCN_EXEC_FLOAT_MATH_H

#include "isa/gcn/exec/float_math_arithmetic.h"
#include "isa/gcn/exec/float_math_bits.h"
#include "isa/gcn/exec/float_math_convert.h"
#include "isa/gcn/exec/float_math_divide.h"
#include "isa/gcn/exec/float_math_round.h"
#include "isa/gcn/exec/float_math_select.h"

/* v_rcp_f32 and v_rcp_iflag_f32 (which differ in the exception that they would raise). */
static inline float gcn_rcp_f32(float value)
{
    return gcn_flush_f32(gcn_settle_1_f32(1.0f / gcn_flush_f32(value), value));
}

static inline float gcn_rcp_iflag_f32(float value)
{
    return gcn_rcp_f32(value);
}

/* Infinities become the largest finite numbers. */
static inline float gcn_clamp_infinity_f32(float value)
{
    float finite = value < GCN_MAX_F32 ? value : GCN_MAX_F32;

    finite = finite > -GCN_MAX_F32 ? finite : -GCN_MAX_F32;
    return gcn_float(value != value ? gcn_bits_f32(value) : gcn_bits_f32(finite));
}

static inline double gcn_clamp_infinity_f64(double value)
{
    double finite = value < GCN_MAX_F64 ? value : GCN_MAX_F64;

    finite = finite > -GCN_MAX_F64 ? finite : -GCN_MAX_F64;
    return gcn_double(value != value ? gcn_bits_f64(value) : gcn_bits_f64(finite));
}

/* Infinities become zeros of their sign. */
static inline float gcn_zero_infinity_f32(float value)
{
    return gcn_abs_f32(value) > GCN_MAX_F32 ? gcn_copysign_f32(0.0f, value) : value;
}

static inline float gcn_rcp_clamp_f32(float value)
{
    return gcn_clamp_infinity_f32(gcn_rcp_f32(value));
}

static inline float gcn_rcp_legacy_f32(float value)
{
    return gcn_zero_infinity_f32(gcn_rcp_f32(value));
}

/* Denormal operands count as zero. Negative numbers give NaN, -0 gives -infinity (sqrt: -0). */
static inline float gcn_sqrt_f32(float value)
{
    return gcn_settle_1_f32(__builtin_sqrtf(gcn_flush_f32(value)), value);
}

static inline float gcn_rsq_f32(float value)
{
    double root = __builtin_sqrt((double)gcn_flush_f32(value));

    return gcn_settle_1_f32((float)(1.0 / root), value);
}

static inline float gcn_rsq_clamp_f32(float value)
{
    return gcn_clamp_infinity_f32(gcn_rsq_f32(value));
}

static inline float gcn_rsq_legacy_f32(float value)
{
    return gcn_zero_infinity_f32(gcn_rsq_f32(value));
}

static inline double gcn_rcp_f64(double value)
{
    return gcn_settle_1_f64(1.0 / value, value);
}

static inline double gcn_rcp_clamp_f64(double value)
{
    return gcn_clamp_infinity_f64(gcn_rcp_f64(value));
}

static inline double gcn_sqrt_f64(double value)
{
    return gcn_settle_1_f64(__builtin_sqrt(value), value);
}

static inline double gcn_rsq_f64(double value)
{
    return gcn_settle_1_f64(1.0 / __builtin_sqrt(value), value);
}

static inline double gcn_rsq_clamp_f64(double value)
{
    return gcn_clamp_infinity_f64(gcn_rsq_f64(value));
}

/* v_exp_f32: 2^value; 0 below -126. 2^(n + r) with |r| <= 1/2: n goes to the exponent, r to the
 * series of e^(r ln 2). */
static inline float gcn_exp2_f32(float value)
{
    double x = (double)value;
    double limited = x < 160.0 ? x : 160.0;
    double argument = limited > -160.0 ? limited : -160.0;
    double shifted = argument + 0x1.8p52;
    double r = argument - (shifted - 0x1.8p52);
    double power = gcn_double((gcn_bits_f64(shifted) + 1023) << 52);
    double series = 0x1.e8cac7351bb25p-32;
    float result;

    series = series * r + 0x1.e4cf5158b8ecap-28;
    series = series * r + 0x1.b5253d395e7c4p-24;
    series = series * r + 0x1.62c0223a5c824p-20;
    series = series * r + 0x1.ffcbfc588b0c7p-17;
    series = series * r + 0x1.430912f86c787p-13;
    series = series * r + 0x1.5d87fe78a6731p-10;
    series = series * r + 0x1.3b2ab6fba4e77p-7;
    series = series * r + 0x1.c6b08d704a0c0p-5;
    series = series * r + 0x1.ebfbdff82c58fp-3;
    series = series * r + 0x1.62e42fefa39efp-1;
    series = series * r + 1.0;
    result = value < -126.0f ? 0.0f : (float)(series * power);
    return gcn_float(value != value ? gcn_bits_f32(value) | GCN_QUIET_F32 : gcn_bits_f32(result));
}

/* The logarithm of a positive, normal float: its exponent and 2/ln 2 * atanh((m - 1) / (m + 1)) of
 * a mantissa m between sqrt(1/2) and sqrt(2). */
static inline double gcn_log2_normal(float value)
{
    uint64_t bits = gcn_bits_f64((double)value);
    /* Adding what sqrt(1/2) lacks to 1 carries into the exponent where m would be sqrt(2) or more.
     */
    uint64_t carried = bits + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
    double exponent = gcn_double(0x4330000000000000ull | (carried >> 52)) - (0x1p52 + 1023.0);
    double m = gcn_double((carried & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull);
    double f = (m - 1.0) / (m + 1.0);
    double square = f * f;
    double series = 1.0 / 17.0;

    series = series * square + 1.0 / 15.0;
    series = series * square + 1.0 / 13.0;
    series = series * square + 1.0 / 11.0;
    series = series * square + 1.0 / 9.0;
    series = series * square + 1.0 / 7.0;
    series = series * square + 1.0 / 5.0;
    series = series * square + 1.0 / 3.0;
    series = series * square + 1.0;
    return exponent + f * 0x1.71547652b82fep+1 * series;
}

/* v_log_f32: to base 2. Zeros and denormals give -infinity, negative numbers NaN. */
static inline float gcn_log2_f32(float value)
{
    uint32_t bits = gcn_bits_f32(value);
    uint32_t result = gcn_bits_f32((float)gcn_log2_normal(value));

    result = bits == GCN_INFINITY_F32 ? bits : result;
    result = bits & GCN_SIGN_F32 ? GCN_DEFAULT_NAN_F32 : result;
    result = (bits & GCN_INFINITY_F32) ? result : GCN_INFINITY_F32 | GCN_SIGN_F32;
    return gcn_float(value != value ? bits | GCN_QUIET_F32 : result);
}

static inline float gcn_log_clamp_f32(float value)
{
    float result = gcn_log2_f32(value);

    return (gcn_bits_f32(result) == (GCN_INFINITY_F32 | GCN_SIGN_F32)) ? -GCN_MAX_F32 : result;
}

/* sin and cos of 2 pi r for |r| <= 1/8. */
static inline double gcn_sin_eighth(double r)
{
    double t = r * 0x1.921fb54442d18p+2;
    double square = t * t;
    double series = 1.0 / 6227020800.0;

    series = series * square - 1.0 / 39916800.0;
    series = series * square + 1.0 / 362880.0;
    series = series * square - 1.0 / 5040.0;
    series = series * square + 1.0 / 120.0;
    series = series * square - 1.0 / 6.0;
    return t + t * (square * series);
}

static inline double gcn_cos_eighth(double r)
{
    double t = r * 0x1.921fb54442d18p+2;
    double square = t * t;
    double series = -1.0 / 87178291200.0;

    series = series * square + 1.0 / 479001600.0;
    series = series * square - 1.0 / 3628800.0;
    series = series * square + 1.0 / 40320.0;
    series = series * square - 1.0 / 720.0;
    series = series * square + 1.0 / 24.0;
    series = series * square - 1.0 / 2.0;
    return 1.0 + square * series;
}

/* The sine of `value` + `quarters` / 4 revolutions. 4 * value = q + a rest of at most 1/2, exactly.
 */
static inline double gcn_wave(float value, uint64_t quarters)
{
    double revolutions = (double)value;
    double shifted = revolutions * 4.0 + 0x1.8p52;
    double rest = revolutions - (shifted - 0x1.8p52) * 0.25;
    uint64_t quarter = gcn_bits_f64(shifted) + quarters;
    double wave = (quarter & 1) ? gcn_cos_eighth(rest) : gcn_sin_eighth(rest);

    /* Adding +0 takes the sign from a zero. */
    return ((quarter & 2) ? -wave : wave) + 0.0;
}

/* `wave` within +-256 revolutions, `outside` beyond, NaN of infinities and NaNs. */
static inline float gcn_wave_result(float value, float wave, float outside)
{
    float magnitude = gcn_abs_f32(value);
    uint32_t nan = value != value ? gcn_bits_f32(value) | GCN_QUIET_F32 : GCN_DEFAULT_NAN_F32;
    uint32_t result = gcn_bits_f32(magnitude <= 256.0f ? wave : outside);

    return gcn_float(magnitude <= GCN_MAX_F32 ? result : nan);
}

static inline float gcn_sin_f32(float value)
{
    float wave = (float)gcn_wave(gcn_flush_f32(value), 0);

    return gcn_wave_result(value, wave == 0 ? gcn_copysign_f32(0.0f, value) : wave, 0.0f);
}

static inline float gcn_cos_f32(float value)
{
    return gcn_wave_result(value, (float)gcn_wave(value, 1), 1.0f);
}

#endif
