/* SPDX-License-Identifier: MIT */
/*
 * The last writer history of a commit unit: which transaction that has not retired will write a word,
 * the youngest, or a younger one (a false writer, for whom a transaction waits in vain).
 *
 *     word ─► H3 ─► set of the table: word, commit ID       exact
 *                     │ what it gives up: the oldest ID of the set
 *                     ▼
 *     word ─► 4 × H3 ─► a bucket of each array: the largest ID put there; the answer is the least of the 4
 *
 * Nothing is removed: an ID below the asking transaction's RCID is no hazard. `perfect`: the table has
 * room for all words. Source: the paper's 4.5.2; hash functions and the order of both parts are those
 * of the authors' simulator as far as the paper is silent.
 */
#ifndef TM_KILOTM_HISTORY_H
#define TM_KILOTM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "tm/kilotm.h"

enum { HISTORY_HASHES = 4, HISTORY_BITS = 48 };

struct history_entry {
    uint64_t word;
    uint32_t id; /* 0: free */
};

struct history {
    bool is_perfect, forgets;
    uint32_t sets, ways, buckets; /* buckets: of one array */
    struct history_entry *table;
    uint32_t *bloom; /* [HISTORY_HASHES][buckets] */
    uint32_t matrix[HISTORY_HASHES + 1][HISTORY_BITS];
    struct history_entry *words; /* perfect: open addressing */
    uint32_t word_count, word_capacity;
};

/* forgets: what the table gives up is lost (a deliberate fault). */
void history_init(struct history *history, const struct kilotm_parameters *parameters,
                  bool forgets);
void history_finish(struct history *history);

/* The ID of the youngest transaction known to write the word, from `oldest` on; 0: none. */
uint32_t history_writer(const struct history *history, uint64_t word, uint32_t oldest);
/* Transaction `id` will write the word; those below `retired` are of no more use. */
void history_add(struct history *history, uint64_t word, uint32_t id, uint32_t retired);

#endif
