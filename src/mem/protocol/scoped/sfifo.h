/* SPDX-License-Identifier: MIT */
/*
 * A FIFO of dirty lines (Hechtman et al., "QuickRelease: a throughput-oriented approach to release
 * consistency on GPUs", HPCA 2014). With it come the two tables of sRSP (Yilmazer-Metin, 2021,
 * section 4) that point into it. Plain data; what is not in use is zero.
 *
 * A line that becomes dirty is in the FIFO, once; a release enters its object always, as a mark of its place.
 * An entry whose line is not dirty any more costs nothing when its turn comes.
 */
#ifndef MEM_PROTOCOL_SCOPED_SFIFO_H
#define MEM_PROTOCOL_SCOPED_SFIFO_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/protocol/scoped/parameters.h"

struct sfifo {
    uint64_t count;
    uint64_t lines[SCOPED_ENTRIES_MAX + 1]; /* oldest first; one beyond, until the oldest has gone */
};

void sfifo_push(struct sfifo *fifo, uint64_t line);
bool sfifo_has(const struct sfifo *fifo, uint64_t line);
/* The first entry of the line, if there is one: its place, or NO_PLACE. */
uint64_t sfifo_remove(struct sfifo *fifo, uint64_t line);

enum { NO_PLACE = 0xff };

/* LR-TBL: of each object the place of its latest release in the FIFO; NO_PLACE: that has left it. */
struct release_table {
    uint64_t count;
    uint64_t lines[SCOPED_ENTRIES_MAX + 1]; /* in the order in which they came */
    uint8_t places[SCOPED_ENTRIES_MAX + 8];
};

/* The object's entry, or -1. */
int release_find(const struct release_table *table, uint64_t line);
void release_note(struct release_table *table, uint64_t line, uint64_t place);
void release_remove(struct release_table *table, unsigned entry);
/* The FIFO's entry at the place has left it. `keeps`: releases without a place are remembered. */
void release_left(struct release_table *table, uint64_t place, bool keeps);

/* PA-TBL: objects whose next local acquire is promoted. */
struct promotion_table {
    uint64_t count;
    uint64_t all; /* more than there are entries */
    uint64_t lines[SCOPED_ENTRIES_MAX];
};

bool promotion_has(const struct promotion_table *table, uint64_t line);
/* False: no entry was left, and all objects are promoted from now on. */
bool promotion_add(struct promotion_table *table, uint64_t line, uint64_t entries);

#endif
