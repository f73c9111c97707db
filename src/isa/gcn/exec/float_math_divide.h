/* SPDX-License-Identifier: MIT */
/*
 * The steps of an IEEE division (v_div_scale, v_div_fmas, v_div_fixup) and of the reduction of
 * large angles (v_trig_preop_f64).
 *
 * A compiler divides n by d so: scale both out of harm's way, approximate 1/d, refine by fused
 * multiply-adds. Then v_div_fmas does the last of these and takes the scale back, and v_div_fixup
 * puts in the special cases. VCC is set by v_div_scale where the quotient itself must be scaled
 * back by 2^64 (2^128):
 *
 *     n, d                                  operand scaled by             quotient back by
 *     n or d is 0                           both: NaN (fixup decides)
 *     n/d near the largest number           d by 2^64                     2^64
 *     d denormal                            both by 2^64
 *     1/d and n/d denormal                  d by 2^-64                    2^-64
 *     1/d denormal                          both by 2^-64
 *     n/d denormal                          n by 2^64                     2^-64
 *     n tiny (residuals would be denormal)  both by 2^64
 *
 * (binary32; binary64 has 2^128.) v_div_fmas knows the direction from the size of its addend, the
 * quotient so far: 2 and above is the first case. It rounds once, after the scale.
 *
 * AMD's later manuals print 2^64 for d in the fourth row, which would overflow, and scale back by
 * half the exponent. The rows here are those with which the division is correctly rounded. Sources:
 * AMD's ISA manuals (Southern Islands, Vega, RDNA: pseudo-code of these ops); CLRX's documentation
 * for the direction of v_div_fmas.
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_DIVIDE_H
#define ISA_GCN_EXEC_FLOAT_MATH_DIVIDE_H

#include "isa/gcn/exec/float_math_arithmetic.h"

static inline int32_t gcn_exponent_f32(float value)
{
    return (int32_t)((gcn_bits_f32(value) >> 23) & 0xff);
}

static inline int32_t gcn_exponent_f64(double value)
{
    return (int32_t)((gcn_bits_f64(value) >> 52) & 0x7ff);
}

/* `value` is the one of denominator and numerator (the same bits) that the instruction scales.
 * *flag is the lane's bit of VCC. */
static inline float gcn_div_scale_f32(float value, float denominator, float numerator, bool *flag)
{
    float d = gcn_abs_f32(denominator), n = gcn_abs_f32(numerator);
    bool is_denominator = gcn_bits_f32(value) == gcn_bits_f32(denominator);
    bool is_numerator = gcn_bits_f32(value) == gcn_bits_f32(numerator);
    bool zero = (d == 0) | (n == 0);
    bool large = gcn_exponent_f32(n) - gcn_exponent_f32(d) >= 96;
    bool denormal = d < GCN_MIN_F32;
    bool reciprocal_denormal = d > 0x1p126f;
    bool quotient_denormal = ((double)n < (double)d * 0x1p-126) & (d <= GCN_MAX_F32);
    bool tiny = gcn_exponent_f32(n) <= 23;
    double scale = tiny ? 0x1p64 : 1.0;

    scale = quotient_denormal ? (is_numerator ? 0x1p64 : 1.0) : scale;
    scale = reciprocal_denormal ? 0x1p-64 : scale;
    scale = (reciprocal_denormal & quotient_denormal) ? (is_denominator ? 0x1p-64 : 1.0) : scale;
    scale = denormal ? 0x1p64 : scale;
    scale = large ? (is_denominator ? 0x1p64 : 1.0) : scale;
    *flag = (d != 0) & (n != 0) & (large | (!denormal & quotient_denormal));
    return zero ? gcn_float(GCN_DEFAULT_NAN_F32)
                : gcn_settle_1_f32((float)((double)value * scale), value);
}

