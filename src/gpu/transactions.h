/* SPDX-License-Identifier: MIT */
/*
 * The transactions of a compute unit: between its wavefronts and the systems of transactional
 * memory (tm/tm.h).
 *
 *     hints: begin, commit ──► issue: attempts, aborts, restarts ◄──► systems ◄─ receive
 *     a memory instruction ──► room_at ─► (its unit's queue) ─► serve ─► loaded     │
 *                                                                         send ─► L1's port
 *
 * Wavefronts know nothing of it. They tell a listener (gpu/wavefront.h) that a work-group has
 * started or ended, or that a wavefront's memory instructions are over. The memory units ask it at
 * service, where data moves. It knows no unit; of two it has the cycle from which on they are free,
 * since systems may charge cycles to them.
 *
 * It has no parameters: systems have theirs (tm/parameters.h). NULL where hints mean nothing.
 */
#ifndef GPU_TRANSACTIONS_H
#define GPU_TRANSACTIONS_H

#include "gpu/launch.h"
#include "sim/declare.h"
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
    X(COUNTER, unwatched, "lanes",                                                                 \
      "accesses inside transactions to memory that no system isolates")                            \
    X(COUNTER, kept_vector_registers, "registers",                                                 \
      "with sim.check_transactions: of lanes that committed, that they first read and then wrote") \
    X(COUNTER, kept_scalar_registers, "registers",                                                 \
      "with sim.check_transactions: the same, of wavefronts' attempts that committed lanes")

struct transaction_statistics {
    TRANSACTION_STATISTICS(STATISTIC_FIELD)
};

/* Counted beside the compute unit's own, also where no system isolates anything. */
#define TRANSACTION_COUNTS(X)                                                                      \
    X(COUNTER, tm_attempts, "lanes", "lanes that began an attempt at a transaction")               \
    X(COUNTER, tm_commits, "lanes", "lanes that committed one")                                    \
    X(COUNTER, tm_aborts, "lanes", "lanes that aborted one")

struct transaction_counts {
    TRANSACTION_COUNTS(STATISTIC_FIELD)
};

struct global_oracle;
struct message;
struct port;
struct scalar_words;
struct text;
struct transactions;
struct wavefront;
struct wavefronts;

/* What a wavefront has of it: those who issue and serve its instructions look at these. */
struct transaction_flags {
    bool must_restart;  /* no lane is left running */
    bool awaits_memory; /* it sleeps until its memory instructions are done */
    bool is_watched;    /* the registers of its next instruction are looked at */
    bool is_held;       /* a system has not yet made what it committed visible */
};

/* All is borrowed, but for `set`, which is copied. */
struct transactions_options {
    const struct tm_set *set;
    struct tm_options systems;
    struct component *component; /* the compute unit */
    struct transaction_counts *counts;
    struct global_oracle *global_oracle; /* the machine's; NULL: not asked for */
    struct scalar_words *scalar_words;   /* the machine's; NULL: none are kept */
    bool checks_local;                   /* an oracle of its own watches local memory */
};

/* ---- transaction_unit.c ---- */
/* Listens to the wavefronts from then on. */
struct transactions *transactions_create(struct wavefronts *waves,
                                         const struct transactions_options *options);
void transactions_destroy(struct transactions *tm);
/* Where the banks of local memory and the vector memory unit keep when they are free. */
void transactions_connect_units(struct transactions *tm, uint64_t *banks_free_at,
                                uint64_t *addresses_free_at);
/* The ports of the set's system of that number (struct tm_unit). */
void transactions_connect_centre(struct transactions *tm, uint32_t system, struct port *to_centre,
                                 struct port *from_centre);
void transactions_connect_network(struct transactions *tm, uint32_t system, struct port *to_network,
                                  struct port *from_network);
/* A system does something by itself: ticks, sends, gets packets. Else neither receive nor send nor
 * next need be called. */
