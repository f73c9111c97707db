/* SPDX-License-Identifier: MIT */
/* What a formula's functions make of the values at many points. */
#ifndef REPORT_FORMULA_FOLD_H
#define REPORT_FORMULA_FOLD_H

#include <stdbool.h>

struct fold;

/* The function of that name; NULL: there is none. Static. */
const struct fold *fold_find(const char *name);
/* Whether it takes truths, and not numbers. */
bool fold_takes_truths(const struct fold *fold);
/* The result for `count` values, which may be put in another order. False: it has none, and
 * `*reason` says why (static). */
bool fold_values(const struct fold *fold, double *values, unsigned count, double *result,
                 const char **reason);

#endif