static inline double gcn_div_scale_f64(double value, double denominator, double numerator,
                                       bool *flag)
{
    double d = gcn_abs_f64(denominator), n = gcn_abs_f64(numerator);
    bool is_denominator = gcn_bits_f64(value) == gcn_bits_f64(denominator);
    bool is_numerator = gcn_bits_f64(value) == gcn_bits_f64(numerator);
    bool zero = (d == 0) | (n == 0);
    bool large = gcn_exponent_f64(n) - gcn_exponent_f64(d) >= 768;
    bool denormal = d < GCN_MIN_F64;
    bool reciprocal_denormal = d > 0x1p1022;
    /* n * 2^1022 is exact, or infinite where n >= 4. */
    bool quotient_denormal = (n * 0x1p1022 < d) & (d <= GCN_MAX_F64);
    bool tiny = gcn_exponent_f64(n) <= 53;
    double scale = tiny ? 0x1p128 : 1.0;

    scale = quotient_denormal ? (is_numerator ? 0x1p128 : 1.0) : scale;
    scale = reciprocal_denormal ? 0x1p-128 : scale;
    scale = (reciprocal_denormal & quotient_denormal) ? (is_denominator ? 0x1p-128 : 1.0) : scale;
    scale = denormal ? 0x1p128 : scale;
    scale = large ? (is_denominator ? 0x1p128 : 1.0) : scale;
    *flag = (d != 0) & (n != 0) & (large | (!denormal & quotient_denormal));
    return zero ? gcn_double(GCN_DEFAULT_NAN_F64) : gcn_settle_1_f64(value * scale, value);
}

/* a * b + c, with `flag` (the lane's bit of VCC) times 2^64 where |c| >= 2, else times 2^-64. */
static inline float gcn_div_fmas_f32(float a, float b, float c, bool flag)
{
    double scale = gcn_abs_f32(c) >= 2.0f ? 0x1p64 : 0x1p-64;
    double exact_enough = gcn_fma_odd(a, b, c) * (flag ? scale : 1.0);

    return gcn_settle_3_f32((float)exact_enough, a, b, c);
}

/* Here the scaling down may round a second time, wrongly only if the first rounding went to a
 * number halfway between two denormals. Then the sign of the first rounding's error decides. */
static inline double gcn_div_fmas_f64(double a, double b, double c, bool flag)
{
    double scale = gcn_abs_f64(c) >= 2.0 ? 0x1p128 : 0x1p-128;
    double sum = __builtin_fma(a, b, c);
    double scaled = flag ? sum * scale : sum;

    if (flag && scale < 1.0 && gcn_abs_f64(sum) > GCN_MAX_F64 && gcn_abs_f64(a) <= GCN_MAX_F64 &&
        gcn_abs_f64(b) <= GCN_MAX_F64) {
        /* Too large before the scaling, perhaps not after it. */
        scaled = __builtin_fma(a * scale, b, c * scale);
    }
    if (flag && scale < 1.0 && gcn_abs_f64(scaled) <= GCN_MIN_F64) {
        double half = 0x1p-947; /* of the last place of denormals, before the scaling */
        double lost = gcn_abs_f64(sum - scaled * 0x1p128);
        double error = __builtin_fma(a, b, c - sum);

        if (lost == half && error != 0)
            scaled = (sum + (error > 0 ? half : -half)) * scale;
    }
    return gcn_settle_3_f64(scaled, a, b, c);
}

/* `quotient` is what v_div_fmas made; the special cases of denominator and numerator overrule it.
 */
