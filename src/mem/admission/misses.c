/* SPDX-License-Identifier: MIT */
/* Entries are for outstanding misses (Kroft, Lockup-Free Instruction Fetch/Prefetch Cache
 * Organization, ISCA 1981): hits and merges take none. */
#include "mem/admission.h"

extern const struct admission admission_misses;
const struct admission admission_misses = {
    .name = "misses",
    .help = "an outstanding miss takes an entry; what lacks one waits at the head of its port",
};
