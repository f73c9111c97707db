/* SPDX-License-Identifier: MIT */
/* What MOESI and NMOESI count beside what every cache does: counters alone. */
#ifndef MEM_PROTOCOL_MOESI_STATISTICS_H
#define MEM_PROTOCOL_MOESI_STATISTICS_H

#include "sim/declare.h"

#define MOESI_UPPER_STATISTICS(X)                                                                  \
    X(COUNTER, upgrades, "requests",                                                               \
      "stores and atomics that found a copy, but had to ask for leave to write it")                \
    X(COUNTER, probes_share, "probes", "probes because another reads a line that this cache owns") \
    X(COUNTER, probes_invalidate, "probes", "probes because another writes")                       \
    X(COUNTER, probes_recall, "probes", "probes because L2 gives the line up")                     \
    X(COUNTER, probes_gone, "probes", "of all these, those that found no copy any more")           \
    X(COUNTER, copies_lost_to_writers, "lines", "copies dropped because another writes")           \
    X(COUNTER, copies_lost_to_recalls, "lines", "copies dropped because L2 gave the line up")      \
    X(COUNTER, useless_invalidations, "lines",                                                     \
      "of copies_lost_to_writers: no byte that the writer names was read or written here since "   \
      "the copy came (false sharing)")                                                             \
    X(COUNTER, misses_after_writers, "requests",                                                   \
      "misses of a line that another's writing took, and whose way is still free")                 \
    X(COUNTER, misses_after_recalls, "requests", "the same, that a recall took")                   \
    X(COUNTER, puts, "lines", "lines given up because their way was needed, all told to L2")       \
    X(COUNTER, put_bytes, "bytes", "dirty bytes in them")                                          \
    X(COUNTER, bytes_to_readers, "bytes", "dirty bytes sent because another reads")                \
    X(COUNTER, bytes_to_writers, "bytes", "dirty bytes sent because another writes")               \
    X(COUNTER, bytes_to_recalls, "bytes", "dirty bytes sent because L2 gives the line up")         \
    X(COUNTER, lines_sent, "lines",                                                                \
      "lines sent to the cache that asked for them (direct_transfers)")

struct moesi_upper_statistics {
    MOESI_UPPER_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic moesi_upper_statistics[];
enum { MOESI_UPPER_STATISTIC_COUNT = sizeof(struct moesi_upper_statistics) / sizeof(uint64_t) };

#define MOESI_DIRECTORY_STATISTICS(X)                                                              \
    X(COUNTER, transfers, "requests", "reads answered with an owner's dirty bytes")                \
    X(COUNTER, direct_transfers, "requests",                                                       \
      "reads and writes for which the owner sent the line to who asked (direct_transfers)")        \
    X(COUNTER, exclusive_grants, "requests", "reads that got the line to themselves")              \
    X(COUNTER, grants_without_data, "requests", "writers that had a copy and got leave alone")     \
    X(COUNTER, late_upgrades, "requests",                                                          \
      "writers whose copy another had taken before they were heard: the line is sent")             \
    X(COUNTER, overtaken_puts, "requests", "requests that waited for their node's own PUT")        \
    X(COUNTER, reads_that_probe, "requests", "reads for which an owner was asked")                 \
    X(COUNTER, writes_that_probe, "requests", "writes for which copies were dropped")              \
    X(COUNTER, probes_invalidate, "probes", "to drop them")                                        \
    X(COUNTER, recalls, "lines", "lines given up that had copies above")                           \
    X(COUNTER, probes_recall, "probes", "to drop them")                                            \
    X(COUNTER, recall_write_backs, "lines", "of recalls, those that had dirty bytes for memory")   \
    X(COUNTER, recall_write_back_bytes, "bytes", "these bytes")

struct moesi_directory_statistics {
    MOESI_DIRECTORY_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic moesi_directory_statistics[];
enum {
    MOESI_DIRECTORY_STATISTIC_COUNT = sizeof(struct moesi_directory_statistics) / sizeof(uint64_t)
};

#endif
