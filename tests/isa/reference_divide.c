/* SPDX-License-Identifier: MIT */
/* The steps of division, the bits of 2/pi, and what surrounds each lane: modifiers and flushing. */
#include "reference.h"

#include <math.h>

#include "reference_bits.h"

/* The scale decisions of v_div_scale in the order of the manual's cases, in long double, whose
 * exponents reach further than both formats. `minimum` is the smallest normal number. `distance`,
 * `step`, `tiny` are the format's limits of exponents (96 and 768; 64 and 128; numerators of biased
 * exponent up to 23 and 53). */
struct division {
    long double denominator, numerator, minimum;
    bool is_denominator, is_numerator;
    int exponent_difference, numerator_exponent;
    int distance, step, tiny;
};

static int scale_of(const struct division *division, bool *flag)
{
    long double d = fabsl(division->denominator), n = fabsl(division->numerator);
    int step = division->step;

    *flag = true;
    if (division->exponent_difference >= division->distance)
        return division->is_denominator ? step : 0;
    *flag = false;
    if (d < division->minimum)
        return step;
    *flag = isfinite(d) && n / d < division->minimum;
    if (1 / d < division->minimum && *flag)
        return division->is_denominator ? -step : 0;
    if (1 / d < division->minimum)
        return -step;
    if (*flag)
        return division->is_numerator ? step : 0;
    return division->numerator_exponent <= division->tiny ? step : 0;
}

static void div_scale_f32(struct reference_lane *lane)
{
    uint32_t s = (uint32_t)lane->source[0], d = (uint32_t)lane->source[1],
             n = (uint32_t)lane->source[2];
    int dx = (d >> 23) & 255, nx = (n >> 23) & 255;
    struct division division = {to_float(d), to_float(n), 0x1p-126L, s == d, s == n,
                                nx - dx,     nx,          96,        64,     23};
    int scale = scale_of(&division, &lane->flag_out);

    if (to_float(d) == 0 || to_float(n) == 0) {
        lane->flag_out = false;
        lane->result = 0xffc00000;
    } else {
        float value = ldexpf(to_float(s), scale);

        lane->result = isnan(value) ? nan_of_floats(lane, 1) : from_float(value);
    }
}

static void div_scale_f64(struct reference_lane *lane)
{
    uint64_t s = lane->source[0], d = lane->source[1], n = lane->source[2];
    int dx = (d >> 52) & 2047, nx = (n >> 52) & 2047;
    struct division division = {to_double(d), to_double(n), 0x1p-1022L, s == d, s == n,
                                nx - dx,      nx,           768,        128,    53};
    int scale = scale_of(&division, &lane->flag_out);

    if (to_double(d) == 0 || to_double(n) == 0) {
        lane->flag_out = false;
        lane->result = 0xfff8000000000000ull;
    } else {
        double value = ldexp(to_double(s), scale);

        lane->result = isnan(value) ? nan_of_doubles(lane, 1) : from_double(value);
    }
}

__extension__ typedef unsigned __int128 wide_bits;

/* a * b + c scaled, rounded once: the sum in binary128, rounded to odd, which leaves its last bit
 * to tell of what was lost. */
static __float128 odd_sum(__float128 product, __float128 addend)
{
    __float128 sum = product + addend;
    __float128 part = sum - product;
    __float128 error = (product - (sum - part)) + (addend - part);
    wide_bits bits;

    memcpy(&bits, &sum, sizeof bits);
    if ((error > 0 || error < 0) && !(bits & 1))
        bits += (error > 0) == (sum > 0) ? 1 : -(wide_bits)1;
    memcpy(&sum, &bits, sizeof bits);
    return sum;
}

static void div_fmas_f32(struct reference_lane *lane)
{
    float a = to_float(lane->source[0]), b = to_float(lane->source[1]),
          c = to_float(lane->source[2]);
    __float128 sum = odd_sum((__float128)a * b, c);

    if (lane->flag_in)
        sum *= fabsf(c) >= 2 ? 0x1p64 : 0x1p-64;
    float value = (float)sum;

    lane->result = isnan(value) ? nan_of_floats(lane, 3) : from_float(value);
}

static void div_fmas_f64(struct reference_lane *lane)
{
    double a = to_double(lane->source[0]), b = to_double(lane->source[1]),
           c = to_double(lane->source[2]);
    __float128 sum = odd_sum((__float128)a * b, c);

    if (lane->flag_in)
        sum *= fabs(c) >= 2 ? 0x1p128 : 0x1p-128;
    double value = (double)sum;

    lane->result = isnan(value) ? nan_of_doubles(lane, 3) : from_double(value);
}

static void div_fixup_f32(struct reference_lane *lane)
{
    float quotient = to_float(lane->source[0]), d = to_float(lane->source[1]),
          n = to_float(lane->source[2]);
    float sign = (signbit(d) != 0) != (signbit(n) != 0) ? -1.0f : 1.0f;
    int difference = (int)((lane->source[2] >> 23) & 255) - (int)((lane->source[1] >> 23) & 255);

    if (isnan(n))
        lane->result = lane->source[2] | 0x400000;
    else if (isnan(d))
        lane->result = lane->source[1] | 0x400000;
    else if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        lane->result = 0xffc00000;
    else if (d == 0 || isinf(n))
        lane->result = from_float(copysignf(INFINITY, sign));
    else if (isinf(d) || n == 0 || difference < -150)
        lane->result = from_float(copysignf(0, sign));
    else if (isnan(quotient))
        lane->result = from_float(copysignf(INFINITY, sign));
    else
        lane->result = from_float(copysignf(quotient, sign));
}

