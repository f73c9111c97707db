/* SPDX-License-Identifier: MIT */
/* Whether kernels may have passed data in a way that only another parameter makes right. */
#include <string.h>

#include "machine/machine_private.h"

/* Of a counter's name, in all places that have one. */
static uint64_t count_all(const struct registry *registry, const char *name)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < registry->group_count; i++) {
        const struct statistics_group *group = &registry->groups[i];

        for (uint32_t j = 0; j < group->statistic_count; j++) {
            const struct statistic *statistic = &group->statistics[j];
            uint64_t value;

            if (statistic->kind != STATISTIC_COUNTER || strcmp(statistic->name, name) != 0)
                continue;
            memcpy(&value, (const char *)group->values + statistic->offset, sizeof value);
            count += value;
        }
    }
    return count;
}

const char *machine_wide_fences(const struct machine *machine)
{
    const struct protocol *protocol = protocol_find(machine->parameters->gpu.protocol);

    if (protocol == NULL || protocol->wide_fences == NULL ||
        !protocol_has_local_fences(protocol, parameters_of_protocol(machine->parameters, protocol)))
        return NULL;
    return count_all(&machine->registry, "local_fences") > 0 &&
                   count_all(&machine->registry, "atomics") > 0
               ? protocol->wide_fences
               : NULL;
}
