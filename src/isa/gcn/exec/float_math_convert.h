/* SPDX-License-Identifier: MIT */
/*
 * Conversions between formats: binary16, binary32, binary64, integers.
 *
 * To integers: toward zero, saturating, NaN to 0. Two also saturate but round otherwise:
 * v_cvt_rpi_i32_f32 is floor(x + 0.5) of the exact sum, and v_cvt_flr_i32_f32 is floor(x). Of a NaN
 * they give the largest or smallest integer by its sign (AMD's manual is silent; CLRX's
 * documentation says so).
 * Between floats: to nearest even, denormals of both formats exact, NaNs quiet with the upper bits
 * of their payload. Only v_cvt_pkrtz_f16_f32 rounds toward zero, so that what is too large becomes
 * the largest finite binary16.
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_CONVERT_H
#define ISA_GCN_EXEC_FLOAT_MATH_CONVERT_H

#include "isa/gcn/exec/float_math_round.h"

/* The low 32 bits of a whole number of magnitude below 2^51: at 1.5 * 2^52 they are the last ones.
 */
static inline uint32_t gcn_low_bits(double whole)
{
    return (uint32_t)gcn_bits_f64(whole + 0x1.8p52);
}

/* Saturating to the range of int32_t or uint32_t; the fraction is dropped; NaN gives 0. */
static inline int32_t gcn_f64_to_i32(double value)
{
    double low = value > -2147483648.0 ? value : -2147483648.0;
    double inside = low < 2147483647.0 ? low : 2147483647.0;

    return (int32_t)gcn_low_bits(gcn_trunc_f64(value != value ? 0.0 : inside));
}

static inline uint32_t gcn_f64_to_u32(double value)
{
    double low = value > 0 ? value : 0.0;
    double inside = low < 4294967295.0 ? low : 4294967295.0;

    return gcn_low_bits(gcn_trunc_f64(inside));
}

static inline int32_t gcn_f32_to_i32(float value)
{
    return gcn_f64_to_i32((double)value);
}

static inline uint32_t gcn_f32_to_u32(float value)
{
    return gcn_f64_to_u32((double)value);
}

/* v_cvt_flr_i32_f32. */
static inline int32_t gcn_cvt_flr_i32_f32(float value)
{
    int32_t nan = (gcn_bits_f32(value) & GCN_SIGN_F32) ? INT32_MIN : INT32_MAX;

    return value != value ? nan : gcn_f64_to_i32(gcn_floor_f64((double)value));
}

/* v_cvt_rpi_i32_f32. In double the sum is exact wherever its floor is in question. */
static inline int32_t gcn_cvt_rpi_i32_f32(float value)
{
    int32_t nan = (gcn_bits_f32(value) & GCN_SIGN_F32) ? INT32_MIN : INT32_MAX;

    return value != value ? nan : gcn_f64_to_i32(gcn_floor_f64((double)value + 0.5));
}

/* v_cvt_f32_i32 and its like. */
static inline float gcn_i32_to_f32(int32_t value)
{
    return (float)value;
}

/* What is added at 2^52 is taken away again; the magnitude, because zero comes out as -0 when MODE
 * rounds down. */
static inline double gcn_u32_to_f64(uint32_t value)
{
    return gcn_abs_f64(gcn_double(0x4330000000000000ull | value) - 0x1p52);
}

static inline float gcn_u32_to_f32(uint32_t value)
{
    /* Through double: exact there, one rounding, and every vector unit can do it. */
    return (float)gcn_u32_to_f64(value);
}

static inline double gcn_i32_to_f64(int32_t value)
{
    return (double)value;
}

/* v_cvt_off_f32_i4: the low four bits, signed, in sixteenths. */
static inline float gcn_cvt_off_f32_i4(uint32_t value)
{
    return (float)((int32_t)((value & 15) ^ 8) - 8) * 0.0625f;
}

static inline double gcn_f32_to_f64(float value)
{
    return gcn_double(value != value ? ((uint64_t)(gcn_bits_f32(value) & GCN_SIGN_F32) << 32) |
                                           GCN_INFINITY_F64 | GCN_QUIET_F64 |
                                           ((uint64_t)(gcn_bits_f32(value) & 0x3fffff) << 29)
                                     : gcn_bits_f64((double)value));
}

static inline float gcn_f64_to_f32(double value)
{
    uint64_t bits = gcn_bits_f64(value);
    uint32_t nan = ((uint32_t)(bits >> 32) & GCN_SIGN_F32) | GCN_INFINITY_F32 | GCN_QUIET_F32 |
                   ((uint32_t)(bits >> 29) & 0x3fffff);

    return gcn_float(value != value ? nan : gcn_bits_f32((float)value));
}

