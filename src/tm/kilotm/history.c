/* SPDX-License-Identifier: MIT */
#include "tm/kilotm/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/random.h"
#include "base/text.h"

enum { FIRST_CAPACITY = 1024 };

PARAMETER_CHOICES(kilotm_history_word,
                  {"lwh", "a table of last writers, and a recency Bloom filter for the others"},
                  {"perfect", "all last writers"},
                  {"bloom_array", "signatures of each transaction"})

static uint32_t h3_hash(const uint32_t *matrix, uint64_t word)
{
    uint32_t hash = 0;
    uint64_t bits = word & low_mask(HISTORY_BITS);

    for_each_bit(bit, bits) hash ^= matrix[bit];
    return hash;
}

void history_init(struct history *history, const struct kilotm_parameters *parameters,
                  uint32_t entries, bool forgets)
{
    struct random random = {HISTORY_HASHES};

    memset(history, 0, sizeof *history);
    history->is_perfect = strcmp(parameters->history, "perfect") == 0;
    history->is_array = strcmp(parameters->history, "bloom_array") == 0;
    history->forgets = forgets;
    history->entries = entries;
    history->ways = (uint32_t)parameters->history_ways;
    history->sets = (uint32_t)(parameters->history_entries / parameters->history_ways);
    history->buckets = (uint32_t)(parameters->bloom_buckets / HISTORY_HASHES);
    history->table = allocate((size_t)history->sets * history->ways, sizeof *history->table);
    history->bloom = allocate((size_t)history->buckets * HISTORY_HASHES, sizeof *history->bloom);
    if (history->is_perfect) {
        history->word_capacity = FIRST_CAPACITY;
        history->words = allocate(FIRST_CAPACITY, sizeof *history->words);
    }
    if (history->is_array)
        signatures_init(&history->signatures, (uint32_t)parameters->signature_bits, entries);
    for (unsigned i = 0; i <= HISTORY_HASHES; i++)
        for (unsigned j = 0; j < HISTORY_BITS; j++)
            history->matrix[i][j] = (uint32_t)random_next(&random);
}

void history_finish(struct history *history)
{
    free(history->table);
    free(history->bloom);
    free(history->words);
    signatures_finish(&history->signatures);
}

/* ---- perfect ---- */

static struct history_entry *find_word(const struct history *history, uint64_t word)
{
    uint32_t place = h3_hash(history->matrix[0], word) & (history->word_capacity - 1);

    while (history->words[place].id != 0 && history->words[place].word != word)
        place = (place + 1) & (history->word_capacity - 1);
    return &history->words[place];
}

static void put_word(struct history *history, uint64_t word, uint32_t id)
{
    struct history_entry *entry = find_word(history, word);

    history->word_count += entry->id == 0;
    *entry = (struct history_entry){word, id};
}

/* What no transaction can ask for any more goes; twice the room for what stays, if that is needed.
 * A writer that has retired may still be a hazard: one that began to be validated before that, and
 * is not yet looked up. It was in the ring with that writer. */
static void clean_words(struct history *history, uint32_t id)
{
    struct history_entry *old = history->words;
    uint32_t capacity = history->word_capacity, kept = 0;
    uint32_t oldest = id > history->entries ? id - history->entries : 0;

    for (uint32_t i = 0; i < capacity; i++)
        kept += old[i].id != 0 && old[i].id >= oldest;
    history->word_capacity = 4 * kept > capacity ? 2 * capacity : capacity;
    history->words = allocate(history->word_capacity, sizeof *history->words);
    history->word_count = 0;
    for (uint32_t i = 0; i < capacity; i++)
        if (old[i].id != 0 && old[i].id >= oldest)
            put_word(history, old[i].word, old[i].id);
    free(old);
}

/* ---- table and filter ---- */

static struct history_entry *set_of(const struct history *history, uint64_t word)
{
    uint32_t set = h3_hash(history->matrix[HISTORY_HASHES], word) % history->sets;

