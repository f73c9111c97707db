/* SPDX-License-Identifier: MIT */
/* What surrounds the operation on a lane (modifiers, flushing), and the comparisons. */
#include "reference.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>

#include "reference_bits.h"

uint64_t reference_flush(uint64_t bits, char type)
{
    if (type == 'f' && !(bits & 0x7f800000))
        return bits & 0x80000000;
    if (type == 'd' && !(bits & 0x7ff0000000000000ull))
        return bits & 0x8000000000000000ull;
    return bits;
}

static bool flushes(const struct reference_op *op, char type, uint32_t mode, bool is_source)
{
    uint32_t allows_32 = is_source ? REFERENCE_MODE_SOURCES_32 : REFERENCE_MODE_RESULTS_32;
    uint32_t allows_64 = is_source ? REFERENCE_MODE_SOURCES_64 : REFERENCE_MODE_RESULTS_64;

    if (op->traits & REFERENCE_KEEPS_DENORMALS)
        return false;
    return (type == 'f' && !(mode & allows_32)) || (type == 'd' && !(mode & allows_64));
}

/* Output modifiers: the multiplier, which is ignored where denormal results are allowed or
 * MODE.IEEE is set, then the clamp. */
static uint64_t modify_output(uint64_t bits, char type, uint32_t mode,
                              const struct reference_modifiers *modifiers)
{
    static const double factors[] = {1, 2, 4, 0.5};
    uint32_t allows = type == 'f' ? REFERENCE_MODE_RESULTS_32 : REFERENCE_MODE_RESULTS_64;
    bool multiplies = modifiers->multiplier && !(mode & allows) && !(mode & REFERENCE_MODE_IEEE);
    bool nan = type == 'f' ? is_nan_float(bits) : is_nan_double(bits);

    if (nan && modifiers->clamp && (mode & REFERENCE_MODE_DX10_CLAMP))
        return 0;
    if (nan && multiplies)
        return bits | (type == 'f' ? 0x400000 : 0x8000000000000ull);
    if (nan)
        return bits;
    if (multiplies && type == 'f')
        bits = reference_flush(from_float(to_float(bits) * (float)factors[modifiers->multiplier]),
                               'f');
    if (multiplies && type == 'd')
        bits = reference_flush(from_double(to_double(bits) * factors[modifiers->multiplier]), 'd');
    if (modifiers->clamp && type == 'f')
        bits = from_float(to_float(bits) > 0 ? fminf(to_float(bits), 1) : 0);
    if (modifiers->clamp && type == 'd')
        bits = from_double(to_double(bits) > 0 ? fmin(to_double(bits), 1) : 0);
    return bits;
}

static int rounding_of(uint32_t mode, char type)
{
    static const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    return roundings[(type == 'd' ? mode >> 2 : mode) & 3];
}

void reference_run_lane(const struct reference_op *op, const struct reference_modifiers *modifiers,
                        struct reference_lane *lane)
{
    char result = op->shape[0];

    for (int i = 0; i < 3 && op->shape[i + 1]; i++) {
        char type = op->shape[i + 1];
        uint64_t sign = type == 'd' || type == 'l' ? 1ull << 63 : 1ull << 31;

        if (modifiers->absolute[i])
            lane->source[i] &= ~sign;
        if (modifiers->negate[i])
            lane->source[i] ^= sign;
        if (flushes(op, type, lane->mode, true))
            lane->source[i] = reference_flush(lane->source[i], type);
    }
    fesetround(rounding_of(lane->mode, result));
    op->lane(lane);
    fesetround(FE_TONEAREST);
    if (flushes(op, result, lane->mode, false))
        lane->result = reference_flush(lane->result, result);
    if (result == 'f' || result == 'd')
        lane->result = modify_output(lane->result, result, lane->mode, modifiers);
}

