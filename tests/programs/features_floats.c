/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature_tests.h"
#include "floats.cl.h"

enum { COUNT = 1024 };

static const float specials[] = {0.0f,
                                 -0.0f,
                                 1.0f,
                                 -1.0f,
                                 0.5f,
                                 -2.5f,
                                 1.5f,
                                 0x1p-126f,
                                 -0x1p-126f,
                                 0x1.fffffep127f,
                                 -0x1.fffffep127f,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 3.0f,
                                 -7.0f,
                                 0x1p31f,
                                 0x1.fffffep30f,
                                 255.5f,
                                 0.49999997f,
                                 16777217.0f};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

/* Random floats: of any exponent between the two given, either sign unless `positive`. */
static float random_float(uint64_t *seed, int min, int max, bool positive)
{
    uint64_t bits = workload_random(seed);
    float mantissa = 1.0f + (float)(bits & 0x7fffff) * 0x1p-23f;
    int exponent = min + (int)((bits >> 32) % (uint64_t)(max - min + 1));
    float value = ldexpf(mantissa, exponent);

    return !positive && bits >> 63 ? -value : value;
}

/* Pairs: of special values first (if wanted), then random. */
static void float_pairs(float pairs[COUNT][2], bool with_specials, int min, int max,
                        uint64_t seed)
{
    for (size_t i = 0; i < COUNT; i++)
        for (size_t side = 0; side < 2; side++) {
            size_t special = side == 0 ? i / SPECIALS : i % SPECIALS;
            pairs[i][side] = random_float(&seed, min, max, false);
            if (with_specials && special < SPECIALS && i < (size_t)SPECIALS * SPECIALS)
                pairs[i][side] = specials[special];
        }
}

static float min_of(float x, float y)
{
    return isnan(x) || y < x ? y : x;
}

static float of_max(float x, float y)
{
    return isnan(x) || y > x ? y : x;
}

static void expect_exact(float x, float y, float *e)
{
    float bounded = isnan(y) ? 0 : y < -300 ? -300 : y > 300 ? 300 : y;

    e[0] = x + y;
    e[1] = x - y;
    e[2] = x * y;
    e[3] = fmaf(x, y, x);
    e[4] = floorf(x);
    e[5] = ceilf(x);
    e[6] = truncf(x);
    e[7] = rintf(x);
    e[8] = roundf(x);
    e[9] = fabsf(x);
    e[10] = copysignf(x, y);
    e[11] = min_of(x, y);
    e[12] = of_max(x, y);
    e[13] = fdimf(x, y);
    e[14] = fmodf(x, y);
    e[15] = remainderf(x, y);
    e[16] = ldexpf(x, (int)bounded);
    e[17] = nextafterf(x, y);
    e[18] = x < y ? x : y;
    e[19] = x >= y ? y : x;
}

enum { EXACT = 20 };

/* Denormal results may be flushed where the device says so. The sign of a zero may be either from
 * fmin and fmax (OpenCL) and a choice between two numbers (clang makes v_min_legacy_f32 of it). A
 * NaN exponent of ldexp is undefined. */
static void forgive(const struct feature_run *run, const float *pair, float *found,
                    const float *expected)
{
    for (unsigned f = 0; f < EXACT; f++)
        if (run->flushes_denormals && fpclassify(expected[f]) == FP_SUBNORMAL && found[f] == 0)
            found[f] = expected[f];
    for (unsigned f = 11; f < EXACT; f++)
        if ((f <= 12 || f >= 18) && found[f] == 0 && expected[f] == 0)
            found[f] = expected[f];
    if (isnan(pair[1]))
        found[16] = expected[16];
}

static bool exact_functions(struct feature_run *run)
{
    static float input[COUNT][2], output[COUNT][EXACT], expected[COUNT][EXACT];

    float_pairs(input, true, -20, 20, 1);
    for (size_t i = COUNT / 2; i < COUNT; i++)
        if (i % 2 == 0) /* half of the random ones over the whole range */
            input[i][0] = ldexpf(input[i][0], (int)(i % 200) - 100);
    feature_map(run, "exact_functions", COUNT, input, sizeof input, output, sizeof output);
    for (size_t i = 0; i < COUNT; i++) {
        expect_exact(input[i][0], input[i][1], expected[i]);
        forgive(run, input[i], output[i], expected[i]);
    }
    return feature_same_floats("exact_functions (of 20)", *output, *expected,
                               (size_t)COUNT * EXACT);
}

