/* SPDX-License-Identifier: MIT */
/* Floating-point vector operations. */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "reference_bits.h"

#define A to_float(lane->source[0])
#define B to_float(lane->source[1])
#define C to_float(lane->source[2])
#define DA to_double(lane->source[0])
#define DB to_double(lane->source[1])
#define DC to_double(lane->source[2])

/* The result of an operation on the first `count` operands, with NaNs settled. */
static void give_float(struct reference_lane *lane, int count, float value)
{
    lane->result = value == value ? from_float(value) : nan_of_floats(lane, count);
}

static void give_double(struct reference_lane *lane, int count, double value)
{
    lane->result = value == value ? from_double(value) : nan_of_doubles(lane, count);
}

static void add_f32(struct reference_lane *lane)
{
    give_float(lane, 2, A + B);
}

static void sub_f32(struct reference_lane *lane)
{
    give_float(lane, 2, A - B);
}

static void subrev_f32(struct reference_lane *lane)
{
    uint64_t first = lane->source[0];

    lane->source[0] = lane->source[1];
    lane->source[1] = first;
    sub_f32(lane);
}

static void mul_f32(struct reference_lane *lane)
{
    give_float(lane, 2, A * B);
}

/* No IEEE rule for zeros: zero times anything is zero. */
static void mul_legacy_f32(struct reference_lane *lane)
{
    if (A == 0 || B == 0)
        lane->result = 0;
    else
        mul_f32(lane);
}

/* Two roundings; v_mad and v_mac flush denormals on this generation whatever MODE says. */
static void mad_f32(struct reference_lane *lane)
{
    for (int i = 0; i < 3; i++)
        lane->source[i] = reference_flush(lane->source[i], 'f');
    volatile float product = to_float(reference_flush(from_float(A * B), 'f'));

    give_float(lane, 3, product + C);
    lane->result = reference_flush(lane->result, 'f');
}

static void mad_legacy_f32(struct reference_lane *lane)
{
    if (to_float(reference_flush(lane->source[0], 'f')) == 0 ||
        to_float(reference_flush(lane->source[1], 'f')) == 0)
        lane->source[0] = lane->source[1] = 0;
    mad_f32(lane);
}

/* The destination is the addend. */
static void mac_f32(struct reference_lane *lane)
{
    lane->source[2] = lane->old;
    mad_f32(lane);
}

static void mac_legacy_f32(struct reference_lane *lane)
{
    lane->source[2] = lane->old;
    mad_legacy_f32(lane);
}

static void fma_f32(struct reference_lane *lane)
{
    give_float(lane, 3, fmaf(A, B, C));
}

static void fma_f64(struct reference_lane *lane)
{
    give_double(lane, 3, fma(DA, DB, DC));
}

static void add_f64(struct reference_lane *lane)
{
    give_double(lane, 2, DA + DB);
}

static void mul_f64(struct reference_lane *lane)
{
    give_double(lane, 2, DA * DB);
}

static void mullit_f32(struct reference_lane *lane)
{
    if (C > 0)
        mul_legacy_f32(lane);
    else
        lane->result = from_float(-0x1.fffffep127f);
}

/* min and max in the manual's words (MODE.IEEE set): signaling NaNs first, then quiet ones, then
 * zeros by sign. */
static uint32_t pick_f32(uint32_t a, uint32_t b, bool want_less)
{
    float x = to_float(a), y = to_float(b);

    if (is_signaling_float(a))
        return a | 0x400000;
    if (is_signaling_float(b))
        return b | 0x400000;
    if (isnan(x))
        return b;
    if (isnan(y))
        return a;
    if (x == 0 && y == 0)
        return want_less == (bool)signbit(x) ? a : b;
    return (x < y) == want_less ? a : b;
}

static uint64_t pick_f64(uint64_t a, uint64_t b, bool want_less)
{
    double x = to_double(a), y = to_double(b);

    if (is_signaling_double(a))
        return a | 0x8000000000000ull;
    if (is_signaling_double(b))
        return b | 0x8000000000000ull;
    if (isnan(x))
        return b;
    if (isnan(y))
        return a;
    if (x == 0 && y == 0)
        return want_less == (bool)signbit(x) ? a : b;
    return (x < y) == want_less ? a : b;
}

#define S32(i) ((uint32_t)lane->source[i])

static void min_f32(struct reference_lane *lane)
{
    lane->result = pick_f32(S32(0), S32(1), true);
}

static void max_f32(struct reference_lane *lane)
{
    lane->result = pick_f32(S32(0), S32(1), false);
}

