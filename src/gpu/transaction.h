/* SPDX-License-Identifier: MIT */
/* What a compute unit keeps of transactions: its systems' units, its work-groups as they see them,
 * and where lanes spend their cycles. */
#ifndef GPU_TRANSACTION_H
#define GPU_TRANSACTION_H

#include "gpu/launch.h"
#include "sim/declare.h"
#include "tm/global_oracle.h"
#include "tm/oracle.h"
#include "tm/tm.h"

/* Each lane of a wavefront in a transaction is in one of these in each cycle. */
#define TRANSACTION_STATISTICS(X)                                                                  \
    X(COUNTER, lane_cycles_waiting, "cycles", "lane-cycles of waiting to begin an attempt")        \
    X(COUNTER, lane_cycles_running, "cycles", "lane-cycles between begin and commit")              \
    X(COUNTER, lane_cycles_committing, "cycles", "lane-cycles at the commit, not decided")         \
    X(COUNTER, lane_cycles_aborted, "cycles",                                                      \
      "lane-cycles of aborted lanes, or ones taken out, until their next attempt")                 \
    X(COUNTER, lane_cycles_committed, "cycles",                                                    \
      "lane-cycles of lanes that wait until the others of their wavefront have committed")         \
    X(COUNTER, transactions, "wavefronts", "transactions that wavefronts entered")                 \
    X(COUNTER, attempts, "wavefronts", "attempts of wavefronts")                                   \
    X(COUNTER, aborts_at_access, "lanes", "aborts at an access of the lane")                       \
    X(COUNTER, aborts_at_commit, "lanes", "aborts at the commit")                                  \
    X(COUNTER, aborts_from_outside, "lanes", "aborts that another wavefront or the system caused") \
    X(COUNTER, unwatched, "lanes",                                                                 \
      "accesses inside transactions to memory that no system isolates")

struct compute_unit;

struct transaction_statistics {
    TRANSACTION_STATISTICS(STATISTIC_FIELD)
};

enum transaction_phase { PHASE_NONE, PHASE_BEGIN, PHASE_RUN, PHASE_COMMIT };

/* Of a wavefront. */
struct transaction_state {
    uint64_t since;  /* lane-cycles are counted up to here */
    uint64_t told;   /* at the commit: lanes of `running` whose outcome is settled */
    uint64_t failed; /* of those */
    uint8_t phase;   /* enum transaction_phase */
    uint8_t depth;   /* begins that a commit must still answer */
    bool must_restart; /* no lane is left running */
    bool has_committed; /* an attempt before this one */
    bool differs;       /* attempts of the latest transaction left scalar registers otherwise */
    bool is_held;      /* a system has not yet made what it committed visible */
    bool is_finishing; /* a system wants to be asked again before the commit is over */
};

/* Of a compute unit. */
struct transactions {
    struct tm_host host;
    struct compute_unit *owner;
    struct tm_set set;
    struct tm_unit *units[TM_MAX_SYSTEMS];
    struct tm_group groups[GPU_MAX_GROUPS];
    struct oracle *oracle; /* NULL: not asked for */
    struct global_oracle *global_oracle; /* the same; the machine's */
    struct transaction_statistics statistics;
};

#endif
