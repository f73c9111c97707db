/* SPDX-License-Identifier: MIT */
/*
 * The states that wait to be looked at, oldest first: a queue of blocks. A state is written part by
 * part, as where each differs from the first state of the search. The part of a state that is like
 * that of the state before it is neither written nor read again.
 *
 *   set of parts that differ (8 bytes), then of each of them:
 *     bytes that follow for it (2 bytes)
 *     number of words that are the same (1 byte), of words that follow (1 byte), these; again
 */
#ifndef VERIFY_FRONTIER_H
#define VERIFY_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/world.h"

struct frontier_block;

/* A part of the state that was taken last. */
struct frontier_part {
    unsigned char *at;           /* where it is in the world: borrowed */
    unsigned char *first, *base; /* in the first state, and in the one that was taken last */
    uint32_t words;
    uint32_t from, length; /* of the latter as it was written: in `taken` */
};

struct frontier {
    struct frontier_part parts[WORLD_MAX_PARTS];
    uint32_t part_count;
    unsigned char *states; /* what `first` and `base` point into */
    unsigned char *taken;  /* the state that was taken last, as it was written */
    uint64_t differing;    /* its parts that are not as in the first state */
    size_t written_max;    /* bytes of a state */
    struct frontier_block *head, *tail;
    size_t at; /* in the head: the next to be read */
    uint64_t bytes, count;
};

/* The first state is the world's present one. So is the one that was taken last. */
void frontier_init(struct frontier *frontier, const struct world *world);
void frontier_finish(struct frontier *frontier);
/* The world's state, which differs from the one that was taken last in these parts at the most. */
void frontier_put(struct frontier *frontier, uint64_t changed);
/* The next state is the one that was taken last. `changed`: its parts that were others before.
 * False: there is none. */
bool frontier_take(struct frontier *frontier, uint64_t *changed);
/* The world gets these parts of the state that was taken last; or of the first one. */
void frontier_restore(const struct frontier *frontier, uint64_t parts);
void frontier_restore_first(const struct frontier *frontier);

#endif
