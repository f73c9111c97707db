/* SPDX-License-Identifier: MIT */
#include "mem/limit.h"

#include "base/check.h"

void entry_limit_init(struct entry_limit *limit, const struct limit_policy *policy,
                      uint32_t entries, uint64_t window_cycles)
{
    *limit = (struct entry_limit){.policy = policy,
                                  .entries = entries,
                                  .limit = entries,
                                  .window_cycles = window_cycles,
                                  .ends = window_cycles};
}

bool entry_limit_tick(struct entry_limit *limit, uint64_t cycle)
{
    bool has_evidence = limit->answers > 0;

    if (cycle < limit->ends)
        return false;
    if (has_evidence)
        limit->limit = limit->policy->next(&limit->memory, limit->entries, limit->answers);
    check(limit->limit > 0 && limit->limit <= limit->entries, "a limit of %u entries",
          limit->limit);
    limit->answers = 0;
    limit->ends = (cycle / limit->window_cycles + 1) * limit->window_cycles;
    return has_evidence;
}
