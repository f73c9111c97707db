/* SPDX-License-Identifier: MIT */
#include "cli/verify_parameters.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/gpu_options.h"
#include "machine/parameters.h"

_Static_assert((int)VERIFY_PARAMETER_OPTIONS == (int)GPU_OPTION_COUNT, "the options of a GPU");

struct verify_parameters {
    struct gpu_options gpu;
    const char **set;
    struct configuration *configuration; /* NULL: not applied yet */
};

struct verify_parameters *verify_parameters_create(void)
{
    struct verify_parameters *parameters = allocate(1, sizeof *parameters);

    parameters->set = allocate(1, sizeof *parameters->set);
    return parameters;
}

void verify_parameters_destroy(struct verify_parameters *parameters)
{
    if (parameters->configuration != NULL)
        configuration_destroy(parameters->configuration);
    gpu_options_finish(&parameters->gpu);
    free(parameters->set);
    free(parameters);
}

bool verify_parameters_take(struct verify_parameters *parameters, int index, const char *value)
{
    uint32_t count = parameters->gpu.override_count;

    if (!gpu_options_take(&parameters->gpu, index, value))
        return false;
    if (parameters->gpu.override_count == count)
        return true;
    parameters->set = reallocate(parameters->set, count + 2, sizeof *parameters->set);
    parameters->set[count] = value;
    parameters->set[count + 1] = NULL;
    return true;
}

bool verify_parameters_need(struct verify_parameters *parameters, const char *setting)
{
    size_t path = setting != NULL ? strcspn(setting, "=") + 1 : 0;

    if (setting == NULL)
        return false;
    for (const char **set = parameters->set; *set != NULL; set++)
        if (strncmp(*set, setting, path) == 0)
            return false;
    return verify_parameters_take(parameters, OPTION_SET, setting);
}

const char *const *verify_parameters_set(const struct verify_parameters *parameters)
{
    return parameters->set;
}

static bool is_of(const char *set, const struct protocol *protocol)
{
    const char *group =
        protocol->parameter_group != NULL ? protocol->parameter_group : protocol->name;
    size_t length = strlen(group);

    return strncmp(set, group, length) == 0 && set[length] == '.';
}

bool verify_parameters_apply(struct verify_parameters *parameters, struct protocol *protocol,
                             bool only_its_own, struct diagnosis *diagnosis)
{
    for (const char **set = parameters->set; *set != NULL && only_its_own; set++)
        if (!is_of(*set, protocol)) {
            diagnose(diagnosis, "-o %s: that is no parameter of %s", *set, protocol->name);
            diagnose_hint(diagnosis, "`wavetank explain protocol %s` says whether it has any",
                          protocol->name);
            return false;
        }
    parameters->configuration = gpu_options_load(&parameters->gpu, diagnosis);
    if (parameters->configuration == NULL)
        return false;
    protocol->parameters = parameters_of_protocol(parameters->configuration->parameters, protocol);
    return true;
}
