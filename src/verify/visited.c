/* SPDX-License-Identifier: MIT */
#include "verify/visited.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "verify/world.h"

void chunks_init(struct chunks *chunks, uint32_t item_bytes)
{
    memset(chunks, 0, sizeof *chunks);
    chunks->item_bytes = item_bytes;
}

void chunks_finish(struct chunks *chunks)
{
    for (uint32_t i = 0; i < chunks->chunk_count; i++)
        free(chunks->chunks[i]);
    free(chunks->chunks);
    memset(chunks, 0, sizeof *chunks);
}

void *chunks_add(struct chunks *chunks)
{
    if (chunks->count == (uint64_t)chunks->chunk_count * CHUNK_ITEMS) {
        if (chunks->chunk_count == chunks->chunk_capacity) {
            chunks->chunk_capacity = chunks->chunk_capacity * 2 + 16;
            chunks->chunks =
                reallocate(chunks->chunks, chunks->chunk_capacity, sizeof *chunks->chunks);
        }
        chunks->chunks[chunks->chunk_count++] = reallocate(NULL, CHUNK_ITEMS, chunks->item_bytes);
    }
    return chunks_at(chunks, chunks->count++);
}

uint64_t chunks_bytes(const struct chunks *chunks)
{
    return (uint64_t)chunks->chunk_count * CHUNK_ITEMS * chunks->item_bytes;
}

/* ---- The table ---- */

/* Slots are met in no order at all: large pages save most of the time that it takes to find them.
 * A system without them does without. */
static struct visited_slot *slots_allocate(uint64_t size)
{
    enum { LARGE_PAGE = 2 << 20 };
    uint64_t bytes = align_up(size * sizeof(struct visited_slot), LARGE_PAGE);
    struct visited_slot *slots = aligned_alloc(LARGE_PAGE, bytes);

    check(slots != NULL, "out of memory: %llu bytes for states", (unsigned long long)bytes);
    (void)madvise(slots, bytes, MADV_HUGEPAGE);
    memset(slots, 0, bytes);
    return slots;
}

static void make_table(struct visited *visited, uint64_t size)
{
    visited->slots = slots_allocate(size);
    visited->mask = size - 1;
}

void visited_init(struct visited *visited, uint64_t bytes_max)
{
    memset(visited, 0, sizeof *visited);
    visited->bytes_max = bytes_max;
    chunks_init(&visited->parents, sizeof(uint32_t));
    chunks_init(&visited->moves, sizeof(struct move));
    chunks_init(&visited->first_edges, sizeof(uint32_t));
    chunks_init(&visited->edges, sizeof(uint32_t));
    make_table(visited, 1 << 16);
}

void visited_finish(struct visited *visited)
{
    free(visited->slots);
    chunks_finish(&visited->parents);
    chunks_finish(&visited->moves);
    chunks_finish(&visited->first_edges);
    chunks_finish(&visited->edges);
    memset(visited, 0, sizeof *visited);
}

static uint64_t slot_fingerprint(const struct visited_slot *slot)
{
    return slot->fingerprint[0] | (uint64_t)slot->fingerprint[1] << 32;
}

/* The slot of the fingerprint, or a free one. */
static struct visited_slot *find_slot(const struct visited *visited, uint64_t fingerprint)
{
    uint64_t number = fingerprint & visited->mask;

    for (;; number = (number + 1) & visited->mask) {
        struct visited_slot *slot = &visited->slots[number];
        uint64_t found = slot_fingerprint(slot);

        if (found == 0 || found == fingerprint)
            return slot;
    }
}

static void visited_grow(struct visited *visited)
{
    struct visited old = *visited;

    make_table(visited, (old.mask + 1) * 2);
    for (uint64_t i = 0; i <= old.mask; i++)
        if (slot_fingerprint(&old.slots[i]) != 0)
            *find_slot(visited, slot_fingerprint(&old.slots[i])) = old.slots[i];
    free(old.slots);
}

static uint64_t bytes_of(const struct visited *visited, uint64_t tables)
{
    return tables * (visited->mask + 1) * sizeof(struct visited_slot) +
           chunks_bytes(&visited->parents) + chunks_bytes(&visited->moves) +
           chunks_bytes(&visited->first_edges) + chunks_bytes(&visited->edges);
}

enum visit visited_add(struct visited *visited, uint64_t fingerprint, uint64_t other_bytes,
                       uint32_t *number)
{
    uint64_t key = fingerprint == 0 ? 1 : fingerprint;
    struct visited_slot *slot = find_slot(visited, key);

    if (slot_fingerprint(slot) != 0) {
        *number = slot->number;
        return VISIT_KNOWN;
    }
    if ((uint64_t)visited->count * 4 > visited->mask * 3) {
        if (bytes_of(visited, 3) + other_bytes > visited->bytes_max) /* the old and twice that */
            return VISIT_NO_MEMORY;
        visited_grow(visited);
        slot = find_slot(visited, key);
    }
    visited->bytes = bytes_of(visited, 1) + other_bytes;
    if (visited->bytes > visited->bytes_max)
        return VISIT_NO_MEMORY;
    *number = visited->count++;
    *slot = (struct visited_slot){{(uint32_t)key, (uint32_t)(key >> 32)}, *number};
    return VISIT_NEW;
}