static void div_fixup_f64(struct reference_lane *lane)
{
    double quotient = to_double(lane->source[0]), d = to_double(lane->source[1]),
           n = to_double(lane->source[2]);
    double sign = (signbit(d) != 0) != (signbit(n) != 0) ? -1.0 : 1.0;
    int difference = (int)((lane->source[2] >> 52) & 2047) - (int)((lane->source[1] >> 52) & 2047);

    if (isnan(n))
        lane->result = lane->source[2] | 0x8000000000000ull;
    else if (isnan(d))
        lane->result = lane->source[1] | 0x8000000000000ull;
    else if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
        lane->result = 0xfff8000000000000ull;
    else if (d == 0 || isinf(n))
        lane->result = from_double(copysign(INFINITY, sign));
    else if (isinf(d) || n == 0 || difference < -1075)
        lane->result = from_double(copysign(0, sign));
    else if (isnan(quotient))
        lane->result = from_double(copysign(INFINITY, sign));
    else
        lane->result = from_double(copysign(quotient, sign));
}

/* Fixed-point numbers: one word of whole part, then the fraction, most significant first. */
#define WORDS 44

static void divide_small(uint32_t *number, uint32_t divisor)
{
    uint64_t rest = 0;

    for (int i = 0; i < WORDS; i++) {
        rest = (rest << 32) | number[i];
        number[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
}

/* number += sign * other; what overflows is lost. */
static void add_signed(uint32_t *number, const uint32_t *other, int sign)
{
    int64_t carry = 0;

    for (int i = WORDS - 1; i >= 0; i--) {
        carry += (int64_t)number[i] + sign * (int64_t)other[i];
        number[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* total += factor * arctan(1 / x), by its series. */
static void add_arctangent(uint32_t *total, int factor, uint32_t x)
{
    uint32_t power[WORDS] = {(uint32_t)(factor < 0 ? -factor : factor)};

    divide_small(power, x);
    for (uint32_t n = 1; n < 2400; n += 2) {
        uint32_t term[WORDS];

        memcpy(term, power, sizeof term);
        divide_small(term, n);
        add_signed(total, term, ((n & 2) != 0) == (factor < 0) ? 1 : -1);
        divide_small(power, x);
        divide_small(power, x);
    }
}

/* The bits of 2/pi after the point, by long division of 2 by pi = 16 arctan(1/5) - 4 arctan(1/239).
 */
static const uint8_t *two_over_pi(void)
{
    static uint8_t bits[1201];
    static bool done;
    uint32_t pi[WORDS] = {0}, rest[WORDS] = {2};

    if (done)
        return bits;
    add_arctangent(pi, 16, 5);
    add_arctangent(pi, -4, 239);
    for (int i = 0; i < 1201; i++) {
        uint32_t twice[WORDS];

        memcpy(twice, rest, sizeof twice);
        add_signed(rest, twice, 1);
        int word = 0;
        while (word < WORDS - 1 && rest[word] == pi[word])
            word++;
        bits[i] = rest[word] >= pi[word];
        if (bits[i])
            add_signed(rest, pi, -1);
    }
    done = true;
    return bits;
}

static void trig_preop_f64(struct reference_lane *lane)
{
    const uint8_t *bits = two_over_pi();
    int exponent = (int)((lane->source[0] >> 52) & 2047);
    int shift = 53 * (int)(lane->source[1] & 31) + (exponent > 1077 ? exponent - 1077 : 0);
    double segment = 0;

    for (int i = 0; i < 53; i++)
        segment = 2 * segment + (shift + i < 1201 ? bits[shift + i] : 0);
    lane->result = from_double(ldexp(segment, -53 - shift + (exponent >= 1968 ? 128 : 0)));
}

static const struct reference_op ops[] = {
    {"v_div_scale_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_FLAG_OUT | REFERENCE_SCALES_FIRST,
     div_scale_f32},
    {"v_div_scale_f64", "dddd", REFERENCE_LONG_ONLY | REFERENCE_FLAG_OUT | REFERENCE_SCALES_FIRST,
     div_scale_f64},
    {"v_div_fmas_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_READS_VCC, div_fmas_f32},
    {"v_div_fmas_f64", "dddd", REFERENCE_LONG_ONLY | REFERENCE_READS_VCC, div_fmas_f64},
    {"v_div_fixup_f32", "ffff", REFERENCE_LONG_ONLY, div_fixup_f32},
    {"v_div_fixup_f64", "dddd", REFERENCE_LONG_ONLY, div_fixup_f64},
    {"v_trig_preop_f64", "ddi", REFERENCE_LONG_ONLY, trig_preop_f64},
};

const struct reference_op *reference_divide_ops(size_t *count)
{
    *count = sizeof ops / sizeof ops[0];
    return ops;
}
