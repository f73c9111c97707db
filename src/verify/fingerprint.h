/* SPDX-License-Identifier: MIT */
/* A state in 64 bits. States that go on alike have one. */
#ifndef VERIFY_FINGERPRINT_H
#define VERIFY_FINGERPRINT_H

#include "verify/world.h"

struct fingerprint {
    uint64_t hash;
    uint32_t
        /* how many states have it that differ but by which of the L1s that are alike is which */
        alike;
    bool has_faded; /* traffic.h: no byte of a line has the fading value */
};

/* `tells_l1s_apart`: each L1 is told from the others. */
struct fingerprint fingerprint_of(const struct world *world, bool tells_l1s_apart);

#endif
