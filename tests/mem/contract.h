/* SPDX-License-Identifier: MIT */
/*
 * What every protocol must do, whatever its states: asked of each through one harness. Randomly:
 * many requests in flight, messages of a link in order, everything else in any order, against a
 * byte-for-byte reference.
 *
 * In each phase every word of the buffer belongs to one node, which alone stores to it; all nodes
 * load it. The value of a byte tells which store wrote it, so that a load can be judged:
 * - the owner sees its latest store, since requests of a line take effect in order;
 * - any other node sees no older store than a load that it sent before, none older than those that
 *   had been answered when it sent its latest acquire (with GLC: this load), and none not yet sent.
 * Counters are added to and loaded by all nodes: every sum that an atomic returns is new, and both
 * loads and atomics see the node's own additions and the rules above.
 */
#ifndef TESTS_MEM_CONTRACT_H
#define TESTS_MEM_CONTRACT_H

#include "bench.h"

struct episode {
    const struct protocol *protocol;
    struct controller_shape l1, l2;
    uint32_t nodes, slices, words, phases, requests; /* requests a phase */
    uint64_t seed, breaks;
};

/* True: every load, atomic and host transfer gave what the reference says. False: `why` says what
 * was wrong first. */
bool episode_run(const struct episode *episode, struct text *why);

#endif
