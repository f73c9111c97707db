/* SPDX-License-Identifier: MIT */
/* No control. */
#include "mem/limit.h"

extern const struct limit_policy limit_fixed;
const struct limit_policy limit_fixed = {.name = "fixed", .help = "all entries are usable always"};