static void min_f64(struct reference_lane *lane)
{
    lane->result = pick_f64(lane->source[0], lane->source[1], true);
}

static void max_f64(struct reference_lane *lane)
{
    lane->result = pick_f64(lane->source[0], lane->source[1], false);
}

static void min3_f32(struct reference_lane *lane)
{
    lane->result = pick_f32(pick_f32(S32(0), S32(1), true), S32(2), true);
}

static void max3_f32(struct reference_lane *lane)
{
    lane->result = pick_f32(pick_f32(S32(0), S32(1), false), S32(2), false);
}

/* The operand that is neither smallest nor largest: drop the largest, then take the larger. */
static void med3_f32(struct reference_lane *lane)
{
    uint32_t largest = pick_f32(pick_f32(S32(0), S32(1), false), S32(2), false);

    if (isnan(A) || isnan(B) || isnan(C))
        min3_f32(lane);
    else if (largest == S32(0))
        lane->result = pick_f32(S32(1), S32(2), false);
    else if (largest == S32(1))
        lane->result = pick_f32(S32(0), S32(2), false);
    else
        lane->result = pick_f32(S32(0), S32(1), false);
}

/* DX9 rules: a comparison, so that a NaN selects the second operand. */
static void min_legacy_f32(struct reference_lane *lane)
{
    lane->result = lane->source[A < B ? 0 : 1];
}

static void max_legacy_f32(struct reference_lane *lane)
{
    lane->result = lane->source[A >= B ? 0 : 1];
}

static void floor_f32(struct reference_lane *lane)
{
    give_float(lane, 1, floorf(A));
}

static void ceil_f32(struct reference_lane *lane)
{
    give_float(lane, 1, ceilf(A));
}

static void trunc_f32(struct reference_lane *lane)
{
    give_float(lane, 1, truncf(A));
}

static void rndne_f32(struct reference_lane *lane)
{
    give_float(lane, 1, rintf(A));
}

/* x - floor(x); of infinities a NaN with their sign. */
static void fract_f32(struct reference_lane *lane)
{
    if (isinf(A))
        lane->result = lane->source[0] | 0x7fc00000;
    else
        give_float(lane, 1, A - floorf(A));
}

static void fract_f64(struct reference_lane *lane)
{
    if (isinf(DA))
        lane->result = lane->source[0] | 0x7ff8000000000000ull;
    else
        give_double(lane, 1, DA - floor(DA));
}

static void ldexp_f32(struct reference_lane *lane)
{
    give_float(lane, 1, ldexpf(A, (int32_t)lane->source[1]));
}

static void ldexp_f64(struct reference_lane *lane)
{
    give_double(lane, 1, ldexp(DA, (int32_t)lane->source[1]));
}

/* Infinities and NaNs: exponent -1. */
static void frexp_exp_f32(struct reference_lane *lane)
{
    int exponent = -1;

    if (isfinite(A))
        frexpf(A, &exponent);
    lane->result = (uint32_t)exponent;
}

static void frexp_exp_f64(struct reference_lane *lane)
{
    int exponent = -1;

    if (isfinite(DA))
        frexp(DA, &exponent);
    lane->result = (uint32_t)exponent;
}

static void frexp_mant_f32(struct reference_lane *lane)
{
    int exponent;

    give_float(lane, 1, isinf(A) ? NAN : frexpf(A, &exponent));
}

static void frexp_mant_f64(struct reference_lane *lane)
{
    int exponent;

    give_double(lane, 1, isinf(DA) ? NAN : frexp(DA, &exponent));
}

/* Cube maps. Which axis is the largest: 2 wins ties, then 1. */
static int major_axis(const struct reference_lane *lane)
{
    float x = fabsf(A), y = fabsf(B), z = fabsf(C);

    if (z >= x && z >= y)
        return 2;
    return y >= x ? 1 : 0;
}

static uint64_t negated(uint64_t bits, bool negate)
{
    return negate ? bits ^ 0x80000000 : bits;
}

static void cubeid_f32(struct reference_lane *lane)
{
    int axis = major_axis(lane);

    lane->result = from_float((float)(2 * axis + (to_float(lane->source[axis]) < 0)));
}

static void cubema_f32(struct reference_lane *lane)
{
    uint64_t largest = lane->source[major_axis(lane)];

    lane->result =
        isnan(to_float(largest)) ? largest | 0x400000 : from_float(2 * to_float(largest));
}

static void cubesc_f32(struct reference_lane *lane)
{
    int axis = major_axis(lane);

    if (axis == 2)
        lane->result = negated(lane->source[0], C < 0);
    else
        lane->result = axis == 1 ? lane->source[0] : negated(lane->source[2], !(A < 0));
}

