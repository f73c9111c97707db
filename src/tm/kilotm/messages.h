/* SPDX-License-Identifier: MIT */
/*
 * What compute units and commit units of KILO TM send to each other.
 *
 * struct message   kind         TRANSACTION, or TRANSACTION_REPLY from a commit unit
 *                  rmw          enum kilotm_kind
 *                  transaction  commit ID of the wavefront's first transaction that commits now
 *                  mask         which of its transactions: bit i has ID transaction + i
 *                  requester    compute unit, wavefront slot; part: how many transactions there are
 * of sets          entry_count  words, one of each transaction in mask, lowest first
 *                  addr         their addresses' bits from 34 up
 *                  word_bytes   which bytes of the words are meant
 *
 * A packet is what a row of a log has for one channel: 8 bytes, and 8 a word. More than 8 words go
 * as several messages, of which the first has the header; links carry no more for it.
 */
#ifndef TM_KILOTM_MESSAGES_H
#define TM_KILOTM_MESSAGES_H

#include "base/bits.h"
#include "mem/msg.h"

#define KILOTM_KINDS(X)                                                                            \
    X(READ_SET, read_set)                                                                          \
    X(WRITE_SET, write_set)                                                                        \
    X(FILLED, filled)                                                                              \
    X(SKIP, skip)                                                                                  \
    X(PASS, pass)                                                                                  \
    X(FAIL, fail)                                                                                  \
    X(READS_AGAIN, reads_again)                                                                    \
    X(WRITES_AGAIN, writes_again)                                                                  \
    X(AGAIN, again)                                                                                \
    X(CU_PASS, unit_pass)                                                                          \
    X(CU_FAIL, unit_fail)                                                                          \
    X(CU_DONE, unit_done)                                                                          \
    X(CU_RETIRED, unit_retired)                                                                    \
    X(CU_READS_AGAIN, unit_reads_again)                                                            \
    X(CU_WRITES_AGAIN, unit_writes_again)

enum kilotm_kind {
#define KILOTM_KIND(name, statistic) KILOTM_##name,
    KILOTM_KINDS(KILOTM_KIND)
#undef KILOTM_KIND
        KILOTM_KIND_COUNT
};

enum { KILOTM_HEADER_BYTES = 8, KILOTM_WORD_SHIFT = 34 };

/* The address of a set's word, and back. */
static inline uint64_t kilotm_address(const struct message *message,
                                      const struct message_entry *entry)
{
    return message->addr | (uint64_t)entry->word << 2;
}

static inline uint64_t kilotm_high_bits(uint64_t address)
{
    return address >> KILOTM_WORD_SHIFT << KILOTM_WORD_SHIFT;
}

/* The position of the nth set bit, from 0. */
static inline unsigned kilotm_nth_bit(uint64_t mask, unsigned n)
{
    while (n-- > 0)
        mask &= mask - 1;
    return lowest_bit(mask);
}

/* A byte mask of a word as a mask of its bits. */
static inline uint32_t kilotm_bits(uint8_t bytes)
{
    return ((bytes & 1) != 0 ? 0xffu : 0) | ((bytes & 2) != 0 ? 0xff00u : 0) |
           ((bytes & 4) != 0 ? 0xff0000u : 0) | ((bytes & 8) != 0 ? 0xff000000u : 0);
}

#endif
