/* SPDX-License-Identifier: MIT */
/* A state in 64 bits. States that go on alike have one. */
#ifndef VERIFY_FINGERPRINT_H
#define VERIFY_FINGERPRINT_H

#include "verify/world.h"

/* `alike` NULL: each L1 is told from the others. Else states that differ only by which of the L1s that
 * are alike is which have one fingerprint, and *alike is how many there are of them. */
uint64_t fingerprint_of(const struct world *world, uint32_t *alike);

#endif
