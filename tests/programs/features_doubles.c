/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doubles.cl.h"
#include "feature_tests.h"

enum { COUNT = 1024, EXACT = 18 };

static const double specials[] = {0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  0.5,
                                  2.5,
                                  0x1p-1022,
                                  0x1p-1074,
                                  INFINITY,
                                  -INFINITY,
                                  NAN,
                                  -3.0,
                                  0x1.fffffffffffffp1023,
                                  0x1p63,
                                  0x1p-1030,
                                  4294967296.5,
                                  0x1.fffffffffffffp52};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

static void double_pairs(double pairs[COUNT][2], bool with_specials, int min, int max,
                         uint64_t seed)
{
    for (size_t i = 0; i < COUNT; i++)
        for (size_t side = 0; side < 2; side++) {
            size_t special = side == 0 ? i / SPECIALS : i % SPECIALS;
            uint64_t bits = workload_random(&seed), choice = workload_random(&seed);
            int exponent = min + (int)(choice % (uint64_t)(max - min + 1));
            double value = ldexp(1 + (double)(bits >> 12) * 0x1p-52, exponent);
            pairs[i][side] = choice >> 63 ? -value : value;
            if (with_specials && i < (size_t)SPECIALS * SPECIALS)
                pairs[i][side] = specials[special];
        }
}

static void expect_exact(double x, double y, double *e)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    e[0] = x + y;
    e[1] = x - y;
    e[2] = x * y;
    e[3] = x / y;
    e[4] = sqrt(x);
    e[5] = fma(x, y, y);
    e[6] = floor(x);
    e[7] = ceil(x);
    e[8] = trunc(x);
    e[9] = rint(x);
    e[10] = round(x);
    e[11] = fmod(x, y);
    e[12] = x < y ? x : y;
    e[13] = copysign(fabs(x), y);
    e[14] = ldexp(x, (int)(bits & 31) - 16);
    e[15] = 1.0 / y;
    e[16] = (double)(float)x;
    e[17] = x * 0x1p-40;
}

/* The narrowing to float and back may flush what is denormal as a float. GCN 1 has no v_ceil_f64
 * and its like. What clang makes of the roundings (6 to 10) loses the sign of a zero. Also,
 * floor(x) = x - v_fract_f64(x) is not quite -1 for the least negative numbers, since a fraction is
 * below 1.
 */
static void forgive(const struct feature_run *run, double x, double *found, const double *expected)
{
    if (run->flushes_denormals && fabs(x) < 0x1p-126 && found[16] == 0)
        found[16] = expected[16];
    for (unsigned f = 6; f <= 10; f++)
        if (found[f] == 0 && expected[f] == 0)
            found[f] = expected[f];
    if (x < 0 && x > -0x1p-53 && found[6] == -0x1.fffffffffffffp-1)
        found[6] = expected[6];
}

static bool exact_functions(struct feature_run *run)
{
    static double input[COUNT][2], output[COUNT][EXACT], expected[COUNT][EXACT];

    double_pairs(input, true, -60, 60, 1);
    for (size_t i = SPECIALS * SPECIALS; i < COUNT; i++) {
        if (i % 4 == 0) /* near overflow, near underflow */
            input[i][0] = ldexp(input[i][0], i % 8 == 0 ? 960 : -1000);
        if (i % 4 == 1)
            input[i][1] = ldexp(input[i][1], i % 8 == 1 ? 960 : -1000);
        if (i % 4 == 2) /* close operands: cancellation */
            input[i][1] = -input[i][0] * (1 + (double)(i % 16) * 0x1p-52);
    }
    feature_map(run, "exact_functions", COUNT, input, sizeof input, output, sizeof output);
    for (size_t i = 0; i < COUNT; i++) {
        expect_exact(input[i][0], input[i][1], expected[i]);
        forgive(run, input[i][0], output[i], expected[i]);
    }
    return feature_same_doubles("exact_functions (of 18)", *output, *expected,
                                (size_t)COUNT * EXACT);
}

static long double natural_exponential(long double x, long double y)
{
    (void)y;
    return expl(x);
}

static long double natural_logarithm(long double x, long double y)
{
    (void)y;
    return logl(x);
}

static long double sine(long double x, long double y)
{
    (void)y;
    return sinl(x);
}

static long double cosine(long double x, long double y)
{
    (void)y;
    return cosl(x);
}

static long double power(long double x, long double y)
{
    return powl(x, y);
}

