/* SPDX-License-Identifier: MIT */
/* Signatures of transactions, transposed: a row for each bit, a column for each transaction. So a
 * word is looked up in 64 transactions at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "tm/kilotm/history.h"

enum { SETS = 2, COLUMN_BITS = 64 };

static uint64_t *column_word(const struct history_signatures *signatures, unsigned set,
                             uint32_t bit, uint32_t id)
{
    uint32_t column = id & (signatures->capacity - 1);

    return &signatures->rows[set][(size_t)bit * (signatures->capacity / COLUMN_BITS) +
                                  column / COLUMN_BITS];
}

void signatures_init(struct history_signatures *signatures, uint32_t bits, uint32_t capacity)
{
    signatures->bits = bits;
    signatures->capacity = capacity;
    signatures->end = 0;
    for (unsigned set = 0; set < SETS; set++)
        signatures->rows[set] = allocate((size_t)bits * capacity / COLUMN_BITS, sizeof(uint64_t));
}

void signatures_finish(struct history_signatures *signatures)
{
    for (unsigned set = 0; set < SETS; set++)
        free(signatures->rows[set]);
}

static void copy_column(const struct history_signatures *from, const struct history_signatures *to,
                        unsigned set, uint32_t id)
{
    for (uint32_t bit = 0; bit < from->bits; bit++) {
        uint64_t is_set = *column_word(from, set, bit, id) >> (id % COLUMN_BITS) & 1;

        *column_word(to, set, bit, id) |= is_set << (id % COLUMN_BITS);
    }
}

void signatures_enlarge(struct history_signatures *signatures, uint32_t capacity)
{
    struct history_signatures old = *signatures;
    uint32_t kept = old.end < old.capacity ? old.end : old.capacity;

    signatures->capacity = capacity;
    for (unsigned set = 0; set < SETS; set++) {
        signatures->rows[set] =
            allocate((size_t)old.bits * capacity / COLUMN_BITS, sizeof(uint64_t));
        for (uint32_t i = 0; i < kept; i++)
            copy_column(&old, signatures, set, old.end - i);
    }
    signatures_finish(&old);
}

void signatures_begin(struct history_signatures *signatures, uint32_t id)
{
    for (; signatures->end < id; signatures->end++) {
        uint32_t next = signatures->end + 1;
        uint64_t mask = ~(UINT64_C(1) << (next % COLUMN_BITS));

        for (unsigned set = 0; set < SETS; set++)
            for (uint32_t bit = 0; bit < signatures->bits; bit++)
                *column_word(signatures, set, bit, next) &= mask;
    }
}

void signatures_add(struct history_signatures *signatures, unsigned set, uint32_t id,
                    const uint32_t *bits)
{
    for (unsigned i = 0; i < HISTORY_HASHES; i++)
        *column_word(signatures, set, bits[i], id) |= UINT64_C(1) << (id % COLUMN_BITS);
}

uint32_t signatures_find(const struct history_signatures *signatures, unsigned set, uint32_t id,
                         uint32_t oldest, const uint32_t *bits)
{
    uint32_t last = id - 1;

    while (last >= oldest && last != 0) {
        uint32_t first = last - last % COLUMN_BITS;
        uint64_t found = low_mask(last % COLUMN_BITS + 1);

        for (unsigned i = 0; i < HISTORY_HASHES; i++)
            found &= *column_word(signatures, set, bits[i], last);
        if (found != 0) {
            last = first + COLUMN_BITS - 1 - (uint32_t)__builtin_clzll(found);
            return last >= oldest ? last : 0;
        }
        if (first == 0)
            return 0;
        last = first - 1;
    }
    return 0;
}