#define UNARY(name, expression)                                                                    \
    static long double name(long double x, long double y)                                          \
    {                                                                                              \
        (void)y;                                                                                   \
        return expression;                                                                         \
    }
#define BINARY(name, expression)                                                                   \
    static long double name(long double x, long double y)                                          \
    {                                                                                              \
        return expression;                                                                         \
    }
#define PI 3.14159265358979323846264338327950288L
BINARY(quotient, x / y)
UNARY(reciprocal, 1 / x)
UNARY(square_root, sqrtl(x))
UNARY(reciprocal_root, 1 / sqrtl(x))
UNARY(cube_root, cbrtl(x))
BINARY(hypotenuse, hypotl(x, y))
UNARY(power_10, exp10l(x))
BINARY(power, powl(x, y))
BINARY(power_of_magnitude, powl(fabsl(x), y))
BINARY(whole_power, powl(x, truncl(fminl(fmaxl(y, -100), 100))))
UNARY(natural_exponential, expl(x))
UNARY(power_2, exp2l(x))
UNARY(exponential_minus_1, expm1l(x))
UNARY(natural_logarithm, logl(x))
UNARY(logarithm_2, log2l(x))
UNARY(logarithm_10, log10l(x))
UNARY(logarithm_plus_1, log1pl(x))
UNARY(hyperbolic_tangent, tanhl(x))
UNARY(sine, sinl(x))
UNARY(cosine, cosl(x))
UNARY(tangent, tanl(x))
UNARY(arc_sine, asinl(x))
UNARY(arc_cosine, acosl(x))
UNARY(arc_tangent, atanl(x))
BINARY(arc_tangent_2, atan2l(x, y))
UNARY(sine_of_pi, remainderl(x, 1) == 0 ? 0 : sinl(PI * remainderl(x, 2)))
UNARY(cosine_of_pi, fabsl(remainderl(x, 1)) == 0.5L ? 0 : cosl(PI * remainderl(x, 2)))
UNARY(hyperbolic_sine, sinhl(fminl(fmaxl(x, -80), 80)))

/* Runs a kernel that writes table_count floats an item, on operands of exponents from least to
 * most. */
static bool check_table(struct feature_run *run, const char *kernel,
                        const struct feature_function *table, unsigned table_count,
                        bool with_specials, int min, int max)
{
    static float input[COUNT][2];
    float *output = workload_allocate(COUNT * (size_t)table_count, sizeof *output);

    float_pairs(input, with_specials, min, max, table_count);
    feature_map(run, kernel, COUNT, input, sizeof input, output,
                COUNT * (size_t)table_count * sizeof *output);
    bool right = feature_within_float(run, table, table_count, *input, output, COUNT);
    free(output);
    return right;
}

#define COUNT_OF(table) ((unsigned)(sizeof(table) / sizeof(table)[0]))

static bool division_and_roots(struct feature_run *run)
{
    static const struct feature_function table[] = {
        {"divide", 2.5, quotient},     {"1/x", 2.5, reciprocal}, {"sqrt", 3, square_root},
        {"rsqrt", 2, reciprocal_root}, {"cbrt", 2, cube_root},   {"hypot", 4, hypotenuse},
    };
    return check_table(run, "division_and_roots", table, COUNT_OF(table), true, -60, 60);
}

static bool exponentials(struct feature_run *run)
{
    static const struct feature_function table[] = {
        {"exp", 3, natural_exponential},
        {"exp2", 3, power_2},
        {"exp10", 3, power_10},
        {"expm1", 3, exponential_minus_1},
        {"log", 3, natural_logarithm},
        {"log2", 3, logarithm_2},
        {"log10", 3, logarithm_10},
        {"log1p", 2, logarithm_plus_1},
        {"pow", 16, power},
        {"powr", 16, power_of_magnitude},
        {"pown", 16, whole_power},
        {"tanh", 5, hyperbolic_tangent},
    };
    return check_table(run, "exponentials", table, COUNT_OF(table), false, -8, 6);
}

