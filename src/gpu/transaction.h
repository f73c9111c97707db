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
    X(COUNTER, lane_cycles_useful, "cycles", "of these, of attempts that committed")               \
    X(COUNTER, lane_cycles_wasted, "cycles", "of these, of attempts that aborted")                 \
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
    X(COUNTER, unwatched, "lanes", "accesses inside transactions to memory that no system isolates")

struct compute_unit_options;
struct group;
struct scalar_words;
struct text;
struct port;
struct wavefront;
struct wavefronts;

struct transaction_statistics {
    TRANSACTION_STATISTICS(STATISTIC_FIELD)
};

enum transaction_phase { PHASE_NONE, PHASE_BEGIN, PHASE_RUN, PHASE_COMMIT };

/* Of a wavefront. */
struct transaction_state {
    uint64_t since;         /* lane-cycles are counted up to here */
    uint64_t ran;           /* cycles between the attempt's begin and its commit, so far */
    uint64_t told;          /* at the commit: lanes of `running` whose outcome is settled */
    uint64_t failed;        /* of those */
    uint64_t charged_until; /* cycles charged to the wavefront are over */
    uint8_t phase;          /* enum transaction_phase */
    uint8_t depth;          /* begins that a commit must still answer */
    bool must_restart;      /* no lane is left running */
    bool awaits_memory;     /* it sleeps until its memory instructions are done */
    bool has_committed;     /* an attempt before this one */
    bool differs;           /* attempts of the latest transaction left scalar registers otherwise */
    bool is_held;           /* a system has not yet made what it committed visible */
    bool is_finishing;      /* a system wants to be asked again before the commit is over */
};

/* Global memory that the lanes of a wavefront's attempt have stored to; kept from one attempt to
 * the next, so that it grows to what a program needs. */
struct transaction_stores {
    struct transaction_store {
        uint64_t address, pc;
        uint8_t bytes, lane;
    } * items;
    uint32_t count, capacity;
};

/* Of a compute unit. */
struct transactions {
    struct tm_host host;
    struct wavefronts *waves;
    uint64_t *banks_free_at;     /* of local memory, whose cycles systems charge */
    uint64_t *addresses_free_at; /* of the vector memory unit, the same */
    struct tm_set set;
    struct tm_unit *units[TM_MAX_SYSTEMS];
    struct tm_group groups[GPU_MAX_GROUPS];
    struct oracle *oracle;               /* NULL: not asked for */
    struct global_oracle *global_oracle; /* the same; the machine's */
    struct scalar_words *words;          /* the machine's; NULL: hints mean nothing */
    struct transaction_stores stores[TM_MAX_WAVEFRONTS];
    struct transaction_statistics statistics;
};

/* ---- transaction.c ---- */
/* A begin or commit hint; as control_consume. */
bool transaction_hint(struct wavefronts *waves, struct wavefront *wave);
/* Sends a wavefront without running lanes back to its begin; false: its memory instructions are not
 * done yet. */
bool transaction_restart(struct wavefronts *waves, struct wavefront *wave);
/* An instruction that no transaction may contain (a barrier, an end) is next; false: it is a fault,
 * or the wavefront is held. */
bool transaction_allows(struct wavefronts *waves, struct wavefront *wave, const char *reason);
/* Asks again no sooner than `cycle`; TM_LATER: when it is woken. */
void transaction_sleep(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle);
/* Lanes of its attempt abort; `teller` has undone what it knows of them (NULL: none has). Returns
 * how many: those whose outcome is settled or sealed do not. */
uint32_t transaction_abort(struct wavefronts *waves, struct wavefront *wave, uint64_t lanes,
                           const struct tm_unit *teller);

/* ---- transaction_refusal.c ---- */
/* Stops the launch at the wavefront's next instruction. False. */
bool transaction_stop(struct wavefronts *waves, struct wavefront *wave, const char *reason);
/* Stops where the next instruction reads what attempts left behind differently in a scalar
 * register, or branches on what lanes disagree about though the compiler took it for equal in
 * all. */