/* Comparisons. Sixteen conditions for floats: a set of the four relations each (less, equal,
 * greater, unordered); eight for integers. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

struct condition {
    const char *name;
    int holds;
};

static const struct condition float_conditions[16] = {
    {"f", 0},
    {"lt", LESS},
    {"eq", EQUAL},
    {"le", LESS | EQUAL},
    {"gt", GREATER},
    {"lg", LESS | GREATER},
    {"ge", GREATER | EQUAL},
    {"o", LESS | EQUAL | GREATER},
    {"u", UNORDERED},
    {"nge", UNORDERED | LESS},
    {"nlg", UNORDERED | EQUAL},
    {"ngt", UNORDERED | LESS | EQUAL},
    {"nle", UNORDERED | GREATER},
    {"neq", UNORDERED | LESS | GREATER},
    {"nlt", UNORDERED | GREATER | EQUAL},
    {"tru", UNORDERED | LESS | EQUAL | GREATER},
};

static const struct condition integer_conditions[8] = {
    {"f", 0},        {"lt", LESS},           {"eq", EQUAL},           {"le", LESS | EQUAL},
    {"gt", GREATER}, {"ne", LESS | GREATER}, {"ge", GREATER | EQUAL}, {"t", LESS | EQUAL | GREATER},
};

#define RELATION(x, y) ((x) < (y) ? LESS : (x) == (y) ? EQUAL : (x) > (y) ? GREATER : UNORDERED)

/* A function per type and condition, since an operation has no other place for its condition. */
#define COMPARE(name, type, left, right, holds_)                                                   \
    static void name(struct reference_lane *lane)                                                  \
    {                                                                                              \
        lane->flag_out = (RELATION((type)(left), (type)(right)) & (holds_)) != 0;                  \
    }

#define FLOAT_COMPARES(X, suffix)                                                                  \
    X(suffix, 0)                                                                                   \
    X(suffix, 1)                                                                                   \
    X(suffix, 2)                                                                                   \
    X(suffix, 3)                                                                                   \
    X(suffix, 4)                                                                                   \
    X(suffix, 5)                                                                                   \
    X(suffix, 6)                                                                                   \
    X(suffix, 7)                                                                                   \
    X(suffix, 8)                                                                                   \
    X(suffix, 9) X(suffix, 10) X(suffix, 11) X(suffix, 12) X(suffix, 13) X(suffix, 14) X(suffix, 15)
#define INTEGER_COMPARES(X, suffix)                                                                \
    X(suffix, 0)                                                                                   \
    X(suffix, 1) X(suffix, 2) X(suffix, 3) X(suffix, 4) X(suffix, 5) X(suffix, 6) X(suffix, 7)

#define F32_BODY(suffix, i)                                                                        \
    COMPARE(compare_##suffix##_##i, float, to_float(lane->source[0]), to_float(lane->source[1]),   \
            float_conditions[i].holds)
#define F64_BODY(suffix, i)                                                                        \
    COMPARE(compare_##suffix##_##i, double, to_double(lane->source[0]),                            \
            to_double(lane->source[1]), float_conditions[i].holds)
#define I32_BODY(suffix, i)                                                                        \
    COMPARE(compare_##suffix##_##i, int32_t, lane->source[0], lane->source[1],                     \
            integer_conditions[i].holds)
#define U32_BODY(suffix, i)                                                                        \
    COMPARE(compare_##suffix##_##i, uint32_t, lane->source[0], lane->source[1],                    \
            integer_conditions[i].holds)
#define I64_BODY(suffix, i)                                                                        \
    COMPARE(compare_##suffix##_##i, int64_t, lane->source[0], lane->source[1],                     \
            integer_conditions[i].holds)
#define U64_BODY(suffix, i)                                                                        \
    COMPARE(compare_##suffix##_##i, uint64_t, lane->source[0], lane->source[1],                    \
            integer_conditions[i].holds)

FLOAT_COMPARES(F32_BODY, f32)
FLOAT_COMPARES(F64_BODY, f64)
INTEGER_COMPARES(I32_BODY, i32)
INTEGER_COMPARES(U32_BODY, u32)
INTEGER_COMPARES(I64_BODY, i64)
INTEGER_COMPARES(U64_BODY, u64)