static void cubetc_f32(struct reference_lane *lane)
{
    if (major_axis(lane) == 1)
        lane->result = negated(lane->source[2], B < 0);
    else
        lane->result = negated(lane->source[1], true);
}

static const struct reference_op ops[] = {
    {"v_add_f32", "fff", REFERENCE_ROUNDS, add_f32},
    {"v_sub_f32", "fff", REFERENCE_ROUNDS, sub_f32},
    {"v_subrev_f32", "fff", REFERENCE_ROUNDS, subrev_f32},
    {"v_mul_f32", "fff", REFERENCE_ROUNDS, mul_f32},
    {"v_mul_legacy_f32", "fff", REFERENCE_ROUNDS, mul_legacy_f32},
    {"v_mac_f32", "fff", REFERENCE_ROUNDS, mac_f32},
    {"v_mac_legacy_f32", "fff", REFERENCE_ROUNDS, mac_legacy_f32},
    {"v_mad_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_ROUNDS, mad_f32},
    {"v_mad_legacy_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_ROUNDS, mad_legacy_f32},
    {"v_madmk_f32", "ffff", REFERENCE_SHORT_ONLY | REFERENCE_ROUNDS | REFERENCE_LITERAL_MIDDLE,
     mad_f32},
    {"v_madak_f32", "ffff", REFERENCE_SHORT_ONLY | REFERENCE_ROUNDS | REFERENCE_LITERAL_LAST,
     mad_f32},
    {"v_fma_f32", "ffff", REFERENCE_LONG_ONLY, fma_f32},
    {"v_fma_f64", "dddd", REFERENCE_LONG_ONLY, fma_f64},
    {"v_add_f64", "ddd", REFERENCE_LONG_ONLY | REFERENCE_ROUNDS, add_f64},
    {"v_mul_f64", "ddd", REFERENCE_LONG_ONLY | REFERENCE_ROUNDS, mul_f64},
    {"v_mullit_f32", "ffff", REFERENCE_LONG_ONLY, mullit_f32},
    {"v_min_f32", "fff", REFERENCE_KEEPS_DENORMALS, min_f32},
    {"v_max_f32", "fff", REFERENCE_KEEPS_DENORMALS, max_f32},
    {"v_min_f64", "ddd", REFERENCE_LONG_ONLY | REFERENCE_KEEPS_DENORMALS, min_f64},
    {"v_max_f64", "ddd", REFERENCE_LONG_ONLY | REFERENCE_KEEPS_DENORMALS, max_f64},
    {"v_min3_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_KEEPS_DENORMALS, min3_f32},
    {"v_max3_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_KEEPS_DENORMALS, max3_f32},
    {"v_med3_f32", "ffff", REFERENCE_LONG_ONLY | REFERENCE_KEEPS_DENORMALS, med3_f32},
    {"v_min_legacy_f32", "fff", REFERENCE_KEEPS_DENORMALS, min_legacy_f32},
    {"v_max_legacy_f32", "fff", REFERENCE_KEEPS_DENORMALS, max_legacy_f32},
    {"v_floor_f32", "ff", 0, floor_f32},
    {"v_ceil_f32", "ff", 0, ceil_f32},
    {"v_trunc_f32", "ff", 0, trunc_f32},
    {"v_rndne_f32", "ff", 0, rndne_f32},
    {"v_fract_f32", "ff", 0, fract_f32},
    {"v_fract_f64", "dd", 0, fract_f64},
    {"v_ldexp_f32", "ffi", 0, ldexp_f32},
    {"v_ldexp_f64", "ddi", REFERENCE_LONG_ONLY, ldexp_f64},
    {"v_frexp_exp_i32_f32", "if", 0, frexp_exp_f32},
    {"v_frexp_exp_i32_f64", "id", 0, frexp_exp_f64},
    {"v_frexp_mant_f32", "ff", 0, frexp_mant_f32},
    {"v_frexp_mant_f64", "dd", 0, frexp_mant_f64},
    {"v_cubeid_f32", "ffff", REFERENCE_LONG_ONLY, cubeid_f32},
    {"v_cubema_f32", "ffff", REFERENCE_LONG_ONLY, cubema_f32},
    {"v_cubesc_f32", "ffff", REFERENCE_LONG_ONLY, cubesc_f32},
    {"v_cubetc_f32", "ffff", REFERENCE_LONG_ONLY, cubetc_f32},
};

const struct reference_op *reference_float_ops(size_t *count)
{
    *count = sizeof ops / sizeof ops[0];
    return ops;
}
