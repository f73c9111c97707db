/* SPDX-License-Identifier: MIT */
/* The exhaustive verification of a protocol on one small machine: explorer, alphabet, promise and
 * deliberate fault put together, and what it found in words. */
#ifndef VERIFY_EXHAUSTIVE_H
#define VERIFY_EXHAUSTIVE_H

#include "verify/alphabet.h"
#include "verify/explore.h"

struct exhaustive_options {
    struct world_shape shape;
    const struct protocol
        *wired_for; /* whose tables choose the links; a faulty copy has the same */
    struct promise promise;
    uint32_t outstanding, accesses; /* see alphabet.h */
    uint32_t down_fifos, up_fifos;  /* of the links: mem/network.h; 0: the fewest that will do */
    bool tells_l1s_apart, takes_all_moves, sends_at_once; /* see explore.h */
    uint64_t bytes_max, states_max;
    void (*progress)(void *context, const struct explore_counts *counts);
    void *context;
    /* Called with the machine at the end, for what its controllers have counted; NULL: not. */
    void (*look)(void *context, const struct world *world);
    bool counts_rows;
};

/* Ways, MSHRs and so on that a machine of so many L1s, slices and lines has. */
void exhaustive_defaults(struct exhaustive_options *options, const struct protocol *protocol,
                         const struct promise *promise);

/* False and a diagnosis: the shape is refused. `story` takes the path to a fault: the moves, and
 * the requests as a program. */
bool exhaustive_run(const struct exhaustive_options *options, struct explore_result *result,
                    struct text *story, struct diagnosis *diagnosis) MUST_USE;

#endif