#define ENTRY(suffix, i) compare_##suffix##_##i,
typedef void lane_function(struct reference_lane *lane);
static lane_function *const f32_functions[] = {FLOAT_COMPARES(ENTRY, f32)};
static lane_function *const f64_functions[] = {FLOAT_COMPARES(ENTRY, f64)};
static lane_function *const i32_functions[] = {INTEGER_COMPARES(ENTRY, i32)};
static lane_function *const u32_functions[] = {INTEGER_COMPARES(ENTRY, u32)};
static lane_function *const i64_functions[] = {INTEGER_COMPARES(ENTRY, i64)};
static lane_function *const u64_functions[] = {INTEGER_COMPARES(ENTRY, u64)};

static int class_of(bool minus, int class_of_double)
{
    switch (class_of_double) {
    case FP_INFINITE:
        return minus ? 2 : 9;
    case FP_NORMAL:
        return minus ? 3 : 8;
    case FP_SUBNORMAL:
        return minus ? 4 : 7;
    default:
        return minus ? 5 : 6;
    }
}

static void class_f32(struct reference_lane *lane)
{
    float value = to_float(lane->source[0]);
    int class = class_of(signbit(value) != 0, fpclassify(value));

    if (isnan(value))
        class = is_signaling_float(lane->source[0]) ? 0 : 1;
    lane->flag_out = (lane->source[1] >> class) & 1;
}

static void class_f64(struct reference_lane *lane)
{
    double value = to_double(lane->source[0]);
    int class = class_of(signbit(value) != 0, fpclassify(value));

    if (isnan(value))
        class = is_signaling_double(lane->source[0]) ? 0 : 1;
    lane->flag_out = (lane->source[1] >> class) & 1;
}

#define COMPARE_OPS (4 * 32 + 2 * 32 + 4)
static struct reference_op compare_ops[COMPARE_OPS];
static char compare_names[COMPARE_OPS][24];
static size_t compare_count;

static void list_compare(const char *prefix, const char *condition, const char *type,
                         const char *shape, unsigned traits, lane_function *function)
{
    char *name = compare_names[compare_count];

    snprintf(name, sizeof compare_names[0], "%s_%s_%s", prefix, condition, type);
    compare_ops[compare_count++] = (struct reference_op){name, shape, traits, function};
}

static void list_compares(const char *prefix, unsigned traits)
{
    for (int i = 0; i < 16; i++) {
        list_compare(prefix, float_conditions[i].name, "f32", "mff", traits, f32_functions[i]);
        list_compare(prefix, float_conditions[i].name, "f64", "mdd", traits, f64_functions[i]);
    }
    for (int i = 0; i < 8 && prefix[5] != 's'; i++) {
        list_compare(prefix, integer_conditions[i].name, "i32", "mii", traits, i32_functions[i]);
        list_compare(prefix, integer_conditions[i].name, "u32", "mii", traits, u32_functions[i]);
        list_compare(prefix, integer_conditions[i].name, "i64", "mll", traits, i64_functions[i]);
        list_compare(prefix, integer_conditions[i].name, "u64", "mll", traits, u64_functions[i]);
    }
}

const struct reference_op *reference_compare_ops(size_t *count)
{
    if (compare_count == 0) {
        list_compares("v_cmp", 0);
        list_compares("v_cmpx", REFERENCE_WRITES_EXEC);
        list_compares("v_cmps", 0);
        list_compares("v_cmpsx", REFERENCE_WRITES_EXEC);
        for (int i = 0; i < 2; i++) {
            const char *prefix = i ? "v_cmpx" : "v_cmp";
            unsigned traits = REFERENCE_KEEPS_DENORMALS | (i ? REFERENCE_WRITES_EXEC : 0);

            list_compare(prefix, "class", "f32", "mfi", traits, class_f32);
            list_compare(prefix, "class", "f64", "mdi", traits, class_f64);
        }
    }
    *count = compare_count;
    return compare_ops;
}