static long double reciprocal_root(long double x, long double y)
{
    (void)y;
    return 1 / sqrtl(x);
}

static long double arc_tangent_2(long double x, long double y)
{
    return atan2l(x, y);
}

static bool functions(struct feature_run *run)
{
    static const struct feature_function table[] = {
        {"exp", 3, natural_exponential},
        {"log", 3, natural_logarithm},
        {"sin", 4, sine},
        {"cos", 4, cosine},
        {"pow", 16, power},
        {"rsqrt", 2, reciprocal_root},
        {"atan2", 6, arc_tangent_2},
    };
    enum { FUNCTIONS = sizeof table / sizeof table[0] };
    static double input[COUNT][2], output[COUNT][FUNCTIONS];

    double_pairs(input, false, -8, 6, 2);
    feature_map(run, "functions", COUNT, input, sizeof input, output, sizeof output);
    return feature_within_double(table, FUNCTIONS, *input, *output, COUNT);
}

static int64_t to_integer(double x, int64_t min, int64_t max)
{
    if (isnan(x))
        return 0;
    return x <= (double)min ? min : x >= (double)max ? max : (int64_t)x;
}

static uint64_t to_unsigned_long(double x)
{
    return isnan(x) || x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

static int64_t bits_of(double x)
{
    int64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void expect_conversions(double x, double y, int64_t *e)
{
    int64_t a = bits_of(x) >> 7;

    e[0] = to_integer(x, INT32_MIN, INT32_MAX);
    e[1] = to_integer(x, 0, UINT32_MAX);
    e[2] = to_integer(x, INT64_MIN, INT64_MAX);
    e[3] = (int64_t)to_unsigned_long(x);
    e[4] = bits_of((double)a);
    e[5] = bits_of((double)(uint64_t)a);
    e[6] = bits_of((double)(int32_t)a) ^ bits_of((double)(uint32_t)(a >> 9));
    e[7] = (x < y) | (x <= y) << 1 | (x == y) << 2 | (x != y) << 3 | (isnan(x) != 0) << 4 |
           (isinf(x) != 0) << 5;
}

static bool conversions(struct feature_run *run)
{
    static double input[COUNT][2];
    static int64_t output[COUNT][8], expected[COUNT][8];

    double_pairs(input, true, -3, 66, 3);
    for (size_t i = 0; i < COUNT; i++)
        expect_conversions(input[i][0], input[i][1], expected[i]);
    feature_map(run, "conversions", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("double conversions (of 8)", output, expected, (size_t)COUNT * 8,
                        sizeof(int64_t));
}

static double double_of(int64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static void expect_shared_constants(size_t item, double x, double y, double e[12])
{
    size_t way = item / 64 % 8; /* of the work-group */
    bool is_constant = way == 1 || way == 6, is_odd = way % 2 == 1;

    memset(e, 0, 12 * sizeof *e);
    e[0] = is_odd ? x : 0;
    e[1] = way == 2 ? 2 : 0;
    e[2] = way == 2 || is_constant ? 0 : 3;
    e[3] = is_constant ? 6.0 : way == 2 ? y : x;
    e[4] = is_constant ? 6.0 : way == 2 ? 3 : 2;
    e[5] = is_odd ? -10.5 : x;
    e[6] = is_odd ? -10.5 : 1;
    e[7] = is_odd ? 0.1 : x;
    e[8] = is_odd ? 0.1 : 1;
    e[9] = double_of(is_odd ? -100 : (int64_t)item);
    e[10] = double_of(is_odd ? -100 : 1);
}

/* One variable of a work-item and one of the whole group take the same constant. So clang copies
 * it from a vector to a scalar register pair, all at once: s_mov_b64 has room for half of it. */
static bool shared_constants(struct feature_run *run)
{
    static double input[COUNT][2], output[COUNT][12], expected[COUNT][12];

    double_pairs(input, false, -60, 60, 4);
    for (size_t i = 0; i < COUNT; i++)
        expect_shared_constants(i, input[i][0], input[i][1], expected[i]);
    feature_map(run, "shared_constants", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("shared_constants (of 12)", output, expected, (size_t)COUNT * 12,
                        sizeof(double));
}

static const struct feature features[] = {
    {"double_exact_functions", false, exact_functions},
    {"double_functions", false, functions},
    {"double_conversions", false, conversions},
    {"shared_constants", true, shared_constants},
};

const struct topic topic_doubles = {"doubles", kernel_source, features,
                                    sizeof features / sizeof features[0], ""};