/* v_cvt_f32_f16: the low 16 bits of `half`. A binary16 denormal is a whole number of 2^-24. */
static inline float gcn_f16_to_f32(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16;
    uint32_t exponent = (half >> 10) & 31, fraction = half & 0x3ff;
    uint32_t normal = ((exponent + 112) << 23) | (fraction << 13);
    uint32_t tiny = gcn_bits_f32((float)(int32_t)fraction * 0x1p-24f);
    uint32_t special = GCN_INFINITY_F32 | (fraction << 13) | (fraction ? GCN_QUIET_F32 : 0);

    return gcn_float(sign | (exponent == 31 ? special : exponent == 0 ? tiny : normal));
}

/* What becomes of numbers that binary16 has no finite value for: infinities and NaNs. */
static inline uint32_t gcn_f16_special(uint32_t magnitude, uint32_t finite)
{
    uint32_t nan = 0x7e00 | ((magnitude >> 13) & 0x1ff);

    finite = magnitude == GCN_INFINITY_F32 ? 0x7c00 : finite;
    return magnitude > GCN_INFINITY_F32 ? nan : finite;
}

/* v_cvt_f16_f32: to nearest even. Below 2^-14 adding 0.5 puts the last place of binary16 denormals
 * (2^-24) at the last place of the sum, and the processor rounds. */
static inline uint32_t gcn_f32_to_f16(float value)
{
    uint32_t bits = gcn_bits_f32(value), magnitude = bits & ~GCN_SIGN_F32;
    uint32_t tiny = gcn_bits_f32(gcn_float(magnitude) + 0.5f) - 0x3f000000u;
    uint32_t normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    uint32_t finite = magnitude < 0x38800000u ? tiny : normal;

    finite = magnitude >= 0x477ff000u ? 0x7c00 : finite;
    return ((bits >> 16) & 0x8000) | gcn_f16_special(magnitude, finite);
}

/* Toward zero. */
static inline uint32_t gcn_f32_to_f16_rtz(float value)
{
    uint32_t bits = gcn_bits_f32(value), magnitude = bits & ~GCN_SIGN_F32;
    uint32_t exponent = magnitude >> 23;
    uint32_t shift = exponent < 102 ? 24 : 126 - exponent;
    uint32_t tiny = ((magnitude & 0x7fffff) | 0x800000) >> (shift & 31);
    uint32_t normal = (magnitude - (112u << 23)) >> 13;
    uint32_t finite = magnitude < 0x38800000u ? tiny : normal;

    finite = magnitude >= 0x47800000u ? 0x7bff : finite;
    return ((bits >> 16) & 0x8000) | gcn_f16_special(magnitude, finite);
}

/* v_cvt_pkrtz_f16_f32. */
static inline uint32_t gcn_cvt_pkrtz_f16_f32(float low, float high)
{
    return gcn_f32_to_f16_rtz(low) | (gcn_f32_to_f16_rtz(high) << 16);
}

/* v_cvt_pknorm_*: [-1, 1] or [0, 1] to 16 bits, to nearest even, saturating, NaN to 0. */
static inline uint32_t gcn_snorm16(float value)
{
    double scaled = gcn_rndne_f64((double)value * 32767.0);
    double low = scaled > -32767.0 ? scaled : -32767.0;
    double inside = low < 32767.0 ? low : 32767.0;

    return gcn_low_bits(value != value ? 0.0 : inside) & 0xffff;
}

static inline uint32_t gcn_unorm16(float value)
{
    double scaled = gcn_rndne_f64((double)value * 65535.0);
    double low = scaled > 0.0 ? scaled : 0.0;

    return gcn_low_bits(low < 65535.0 ? low : 65535.0) & 0xffff;
}

static inline uint32_t gcn_cvt_pknorm_i16_f32(float low, float high)
{
    return gcn_snorm16(low) | (gcn_snorm16(high) << 16);
}

static inline uint32_t gcn_cvt_pknorm_u16_f32(float low, float high)
{
    return gcn_unorm16(low) | (gcn_unorm16(high) << 16);
}

/* v_cvt_pk_u8_f32, v_cvt_pkaccum_u8_f32: `value` to nearest even, saturating, into byte `where` of
 * `word`. */
static inline uint32_t gcn_cvt_pk_u8_f32(float value, uint32_t where, uint32_t word)
{
    double rounded = gcn_rndne_f64((double)value);
    double low = rounded > 0.0 ? rounded : 0.0;
    uint32_t byte = gcn_low_bits(low < 255.0 ? low : 255.0);
    uint32_t shift = (where & 3) * 8;

    return (word & ~(0xffu << shift)) | (byte << shift);
}

#endif
