/* SPDX-License-Identifier: MIT */
/*
 * Functions of libclc that are right but for some arguments: libclc_NAME is libclc's NAME, which
 * the backend gives to what comes from this library (backend/libraries.c). In LLVM 22 they miss
 * zeros' signs (OpenCL C 7.5.1), the part of an infinity, and powers too large or small to hold.
 * They also miss half precision's bounds for fma and rsqrt (cl_khr_fp16, 7.4).
 */
#include "builtin/builtin.h"

#define FOR_FLOATS(DO)                                                                             \
    FOR_WIDTHS_OF(DO, half)                                                                        \
    FOR_WIDTHS_OF(DO, float)                                                                       \
    FOR_WIDTHS_OF(DO, double)

/* ---- An odd function of a zero is that zero ---- */

#define KEEPS_ZERO(name, type)                                                                     \
    OVERLOAD type libclc_##name(type x);                                                           \
    OVERLOAD type name(type x)                                                                     \
    {                                                                                              \
        type result = libclc_##name(x);                                                            \
                                                                                                   \
        return x == 0 ? x : result;                                                                \
    }
#define KEEP_ZEROS(type)                                                                           \
    KEEPS_ZERO(atan, type) KEEPS_ZERO(atanpi, type) KEEPS_ZERO(expm1, type) KEEPS_ZERO(sin, type)  \
    KEEPS_ZERO(tan, type)
FOR_WIDTHS_OF(KEEP_ZEROS, double)

#define SINCOS_IN(space, type)                                                                     \
    OVERLOAD type libclc_sincos(type x, space type *cosine);                                       \
    OVERLOAD type sincos(type x, space type *cosine)                                               \
    {                                                                                              \
        type result = libclc_sincos(x, cosine);                                                    \
                                                                                                   \
        return x == 0 ? x : result;                                                                \
    }
#define SINCOS(type)                                                                               \
    SINCOS_IN(private, type) SINCOS_IN(local, type) SINCOS_IN(global, type)
FOR_WIDTHS_OF(SINCOS, double)

/* ---- Multiples of pi ---- */

#define OF_PI(type)                                                                                \
    OVERLOAD type libclc_sinpi(type x);                                                            \
    OVERLOAD type libclc_cospi(type x);                                                            \
    OVERLOAD type libclc_tanpi(type x);                                                            \
    OVERLOAD type sinpi(type x)                                                                    \
    {                                                                                              \
        type result = libclc_sinpi(x);                                                             \
                                                                                                   \
        return result == 0 ? copysign((type)0, x) : result;                                        \
    }                                                                                              \
    OVERLOAD type cospi(type x)                                                                    \
    {                                                                                              \
        type result = libclc_cospi(x);                                                             \
                                                                                                   \
        return result == 0 ? (type)0 : result;                                                     \
    }                                                                                              \
    OVERLOAD type tanpi(type x)                                                                    \
    {                                                                                              \
        type result = libclc_tanpi(x), half_x = x * (type)0.5;                                     \
        type zero = copysign((type)0, trunc(half_x) == half_x ? x : -x); /* of odd x the other */  \
                                                                                                   \
        return result == 0 ? zero : result;                                                        \
    }
FOR_FLOATS(OF_PI)

/* ---- An infinity has no fraction ---- */

#define FRACT_IN(space, type)                                                                      \
    OVERLOAD type libclc_fract(type x, space type *whole);                                         \
    OVERLOAD type fract(type x, space type *whole)                                                 \
    {                                                                                              \
        type result = libclc_fract(x, whole);                                                      \
                                                                                                   \
        return fabs(x) == (type)INFINITY ? copysign((type)0, x) : result;                          \
    }
#define FRACT(type) FRACT_IN(private, type) FRACT_IN(local, type) FRACT_IN(global, type)
FOR_WIDTHS_OF(FRACT, half)
FOR_WIDTHS_OF(FRACT, double)

/* ---- Powers of large exponents: libclc's lose themselves in the exponent's lower half ---- */

#define LARGE_EXPONENT 0x1p35
/* |log2 x| >= ||x| - 1| from 1/2 to 2; outside, a large exponent is enough. */
#define SURE_LOGARITHM 2200.0

OVERLOAD double libclc_pow(double x, double y);
OVERLOAD double libclc_powr(double x, double y);

static bool power_is_out_of_range(double x, double y)
{
    return fabs(y) > LARGE_EXPONENT && fabs(y * (fabs(x) - 1)) > SURE_LOGARITHM;
}