static bool trigonometry(struct feature_run *run)
{
    static const struct feature_function table[] = {
        {"sin", 4, sine},
        {"cos", 4, cosine},
        {"tan", 5, tangent},
        {"asin", 4, arc_sine},
        {"acos", 4, arc_cosine},
        {"atan", 5, arc_tangent},
        {"atan2", 6, arc_tangent_2},
        {"sinpi", 4, sine_of_pi},
        {"cospi", 4, cosine_of_pi},
        {"sinh", 4, hyperbolic_sine},
    };
    return check_table(run, "trigonometry", table, COUNT_OF(table), false, -12, 24);
}

static float clamp_to(float x, float min, float max)
{
    return x < min ? min : x > max ? max : x;
}

/* Within 2^-14 relative or absolute of the exact value. */
static bool native_functions(struct feature_run *run)
{
    static const struct feature_function table[] = {
        {"native_exp", 512, natural_exponential},
        {"native_exp2", 512, power_2},
        {"native_log", 512, natural_logarithm},
        {"native_log2", 512, logarithm_2},
        {"native_sqrt", 512, square_root},
        {"native_rsqrt", 512, reciprocal_root},
        {"native_recip", 512, reciprocal},
        {"native_divide", 512, quotient},
        {"native_sin", 512, sine},
        {"native_cos", 512, cosine},
    };
    static float input[COUNT][2], output[COUNT][10];

    float_pairs(input, false, -3, 3, 9);
    for (size_t i = 0; i < COUNT; i++) {
        input[i][0] = clamp_to(input[i][0], -1.5f, 1.5f); /* away from zeros of cos */
        input[i][1] = fabsf(input[i][1]) + 1.25f;         /* and of log */
    }
    feature_map(run, "native_functions", COUNT, input, sizeof input, output, sizeof output);
    for (size_t i = 0; i < COUNT; i++) {
        const struct feature_function *unary = table;
        for (unsigned f = 0; f < 10; f++) {
            bool takes_y = f >= 2 && f <= 6;
            float pair[2] = {takes_y ? input[i][1] : input[i][0], input[i][1]};
            if (!feature_within_float(run, unary + f, 1, pair, &output[i][f], 1))
                return false;
        }
    }
    return true;
}

