/* SPDX-License-Identifier: MIT */
/*
 * Bits of floating-point numbers, and the two rules that every operation of float_math.h shares.
 *
 * NaN: an operation that returns a NaN returns the first of its operands (src0, src1, src2) that is
 * one. It is made quiet and keeps its sign and payload. If no operand is one (inf - inf, 0 * inf,
 * sqrt(-1)), the result is the default NaN 0xffc00000 / 0xfff8000000000000. The processor's own
 * choice would depend on the order in which a compiler put commutative operands.
 *
 * Denormals: nothing here flushes by itself but what says so; gcn_flush_f32 is for the caller who
 * knows MODE.
 */
#ifndef ISA_GCN_EXEC_FLOAT_MATH_BITS_H
#define ISA_GCN_EXEC_FLOAT_MATH_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GCN_SIGN_F32 0x80000000u
#define GCN_SIGN_F64 0x8000000000000000ull
#define GCN_INFINITY_F32 0x7f800000u
#define GCN_INFINITY_F64 0x7ff0000000000000ull
#define GCN_QUIET_F32 0x00400000u
#define GCN_QUIET_F64 0x0008000000000000ull
#define GCN_DEFAULT_NAN_F32 0xffc00000u
#define GCN_DEFAULT_NAN_F64 0xfff8000000000000ull

/* Smallest normal and largest finite numbers. */
#define GCN_MIN_F32 0x1p-126f
#define GCN_MIN_F64 0x1p-1022
#define GCN_MAX_F32 0x1.fffffep127f
#define GCN_MAX_F64 0x1.fffffffffffffp1023

/* The bits of a number, and the number of bits. */
static inline uint32_t gcn_bits_f32(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t gcn_bits_f64(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float gcn_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double gcn_double(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Classes, from the bits. */
static inline bool gcn_is_nan_f32(float value)
{
    return value != value;
}

static inline bool gcn_is_nan_f64(double value)
{
    return value != value;
}

static inline bool gcn_is_signaling_f32(float value)
{
    return value != value && !(gcn_bits_f32(value) & GCN_QUIET_F32);
}

static inline bool gcn_is_signaling_f64(double value)
{
    return value != value && !(gcn_bits_f64(value) & GCN_QUIET_F64);
}

/* The magnitude, the value with another's sign. */
static inline float gcn_abs_f32(float value)
{
    return gcn_float(gcn_bits_f32(value) & ~GCN_SIGN_F32);
}

static inline double gcn_abs_f64(double value)
{
    return gcn_double(gcn_bits_f64(value) & ~GCN_SIGN_F64);
}

static inline float gcn_copysign_f32(float value, float sign)
{
    return gcn_float((gcn_bits_f32(value) & ~GCN_SIGN_F32) | (gcn_bits_f32(sign) & GCN_SIGN_F32));
}

static inline double gcn_copysign_f64(double value, double sign)
{
    return gcn_double((gcn_bits_f64(value) & ~GCN_SIGN_F64) | (gcn_bits_f64(sign) & GCN_SIGN_F64));
}

/* A denormal becomes the zero of its sign; everything else stays, NaN payloads too. */
static inline float gcn_flush_f32(float value)
{
    uint32_t bits = gcn_bits_f32(value);

    return gcn_float((bits & GCN_INFINITY_F32) ? bits : bits & GCN_SIGN_F32);
}

static inline double gcn_flush_f64(double value)
{
    uint64_t bits = gcn_bits_f64(value);

    return gcn_double((bits & GCN_INFINITY_F64) ? bits : bits & GCN_SIGN_F64);
}

/* A NaN with its quiet bit set. Only for NaNs. */
static inline float gcn_quiet_f32(float nan)
{
    return gcn_float(gcn_bits_f32(nan) | GCN_QUIET_F32);
}

static inline double gcn_quiet_f64(double nan)
{
    return gcn_double(gcn_bits_f64(nan) | GCN_QUIET_F64);
}

/* `result`, or if it is a NaN the one that the operands a, b and c make it. */
static inline float gcn_settle_1_f32(float result, float a)
{
    uint32_t nan = a != a ? gcn_bits_f32(a) | GCN_QUIET_F32 : GCN_DEFAULT_NAN_F32;

    return gcn_float(result != result ? nan : gcn_bits_f32(result));
}

static inline float gcn_settle_2_f32(float result, float a, float b)
{
    uint32_t nan = b != b ? gcn_bits_f32(b) | GCN_QUIET_F32 : GCN_DEFAULT_NAN_F32;

    nan = a != a ? gcn_bits_f32(a) | GCN_QUIET_F32 : nan;
    return gcn_float(result != result ? nan : gcn_bits_f32(result));
}

static inline float gcn_settle_3_f32(float result, float a, float b, float c)
{
    uint32_t nan = c != c ? gcn_bits_f32(c) | GCN_QUIET_F32 : GCN_DEFAULT_NAN_F32;

    nan = b != b ? gcn_bits_f32(b) | GCN_QUIET_F32 : nan;
    nan = a != a ? gcn_bits_f32(a) | GCN_QUIET_F32 : nan;
    return gcn_float(result != result ? nan : gcn_bits_f32(result));
}

static inline double gcn_settle_1_f64(double result, double a)
{
    uint64_t nan = a != a ? gcn_bits_f64(a) | GCN_QUIET_F64 : GCN_DEFAULT_NAN_F64;

    return gcn_double(result != result ? nan : gcn_bits_f64(result));
}

static inline double gcn_settle_2_f64(double result, double a, double b)
{
    uint64_t nan = b != b ? gcn_bits_f64(b) | GCN_QUIET_F64 : GCN_DEFAULT_NAN_F64;

    nan = a != a ? gcn_bits_f64(a) | GCN_QUIET_F64 : nan;
    return gcn_double(result != result ? nan : gcn_bits_f64(result));
}

static inline double gcn_settle_3_f64(double result, double a, double b, double c)
{
    uint64_t nan = c != c ? gcn_bits_f64(c) | GCN_QUIET_F64 : GCN_DEFAULT_NAN_F64;

    nan = b != b ? gcn_bits_f64(b) | GCN_QUIET_F64 : nan;
    nan = a != a ? gcn_bits_f64(a) | GCN_QUIET_F64 : nan;
    return gcn_double(result != result ? nan : gcn_bits_f64(result));
}

#endif