/* Infinity or zero. An exponent that is no integer has no power of a negative number. */
static double power_out_of_range(double x, double y)
{
    double size = y * (fabs(x) - 1) > 0 ? (double)INFINITY : 0.0;
    bool is_odd = trunc(y) == y && trunc(y * 0.5) != y * 0.5;

    if (x < 0 && trunc(y) != y && fabs(x) != (double)INFINITY)
        return NAN;
    return is_odd ? copysign(size, x) : size;
}

OVERLOAD double mended_pow(double x, double y)
{
    return power_is_out_of_range(x, y) ? power_out_of_range(x, y) : libclc_pow(x, y);
}

OVERLOAD double mended_powr(double x, double y)
{
    bool is_out = x >= 0 && power_is_out_of_range(x, y);

    return is_out ? power_out_of_range(fabs(x), y) : libclc_powr(x, y);
}

/* ---- Half precision ---- */

OVERLOAD half mended_rsqrt(half x)
{
    return (half)rsqrt((float)x);
}

/* The product is exact in single precision. The sum is rounded to odd there: what was lost shows in
 * its last bit, so that rounding it to half is rounding once. (S. Boldo, G. Melquiond, "Emulation
 * of a FMA and correctly-rounded sums: proved algorithms using rounding to odd", IEEE Transactions
 * on Computers 57(4), 2008.) */
OVERLOAD half mended_fma(half a, half b, half c)
{
#pragma OPENCL FP_CONTRACT OFF
    float product = (float)a * (float)b, sum = product + (float)c;
    float back = sum - product;
    float lost = (product - (sum - back)) + ((float)c - back);
    int bits = as_int(sum);

    if (isfinite(sum) && lost != 0 && (bits & 1) == 0)
        bits += (lost > 0) == (sum > 0) ? 1 : -1;
    return (half)as_float(bits);
}

/* ---- The functions of these, at every width ---- */

/* By names that LLVM does not know: it takes a call of a function named fma for its own. */
#define HALVES_1(name, type)                                                                       \
    OVERLOAD type mended_##name(type x)                                                            \
    {                                                                                              \
        return (type)(mended_##name(x.lo), mended_##name(x.hi));                                   \
    }
#define HALVES_2(name, type)                                                                       \
    OVERLOAD type mended_##name(type x, type y)                                                    \
    {                                                                                              \
        return (type)(mended_##name(x.lo, y.lo), mended_##name(x.hi, y.hi));                       \
    }
#define HALVES_3(name, type)                                                                       \
    OVERLOAD type mended_##name(type x, type y, type z)                                            \
    {                                                                                              \
        return (type)(mended_##name(x.lo, y.lo, z.lo), mended_##name(x.hi, y.hi, z.hi));           \
    }
#define THREE_1(name, type)                                                                        \
    OVERLOAD type mended_##name(type x)                                                            \
    {                                                                                              \
        return (type)(mended_##name(x.xy), mended_##name(x.z));                                    \
    }
#define THREE_2(name, type)                                                                        \
    OVERLOAD type mended_##name(type x, type y)                                                    \
    {                                                                                              \
        return (type)(mended_##name(x.xy, y.xy), mended_##name(x.z, y.z));                         \
    }
#define THREE_3(name, type)                                                                        \
    OVERLOAD type mended_##name(type x, type y, type z)                                            \
    {                                                                                              \
        return (type)(mended_##name(x.xy, y.xy, z.xy), mended_##name(x.z, y.z, z.z));              \
    }
#define BY_ELEMENT(arguments, name, type)                                                          \
    HALVES_##arguments(name, type##2) THREE_##arguments(name, type##3)                             \
    HALVES_##arguments(name, type##4) HALVES_##arguments(name, type##8)                            \
    HALVES_##arguments(name, type##16)
BY_ELEMENT(2, pow, double)
BY_ELEMENT(2, powr, double)
BY_ELEMENT(1, rsqrt, half)
BY_ELEMENT(3, fma, half)

#define POWERS(type)                                                                               \
    OVERLOAD type pow(type x, type y) { return mended_pow(x, y); }                                 \
    OVERLOAD type powr(type x, type y) { return mended_powr(x, y); }
FOR_WIDTHS_OF(POWERS, double)

#define HALF_FUNCTIONS(type)                                                                       \
    OVERLOAD type rsqrt(type x) { return mended_rsqrt(x); }                                        \
    OVERLOAD type fma(type x, type y, type z) { return mended_fma(x, y, z); }                      \
    OVERLOAD type mad(type x, type y, type z) { return mended_fma(x, y, z); }
FOR_WIDTHS_OF(HALF_FUNCTIONS, half)
