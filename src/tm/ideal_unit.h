/* SPDX-License-Identifier: MIT */
/* A compute unit's part of the system `ideal_global`. */
#ifndef TM_IDEAL_UNIT_H
#define TM_IDEAL_UNIT_H

#include "base/bits.h"
#include "tm/ideal_global.h"
#include "tm/limit.h"

#define IDEAL_GLOBAL_STATISTICS(X)                                                                 \
    X(COUNTER, commits, "lanes", "lanes that committed")                                           \
    X(COUNTER, failed_at_access, "lanes",                                                          \
      "lanes that aborted because a word they had read changed")                                   \
    X(COUNTER, failed_at_commit, "lanes", "the same, found at their commit")                       \
    X(COUNTER, from_table, "words", "loaded words that memory did not have yet")                   \
    X(COUNTER, stores, "stores", "accesses to L1 that took committed words to memory")             \
    X(COUNTER, token_waits, "wavefronts", "that had to wait for others of the compute unit")

struct ideal_statistics {
    IDEAL_GLOBAL_STATISTICS(STATISTIC_FIELD)
};
enum commit_state { COMMIT_NONE, COMMIT_SENT, COMMIT_DECIDED };

struct ideal_wavefront {
    struct ideal_log logs[ISA_MAX_LANES];
    struct ideal_flights flights;
    uint32_t atomics; /* of those */
    uint32_t sequence;
    enum commit_state state;
    uint64_t asked, passed, first_order;
};

struct ideal_unit {
    struct tm_unit unit;
    struct ideal_statistics statistics;
    struct tm_limit limit;
    bool pays_at_execution;
    struct ideal_debts debts;
    uint64_t breaks;
    uint64_t *answered; /* lines whose stores were answered, not yet told */
    uint32_t answered_count, answered_capacity;
    struct ideal_wavefront wavefronts[TM_MAX_WAVEFRONTS];
};

static inline struct ideal_unit *ideal_of(struct tm_unit *unit)
{
    return container_of(unit, struct ideal_unit, unit);
}

static inline struct ideal_table *ideal_table_of(const struct tm_unit *unit)
{
    return ideal_centre_table(unit->to_centre);
}

static inline uint64_t ideal_cycle(const struct tm_unit *unit)
{
    return component_cycle(unit->compute_unit);
}

/* ---- its way to memory and to the table: ideal_way.c ---- */
uint64_t ideal_next_cycle(const struct tm_unit *unit);
void ideal_tick(struct tm_unit *unit);
bool ideal_send(struct tm_unit *unit, struct message *message);
void ideal_receive(struct tm_unit *unit, const struct message *message);
void ideal_packet(struct tm_unit *unit, const struct tm_packet *packet);
void ideal_explain(const struct tm_unit *unit, struct text *text);

#endif