    return &history->table[(size_t)set * history->ways];
}

static uint32_t *bucket_of(const struct history *history, unsigned hash, uint64_t word)
{
    return &history->bloom[(size_t)hash * history->buckets +
                           h3_hash(history->matrix[hash], word) % history->buckets];
}

static uint32_t filter_answer(const struct history *history, uint64_t word)
{
    uint32_t min = UINT32_MAX;

    for (unsigned i = 0; i < HISTORY_HASHES; i++)
        if (*bucket_of(history, i, word) < min)
            min = *bucket_of(history, i, word);
    return min;
}

static uint32_t find_writer(const struct history *history, uint64_t word, uint32_t oldest)
{
    const struct history_entry *set;
    uint32_t id;

    if (history->is_perfect) {
        id = find_word(history, word)->id;
        return id >= oldest ? id : 0;
    }
    set = set_of(history, word);
    for (uint32_t i = 0; i < history->ways; i++)
        if (set[i].id != 0 && set[i].word == word && set[i].id >= oldest)
            return set[i].id;
    id = filter_answer(history, word);
    return id >= oldest ? id : 0;
}

static struct history_entry *choose_way(const struct history *history, uint64_t word)
{
    struct history_entry *set = set_of(history, word), *oldest = set;

    for (uint32_t i = 0; i < history->ways; i++)
        if (set[i].id != 0 && set[i].word == word)
            return &set[i];
    for (uint32_t i = 0; i < history->ways; i++)
        if (set[i].id < oldest->id)
            oldest = &set[i];
    return oldest;
}

static void add_writer(struct history *history, uint64_t word, uint32_t id)
{
    struct history_entry *entry;

    if (history->is_perfect) {
        if (2 * history->word_count >= history->word_capacity)
            clean_words(history, id);
        put_word(history, word, id);
        return;
    }
    entry = choose_way(history, word);
    for (unsigned i = 0; i < HISTORY_HASHES && !history->forgets; i++)
        if (entry->id != 0 && entry->word != word &&
            *bucket_of(history, i, entry->word) < entry->id)
            *bucket_of(history, i, entry->word) = entry->id;
    *entry = (struct history_entry){word, id};
}

/* ---- signatures ---- */

static void bits_of(const struct history *history, uint64_t word, uint32_t *bits)
{
    uint32_t part = history->signatures.bits / HISTORY_HASHES;

    for (unsigned i = 0; i < HISTORY_HASHES; i++)
        bits[i] = i * part + h3_hash(history->matrix[i], word) % part;
}

void history_enlarge(struct history *history, uint32_t entries)
{
    history->entries = entries;
    if (history->is_array)
        signatures_enlarge(&history->signatures, entries);
}

uint32_t history_read(struct history *history, uint64_t word, uint32_t id, uint32_t oldest)
{
    uint32_t bits[HISTORY_HASHES];

    if (!history->is_array)
        return find_writer(history, word, oldest);
    bits_of(history, word, bits);
    signatures_begin(&history->signatures, id);
    signatures_add(&history->signatures, HISTORY_READS, id, bits);
    return signatures_find(&history->signatures, HISTORY_WRITES, id, oldest, bits);
}

uint32_t history_write(struct history *history, uint64_t word, uint32_t id, uint32_t oldest)
{
    uint32_t bits[HISTORY_HASHES], reader, writer;

    if (!history->is_array) {
        add_writer(history, word, id);
        return 0;
    }
    bits_of(history, word, bits);
    signatures_begin(&history->signatures, id);
    signatures_add(&history->signatures, HISTORY_WRITES, id, bits);
    reader = signatures_find(&history->signatures, HISTORY_READS, id, oldest, bits);
    writer = signatures_find(&history->signatures, HISTORY_WRITES, id, oldest, bits);
    return reader > writer ? reader : writer;
}
