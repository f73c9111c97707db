/* SPDX-License-Identifier: MIT */
/* What the scoped protocols count beside what every cache does: counters alone. */
#ifndef MEM_PROTOCOL_SCOPED_STATISTICS_H
#define MEM_PROTOCOL_SCOPED_STATISTICS_H

#include "sim/declare.h"

#define SCOPED_L1_STATISTICS(X)                                                                    \
    X(COUNTER, lines_written, "lines", "dirty lines sent to L2, for whatever reason")              \
    X(COUNTER, bytes_written, "bytes", "dirty bytes in them")                                      \
    X(COUNTER, sfifo_overflows, "lines", "of them, those whose turn in the full sFIFO it was")     \
    X(COUNTER, flushes, "operations", "operations before which dirty lines had to reach L2")       \
    X(COUNTER, acquires, "operations", "operations that made the L1 forget its lines")             \
    X(COUNTER, misses_after_acquire, "requests",                                                   \
      "misses of a line that an acquire or a probe took, and whose way is still free")             \
    X(COUNTER, local_releases, "operations", "releases of the work-group's scope, done in L1")     \
    X(COUNTER, local_acquires, "operations", "acquires of the work-group's scope, done in L1")     \
    X(COUNTER, local_atomics, "operations", "read-modify-writes of that scope, done in L1")        \
    X(COUNTER, device_operations, "operations", "accesses done in L2 because of their scope")      \
    X(COUNTER, remote_operations, "operations", "of them, those of remote scope")                  \
    X(COUNTER, remote_skips, "operations", "of these, those that asked no other L1")               \
    X(COUNTER, promoted_acquires, "operations", "local acquires that a promotion took to L2")      \
    X(COUNTER, held_cycles, "cycles", "in which an acquire held the unit's other requests")        \
    X(COUNTER, held_remote_cycles, "cycles", "of them, in which a remote one did")                 \
    X(COUNTER, sfifo_entered, "lines", "lines and releases that entered the sFIFO")                \
    X(COUNTER, sfifo_met, "entries", "entries that these found there, added up")                   \
    X(COUNTER, promotions, "entries", "objects that entered PA-TBL, or met it full")               \
    X(COUNTER, promotions_unused, "entries",                                                       \
      "of them, those that were forgotten before an acquire")                                      \
    X(COUNTER, probes, "probes", "remote operations of other L1s that asked here")                 \
    X(COUNTER, probe_flushes, "probes", "of them, those that began a walk over the sFIFO")         \
    X(COUNTER, lines_written_for_probes, "lines", "these lines, and the probes' own")              \
    X(COUNTER, release_overflows, "entries", "releases that had no entry left (LR-TBL)")           \
    X(COUNTER, promotion_overflows, "entries", "promotions that had no entry left (PA-TBL)")

struct scoped_l1_statistics {
    SCOPED_L1_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic scoped_l1_statistics[];
enum { SCOPED_L1_STATISTIC_COUNT = sizeof(struct scoped_l1_statistics) / sizeof(uint64_t) };

#define SCOPED_L2_STATISTICS(X)                                                                    \
    X(COUNTER, lines_from_l1s, "lines", "dirty lines that L1s sent")                               \
    X(COUNTER, sfifo_overflows, "lines", "lines written to memory because the sFIFO was full")     \
    X(COUNTER, broadcasts, "broadcasts", "remote operations that asked all other L1s")             \
    X(COUNTER, probes_sent, "probes", "to them")                                                   \
    X(COUNTER, lock_waits, "requests",                                                             \
      "times that a request waited for a line that one had locked")                                \
    X(COUNTER, lock_wait_cycles, "cycles", "that these waited, added up")

struct scoped_l2_statistics {
    SCOPED_L2_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic scoped_l2_statistics[];
enum { SCOPED_L2_STATISTIC_COUNT = sizeof(struct scoped_l2_statistics) / sizeof(uint64_t) };

#endif
