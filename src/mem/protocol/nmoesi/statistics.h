/* SPDX-License-Identifier: MIT */
/* What NMOESI counts: all that MOESI does, and what comes of non-coherent copies. Counters alone. */
#ifndef MEM_PROTOCOL_NMOESI_STATISTICS_H
#define MEM_PROTOCOL_NMOESI_STATISTICS_H

#include "mem/protocol/moesi/statistics.h"

#define NMOESI_UPPER_STATISTICS(X)                                                                 \
    MOESI_UPPER_STATISTICS(X)                                                                      \
    X(COUNTER, refetches, "requests", "loads of bytes that an acquire had made invalid")           \
    X(COUNTER, acquired_lines, "lines", "lines whose clean bytes an acquire made invalid")         \
    X(COUNTER, released_lines, "lines", "N lines whose dirty bytes a release sent below")          \
    X(COUNTER, released_bytes, "bytes", "these bytes")                                             \
    X(COUNTER, puts_n, "lines", "N lines given up because their way was needed")                   \
    X(COUNTER, put_n_bytes, "bytes", "dirty bytes in them")                                        \
    X(COUNTER, disowns, "lines", "exclusive copies that a plain store made N")                     \
    X(COUNTER, leaves_to_store, "requests",                                                        \
      "plain stores that found a copy, but asked because the line has an owner")                   \
    X(COUNTER, local_fences, "fences",                                                             \
      "barriers and fences of global memory that were of the work-group alone (fence_scope)")

struct nmoesi_upper_statistics {
    NMOESI_UPPER_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic nmoesi_upper_statistics[];
enum { NMOESI_UPPER_STATISTIC_COUNT = sizeof(struct nmoesi_upper_statistics) / sizeof(uint64_t) };

#define NMOESI_DIRECTORY_STATISTICS(X)                                                             \
    MOESI_DIRECTORY_STATISTICS(X)                                                                  \
    X(COUNTER, n_grants, "requests", "lines sent for plain stores")                                \
    X(COUNTER, n_writes, "messages", "dirty bytes of N copies merged here, given up or released")  \
    X(COUNTER, n_writes_past, "messages", "the same, but the line had left: on to memory")         \
    X(COUNTER, probes_clean, "probes", "owners made sharers for a plain store, here or merged")

struct nmoesi_directory_statistics {
    NMOESI_DIRECTORY_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic nmoesi_directory_statistics[];
enum {
    NMOESI_DIRECTORY_STATISTIC_COUNT = sizeof(struct nmoesi_directory_statistics) / sizeof(uint64_t)
};

#endif
