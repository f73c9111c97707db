/* SPDX-License-Identifier: MIT */
/*
 * A commit unit of KILO TM: the transactions whose words lie in its channel, in the order of their
 * commit IDs.
 *
 * messages ─► entry ─► speculative validation: each word of the read set is loaded as it comes
 *               │
 * ring:  retire ≤ commit ≤ pass ≤ hazard ≤ head          pointers: the next ID to be looked at
 *          │        │       │       └ its logs are here: reads are looked up in the last
 *          │        │       │         writer history (a younger writer than its RCID: a
 *          │        │       │         hazard; YCID), then its writes are put there
 *          │        │       └ no hazard: its outcome here is sent when all words are validated;
 *          │        │         a hazard: when all up to YCID have retired, they are loaded again
 *          │        └ the compute unit's word: its writes are stored, or it is dropped
 *          └ stores are acknowledged, and no load is under way
 *
 * A cycle is enough for one scalar message (a word of a set, or a lane of a packet). It is also
 * enough for one operation on the history, and one entry for each pointer. To the slice go one load
 * and one store in a cycle, and one packet is sent.
 *
 * Invariants: an entry's first load is sent after its RCID, the retire pointer, was noted. A
 * transaction's stores are acknowledged before any that found a hazard with it is validated again.
 * So at its outcome what it read is memory as all older transactions leave it.
 * Left out: words of sets that overflow are kept all the same, so that a use of them is like any
 * other. It waits until they have come again. Source: the paper's 4.5, Figures 4 and 5.
 */
#ifndef TM_KILOTM_COMMIT_UNIT_H
#define TM_KILOTM_COMMIT_UNIT_H

#include "tm/kilotm/history.h"
#include "tm/kilotm/messages.h"
#include "tm/tm.h"

#define COMMIT_UNIT_STATISTICS(X)                                                                  \
    X(COUNTER, entries, "transactions", "that had words here")                                     \
    X(COUNTER, skipped, "transactions", "that had none")                                           \
    X(COUNTER, validations, "words", "loaded to be compared")                                      \
    X(COUNTER, hazards, "transactions",                                                            \
      "that had to wait for an older one, and to validate again")                                  \
    X(COUNTER, failed, "transactions", "that failed at their first validation")                    \
    X(COUNTER, failed_again, "transactions", "that failed when they were validated again")         \
    X(COUNTER, passed, "transactions", "that passed here")                                         \
    X(COUNTER, writes, "words", "stored by transactions that committed")                           \
    X(COUNTER, history_reads, "words", "looked up in the last writer history")                     \
    X(COUNTER, history_writes, "words", "put into it")                                             \
    X(HISTOGRAM, ring, "entries", "in the ring, by entries allocated")                             \
    X(HISTOGRAM, read_set, "words", "of read sets here, by transactions with words here")          \
    X(HISTOGRAM, write_set, "words", "of write sets here, by transactions with words here")        \
    X(COUNTER, long_read_sets, "transactions", "of these, with more than 8 words to read")         \
    X(COUNTER, long_write_sets, "transactions", "of these, with more than 8 words to write")       \
    X(HISTOGRAM, buffers_all, "buffers", "if each entry had two, by cycles with an entry")         \
    X(HISTOGRAM, buffers_accessed, "buffers", "if each with words here had two")                   \
    X(HISTOGRAM, buffers_used, "buffers", "if each set that is not empty had one")                 \
    X(HISTOGRAM, buffers_needed, "buffers", "if it had one until its words are needed no more")    \
    X(COUNTER, overflows, "sets", "that were longer than their buffer, or had none")               \
    X(COUNTER, resends, "sets", "that were asked for again")

struct commit_unit_statistics {
    COMMIT_UNIT_STATISTICS(STATISTIC_FIELD)
};

/* Which sets have buffers: the paper's 6.4.2. */
enum buffer_scheme { BUFFERS_ALL, BUFFERS_ACCESSED, BUFFERS_USED, BUFFERS_NEEDED, BUFFER_SCHEMES };

enum { SET_READS, SET_WRITES, SETS };

