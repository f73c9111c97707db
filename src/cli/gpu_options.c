/* SPDX-License-Identifier: MIT */
#include "cli/gpu_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void options_add(struct gpu_options *options, const char *override)
{
    options->overrides =
        reallocate(options->overrides, options->override_count + 1, sizeof *options->overrides);
    options->overrides[options->override_count++] = override;
}

bool gpu_options_take(struct gpu_options *options, int index, const char *value)
{
    if (index == OPTION_GPU)
        options->gpu = value;
    else if (index == OPTION_SET)
        options_add(options, value);
    else
        return false;
    return true;
}

const char *gpu_options_name(const struct gpu_options *options)
{
    const char *variable = getenv("WAVETANK_GPU");

    if (options->gpu != NULL)
        return options->gpu;
    return variable != NULL && variable[0] != '\0' ? variable : "hd7970";
}

struct configuration *gpu_options_load(const struct gpu_options *options,
                                       struct diagnosis *diagnosis)
{
    return configuration_load(gpu_options_name(options), options->overrides,
                              options->override_count, diagnosis);
}

void gpu_options_finish(struct gpu_options *options)
{
    free(options->overrides);
    memset(options, 0, sizeof *options);
}
