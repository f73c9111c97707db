/* SPDX-License-Identifier: MIT */
#include "report/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"

const struct metric metrics[] = {
#define METRIC(name, unit, formula, help) {name, unit, formula, help},
#include "report/metrics.def"
#undef METRIC
};
const unsigned metric_count = ARRAY_COUNT(metrics);

static bool metric_places(const struct levels *levels, const char *name, double *value)
{
    for (uint32_t i = 0; i < levels->count; i++)
        if (strcmp(levels->level[i].name, name) == 0) {
            *value = levels->level[i].places;
            return true;
        }
    return false;
}

static bool value_of_name(const struct formula_names *names, const char *name, double *value)
{
    const struct measurement *measurement = container_of(names, struct measurement, names);
    uint64_t number;

    if (strcmp(name, "kernel.cycles") == 0)
        number = measurement->cycles;
    else if (strcmp(name, "kernel.instructions") == 0)
        number = measurement->instructions;
    else if (strcmp(name, "kernel.ns") == 0) {
        *value = (double)measurement->cycles * 1e6 / (double)measurement->core_khz;
        return measurement->core_khz != 0;
    } else if (strncmp(name, "places.", 7) == 0)
        return metric_places(measurement->levels, name + 7, value);
    else if (!levels_value(measurement->levels, measurement->sums, name, &number)) {
        const struct metric *metric = metric_find(name);

        return metric != NULL && metric_value(metric, measurement, value);
    }
    *value = (double)number;
    return true;
}

void measurement_init(struct measurement *measurement, const struct levels *levels,
                      uint64_t core_khz)
{
    memset(measurement, 0, sizeof *measurement);
    measurement->names.value = value_of_name;
    measurement->levels = levels;
    measurement->core_khz = core_khz;
    measurement->sums = allocate(levels->word_count + 1, sizeof *measurement->sums);
}

void measurement_finish(struct measurement *measurement)
{
    free(measurement->sums);
    memset(measurement, 0, sizeof *measurement);
}

const struct metric *metric_find(const char *name)
{
    for (unsigned i = 0; i < metric_count; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

bool metric_value(const struct metric *metric, const struct measurement *measurement, double *value)
{
    return formula_evaluate(metric->formula, &measurement->names, value);
}

bool measurement_metric(const struct measurement *measurement, const char *name, double *value)
{
    const struct metric *metric = metric_find(name);

    check(metric != NULL, "there is no metric %s", name);
    return metric_value(metric, measurement, value);
}
