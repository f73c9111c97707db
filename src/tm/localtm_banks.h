/* SPDX-License-Identifier: MIT */
/* The banks' part of GPU-LocalTM: filters, owners and old values of one work-group. No wavefront is
 * known here but by its number in the group; see tm/localtm.h for what is modelled. */
#ifndef TM_LOCALTM_BANKS_H
#define TM_LOCALTM_BANKS_H

#include "tm/localtm.h"
#include "tm/tm.h"

#define LOCALTM_STATISTICS(X)                                                                      \
    X(COUNTER, accesses, "words", "words that lanes of transactions accessed")                     \
    X(COUNTER, conflicts, "lanes", "lanes that found another's filter positive")                   \
    X(COUNTER, conflicts_in_wavefront, "lanes", "of these, only filters of their own wavefront")   \
    X(COUNTER, false_conflicts, "lanes",                                                           \
      "of the conflicts, on a word that no other owned (with one filter for reads and writes)")    \
    X(COUNTER, repeated, "words", "accesses to a word that the lane owned")                        \
    X(COUNTER, copies, "words", "old values and owners kept")                                      \
    X(COUNTER, restored, "words", "old values put back")                                           \
    X(COUNTER, released, "words", "owners cleared by commits")                                     \
    X(COUNTER, detect_cycles, "cycles", "cycles of the banks for detection")                       \
    X(COUNTER, version_cycles, "cycles", "to keep old values at accesses")                         \
    X(COUNTER, restore_cycles, "cycles", "to put them back")                                       \
    X(COUNTER, release_cycles, "cycles", "to clear what committed")                                \
    X(COUNTER, marker_cycles, "cycles", "of begins and commits, as scalar instructions")           \
    X(COUNTER, wavefront_serialised, "attempts", "attempts of one lane of a wavefront")            \
    X(COUNTER, serialised_commits, "lanes", "lanes that committed in one")                         \
    X(COUNTER, group_serialised, "attempts", "of these attempts, with the work-group stopped")     \
    X(COUNTER, commits, "lanes", "lanes that committed")

struct localtm_statistics {
    LOCALTM_STATISTICS(STATISTIC_FIELD)
};

enum { LOCALTM_ITEMS = 256, LOCALTM_MAX_BANKS = 64 };

struct localtm_settings {
    const struct localtm_parameters *parameters;
    uint32_t banks, bits;
    bool by_word, scans, tells_reads, has_valid;
    uint64_t breaks;
};

/* Of a resident work-group. */
struct localtm_group {
    const struct localtm_settings *settings;
    struct localtm_statistics *statistics;
    const struct tm_group *group; /* NULL: none is resident */
    uint32_t words;
    uint64_t *filters[2]; /* [bank][bit][wavefront], a bit for each lane; reads (or all), writes */
    uint32_t *values;     /* the variables, in local memory */
    uint32_t *old;        /* behind them */
    unsigned char *owner; /* behind those */
    bool *is_valid;       /* beside the owner bytes */
    uint32_t *next;       /* the next word of the same owner */
    uint32_t first[LOCALTM_ITEMS]; /* its first word; NO_WORD */
    uint32_t word_capacity;
};

/* Bank accesses by bank: the busiest decides. */
struct localtm_load {
    uint32_t bank[LOCALTM_MAX_BANKS];
};
uint32_t localtm_busiest(const struct localtm_load *load, const struct localtm_settings *settings);

void localtm_group_init(struct localtm_group *state, const struct localtm_settings *settings,
                        struct localtm_statistics *statistics, const struct tm_group *group);
void localtm_group_finish(struct localtm_group *state);

/* Stages 1 and 2 for one word of one lane. False: a conflict; the word's bank has put back what the
 * lane changed there. */
bool localtm_touch(struct localtm_group *state, const struct tm_wavefront *wavefront, unsigned lane,
                   uint32_t word, bool is_write, struct localtm_load *copies,
                   struct localtm_load *restores);
/* Stage 3, or an abort from outside: all banks put back what the lanes changed and clear their
 * filters. */
void localtm_undo(struct localtm_group *state, const struct tm_wavefront *wavefront, uint64_t lanes,
                  struct localtm_load *restores);
/* The lanes have committed. */
void localtm_release(struct localtm_group *state, const struct tm_wavefront *wavefront,
                     uint64_t lanes, struct localtm_load *load);

#endif
