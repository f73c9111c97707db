/* SPDX-License-Identifier: MIT */
/*
 * Formulas over counters, as text: the text that `wavetank explain` prints is the one that is
 * evaluated. Plans use the same over their points, and then there is more to say:
 *
 *     formula    = conjunction { "or" conjunction }    conjunction = negation { "and" negation }
 *     negation   = [ "not" ] comparison
 *     comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
 *     sum        = term { ("+" | "-") term }           term = factor { ("*" | "/") factor }
 *     factor     = [ "-" ] ( number | 'text' | name | "(" formula ")" | function )
 *     function   = word "(" formula [ "where" formula ] ")"
 *
 * A name is a dotted path. Truth is 1 or 0. Division by zero makes the value undefined (a ratio of
 * nothing), not zero or infinite, and so does a name that has no value. What is made of an
 * undefined value is undefined; `defined(x)` asks. `abs(x)` is the magnitude; `base(x)` is x at the
 * point that the asked one is compared with.
 *
 * Functions over points look at those where the condition holds: sum, mean, geomean, min, max,
 * median. Of a truth: count (at how many points it holds), fraction (their share), all and any. For
 * `one` there must be exactly one point. Of no points only count, sum, all and any are defined. A
 * value that is undefined at one of the points makes the result undefined: none is left out
 * silently.
 */
#ifndef REPORT_FORMULA_H
#define REPORT_FORMULA_H

#include <stdbool.h>

#include "base/diagnosis.h"

/* What the names in a formula mean. All functions but `value` may be NULL. */
struct formula_names {
    /* The value of a name; false: there is none. */
    bool (*value)(const struct formula_names *names, const char *name, double *value);
    /* What a name is as text, to be compared with 'text'; NULL: it is none. */
    const char *(*text)(const struct formula_names *names, const char *name);
    /* The points that functions go through; NULL past the last. Borrowed until the next call. */
    const struct formula_names *(*member)(const struct formula_names *names, unsigned index);
    /* The point that base() means; NULL and a diagnosis: there is none. */
    const struct formula_names *(*base)(const struct formula_names *names,
                                        struct diagnosis *diagnosis);
    /* Appended to the reason why a value is undefined: "at matrix_transpose, 16"; NULL: nothing. */
    const char *(*place)(const struct formula_names *names);
};

enum formula_outcome {
    FORMULA_VALUE,
    FORMULA_UNDEFINED, /* the diagnosis says by what, as far as it is known */
    FORMULA_WRONG      /* it does not parse; the diagnosis says where */
};

/* False: the value is undefined. Stops the program on a formula that does not parse: for formulas
 * of ours. */
bool formula_evaluate(const char *formula, const struct formula_names *names, double *value);

/* The same for formulas of the user's. */
enum formula_outcome formula_try(const char *formula, const struct formula_names *names,
                                 double *value, struct diagnosis *diagnosis);

/* Calls `visit` for each name in the formula, with the calls around it left out. False and a
 * diagnosis: it does not parse, or `visit` gave false. */
bool formula_visit(const char *formula,
                   bool (*visit)(void *context, const char *name, struct diagnosis *diagnosis),
                   void *context, struct diagnosis *diagnosis) MUST_USE;

#endif
