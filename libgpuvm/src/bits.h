/* SPDX-License-Identifier: MIT */
/*
 * Bitmaps, one bit a page, and runs of pages in which several bitmaps agree. Ranges are [from, to).
 * The functions that change bits say how many changed, so that owners keep exact counts.
 */
#ifndef GPUVM_BITS_H
#define GPUVM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BITS_WORDS(bits) (((bits) + 63) / 64)

static inline bool bits_get(const uint64_t *bits, size_t at)
{
    return bits[at / 64] >> (at % 64) & 1;
}

/* The bits of word `word` that lie in [from, to). */
static inline uint64_t bits_mask(size_t word, size_t from, size_t to)
{
    uint64_t mask = ~UINT64_C(0);
    if (word == from / 64)
        mask &= ~UINT64_C(0) << (from % 64);
    if (word == to / 64)
        mask &= ~(~UINT64_C(0) << (to % 64));
    return mask;
}

static inline size_t bits_words_end(size_t to)
{
    return BITS_WORDS(to);
}

static inline size_t bits_set(uint64_t *bits, size_t from, size_t to)
{
    size_t changed = 0;
    for (size_t word = from / 64; from < to && word < bits_words_end(to); word++) {
        uint64_t fresh = bits_mask(word, from, to) & ~bits[word];
        bits[word] |= fresh;
        changed += (size_t)__builtin_popcountll(fresh);
    }
    return changed;
}

static inline size_t bits_clear(uint64_t *bits, size_t from, size_t to)
{
    size_t changed = 0;
    for (size_t word = from / 64; from < to && word < bits_words_end(to); word++) {
        uint64_t gone = bits_mask(word, from, to) & bits[word];
        bits[word] &= ~gone;
        changed += (size_t)__builtin_popcountll(gone);
    }
    return changed;
}

static inline size_t bits_count(const uint64_t *bits, size_t from, size_t to)
{
    size_t count = 0;
    for (size_t word = from / 64; from < to && word < bits_words_end(to); word++)
        count += (size_t)__builtin_popcountll(bits_mask(word, from, to) & bits[word]);
    return count;
}

/* In [from, to): bits = source, of which only those in `only` and not in `but` count (NULL: all).
 */
static inline void bits_copy(uint64_t *bits, const uint64_t *source, const uint64_t *only,
                             const uint64_t *but, size_t from, size_t to)
{
    for (size_t word = from / 64; from < to && word < bits_words_end(to); word++) {
        uint64_t range = bits_mask(word, from, to), value = source[word];
        if (only)
            value &= only[word];
        if (but)
            value &= ~but[word];
        bits[word] = (bits[word] & ~range) | (value & range);
    }
}

/* Pages whose bit is set in each of `with` and clear in each of `without` (NULL: no condition). */
struct runs {
    const uint64_t *with[2];
    const uint64_t *without[2];
    size_t at, end; /* what is left to look at */
};

static inline uint64_t runs_word(const struct runs *runs, size_t word)
{
    uint64_t value = ~UINT64_C(0);
    for (int i = 0; i < 2; i++) {
        if (runs->with[i])
            value &= runs->with[i][word];
        if (runs->without[i])
            value &= ~runs->without[i][word];
    }
    return value;
}

static inline bool runs_has(const struct runs *runs, size_t at)
{
    return runs_word(runs, at / 64) >> (at % 64) & 1;
}

/* The first page at or after `at` whose membership is `wanted`, or `end`. */
static inline size_t runs_find(const struct runs *runs, size_t at, bool wanted)
{
    while (at < runs->end) {
        uint64_t value = runs_word(runs, at / 64);
        if (!wanted)
            value = ~value;
        value &= ~UINT64_C(0) << (at % 64);
        if (value) {
            size_t found = at / 64 * 64 + (size_t)__builtin_ctzll(value);
            return found < runs->end ? found : runs->end;
        }
        at = (at / 64 + 1) * 64;
    }
    return runs->end;
}

/* The next run; false at the end. The bitmaps may change behind what has been returned. */
static inline bool runs_next(struct runs *runs, size_t *from, size_t *to)
{
    *from = runs_find(runs, runs->at, true);
    if (*from >= runs->end)
        return false;
    *to = runs_find(runs, *from, false);
    runs->at = *to;
    return true;
}

#endif
