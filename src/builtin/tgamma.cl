/* SPDX-License-Identifier: MIT */
/*
 * tgamma, within a few ulp (OpenCL C 7.4 asks for 16). The rule gamma(x + 1) = x gamma(x) leads to
 * [2, 3), where a polynomial stands for it. The factors on the way are multiplied to twice the
 * precision of double. Below about -34 (float) and -184 (double) the result is a zero with a sign.
 *
 * The polynomial, in x - 2.5, interpolates gamma at 19 Chebyshev nodes of [2, 3]. It was computed
 * with 60 digits, and its relative error is below 1.3e-17.
 */
#include "builtin/builtin.h"

/* The greatest argument whose result is finite. */
#define LAST_FINITE 0x1.573fae561f647p+7
/* Below it every result rounds to zero. */
#define FIRST_ZERO (-190.0)
/* More of a product would overflow at the end of the range. */
#define LARGE_PRODUCT 0x1p+800

static double gamma_from_2_to_3(double x)
{
    static constant double coefficients[] = {
        0x1.1df83f46b5b39p-25,  -0x1.650430b4605f7p-24, 0x1.69e0b8183d448p-23,
        -0x1.c094378550309p-22, 0x1.22b69ba445ed9p-20,  -0x1.57e9b7c2d56a3p-19,
        0x1.e6ca7ac6c8f8cp-18,  -0x1.ad8a6611a268ap-17, 0x1.013c92f5859f2p-14,
        0x1.0886c5d516cc8p-18,  0x1.8b8fcda4879d4p-11,  0x1.a55ed2172e36fp-10,
        0x1.5489cc6bad687p-7,   0x1.d0a9bc4930cd3p-6,   0x1.c138b89492c3ep-4,
        0x1.03f6d2fa4f509p-2,   0x1.4f224d4b7e01cp-1,   0x1.de9585f1a7093p-1,
        0x1.544fa6d47b390p+0,
    };
    double sum = 0;

#pragma unroll
    for (int i = 0; i < 19; i++)
        sum = fma(sum, x - 2.5, coefficients[i]);
    return sum;
}

/* A product of factors and what rounding took from it. */
struct product {
    double high, low;
};

static void product_multiply(struct product *product, double factor)
{
    double high = product->high * factor;

    product->low = fma(product->low, factor, fma(product->high, factor, -high));
    product->high = high;
}

static double product_divide(double dividend, struct product product)
{
    double quotient = dividend / product.high;

    return copysign(fma(-quotient, product.low / product.high, quotient),
                    quotient); /* also a zero */
}

static double gamma_of_large(double x)
{
    struct product product = {1, 0};
    double rest;

    for (; x >= 3; product_multiply(&product, x))
        x -= 1;
    rest = gamma_from_2_to_3(x);
    return fma(rest, product.high, rest * product.low);
}

static double gamma_of_small(double x)
{
    struct product product = {1, 0}, first = {1, 0};

    for (; x < 2; x += 1) {
        product_multiply(&product, x);
        if (fabs(product.high) > LARGE_PRODUCT) {
            first = product;
            product.high = 1;
            product.low = 0;
        }
    }
    return product_divide(product_divide(gamma_from_2_to_3(x), first), product);
}

OVERLOAD double tgamma(double x)
{
    if (isnan(x) || x > LAST_FINITE)
        return x + INFINITY; /* a NaN stays one */
    if (x == 0)
        return copysign((double)INFINITY, x);
    if (x < 0 && x == floor(x))
        return NAN;
    if (x < FIRST_ZERO)
        return fmod(floor(x), 2.0) != 0 ? -0.0 : 0.0;
    return x < 2 ? gamma_of_small(x) : gamma_of_large(x);
}

OVERLOAD float tgamma(float x)
{
    return (float)tgamma((double)x);
}

OVERLOAD half tgamma(half x)
{
    return (half)tgamma((double)x);
}

#define TGAMMA(type)                                                                               \
    OVERLOAD type tgamma(type x)                                                                   \
    {                                                                                              \
        return (type)(tgamma(x.lo), tgamma(x.hi));                                                 \
    }

#define TGAMMAS(type)                                                                              \
    TGAMMA(type##2)                                                                                \
    OVERLOAD type##3 tgamma(type##3 x)                                                             \
    {                                                                                              \
        return (type##3)(tgamma(x.x), tgamma(x.y), tgamma(x.z));                                   \
    }                                                                                              \
    TGAMMA(type##4)                                                                                \
    TGAMMA(type##8)                                                                                \
    TGAMMA(type##16)

TGAMMAS(half)
TGAMMAS(float)
TGAMMAS(double)
