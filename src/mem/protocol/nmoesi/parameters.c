/* SPDX-License-Identifier: MIT */
#include "mem/protocol/nmoesi/parameters.h"

#include <string.h>

#include "base/bits.h"

#define ROW(...) PARAMETER_ROW(struct nmoesi_parameters, __VA_ARGS__)
const struct parameter nmoesi_parameters[] = {NMOESI_PARAMETERS(ROW)};
const uint32_t nmoesi_parameter_count = ARRAY_COUNT(nmoesi_parameters);

static const char group_scope[] = "work-group", device_scope[] = "device";

bool nmoesi_has_local_fences(const void *parameters)
{
    return strcmp(((const struct nmoesi_parameters *)parameters)->fence_scope, device_scope) != 0;
}

bool nmoesi_check_parameters(const void *parameters, struct diagnosis *diagnosis)
{
    const char *scope = ((const struct nmoesi_parameters *)parameters)->fence_scope;

    if (strcmp(scope, group_scope) == 0 || strcmp(scope, device_scope) == 0)
        return true;
    diagnose(diagnosis, "nmoesi.fence_scope: there is no scope '%s' for fences", scope);
    return diagnose_hint(diagnosis, "it may be %s or %s", group_scope, device_scope);
}
