/* SPDX-License-Identifier: MIT */
#include "mem/protocol/nmoesi/parameters.h"

#include <string.h>

#include "base/bits.h"

#define ROW(...) PARAMETER_ROW(struct nmoesi_parameters, __VA_ARGS__)
const struct parameter nmoesi_parameters[] = {NMOESI_PARAMETERS(ROW)};
const uint32_t nmoesi_parameter_count = ARRAY_COUNT(nmoesi_parameters);

PARAMETER_CHOICES(nmoesi_fence_scope_word, {"work-group", "what OpenCL says"},
                  {"device", "for old programs that pass data between work-groups by mem_fence and "
                             "atomics"})

bool nmoesi_has_local_fences(const void *parameters)
{
    return strcmp(((const struct nmoesi_parameters *)parameters)->fence_scope, "device") != 0;
}
