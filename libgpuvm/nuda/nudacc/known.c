/* SPDX-License-Identifier: MIT */
#include "known.h"

#include <string.h>

#include "memory.h"

static const struct known_function known_table[] = {
    {"acos", "acos($0)", 'r', "r", false},
    {"acosh", "acosh($0)", 'r', "r", false},
    {"asin", "asin($0)", 'r', "r", false},
    {"asinh", "asinh($0)", 'r', "r", false},
    {"atan", "atan($0)", 'r', "r", false},
    {"atan2", "atan2($0, $1)", 'r', "rr", false},
    {"atanh", "atanh($0)", 'r', "r", false},
    {"cbrt", "cbrt($0)", 'r', "r", false},
    {"ceil", "ceil($0)", 'r', "r", false},
    {"copysign", "copysign($0, $1)", 'r', "rr", false},
    {"cos", "cos($0)", 'r', "r", false},
    {"cosh", "cosh($0)", 'r', "r", false},
    {"erf", "erf($0)", 'r', "r", false},
    {"erfc", "erfc($0)", 'r', "r", false},
    {"exp", "exp($0)", 'r', "r", false},
    {"exp10", "exp10($0)", 'r', "r", false},
    {"exp2", "exp2($0)", 'r', "r", false},
    {"expm1", "expm1($0)", 'r', "r", false},
    {"fabs", "fabs($0)", 'r', "r", false},
    {"fdim", "fdim($0, $1)", 'r', "rr", false},
    {"floor", "floor($0)", 'r', "r", false},
    {"fma", "fma($0, $1, $2)", 'r', "rrr", false},
    {"fmax", "fmax($0, $1)", 'r', "rr", false},
    {"fmin", "fmin($0, $1)", 'r', "rr", false},
    {"fmod", "fmod($0, $1)", 'r', "rr", false},
    {"hypot", "hypot($0, $1)", 'r', "rr", false},
    {"ilogb", "ilogb($0)", 'i', "r", false},
    {"ldexp", "ldexp($0, $1)", 'r', "ri", false},
    {"lgamma", "lgamma($0)", 'r', "r", false},
    {"llrint", "((long)rint($0))", 'l', "r", false},
    {"llround", "((long)round($0))", 'l', "r", false},
    {"log", "log($0)", 'r', "r", false},
    {"log10", "log10($0)", 'r', "r", false},
    {"log1p", "log1p($0)", 'r', "r", false},
    {"log2", "log2($0)", 'r', "r", false},
    {"logb", "logb($0)", 'r', "r", false},
    {"lrint", "((long)rint($0))", 'l', "r", false},
    {"lround", "((long)round($0))", 'l', "r", false},
    {"nearbyint", "rint($0)", 'r', "r", false},
    {"nextafter", "nextafter($0, $1)", 'r', "rr", false},
    {"pow", "pow($0, $1)", 'r', "rr", false},
    {"remainder", "remainder($0, $1)", 'r', "rr", false},
    {"rint", "rint($0)", 'r', "r", false},
    {"round", "round($0)", 'r', "r", false},
    {"scalbn", "ldexp($0, $1)", 'r', "ri", false},
    {"sin", "sin($0)", 'r', "r", false},
    {"sinh", "sinh($0)", 'r', "r", false},
    {"sqrt", "sqrt($0)", 'r', "r", false},
    {"tan", "tan($0)", 'r', "r", false},
    {"tanh", "tanh($0)", 'r', "r", false},
    {"tgamma", "tgamma($0)", 'r', "r", false},
    {"trunc", "trunc($0)", 'r', "r", false},
    {"huge_val", "((double)INFINITY)", 'r', "", false},
    {"inf", "((double)INFINITY)", 'r', "", false},
};

/* These have one name for all types. */
static const struct known_function known_others[] = {
    {"abs", "((int)abs($0))", 'i', "i", false},
    {"labs", "((long)abs($0))", 'l', "l", false},
    {"llabs", "((long)abs($0))", 'l', "l", false},
    {"inff", "INFINITY", 'r', "", true},
    {"huge_valf", "INFINITY", 'r', "", true},
    {"nan", "((double)NAN)", 'r', "s", false},
    {"nanf", "NAN", 'r', "s", true},
    {"isnan", "isnan($0)", 'i', "x", false},
    {"isinf", "isinf($0)", 'i', "x", false},
    {"isfinite", "isfinite($0)", 'i', "x", false},
    {"isnormal", "isnormal($0)", 'i', "x", false},
    {"signbit", "signbit($0)", 'i', "x", false},
    {"expect", "$0", 'l', "ll", false},
    {"popcount", "((int)popcount($0))", 'i', "u", false},
    {"popcountl", "((int)popcount($0))", 'i', "U", false},
    {"popcountll", "((int)popcount($0))", 'i', "U", false},
    {"clz", "((int)clz($0))", 'i', "u", false},
    {"clzl", "((int)clz($0))", 'i', "U", false},
    {"clzll", "((int)clz($0))", 'i', "U", false},
};

static const struct known_function *known_search(const struct known_function *table, size_t count,
                                                 const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

bool known_find(const char *name, struct known_function *function)
{
    const size_t count = sizeof(known_table) / sizeof(*known_table);
    const size_t others = sizeof(known_others) / sizeof(*known_others);
    if (string_begins(name, "__builtin_"))
        name += strlen("__builtin_");
    size_t length = strlen(name);
    const struct known_function *found = known_search(known_others, others, name, length);
    if (!found)
        found = known_search(known_table, count, name, length);
    if (found) {
        *function = *found;
        return true;
    }
    if (length > 1 && name[length - 1] == 'f')
        found = known_search(known_table, count, name, length - 1);
    if (found) {
        *function = *found;
        function->is_float = true;
    }
    return found != NULL;
}