static cl_uint bits_of(float x)
{
    cl_uint bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int64_t to_integer(double x, int64_t min, int64_t max)
{
    if (isnan(x))
        return 0;
    return x <= (double)min ? min : x >= (double)max ? max : (int64_t)x;
}

enum { CONVERTED = 20 };

static void expect_conversions(const float pair[2], cl_uint *e)
{
    float x = pair[0], y = pair[1], whole;
    cl_int x_word;
    cl_ulong both;
    int exponent;
    float fraction = frexpf(x, &exponent), rest = modff(x, &whole);

    memcpy(&x_word, &x, sizeof x_word);
    memcpy(&both, pair, sizeof both);
    e[0] = (cl_uint)to_integer(x, INT32_MIN, INT32_MAX);
    e[1] = (cl_uint)to_integer(x, 0, UINT32_MAX);
    e[2] = (cl_uint)to_integer(rint(x), INT32_MIN, INT32_MAX);
    e[3] = (cl_uint)to_integer(ceil(x), INT32_MIN, INT32_MAX);
    e[4] = (cl_uint)to_integer(floor(x), INT32_MIN, INT32_MAX);
    e[5] = (cl_uint)to_integer(x, 0, 255);
    e[6] = (cl_uint)to_integer(rint(x), -32768, 32767);
    e[7] = bits_of((float)x_word);
    e[8] = bits_of((float)bits_of(y));
    e[9] = bits_of((float)(cl_char)x_word);
    e[10] = (cl_uint)((isnan(x) != 0) | (isinf(x) != 0) << 1 | (isnormal(x) != 0) << 2 |
                      (signbit(x) != 0) << 3 | (isfinite(x) != 0) << 4);
    e[11] = (cl_uint)((x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (x > y) << 4 |
                      (x >= y) << 5 | (isnan(x) || isnan(y)) << 6);
    e[12] = bits_of(fraction);
    e[13] = isfinite(x) ? (cl_uint)exponent : 0;
    e[14] = bits_of(rest);
    e[15] = bits_of(whole);
    e[16] = x == 0 || !isfinite(x) ? 0 : (cl_uint)ilogbf(x);
    e[17] = (cl_uint)(to_integer(x, INT64_MIN, INT64_MAX) >> 13);
    e[18] = bits_of((float)(cl_long)both);
    e[19] = bits_of((float)both);
}

static bool conversions(struct feature_run *run)
{
    static float input[COUNT][2];
    static cl_uint output[COUNT][CONVERTED], expected[COUNT][CONVERTED];

    float_pairs(input, true, -5, 66, 10);
    feature_map(run, "conversions", COUNT, input, sizeof input, output, sizeof output);
    for (size_t i = 0; i < COUNT; i++) {
        expect_conversions(input[i], expected[i]);
        if (isnan(input[i][0])) /* which NaN comes out of frexp and modf is open */
            for (unsigned f = 12; f <= 15; f++)
                output[i][f] = expected[i][f];
    }
    return feature_same("conversions (of 20)", output, expected, (size_t)COUNT * CONVERTED,
                        sizeof(cl_uint));
}

/* Whether `found` is `exact`, or what becomes of it when operands or results that are denormal
 * count as zero. */
static bool is_flushed(float found, float exact, float exact_flushed)
{
    return found == exact || found == exact_flushed ||
           (found == 0 &&
            (fpclassify(exact) == FP_SUBNORMAL || fpclassify(exact_flushed) == FP_SUBNORMAL));
}

static float flush(float x)
{
    return fpclassify(x) == FP_SUBNORMAL ? 0 : x;
}

static bool denormals(struct feature_run *run)
{
    static float input[COUNT][2], output[COUNT][4], expected[COUNT][4];

    float_pairs(input, false, -149, -120, 11);
    for (size_t i = 0; i < COUNT; i++) {
        float x = input[i][0], y = input[i][1];
        cl_uint next = bits_of(x) + 1;
        expected[i][0] = x + y;
        expected[i][1] = x * 0.5f;
        memcpy(&expected[i][2], &next, sizeof next);
        expected[i][3] = fmaf(x, 0.25f, y);
    }
    feature_map(run, "denormals", COUNT, input, sizeof input, output, sizeof output);
    for (size_t i = 0; i < COUNT && run->flushes_denormals; i++) {
        float x = flush(input[i][0]), y = flush(input[i][1]);
        float flushed[4] = {x + y, x * 0.5f, expected[i][2], fmaf(x, 0.25f, y)};
        for (unsigned f = 0; f < 4; f++)
            if (f != 2 && is_flushed(output[i][f], expected[i][f], flushed[f]))
                output[i][f] = expected[i][f];
    }
    return feature_same_floats("denormals (of 4)", *output, *expected, (size_t)COUNT * 4);
}

static void expect_geometry(double x, double y, double *e)
{
    double a[4] = {x, y, 1, -2}, b[4] = {y, x, 3, 0.5};
    double t = (y + 1) / 2;

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    e[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    e[1] = sqrt(x * x + y * y + 5);
    e[2] = sqrt(2 * (x - y) * (x - y) + 4);
    e[3] = a[1] * b[2] - a[2] * b[1];
    e[4] = a[2] * b[0] - a[0] * b[2];
    e[5] = a[0] * b[1] - a[1] * b[0];
    e[6] = x / e[1];
    e[7] = x + (y - x) * 0.25;
    e[8] = t * t * (3 - 2 * t) + (y < x ? 0 : 1);
    e[9] = x * 180 / (double)PI + y * (double)PI / 180 + (x > 0) - (x < 0);
}

static bool geometry(struct feature_run *run)
{
    static float input[COUNT][2], output[COUNT][10];

    float_pairs(input, false, -3, 3, 12);
    feature_map(run, "geometry", COUNT, input, sizeof input, output, sizeof output);
    for (size_t i = 0; i < COUNT; i++) {
        double x = input[i][0], y = input[i][1], expected[10];
        expect_geometry(x, y, expected);
        for (unsigned f = 0; f < 10; f++) {
            float close = (float)expected[f];
            if (fabs(output[i][f] - expected[f]) > 1e-5 * (1 + x * x + y * y + 60 * (f == 9)) &&
                !feature_same_floats("geometry (of 10)", &output[i][f], &close, 1))
                return false;
        }
    }
    return true;
}

static const struct feature features[] = {
    {"exact_functions", false, exact_functions},
    {"division_and_roots", false, division_and_roots},
    {"exponentials", false, exponentials},
    {"trigonometry", false, trigonometry},
    {"native_functions", false, native_functions},
    {"float_conversions", false, conversions},
    {"denormals", false, denormals},
    {"geometry", false, geometry},
};

const struct topic topic_floats = {"floats", kernel_source, features, COUNT_OF(features), ""};
