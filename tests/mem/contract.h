/* SPDX-License-Identifier: MIT */
/*
 * What every protocol must do, whatever its states: asked of each through one harness. Randomly:
 * many requests in flight, messages of a link in order, everything else in any order, against a
 * byte-for-byte reference.
 */
#ifndef TESTS_MEM_CONTRACT_H
#define TESTS_MEM_CONTRACT_H

#include "bench.h"

/* One run of the random tester. In each phase every word of the buffer's first `words` belongs to
 * one node, which alone loads and stores it, or to all, which only load; counters are added to by
 * everybody at any time; between phases every node acquires. */
struct episode {
    const struct protocol *protocol;
    struct controller_shape l1, l2;
    uint32_t nodes, slices, words, phases, requests; /* requests a phase */
    uint64_t seed, breaks;
    bool has_slc;
};

/* True: every load, atomic and host transfer gave what the reference says. False: `why` says what
 * was wrong first. */
bool episode_run(const struct episode *episode, struct text *why);

#endif
