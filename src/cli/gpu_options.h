/* SPDX-License-Identifier: MIT */
/* The options that choose a configuration, shared by several subcommands: --gpu and -o. */
#ifndef CLI_GPU_OPTIONS_H
#define CLI_GPU_OPTIONS_H

#include "base/diagnosis.h"
#include "machine/machine.h"

struct gpu_options {
    const char *gpu;        /* NULL: WAVETANK_GPU, else the default */
    const char **overrides; /* owned array of borrowed words */
    uint32_t override_count;
};

#define GPU_OPTION_ROWS                                                                            \
    {"--gpu", "NAME|FILE",                                                                         \
     "the GPU to simulate (default hd7970): a name of `wavetank list gpus`, or a YAML file"},      \
    {                                                                                              \
        "-o", "PATH=VALUE",                                                                        \
            "sets a parameter of that GPU, for example -o l1.mshr_entries=32; may be repeated"     \
    }
enum { OPTION_GPU, OPTION_SET, GPU_OPTION_COUNT };

/* Takes option `index` if it is one of these. */
bool gpu_options_take(struct gpu_options *options, int index, const char *value);
/* The name or file in force. */
const char *gpu_options_name(const struct gpu_options *options);
/* The configuration with all that is set; NULL and a diagnosis when something is wrong with it. */
struct configuration *gpu_options_load(const struct gpu_options *options,
                                       struct diagnosis *diagnosis);
void gpu_options_finish(struct gpu_options *options);

#endif
