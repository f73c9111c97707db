/* SPDX-License-Identifier: MIT */
/* Entries are for lines on their way (Kroft, Lockup-Free Instruction Fetch/Prefetch Cache
 * Organization, ISCA 1981): hits and merges take none. */
#include "mem/admission.h"

extern const struct admission admission_misses;
const struct admission admission_misses = {
    .name = "misses",
    .help = "a line on its way takes an entry; who lacks one waits at the head of its port",
};
