/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "mem/dram_model.h"

#define MODELS(X)                                                                                  \
    X(gddr5)                                                                                       \
    X(fixed)

#define DECLARE(name) extern const struct dram_model dram_model_##name;
MODELS(DECLARE)

#define LIST(name) &dram_model_##name,
const struct dram_model *const dram_models[] = {MODELS(LIST) NULL};

const struct dram_model *dram_model_find(const char *name)
{
    for (unsigned i = 0; dram_models[i] != NULL; i++)
        if (strcmp(dram_models[i]->name, name) == 0)
            return dram_models[i];
    return NULL;
}
