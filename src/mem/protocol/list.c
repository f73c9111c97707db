/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "mem/protocol.h"

extern const struct protocol protocol_si;

const struct protocol *const protocols[] = {&protocol_si, NULL};

const struct protocol *protocol_find(const char *name)
{
    for (unsigned i = 0; protocols[i] != NULL; i++)
        if (strcmp(protocols[i]->name, name) == 0)
            return protocols[i];
    return NULL;
}