static inline float gcn_div_fixup_f32(float quotient, float denominator, float numerator)
{
    uint32_t d = gcn_bits_f32(denominator) & ~GCN_SIGN_F32;
    uint32_t n = gcn_bits_f32(numerator) & ~GCN_SIGN_F32;
    uint32_t sign = (gcn_bits_f32(denominator) ^ gcn_bits_f32(numerator)) & GCN_SIGN_F32;
    uint32_t magnitude = gcn_bits_f32(quotient) & ~GCN_SIGN_F32;
    uint32_t result;

    magnitude = magnitude > GCN_INFINITY_F32 ? GCN_INFINITY_F32 : magnitude;
    magnitude = (int32_t)(n >> 23) - (int32_t)(d >> 23) < -150 ? 0 : magnitude;
    magnitude = ((d == GCN_INFINITY_F32) | (n == 0)) ? 0 : magnitude;
    magnitude = ((n == GCN_INFINITY_F32) | (d == 0)) ? GCN_INFINITY_F32 : magnitude;
    result = sign | magnitude;
    result = ((d == 0) & (n == 0)) ? GCN_DEFAULT_NAN_F32 : result;
    result = ((d == GCN_INFINITY_F32) & (n == GCN_INFINITY_F32)) ? GCN_DEFAULT_NAN_F32 : result;
    result = d > GCN_INFINITY_F32 ? gcn_bits_f32(denominator) | GCN_QUIET_F32 : result;
    result = n > GCN_INFINITY_F32 ? gcn_bits_f32(numerator) | GCN_QUIET_F32 : result;
    return gcn_float(result);
}

static inline double gcn_div_fixup_f64(double quotient, double denominator, double numerator)
{
    uint64_t d = gcn_bits_f64(denominator) & ~GCN_SIGN_F64;
    uint64_t n = gcn_bits_f64(numerator) & ~GCN_SIGN_F64;
    uint64_t sign = (gcn_bits_f64(denominator) ^ gcn_bits_f64(numerator)) & GCN_SIGN_F64;
    uint64_t magnitude = gcn_bits_f64(quotient) & ~GCN_SIGN_F64;
    uint64_t result;

    magnitude = magnitude > GCN_INFINITY_F64 ? GCN_INFINITY_F64 : magnitude;
    magnitude = (int64_t)(n >> 52) - (int64_t)(d >> 52) < -1075 ? 0 : magnitude;
    magnitude = ((d == GCN_INFINITY_F64) | (n == 0)) ? 0 : magnitude;
    magnitude = ((n == GCN_INFINITY_F64) | (d == 0)) ? GCN_INFINITY_F64 : magnitude;
    result = sign | magnitude;
    result = ((d == 0) & (n == 0)) ? GCN_DEFAULT_NAN_F64 : result;
    result = ((d == GCN_INFINITY_F64) & (n == GCN_INFINITY_F64)) ? GCN_DEFAULT_NAN_F64 : result;
    result = d > GCN_INFINITY_F64 ? gcn_bits_f64(denominator) | GCN_QUIET_F64 : result;
    result = n > GCN_INFINITY_F64 ? gcn_bits_f64(numerator) | GCN_QUIET_F64 : result;
    return gcn_double(result);
}

/* v_trig_preop_f64: 53 bits of 2/pi, from bit 53 * segment after the point on. For |value| of 2^54
 * and above they begin as many bits further on as its exponent exceeds that. The result is those
 * bits at their place, times 2^128 for exponents of 1968 and above, where the place would be
 * denormal. */
static inline double gcn_trig_preop_f64(double value, uint32_t segment)
{
    /* 2/pi after the point, the first bit at the top; 1201 bits, then zeros. */
    static const uint64_t two_over_pi[20] = {
        0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b0000ull, 0,
    };
    int32_t exponent = gcn_exponent_f64(value);
    int32_t shift = (int32_t)(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    int32_t word = shift >> 6, bit = shift & 63;
    uint64_t high = word < 19 ? two_over_pi[word] : 0, low = word < 19 ? two_over_pi[word + 1] : 0;
    uint64_t bits = bit ? (high << bit) | (low >> (64 - bit)) : high;
    int32_t place = -53 - shift + (exponent >= 1968 ? 128 : 0);
    double result = (double)(bits >> 11);

    /* Whole, at most 2^53, and scaled by one exact step or into what is 0 anyway. */
    for (; place < -1000; place += 500)
        result *= 0x1p-500;
    return result * gcn_double((uint64_t)(uint32_t)(place + 1023) << 52);
}

#endif
