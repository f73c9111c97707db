/* SPDX-License-Identifier: MIT */
#include "gpu/scalar_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { FIRST_CAPACITY = 1024 };

struct word {
    uint64_t number; /* address / 4 + 1; 0: the entry is free */
    struct word_access access;
};

/* Open addressing; at most half full. */
struct word_table {
    struct word *words;
    uint64_t capacity, used;
};

struct scalar_words {
    struct word_table read, written;
};

static void table_init(struct word_table *table, uint64_t capacity)
{
    table->capacity = capacity;
    table->used = 0;
    table->words = allocate(capacity, sizeof *table->words);
}

struct scalar_words *scalar_words_create(void)
{
    struct scalar_words *words = allocate(1, sizeof *words);

    table_init(&words->read, FIRST_CAPACITY);
    table_init(&words->written, FIRST_CAPACITY);
    return words;
}

void scalar_words_destroy(struct scalar_words *words)
{
    if (words == NULL)
        return;
    free(words->read.words);
    free(words->written.words);
    free(words);
}

static void clear_table(struct word_table *table)
{
    memset(table->words, 0, table->capacity * sizeof *table->words);
    table->used = 0;
}

void scalar_words_clear(struct scalar_words *words)
{
    clear_table(&words->read);
    clear_table(&words->written);
}

/* The word's entry, or the free one where it belongs. */
static struct word *find_word(const struct word_table *table, uint64_t number)
{
    for (uint64_t place = number * UINT64_C(0x9e3779b97f4a7c15) >> 20;; place++) {
        struct word *word = &table->words[place & (table->capacity - 1)];

        if (word->number == 0 || word->number == number)
            return word;
    }
}

static void table_grow(struct word_table *table)
{
    struct word_table old = *table;

    table_init(table, 2 * old.capacity);
    table->used = old.used;
    for (uint64_t i = 0; i < old.capacity; i++)
        if (old.words[i].number != 0)
            *find_word(table, old.words[i].number) = old.words[i];
    free(old.words);
}

static bool is_before(const struct word_access *one, const struct word_access *other)
{
    if (one->pc != other->pc)
        return one->pc < other->pc;
    for (unsigned i = 3; i-- > 0;)
        if (one->group[i] != other->group[i])
            return one->group[i] < other->group[i];
    return one->wavefront < other->wavefront;
}

static void add_words(struct word_table *table, uint64_t address, uint32_t bytes,
                      const struct word_access *access)
{
    for (uint64_t i = address / 4; i <= (address + bytes - 1) / 4; i++) {
        struct word *word = find_word(table, i + 1);

        if (word->number == 0) {
            *word = (struct word){.number = i + 1, .access = *access};
            if (2 * ++table->used > table->capacity)
                table_grow(table);
        } else if (is_before(access, &word->access)) {
            word->access = *access;
        }
    }
}

void scalar_words_read(struct scalar_words *words, uint64_t address, uint32_t bytes,
                       const struct word_access *access)
{
    add_words(&words->read, address, bytes, access);
}

void scalar_words_written(struct scalar_words *words, uint64_t address, uint32_t bytes,
                          const struct word_access *access)
{
    add_words(&words->written, address, bytes, access);
}

bool scalar_words_judge(const struct scalar_words *words, struct fault *fault)
{
    const struct word *read = NULL, *written = NULL;

    for (uint64_t i = 0; words->written.used > 0 && i < words->read.capacity; i++) {
        const struct word *word = &words->read.words[i], *other;

        if (word->number == 0 || (read != NULL && read->number < word->number))
            continue;
        other = find_word(&words->written, word->number);
        if (other->number == 0)
            continue;
        read = word;
        written = other;
    }
    if (read == NULL)
        return false;
    *fault = (struct fault){.kind = FAULT_TRANSACTION,
                            .wavefront = read->access.wavefront,
                            .pc = read->access.pc,
                            .address = (read->number - 1) * 4,
                            .other_pc = written->access.pc,
                            .reason = TM_REASON_SCALAR};
    memcpy(fault->group, read->access.group, sizeof fault->group);
    return true;
}
