/* SPDX-License-Identifier: MIT */
/*
 * The last writer history of a commit unit: the youngest transaction that will write a word and has
 * not retired. It may name a younger one, a false writer, for which a transaction waits in vain.
 *
 * word ─► H3 ─► set of the table: word, commit ID       exact
 *                 │ what it gives up: the oldest ID of the set
 *                 ▼
 * word ─► 4 × H3 ─► a bucket of each array: the largest ID put there; the answer is the least
 *
 * Nothing is removed: an ID below the asking transaction's RCID is no hazard. `perfect`: the table
 * has room for all words. `bloom_array`: no table; each transaction has two signatures of four
 * parts, what it reads and what it writes. A word is looked up in all of them at once (the paper's
 * 6.3.2). Source: the paper's 4.5.2; hash functions and the order of both parts are those of the
 * authors' simulator as far as the paper is silent.
 */
#ifndef TM_KILOTM_HISTORY_H
#define TM_KILOTM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "tm/kilotm.h"

enum { HISTORY_HASHES = 4, HISTORY_BITS = 48, HISTORY_READS = 0, HISTORY_WRITES = 1 };

struct history_entry {
    uint64_t word;
    uint32_t id; /* 0: free */
};

/* Rows of bits: row b of a set has bit b of that signature, of each transaction. */
struct history_signatures {
    uint64_t *rows[2];
    uint32_t bits, capacity; /* bits of a signature; transactions, a power of two */
    uint32_t end;            /* IDs up to here have a column */
};

struct history {
    bool is_perfect, is_array, forgets;
    uint32_t entries; /* of the ring */
    struct history_signatures signatures;
    uint32_t sets, ways, buckets; /* buckets: of one array */
    struct history_entry *table;
    uint32_t *bloom; /* [HISTORY_HASHES][buckets] */
    uint32_t matrix[HISTORY_HASHES + 1][HISTORY_BITS];
    struct history_entry *words; /* perfect: open addressing */
    uint32_t word_count, word_capacity;
};

/* entries: as in history_enlarge; forgets: what the table gives up is lost (a deliberate fault). */
void history_init(struct history *history, const struct kilotm_parameters *parameters,
                  uint32_t entries, bool forgets);
void history_finish(struct history *history);

/* Transaction `id` reads the word: the youngest one known to write it, from `oldest` on; 0: none.
 * IDs come in order. */
uint32_t history_read(struct history *history, uint64_t word, uint32_t id, uint32_t oldest);
/* It will write the word. Signatures only: the youngest one that reads or writes it. */
uint32_t history_write(struct history *history, uint64_t word, uint32_t id, uint32_t oldest);
/* So many transactions may be in the ring from now on, a power of two: `oldest` is no further back
 * than that. */
void history_enlarge(struct history *history, uint32_t entries);

/* ---- signatures.c: a signature of reads and one of writes for each transaction ---- */
void signatures_init(struct history_signatures *signatures, uint32_t bits, uint32_t capacity);
void signatures_enlarge(struct history_signatures *signatures, uint32_t capacity);
void signatures_finish(struct history_signatures *signatures);
/* Those of all IDs up to this are there, as many as there is room for. */
void signatures_begin(struct history_signatures *signatures, uint32_t id);
/* `bits`: one of each part. */
void signatures_add(struct history_signatures *signatures, unsigned set, uint32_t id,
                    const uint32_t *bits);
/* The youngest from `oldest` to before `id` whose signature of the set has all of them; 0: none. */
uint32_t signatures_find(const struct history_signatures *signatures, unsigned set, uint32_t id,
                         uint32_t oldest, const uint32_t *bits);

#endif
