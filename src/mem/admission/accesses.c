/* SPDX-License-Identifier: MIT */
/* Every access takes an entry before its lookup, as in Multi2Sim's modules, where an MSHR limits
 * the accesses in flight (src/mem-system/module.c, https://github.com/Multi2Sim/multi2sim). */
#include "mem/admission.h"

extern const struct admission admission_accesses;
const struct admission admission_accesses = {
    .name = "accesses",
    .help =
        "each load, store and atomic takes an entry, hits too; in order at the head of the port",
    .every_access = true,
};
