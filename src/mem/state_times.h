/* SPDX-License-Identifier: MIT */
/*
 * How long lines stand in each transient state of a role's table, and how often: a counter each,
 * "is_entries" and "is_cycles" for the state IS. A line in a transient state has an MSHR or an
 * entry of the write-back buffer, whose time in it this keeps. Counted are transitions into and out
 * of such states alone; a line that stands in one counts when it leaves.
 */
#ifndef MEM_STATE_TIMES_H
#define MEM_STATE_TIMES_H

#include "mem/protocol.h"
#include "sim/registry.h"

struct state_times {
    uint64_t *since; /* [MSHR]: the cycle in which its line came into its state */
    uint64_t *counts;
    struct statistic *statistics;       /* of counts */
    uint32_t count;                     /* transient states */
    uint8_t place[PROTOCOL_MAX_STATES]; /* 1 + which of these; 0: none */
};

void state_times_init(struct state_times *times, const struct protocol_role *role, uint32_t mshrs);
void state_times_finish(struct state_times *times);

/* At "PATH.states". */
void state_times_register(const struct state_times *times, struct registry *registry,
                          const char *path);

/* The MSHR's line comes into the state, or leaves it, in that cycle; nothing for other states. */
static inline void state_times_enter(struct state_times *times, uint8_t state, uint32_t mshr,
                                     uint64_t cycle)
{
    if (times->place[state] == 0)
        return;
    times->since[mshr] = cycle;
    times->counts[2 * (times->place[state] - 1)]++;
}

static inline void state_times_leave(struct state_times *times, uint8_t state, uint32_t mshr,
                                     uint64_t cycle)
{
    if (times->place[state] != 0)
        times->counts[2 * (times->place[state] - 1) + 1] += cycle - times->since[mshr];
}

#endif
