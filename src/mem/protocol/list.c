/* SPDX-License-Identifier: MIT */
#include "mem/protocol/list.h"

#include <string.h>

#include "mem/protocol.h"

#define DECLARED(name) extern const struct protocol protocol_##name;
PROTOCOLS(DECLARED)

#define LISTED(name) &protocol_##name,
const struct protocol *const protocols[] = {PROTOCOLS(LISTED) NULL};

const struct protocol *protocol_find(const char *name)
{
    for (unsigned i = 0; protocols[i] != NULL; i++)
        if (strcmp(protocols[i]->name, name) == 0)
            return protocols[i];
    return NULL;
}
