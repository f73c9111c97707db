/* SPDX-License-Identifier: MIT */
/*
 * What a machine has declared: its statistics, by path. The machine's builder fills it; reports
 * read it. Paths name places ("cu3.l1"), so that a statistic's full name is path + "." + its own:
 * "cu3.l1.hits".
 */
#ifndef SIM_REGISTRY_H
#define SIM_REGISTRY_H

#include <stdint.h>

#include "sim/declare.h"

struct statistics_group {
    char *path;
    const char *kind; /* what sort of place: "compute_unit", "cache", "dram"; static */
    const struct statistic *statistics;
    uint32_t statistic_count;
    void *values; /* the statistics struct; a multiple of 8 bytes, uint64_t throughout */
    uint32_t bytes;
};

struct registry {
    struct statistics_group *groups;
    uint32_t group_count;
};

/* The values must outlive the registry. `path` is copied. */
void registry_add(struct registry *registry, const char *path, const char *kind,
                  const struct statistic *statistics, uint32_t statistic_count, void *values,
                  uint32_t bytes);
void registry_finish(struct registry *registry);

/* A copy of all values at one moment. The caller frees with snapshot_finish. */
struct snapshot {
    uint64_t *words;
    uint32_t word_count;
};
void snapshot_take(struct snapshot *snapshot, const struct registry *registry);
/* Brings a snapshot of this registry up to the present, in its place; an empty one is taken. */
void snapshot_refresh(struct snapshot *snapshot, const struct registry *registry);
void snapshot_finish(struct snapshot *snapshot);

/* What was added to the statistics between two moments: only the words that are not zero, in
 * order. `word` counts from the snapshot's start. A zeroed one is empty; changes_finish frees. */
struct change {
    uint32_t word;
    uint64_t value;
};
struct changes {
    struct change *list;
    uint32_t count, capacity;
};
/* What was added since `before` was taken, which becomes the present. Replaces what `changes`
 * held and keeps its memory. */
void changes_take(struct changes *changes, struct snapshot *before,
                  const struct registry *registry);
void changes_finish(struct changes *changes);

/* The values of group `index` inside a snapshot, laid out as the group's struct. */
const void *snapshot_group(const struct snapshot *snapshot, const struct registry *registry,
                           uint32_t index);

/* Value of a counter by full path in a snapshot, for tests; stops the program when there is none of
 * that name. */
uint64_t snapshot_counter(const struct snapshot *snapshot, const struct registry *registry,
                          const char *path);

/* A 64-bit digest of all names and values: equal runs have equal digests. */
uint64_t snapshot_digest(const struct snapshot *snapshot, const struct registry *registry);

#endif
