/* SPDX-License-Identifier: MIT */
#include "report/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static bool value_of_setting(const struct run_report *run, const char *path, double *value)
{
    for (uint32_t i = 0; i < run->setting_count; i++)
        if (strcmp(run->settings[i].path, path) == 0 && run->settings[i].is_number) {
            *value = strtod(run->settings[i].value, NULL);
            return true;
        }
    return false;
}

static bool value_of(const struct formula_names *formula_names, const char *name, double *value)
{
    const struct settings_names *names = container_of(formula_names, struct settings_names, names);

    if (strncmp(name, "set.", 4) == 0)
        return value_of_setting(names->run, name + 4, value);
    return names->measurement->names.value(&names->measurement->names, name, value);
}

struct settings_names settings_names(const struct run_report *run,
                                     const struct measurement *measurement)
{
    return (struct settings_names){{.value = value_of}, run, measurement};
}
