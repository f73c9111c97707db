/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "machine/machine.h"
#include "machine/parameters.h"
#include "mem/protocol.h"
#include "sim/debug.h"
#include "tm/tm.h"

bool machine_protocol(uint32_t index, struct machine_choice *choice)
{
    choice->name = protocol_word(index, &choice->help);
    return choice->name != NULL;
}

bool machine_transactional_memory(uint32_t index, struct machine_choice *choice)
{
    choice->name = tm_word(index, &choice->help);
    choice->is_global = choice->name != NULL && (tm_systems[index]->spaces & TM_SPACE_GLOBAL) != 0;
    return choice->name != NULL;
}

bool machine_storage(const struct configuration *configuration, const char *system,
                     struct text *text)
{
    struct tm_facts facts = parameters_tm_facts(configuration->parameters);

    for (uint32_t i = 0; tm_systems[i] != NULL; i++)
        if (tm_systems[i]->storage != NULL && strcmp(tm_systems[i]->name, system) == 0) {
            tm_systems[i]->storage(&configuration->parameters->tm, &facts, text);
            return true;
        }
    return false;
}

bool machine_break(uint32_t index, struct machine_choice *choice)
{
    if (index >= DEBUG_BREAK_COUNT)
        return false;
    choice->name = debug_name((enum debug_break)index);
    choice->help = debug_help((enum debug_break)index);
    return true;
}
