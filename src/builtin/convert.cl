/* SPDX-License-Identifier: MIT */
/*
 * convert_T from floating point to integers of 8 and 16 bits (OpenCL C 6.4.3): to 32 bits first,
 * and of these the low bits. What an element out of range becomes is the implementation's choice,
 * but what its neighbours become is not. Clang takes a conversion straight to 8 bits to fit, and
 * packs four by shifts and ors without masks.
 *
 * With _sat, an element that is no number becomes 0.
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
