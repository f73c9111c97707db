/* SPDX-License-Identifier: MIT */
/*
 * What the head of a cache's request port waited for, as far back as requests stand in the queue.
 * So each of them, when its turn comes, can be told what kept it. A ring of changes; the oldest are
 * overwritten, and time before them counts as waiting for requests that were being served.
 */
#ifndef MEM_STALL_LOG_H
#define MEM_STALL_LOG_H

#include "mem/journey.h"

enum { STALL_LOG_CAUSES = 7 }; /* with none */

struct stall_change {
    uint64_t cycle;                   /* the head waits for `cause` from here on */
    uint32_t cause;                   /* enum stall_cause */
    uint32_t spent[STALL_LOG_CAUSES]; /* cycles of each until here, from some beginning on */
};

struct stall_log {
    struct stall_change *changes; /* a ring */
    uint32_t mask, latest;
    uint32_t arrival; /* the change that was in force when the latest request arrived */
};

/* For a port of so many messages. */
void stall_log_init(struct stall_log *log, uint32_t messages);
void stall_log_finish(struct stall_log *log);

/* From the cycle on the head waits for `cause`. */
void stall_log_note(struct stall_log *log, unsigned cause, uint64_t cycle);

/* The request has stood in the queue from where its journey ends until `cycle`, now. `queue` is the
 * part for a head that waits for nothing; one for each cause follows. Of many changes those of one
 * cause become one leg. */
void stall_log_charge_changes(struct stall_log *log, struct journey *journey, unsigned queue);

static inline void stall_log_charge(struct stall_log *log, struct journey *journey, unsigned queue,
                                    uint64_t cycle)
{
    if (log->changes[log->latest & log->mask].cycle > journey->since)
        stall_log_charge_changes(log, journey, queue);
    journey_until(journey, queue + log->changes[log->latest & log->mask].cause, cycle);
}

#endif
