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
