/* SPDX-License-Identifier: MIT */
/* The operations that the hardware approximates: reciprocals, roots, powers, logarithms, waves. */
#include "reference.h"

#include <math.h>

#include "reference_bits.h"

#define DA to_double(lane->source[0])

static void give_float(struct reference_lane *lane, float value)
{
    lane->result = value == value ? from_float(value) : nan_of_floats(lane, 1);
}

static void give_double(struct reference_lane *lane, double value)
{
    lane->result = value == value ? from_double(value) : nan_of_doubles(lane, 1);
}

/* The operand of a binary32 operation: denormals count as zero. */
static float tame(struct reference_lane *lane)
{
    return to_float(reference_flush(lane->source[0], 'f'));
}

static void give_tame(struct reference_lane *lane, long double value)
{
    give_float(lane, (float)value);
    lane->result = reference_flush(lane->result, 'f');
}

static void exp_f32(struct reference_lane *lane)
{
    give_tame(lane, tame(lane) < -126 ? 0 : exp2l(tame(lane)));
}

static void log_f32(struct reference_lane *lane)
{
    give_tame(lane, tame(lane) == 0 ? -INFINITY : log2l(tame(lane)));
}

static void rcp_f32(struct reference_lane *lane)
{
    give_tame(lane, 1.0L / tame(lane));
}

static void rsq_f32(struct reference_lane *lane)
{
    give_tame(lane, 1.0L / sqrtl(tame(lane)));
}

static void sqrt_f32(struct reference_lane *lane)
{
    give_tame(lane, sqrtl(tame(lane)));
}

/* An infinite result becomes the largest number (clamp), or zero (legacy), of its sign. */
static void replace_infinity(struct reference_lane *lane, float magnitude)
{
    float value = to_float(lane->result);

    if (isinf(value))
        lane->result = from_float(copysignf(magnitude, value));
}

static void rcp_clamp_f32(struct reference_lane *lane)
{
    rcp_f32(lane);
    replace_infinity(lane, 0x1.fffffep127f);
}

static void rcp_legacy_f32(struct reference_lane *lane)
{
    rcp_f32(lane);
    replace_infinity(lane, 0);
}

static void rsq_clamp_f32(struct reference_lane *lane)
{
    rsq_f32(lane);
    replace_infinity(lane, 0x1.fffffep127f);
}

static void rsq_legacy_f32(struct reference_lane *lane)
{
    rsq_f32(lane);
    replace_infinity(lane, 0);
}

static void log_clamp_f32(struct reference_lane *lane)
{
    log_f32(lane);
    if (to_float(lane->result) == -INFINITY)
        lane->result = from_float(-0x1.fffffep127f);
}

/* sin and cos of revolutions: the nearest multiple of a quarter comes off first, exactly. */
static long double wave(float revolutions, int quarters)
{
    long double quarter = rintl(4.0L * revolutions);
    long double angle = (revolutions - quarter / 4) * 2 * 3.14159265358979323846264338327950288L;
    long long turn = ((long long)quarter + quarters) & 3;
    long double value = (turn & 1) ? cosl(angle) : sinl(angle);

    return (turn & 2) ? -value : value;
}

static void sin_f32(struct reference_lane *lane)
{
    float x = tame(lane);

    if (isinf(x))
        lane->result = 0xffc00000;
    else if (fabsf(x) > 256)
        lane->result = 0;
    else
        give_tame(lane, x == 0 ? x : wave(x, 0));
    if (to_float(lane->result) == 0 && fabsf(x) <= 256)
        lane->result = lane->source[0] & 0x80000000;
}

static void cos_f32(struct reference_lane *lane)
{
    float x = tame(lane);

    if (isinf(x))
        lane->result = 0xffc00000;
    else if (fabsf(x) > 256)
        lane->result = from_float(1);
    else
        give_tame(lane, wave(x, 1) + 0.0L);
}

static void rcp_f64(struct reference_lane *lane)
{
    give_double(lane, 1 / DA);
}

static void rsq_f64(struct reference_lane *lane)
{
    give_double(lane, (double)(1 / sqrtl(DA)));
}

static void sqrt_f64(struct reference_lane *lane)
{
    give_double(lane, sqrt(DA));
}

static void clamp_f64(struct reference_lane *lane)
{
    double value = to_double(lane->result);

    if (isinf(value))
        lane->result = from_double(copysign(0x1.fffffffffffffp1023, value));
}

static void rcp_clamp_f64(struct reference_lane *lane)
{
    rcp_f64(lane);
    clamp_f64(lane);
}

static void rsq_clamp_f64(struct reference_lane *lane)
{
    rsq_f64(lane);
    clamp_f64(lane);
}

static const struct reference_op ops[] = {
    {"v_exp_f32", "ff", REFERENCE_APPROXIMATE, exp_f32},
    {"v_log_f32", "ff", REFERENCE_APPROXIMATE, log_f32},
    {"v_log_clamp_f32", "ff", REFERENCE_APPROXIMATE, log_clamp_f32},
    {"v_rcp_f32", "ff", REFERENCE_APPROXIMATE, rcp_f32},
    {"v_rcp_iflag_f32", "ff", REFERENCE_APPROXIMATE, rcp_f32},
    {"v_rcp_clamp_f32", "ff", REFERENCE_APPROXIMATE, rcp_clamp_f32},
    {"v_rcp_legacy_f32", "ff", REFERENCE_APPROXIMATE, rcp_legacy_f32},
    {"v_rsq_f32", "ff", REFERENCE_APPROXIMATE, rsq_f32},
    {"v_rsq_clamp_f32", "ff", REFERENCE_APPROXIMATE, rsq_clamp_f32},
    {"v_rsq_legacy_f32", "ff", REFERENCE_APPROXIMATE, rsq_legacy_f32},
    {"v_sqrt_f32", "ff", REFERENCE_APPROXIMATE, sqrt_f32},
    {"v_sin_f32", "ff", REFERENCE_APPROXIMATE, sin_f32},
    {"v_cos_f32", "ff", REFERENCE_APPROXIMATE, cos_f32},
    {"v_rcp_f64", "dd", REFERENCE_APPROXIMATE, rcp_f64},
    {"v_rcp_clamp_f64", "dd", REFERENCE_APPROXIMATE, rcp_clamp_f64},
    {"v_rsq_f64", "dd", REFERENCE_APPROXIMATE, rsq_f64},
    {"v_rsq_clamp_f64", "dd", REFERENCE_APPROXIMATE, rsq_clamp_f64},
    {"v_sqrt_f64", "dd", REFERENCE_APPROXIMATE, sqrt_f64},
};

const struct reference_op *reference_approximate_ops(size_t *count)
{
    *count = sizeof ops / sizeof ops[0];
    return ops;
}