void transaction_check_scalars(struct wavefronts *waves, struct wavefront *wave);
void transaction_check_branch(struct wavefronts *waves, struct wavefront *wave);

/* ---- transaction_access.c ---- */
/* From when on the next instruction may issue; 0: now, NEVER: the wavefront sleeps. */
uint64_t transaction_may_issue(struct wavefronts *waves, struct wavefront *wave);
/* A memory instruction's turn has come; takes lanes out of the request. Returns the cycles that the
 * banks of local memory are busy with it beside the access itself. */
uint32_t transaction_serve(struct wavefronts *waves, struct wavefront *wave, uint64_t pc,
                           struct isa_memory_request *request);
/* Its data is about to reach the registers. */
void transaction_loaded(struct wavefronts *waves, struct wavefront *wave,
                        struct isa_memory_request *request);
/* Lanes of `lanes` abort instead of a fault: returns the others. */
uint64_t transaction_faults(struct wavefronts *waves, struct wavefront *wave, uint64_t lanes);

/* ---- transaction_oracle.c ---- */
void transaction_saw_begin(struct wavefronts *waves, struct wavefront *wave);
/* It has come to its commit. */
void transaction_saw_commit(struct wavefronts *waves, const struct wavefront *wave);
void transaction_saw_end(struct wavefronts *waves, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted);
/* A vector memory instruction, for now known by `tag`, is about to be served, or its data to reach
 * the registers. `wave`: NULL if the wavefront is gone. */
void transaction_saw_access(struct wavefronts *waves, const struct launch *launch,
                            const struct wavefront *wave, uint16_t tag, uint64_t pc,
                            const struct isa_memory_request *request);
void transaction_saw_loaded(struct wavefronts *waves, const struct wavefront *wave, uint16_t tag,
                            const struct isa_memory_request *request);

/* ---- transaction_words.c ---- */
/* A scalar load of a kernel that has transactions issues. */
void transaction_saw_scalar(struct wavefronts *waves, const struct wavefront *wave, uint64_t pc,
                            const struct isa_memory_request *request);
/* A memory instruction of an open transaction is about to be served. */
void transaction_saw_store(struct wavefronts *waves, const struct wavefront *wave, uint64_t pc,
                           const struct isa_memory_request *request);
/* Lanes' outcome is settled: what they stored is in memory, or never will be. */
void transaction_stores_end(struct wavefronts *waves, const struct wavefront *wave,
                            uint64_t committed, uint64_t aborted);

/* ---- transaction_unit.c ---- */
void transactions_init(struct wavefronts *waves, const struct compute_unit_options *options,
                       struct component *component);
void transactions_finish(struct wavefronts *waves);
void transactions_group_start(struct wavefronts *waves, const struct group_launch *launch);
void transactions_group_end(struct wavefronts *waves, const struct group *group);
/* The tick's start, and what systems send at its end when the L1's port may still take a
 * message. */
void transactions_tick(struct wavefronts *waves);
void transactions_send(struct wavefronts *waves, struct port *requests, bool may_send);
void transactions_receive(struct wavefronts *waves, const struct message *message);
uint64_t transactions_next(const struct wavefronts *waves);
void transactions_settle(struct wavefronts *waves);
void transactions_explain(const struct wavefronts *waves, struct text *text);
/* Serves local memory, seen by the oracle. `issued` is the request before systems took lanes
 * out. */
void transaction_watched_access(struct wavefronts *waves, struct wavefront *wave, uint64_t pc,
                                struct isa_memory_request *request);

/* ---- transaction_account.c ---- */
/* What the oracle has found stops the launch. */
void transactions_report(struct wavefronts *waves, const struct group *group, uint32_t wavefront);
/* Counts the wavefront's lanes under what they do, up to now: before any of it changes. */
void transaction_account(struct wavefronts *waves, struct wavefront *wave);
void transaction_phase(struct wavefronts *waves, struct wavefront *wave,
                       enum transaction_phase phase);
/* Adds what a hook charges: banks are busy, the wavefront's next instruction is later. */
void transaction_charge(struct wavefronts *waves, struct wavefront *wave,
                        const struct tm_charge *charge);

#endif