enum entry_state {
    ENTRY_FILL,   /* its words come; validation goes on */
    ENTRY_FAILED, /* a word was another; not yet said */
    ENTRY_AGAIN,  /* being validated again */
    ENTRY_PASSED, /* said; the outcome of all units is awaited */
    ENTRY_READY,  /* to be committed */
    ENTRY_SENT,   /* its stores are under way */
    ENTRY_RETIRED
};

struct kilotm_word {
    uint64_t address;
    uint32_t value;
    uint8_t bytes;
};

struct kilotm_words {
    struct kilotm_word *list;
    uint32_t count, capacity;
};

/* A transaction here. */
struct entry {
    uint8_t state;
    bool is_filled, has_begun, has_hazard, differs;
    uint16_t unit, slot, lanes; /* whose; of how many that commit together */
    uint32_t base;              /* commit ID of the first of those */
    uint32_t rcid, ycid;
    uint32_t loads, stores;         /* waiting or under way */
    uint32_t looked_up;             /* words of both sets that the hazard pointer is done with */
    uint8_t wanted[BUFFER_SCHEMES]; /* buffers, by scheme */
    bool has_buffer[SETS];
    bool overflows[SETS]; /* its words must come again for each use: */
    bool awaits[SETS], is_here[SETS];
    uint32_t resent; /* words of the set that is awaited */
    struct kilotm_words reads, writes;
};

/* A word of an entry that waits to be sent to the slice. */
struct commit_access {
    uint32_t id, word;
};

struct commit_accesses {
    struct commit_access *list; /* a ring; capacity is a power of two */
    uint32_t first, count, capacity;
};

struct commit_answer {
    uint64_t mask, changed_at;
    uint32_t base;
    uint16_t unit, slot, lanes;
    uint8_t kind;
};

struct commit_answers {
    struct commit_answer *list;
    uint32_t first, count, capacity;
};

struct commit_unit {
    struct tm_partition partition;
    struct commit_unit_statistics statistics;
    const struct kilotm_parameters *parameters;
    uint64_t breaks;
    struct entry *entries; /* [ID % capacity] */
    uint32_t capacity;
    uint32_t retire, commit, pass, hazard, head;
    struct history history;
    uint8_t scheme; /* enum buffer_scheme, of the buffers that there are */
    uint32_t buffers_taken;
    struct occupancy buffers[BUFFER_SCHEMES];
    struct commit_accesses loads, stores;
    struct commit_answers answers;
    uint32_t position; /* scalar messages of the oldest message that are done */
};

static inline struct entry *commit_entry(const struct commit_unit *unit, uint32_t id)
{
    return &unit->entries[id & (unit->capacity - 1)];
}

/* ---- stages.c ---- */
void commit_accesses_put(struct commit_accesses *accesses, uint32_t id, uint32_t word);
/* Tells the compute unit; what comes in one cycle after another of a wavefront goes together. */
void commit_answer(struct commit_unit *unit, uint32_t id, enum kilotm_kind kind);
/* The entry has passed, or not, for good. */
void commit_conclude(struct commit_unit *unit, uint32_t id);
/* A validation's word is here; a store is done. */
void commit_loaded(struct commit_unit *unit, uint32_t id, uint32_t word, uint32_t value);
void commit_stored(struct commit_unit *unit, uint32_t id);
/* Each pointer moves by an entry at most. True: something was done. */
bool commit_advance(struct commit_unit *unit);

/* ---- buffers.c ---- */
/* The entry's buffers follow from its state and its sets; called whenever one changes. */
void commit_buffers(struct commit_unit *unit, uint32_t id);
/* The entry retires. */
void commit_buffers_end(struct commit_unit *unit, uint32_t id);
/* A set's words are here, for one use; else they are asked for. */
bool commit_set_is_here(struct commit_unit *unit, uint32_t id, unsigned set);
/* All words that were asked for have come again. */
void commit_set_came(struct commit_unit *unit, uint32_t id);
/* Cycles up to now are counted. */
void commit_buffers_settle(struct commit_unit *unit);

/* ---- commit_unit.c ---- */
struct tm_partition *commit_unit_create(const struct tm_system *system,
                                        const struct tm_options *options, uint32_t number);
void commit_unit_destroy(struct tm_partition *partition);

#endif
