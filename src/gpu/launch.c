/* SPDX-License-Identifier: MIT */
#include "gpu/launch.h"

#include "base/check.h"

void launch_init(struct launch *launch, const struct isa_launch *isa, uint32_t wave_lanes,
                 const char *kernel, struct trace *trace)
{
    uint64_t items = (uint64_t)isa->group_size[0] * isa->group_size[1] * isa->group_size[2];

    *launch =
        (struct launch){.isa = isa, .kernel = kernel, .trace = trace, .wave_lanes = wave_lanes};
    launch->wave_count = (uint32_t)((items + wave_lanes - 1) / wave_lanes);
    launch->group_count = (uint64_t)isa->group_count[0] * isa->group_count[1] * isa->group_count[2];
    launch->vector_registers = isa->kernel->vector_registers;
    launch->scalar_registers = isa->kernel->scalar_registers;
    launch->lds_bytes = isa->lds_bytes;
}

/* The most local memory of a program with which the systems' needs still fit. */
static uint32_t lds_bytes_max(const struct tm_set *set, const struct tm_parameters *parameters,
                              const struct tm_facts *facts)
{
    uint32_t max = 0;

    for (uint32_t step = UINT32_C(1) << 30; step >= 4; step /= 2) {
        struct tm_resources resources = {.lds_bytes = max + step};

        tm_add_resources(set, parameters, facts, &resources);
        if (resources.lds_bytes <= facts->group_lds_bytes)
            max += step;
    }
    return max;
}

bool launch_add_transactions(struct launch *launch, const struct tm_set *set,
                             const struct tm_parameters *parameters, const struct tm_facts *facts,
                             struct diagnosis *diagnosis)
{
    const uint32_t *size = launch->isa->group_size;
    struct tm_resources resources = {.vector_registers = launch->vector_registers,
                                     .scalar_registers = launch->scalar_registers,
                                     .lds_bytes = launch->lds_bytes,
                                     .items = size[0] * size[1] * size[2]};

    if (!launch->isa->kernel->has_transactions)
        return true;
    tm_add_resources(set, parameters, facts, &resources);
    if (resources.refusal != NULL)
        return diagnose(diagnosis, "%s: work-groups of %u work-items: %s", launch->kernel,
                        resources.items, resources.refusal);
    launch->vector_registers = resources.vector_registers;
    launch->scalar_registers = resources.scalar_registers;
    launch->lds_bytes = resources.lds_bytes;
    if (launch->lds_bytes <= facts->group_lds_bytes)
        return true;
    diagnose(
        diagnosis,
        "%s: with its transactions a work-group needs %u bytes of local memory, %u of them the "
        "program's, but may have %u (gpu.group_lds_bytes)",
        launch->kernel, launch->lds_bytes, launch->isa->lds_bytes, facts->group_lds_bytes);
    return diagnose_hint(diagnosis, "%u bytes of the program's would fit",
                         lds_bytes_max(set, parameters, facts));
}

struct isa_group launch_group(const struct launch *launch, uint64_t number)
{
    const uint32_t *count = launch->isa->group_count;
    struct isa_group group = {.wave_count = launch->wave_count};

    check(number < launch->group_count, "there is no such work-group");
    group.id[0] = (uint32_t)(number % count[0]);
    group.id[1] = (uint32_t)(number / count[0] % count[1]);
    group.id[2] = (uint32_t)(number / count[0] / count[1]);
    return group;
}
