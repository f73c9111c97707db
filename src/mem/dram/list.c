/* SPDX-License-Identifier: MIT */
#include "mem/dram_model.h"

#define MODELS(X)                                                                                  \
    X(gddr5)                                                                                       \
    X(fixed)

#define DECLARE(name) extern const struct dram_model dram_model_##name;
MODELS(DECLARE)

#define LIST(name) &dram_model_##name,
const struct dram_model *const dram_models[] = {MODELS(LIST) NULL};
PARAMETER_LIST(struct dram_model, dram_model, dram_models)
