/* SPDX-License-Identifier: MIT */
/* What verification knows of each protocol; of some before they are in mem/protocol/list.c. */
#include <string.h>

#include "verify/rules.h"

extern const struct rules rules_moesi, rules_nmoesi, rules_si, rules_srsp;

const struct rules *const all_rules[] = {&rules_moesi, &rules_nmoesi, &rules_si, &rules_srsp, NULL};

static const struct rules rules_of_others = {.protocol = ""};

const struct rules *rules_of(const char *protocol)
{
    for (unsigned i = 0; all_rules[i] != NULL; i++)
        if (strcmp(all_rules[i]->protocol, protocol) == 0)
            return all_rules[i];
    return &rules_of_others;
}

/* Where no release is sent to an L1, only its answer can publish a store. */
struct promise promise_of(const struct protocol *protocol)
{
    const struct rules *rules = rules_of(protocol->name);

    if (rules != &rules_of_others)
        return rules->promise;
    return (struct promise){.publishes_stores = !protocol->flushes_at_release,
                            .tells_loads_apart = true,
                            .tells_stores_apart = true};
}
