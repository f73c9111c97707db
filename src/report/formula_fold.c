/* SPDX-License-Identifier: MIT */
#include "report/formula_fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

struct fold {
    const char *name;
    bool takes_truths, needs_points;
    bool (*run)(double *values, unsigned count, double *result, const char **reason);
};

static bool fold_sum(double *values, unsigned count, double *result, const char **reason)
{
    *result = 0;
    for (unsigned i = 0; i < count; i++)
        *result += values[i];
    return true;
}

static bool fold_mean(double *values, unsigned count, double *result, const char **reason)
{
    fold_sum(values, count, result, reason);
    *result /= count;
    return true;
}

static bool fold_geomean(double *values, unsigned count, double *result, const char **reason)
{
    double sum = 0;

    for (unsigned i = 0; i < count; i++) {
        if (values[i] <= 0) {
            *reason = "a geometric mean is of positive values only";
            return false;
        }
        sum += log(values[i]);
    }
    *result = exp(sum / count);
    return true;
}

static bool fold_min(double *values, unsigned count, double *result, const char **reason)
{
    *result = values[0];
    for (unsigned i = 1; i < count; i++)
        *result = values[i] < *result ? values[i] : *result;
    return true;
}

static bool fold_max(double *values, unsigned count, double *result, const char **reason)
{
    *result = values[0];
    for (unsigned i = 1; i < count; i++)
        *result = values[i] > *result ? values[i] : *result;
    return true;
}

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static bool fold_median(double *values, unsigned count, double *result, const char **reason)
{
    qsort(values, count, sizeof *values, by_value);
    *result = (values[(count - 1) / 2] + values[count / 2]) / 2;
    return true;
}

static bool fold_all(double *values, unsigned count, double *result, const char **reason)
{
    *result = 1;
    for (unsigned i = 0; i < count; i++)
        *result = *result != 0 && values[i] != 0;
    return true;
}

static bool fold_any(double *values, unsigned count, double *result, const char **reason)
{
    *result = 0;
    for (unsigned i = 0; i < count; i++)
        *result = *result != 0 || values[i] != 0;
    return true;
}

static bool fold_one(double *values, unsigned count, double *result, const char **reason)
{
    *reason = "one() is of one point, and there are several";
    *result = values[0];
    return count == 1;
}

static const struct fold folds[] = {
    {"count", true, false, fold_sum},     {"sum", false, false, fold_sum},
    {"mean", false, true, fold_mean},     {"geomean", false, true, fold_geomean},
    {"min", false, true, fold_min},       {"max", false, true, fold_max},
    {"median", false, true, fold_median}, {"all", true, false, fold_all},
    {"any", true, false, fold_any},       {"fraction", true, true, fold_mean},
    {"one", false, true, fold_one},
};

const struct fold *fold_find(const char *name)
{
    for (unsigned i = 0; i < ARRAY_COUNT(folds); i++)
        if (strcmp(folds[i].name, name) == 0)
            return &folds[i];
    return NULL;
}

bool fold_takes_truths(const struct fold *fold)
{
    return fold->takes_truths;
}

bool fold_values(const struct fold *fold, double *values, unsigned count, double *result,
                 const char **reason)
{
    *reason = "there is no such point";
    if (count == 0 && fold->needs_points)
        return false;
    return fold->run(values, count, result, reason);
}
