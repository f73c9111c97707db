/* SPDX-License-Identifier: MIT */
/*
 * The random tester: what every protocol must do, whatever its states. Many requests in flight,
 * messages of a link in order, everything else in any order, against a byte-for-byte reference.
 *
 * Between two SETTLEs every byte belongs to the node that stores to it; all nodes load it. The
 * value of a byte tells which store wrote it, so that a load can be judged:
 * - the owner sees its latest store, since requests of a line take effect in order;
 * - any other node sees no older store than a load that it sent before, and none not yet sent. Nor
 *   does it see one older than those that had been published when it sent its latest acquire. For a
 *   coherent load the time is that of the load itself; where the protocol promises coherence, for
 *   any load.
 * Counters are added to and loaded by all nodes. Every sum that an atomic returns is new. Both
 * loads and atomics see the node's own additions and keep the rules above.
 * At the end, and between, the host reads every byte as it was stored last.
 */
#ifndef VERIFY_RANDOM_TESTER_H
#define VERIFY_RANDOM_TESTER_H

#include "verify/program.h"
#include "verify/rules.h"
#include "verify/traffic.h"

struct episode {
    const struct protocol *protocol;
    struct controller_shape l1, l2;
    uint32_t nodes, scalars, instructions, slices, words, phases, requests; /* requests a phase */
    uint64_t seed, breaks;
    const struct promise *promise; /* NULL: by the protocol's name */
};

struct tester {
    const struct protocol *protocol;
    struct promise promise;
    uint64_t breaks;
    /* Called with each controller at the end of a run; NULL: not. Rows are counted if not. */
    void (*look)(void *context, const struct controller *controller);
    void *context;
};

/* Appends the operations of the episode's seed. */
void program_generate(struct program *program, const struct episode *episode);

/* The `which`-th of the machines and programs that a seed stands for; RANDOM_SIZES there are. */
enum { RANDOM_SIZES = 8 };
struct episode episode_of(const struct protocol *protocol, unsigned which, uint64_t seed);

/* How a run ends. INVALID: two nodes store to one byte without a SETTLE between. */
enum program_end { PROGRAM_RIGHT, PROGRAM_WRONG, PROGRAM_INVALID };
enum program_end program_run(const struct program *program, const struct tester *tester,
                             struct fault *fault);

/* Leaves out what a wrong program does not need to stay wrong, by at most so many runs. */
void program_shrink(struct program *program, const struct tester *tester, uint32_t runs_max);

/* Generates and runs an episode. True: all was right. */
bool episode_run(const struct episode *episode, struct text *why);

#endif
