/* SPDX-License-Identifier: MIT */
/*
 * The states that a search has met: a table of 64-bit fingerprints that gives each state a number.
 * By number it is known where a state came from and where deliveries alone lead.
 *
 * A fingerprint for a whole state may, rarely, stand for two. Of n states one is missed with a
 * chance of n * n / 2^65 (Wolper and Leroy, Reliable Hashing without Collision Detection, CAV
 * 1993).
 */
#ifndef VERIFY_VISITED_H
#define VERIFY_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items in chunks, so that growing copies nothing. */
struct chunks {
    unsigned char **chunks;
    uint64_t count;
    uint32_t chunk_count, chunk_capacity, item_bytes;
};

/* Of 12 bytes, so that a state is looked up in one place of memory. */
struct visited_slot {
    uint32_t fingerprint[2]; /* both 0: free */
    uint32_t number;
};

struct visited {
    struct visited_slot *slots;
    uint64_t mask; /* number of slots - 1 */
    uint32_t count;
    struct chunks parents, moves; /* of each state: uint32_t, struct move */
    struct chunks first_edges;    /* of each state that was looked at: where its edges begin */
    struct chunks edges;          /* uint32_t: states that deliveries lead to */
    uint64_t bytes_max, bytes;    /* bound, and what is allocated */
};

enum visit { VISIT_NEW, VISIT_KNOWN, VISIT_NO_MEMORY };

void chunks_init(struct chunks *chunks, uint32_t item_bytes);
void chunks_finish(struct chunks *chunks);
/* Room for one more item. */
void *chunks_add(struct chunks *chunks);
uint64_t chunks_bytes(const struct chunks *chunks);
enum { CHUNK_ITEMS = 1 << 18 };
static inline void *chunks_at(const struct chunks *chunks, uint64_t index)
{
    return chunks->chunks[index / CHUNK_ITEMS] + index % CHUNK_ITEMS * (uint64_t)chunks->item_bytes;
}

void visited_init(struct visited *visited, uint64_t bytes_max);
void visited_finish(struct visited *visited);
/* Gives the number of the state, new or known. `other_bytes`: what the caller has allocated. */
enum visit visited_add(struct visited *visited, uint64_t fingerprint, uint64_t other_bytes,
                       uint32_t *number);

#endif
