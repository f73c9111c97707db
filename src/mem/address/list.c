/* SPDX-License-Identifier: MIT */
#include "mem/address_map.h"

#define RULES(X)                                                                                   \
    X(tahiti)                                                                                      \
    X(modulo)

#define DECLARE(name) extern const struct address_rule address_rule_##name;
RULES(DECLARE)

#define LIST(name) &address_rule_##name,
const struct address_rule *const address_rules[] = {RULES(LIST) NULL};
PARAMETER_LIST(struct address_rule, address_rule, address_rules)
