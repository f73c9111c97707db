/* SPDX-License-Identifier: MIT */
#include "tm/systems.h"

#include <string.h>

const struct tm_system *const tm_systems[] = {&tm_none, NULL};

const struct tm_system *tm_find(const char *name)
{
    for (unsigned i = 0; tm_systems[i] != NULL; i++)
        if (strcmp(tm_systems[i]->name, name) == 0)
            return tm_systems[i];
    return NULL;
}
