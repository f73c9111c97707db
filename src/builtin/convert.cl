/* SPDX-License-Identifier: MIT */
/*
 * convert_T from floating point to integers of 8 and 16 bits (OpenCL C 6.4.3): to 32 bits first,
 * and of these the low bits. What an element out of range becomes is the implementation's choice,
 * but what its neighbours become is not. Clang takes a conversion straight to 8 bits to fit, and
 * packs four by shifts and ors without masks.
 *
 * With _sat, an element that is no number becomes 0.
 *
 * From double to single precision in a direction: to nearest, and from there one step where that
 * went the other way. What would be a denormal is zero, as of every operation in single precision.
 * libclc's functions step from that zero to the least denormal.
 */
#include "builtin/builtin.h"

#define ROUND_TOWARDS_ZERO(x) (x) /* which is what C's conversion does */

/* A vector by elements; `from` is float or double. */
#define CONVERT(target, from, width, suffix, round)                                                \
    OVERLOAD target##width convert_##target##width##suffix(from##width x)                          \
    {                                                                                              \
        return __builtin_convertvector(__builtin_convertvector(round(x), int##width),              \
                                       target##width);                                             \
    }                                                                                              \
                                                                                                   \
    OVERLOAD target##width convert_##target##width##_sat##suffix(from##width x)                    \
    {                                                                                              \
        from##width low = (from##width)(from)target##_MINIMUM;                                     \
        from##width high = (from##width)(from)target##_MAXIMUM;                                    \
        from##width inside = fmax(fmin(round(x), high), low);                                      \
                                                                                                   \
        inside = x == x ? inside : (from##width)(from)0;                                           \
        return __builtin_convertvector(__builtin_convertvector(inside, int##width),                \
                                       target##width);                                             \
    }

/* One element is no vector. */
#define CONVERT_ONE(target, from, suffix, round)                                                   \
    OVERLOAD target convert_##target##suffix(from x)                                               \
    {                                                                                              \
        return (target)(int)round(x);                                                              \
    }                                                                                              \
                                                                                                   \
    OVERLOAD target convert_##target##_sat##suffix(from x)                                         \
    {                                                                                              \
        from inside = fmax(fmin(round(x), (from)target##_MAXIMUM), (from)target##_MINIMUM);        \
                                                                                                   \
        return (target)(int)(x == x ? inside : (from)0);                                           \
    }

#define char_MINIMUM CHAR_MIN
#define char_MAXIMUM CHAR_MAX
#define uchar_MINIMUM 0
#define uchar_MAXIMUM UCHAR_MAX
#define short_MINIMUM SHRT_MIN
#define short_MAXIMUM SHRT_MAX
#define ushort_MINIMUM 0
#define ushort_MAXIMUM USHRT_MAX

#define CONVERT_WIDTHS(target, from, suffix, round)                                                \
    CONVERT_ONE(target, from, suffix, round)                                                       \
    CONVERT(target, from, 2, suffix, round)                                                        \
    CONVERT(target, from, 3, suffix, round)                                                        \
    CONVERT(target, from, 4, suffix, round)                                                        \
    CONVERT(target, from, 8, suffix, round)                                                        \
    CONVERT(target, from, 16, suffix, round)

#define CONVERT_ROUNDINGS(target, from)                                                            \
    CONVERT_WIDTHS(target, from, , ROUND_TOWARDS_ZERO)                                             \
    CONVERT_WIDTHS(target, from, _rtz, ROUND_TOWARDS_ZERO)                                         \
    CONVERT_WIDTHS(target, from, _rte, rint)                                                       \
    CONVERT_WIDTHS(target, from, _rtp, ceil)                                                       \
    CONVERT_WIDTHS(target, from, _rtn, floor)

#define CONVERT_FROM(from)                                                                         \
    CONVERT_ROUNDINGS(char, from)                                                                  \
    CONVERT_ROUNDINGS(uchar, from)                                                                 \
    CONVERT_ROUNDINGS(short, from)                                                                 \
    CONVERT_ROUNDINGS(ushort, from)

CONVERT_FROM(float)
CONVERT_FROM(double)

/* ---- From double to single precision ---- */

#define LARGEST_DENORMAL 0x1.fffffcp-127

static inline float float_beside(float x, bool is_up)
{
    uint bits = as_uint(x);
    bool is_away = is_up != (bits >> 31 != 0);

    return as_float(is_away ? bits + 1 : bits - 1);
}

/* `near` is x to nearest, which is_wrong where it lies on the other side. */
static inline float float_of(double x, float near, bool is_wrong, bool is_up)
{
    float tiny = fabs(x) > LARGEST_DENORMAL && is_up == (x > 0) ? FLT_MIN : 0;

    if (fabs(x) < FLT_MIN)
        return copysign(tiny, near);
    return is_wrong ? float_beside(near, is_up) : near;
}

OVERLOAD float convert_float_rtp(double x)
{
    float near = (float)x;

    return float_of(x, near, near < x, true);
}

OVERLOAD float convert_float_rtn(double x)
{
    float near = (float)x;

    return float_of(x, near, near > x, false);
}

OVERLOAD float convert_float_rtz(double x)
{
    return x < 0 ? convert_float_rtp(x) : convert_float_rtn(x);
}

#define BY_PARTS(width, low, first, high, second, suffix)                                          \
    OVERLOAD float##width convert_float##width##suffix(double##width x)                            \
    {                                                                                              \
        return (float##width)(convert_float##low##suffix(x.first),                                 \
                              convert_float##high##suffix(x.second));                              \
    }
#define BY_WIDTHS(suffix)                                                                          \
    BY_PARTS(2, , lo, , hi, suffix)                                                                \
    BY_PARTS(3, 2, lo, , z, suffix)                                                                \
    BY_PARTS(4, 2, lo, 2, hi, suffix)                                                              \
    BY_PARTS(8, 4, lo, 4, hi, suffix)                                                              \
    BY_PARTS(16, 8, lo, 8, hi, suffix)

BY_WIDTHS(_rtp)
BY_WIDTHS(_rtn)
BY_WIDTHS(_rtz)
