/* SPDX-License-Identifier: MIT */
/*
 * Levels: all places of one sort, added up. The places "cu0.l1" to "cu31.l1" are the level "cu.l1",
 * and its counters are the sums over them. So `cu.l1.hits` is the machine's number of L1 hits.
 *
 * A level's name is the path without its indices. Digits that end a part of the path number the
 * place, where at least two letters stand before them. So "cu3" is "cu", but "l1" is a name. A part
 * that is a number ("l2.4") and "_4" go too.
 *
 * Invariant: each group belongs to exactly one level, so nothing is counted twice.
 */
#ifndef REPORT_LEVEL_H
#define REPORT_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/registry.h"

struct level {
    char *name;
    const char *kind;
    const struct statistic *statistics;
    uint32_t statistic_count;
    uint32_t bytes;
    uint32_t offset; /* in words, of its sums */
    uint32_t places;
};

struct levels {
    const struct registry *registry;
    struct level *level;
    uint32_t count;
    uint32_t word_count;  /* of all sums together */
    uint32_t *of_group;   /* level of each group of the registry */
    uint32_t *group_word; /* where each group stands in a snapshot */
    uint32_t *word_group; /* group of each word of a snapshot */
    uint32_t snapshot_words;
};

/* Sorts the registry's groups into levels, in the order of their first appearance. The registry
 * must outlive it. */
void levels_init(struct levels *levels, const struct registry *registry);
void levels_finish(struct levels *levels);

/* Adds what changed to `sums`, word_count words laid out as each level's statistics struct. */
void levels_add(const struct levels *levels, const struct changes *changes, uint64_t *sums);

/* A counter's value, or a histogram's `count` and `sum` ("cu.l1.occupancy.sum"), by its level's
 * name. False: there is no such level or statistic. */
bool levels_value(const struct levels *levels, const uint64_t *sums, const char *name,
                  uint64_t *value);

/* The level's name of a path. The caller frees. */
char *level_name(const char *path);

/* The statistic's values inside its struct. */
static inline const uint64_t *statistic_words(const struct statistic *statistic,
                                              const uint64_t *words)
{
    return words + statistic->offset / 8;
}

#endif