bool transactions_act(const struct transactions *tm);
/* The tick's start: packets and messages that have come, and what systems do by themselves. */
void transactions_receive(struct transactions *tm);
/* A message for a system came from the L1. */
void transactions_answer(struct transactions *tm, const struct message *message);
/* What systems send at the tick's end when the L1's port may still take a message. */
void transactions_send(struct transactions *tm, struct port *requests, bool may_send);
/* The next cycle with something to do; NEVER: none, or a port wakes us. */
uint64_t transactions_next(const struct transactions *tm);
void transactions_settle(struct transactions *tm);
void transactions_explain(const struct transactions *tm, struct text *text);
/* Whether global memory is isolated, and whether an oracle watches it. */
bool transactions_isolate_global(const struct transactions *tm);
bool transactions_watch_global(const struct transactions *tm);
/* Whether an oracle watches the wavefront's accesses to local memory. */
bool transactions_watch_local(const struct transactions *tm, const struct wavefront *wave);

/* ---- transaction.c ---- */
/* A begin or commit hint is next; as control_consume. */
bool transactions_issue(struct transactions *tm, struct wavefront *wave);
/* Sends a wavefront without running lanes back to its begin; false: its memory instructions are not
 * done yet. */
bool transactions_restart(struct transactions *tm, struct wavefront *wave);
/* An instruction that no transaction may contain (a barrier, an end) is next; false: it is a fault,
 * or the wavefront is held. */
bool transactions_allow(struct transactions *tm, struct wavefront *wave, const char *reason);

/* ---- transaction_access.c ---- */
/* From when on the memory instruction that is next may issue. The wavefront is in a transaction or
 * held. 0: now, NEVER: it sleeps. */
uint64_t transactions_room_at(struct transactions *tm, struct wavefront *wave);
/* A memory instruction's turn has come; takes lanes out of the request. Returns the cycles that the
 * banks of local memory are busy with it beside the access itself. */
uint32_t transactions_serve(struct transactions *tm, struct wavefront *wave, uint64_t pc,
                            struct isa_memory_request *request);
/* Its data is about to reach the registers. */
void transactions_loaded(struct transactions *tm, struct wavefront *wave,
                         struct isa_memory_request *request);
/* Lanes of `lanes` abort instead of a fault: returns the others. */
uint64_t transactions_faults(struct transactions *tm, struct wavefront *wave, uint64_t lanes);

/* ---- transaction_account.c ---- */
/* Adds what a hook charges: banks are busy, the wavefront's next instruction is later. */
void transactions_charge(struct transactions *tm, struct wavefront *wave,
                         const struct tm_charge *charge);

/* ---- transaction_refusal.c ---- */
/* Stops where the next instruction reads what attempts left behind differently in a scalar
 * register; in a transaction, notes which registers it uses. The other stops where it branches on
 * what lanes disagree about though the compiler took it for equal in all. */
void transactions_watch_registers(struct transactions *tm, struct wavefront *wave);
void transactions_check_branch(struct transactions *tm, struct wavefront *wave);

/* ---- transaction_oracle.c ---- */
/* Serves local memory, seen by the oracle, which must be told before of the request as the
 * wavefront issued it. */
void transactions_watch_access(struct transactions *tm, const struct wavefront *wave,
                               const struct isa_memory_request *request);
void transactions_watched_access(struct transactions *tm, struct wavefront *wave, uint64_t pc,
                                 struct isa_memory_request *request);
/* A vector memory instruction, for now known by `tag`, is about to be served, or its data to reach
 * the registers. `wave`: NULL if the wavefront is gone. */
void transactions_saw_access(struct transactions *tm, const struct launch *launch,
                             const struct wavefront *wave, uint16_t tag, uint64_t pc,
                             const struct isa_memory_request *request);
void transactions_saw_loaded(struct transactions *tm, const struct wavefront *wave, uint16_t tag,
                             const struct isa_memory_request *request);

/* ---- transaction_words.c ---- */
/* A scalar load of a kernel that has transactions issues. */
void transactions_saw_scalar(struct transactions *tm, const struct wavefront *wave, uint64_t pc,
                             const struct isa_memory_request *request);

#endif
