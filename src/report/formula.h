/* SPDX-License-Identifier: MIT */
/*
 * Formulas over counters, as text: the text that `wavetank explain` prints is the one that is
 * evaluated.
 *
 *     expression = term { ("+" | "-") term }     term = factor { ("*" | "/") factor }
 *     factor = number | name | "(" expression ")"
 *
 * A name is a dotted path. Division by zero makes the value undefined (a ratio of nothing), not
 * zero or infinite, and so does a name that the machine does not have.
 */
#ifndef REPORT_FORMULA_H
#define REPORT_FORMULA_H

#include <stdbool.h>

struct formula_names {
    /* The value of a name; false: there is none. */
    bool (*value)(const struct formula_names *names, const char *name, double *value);
};

/* False: the value is undefined. Stops the program on a formula that does not parse: formulas are
 * ours. */
bool formula_evaluate(const char *formula, const struct formula_names *names, double *value);

#endif
