/* SPDX-License-Identifier: MIT */
/* The inside of transactions, shared by the files that are its parts: transaction.c (begin, commit,
 * abort), transaction_access.c, transaction_unit.c (life, tick), transaction_account.c,
 * transaction_refusal.c. Three only watch: transaction_oracle.c, transaction_registers.c,
 * transaction_words.c. */
#ifndef GPU_TRANSACTION_PRIVATE_H
#define GPU_TRANSACTION_PRIVATE_H

#include "gpu/transactions.h"
#include "gpu/wavefront.h"
#include "tm/global_oracle.h"
#include "tm/oracle.h"

struct group;

enum transaction_phase { PHASE_NONE, PHASE_BEGIN, PHASE_RUN, PHASE_COMMIT };

/* Of a wavefront slot, beside what the wavefront itself has. */
struct transaction_state {
    struct isa_snapshot *snapshot; /* at the begin of the transaction */
    uint64_t since;                /* lane-cycles are counted up to here */
    uint64_t ran;                  /* cycles between the attempt's begin and its commit, so far */
    uint64_t told;                 /* at the commit: lanes of `running` whose outcome is settled */
    uint64_t failed;               /* of those */
    uint64_t charged_until;        /* cycles charged to the wavefront are over */
    uint8_t phase;                 /* enum transaction_phase */
    uint8_t depth;                 /* begins that a commit must still answer */
    bool has_committed;            /* an attempt before this one */
    bool differs;                  /* attempts that committed left scalar registers otherwise */
    bool is_finishing;             /* a system wants to be asked again before the commit is over */
};

/* Global memory that the lanes of a wavefront's attempt have stored to. It is kept from one attempt
 * to the next, so that it grows to what a program needs. */
struct transaction_stores {
    struct transaction_store {
        uint64_t address, pc;
        uint8_t bytes, lane;
    } * items;
    uint32_t count, capacity;
};

/* Registers that a wavefront's attempt has used so far. Of vector registers, by which lanes. */
struct transaction_uses {
    uint64_t read[256]; /* before they were written */
    uint64_t written[256];
    uint64_t kept[256]; /* read, and written then: a restart needs what they held */
    struct isa_registers scalars_read, scalars_written, scalars_kept;
};

struct transactions {
    struct tm_host host;
    struct wavefront_listener listener;
    struct wavefronts *waves;
    uint64_t *banks_free_at;     /* of local memory, whose cycles systems charge */
    uint64_t *addresses_free_at; /* of the vector memory unit, the same */
    struct tm_set set;
    struct tm_unit *units[TM_MAX_SYSTEMS];
    bool acts;
    struct tm_group groups[GPU_MAX_GROUPS];
    struct transaction_state states[GPU_MAX_SLOTS];
    void *snapshot_memory;
    struct oracle *oracle;               /* NULL: not asked for */
    struct global_oracle *global_oracle; /* the same; the machine's */
    struct scalar_words *words;          /* the machine's; NULL: hints mean nothing */
    struct transaction_uses *uses;       /* of each slot; NULL: no oracle */
    struct transaction_stores stores[TM_MAX_WAVEFRONTS];
    struct transaction_statistics statistics;
    struct transaction_counts *counts;
};

static inline struct transaction_state *transaction_state(struct transactions *tm,
                                                          const struct wavefront *wave)
{
    return &tm->states[wave->slot];
}

/* ---- transaction.c ---- */
/* Asks again no sooner than `cycle`; NEVER: when it is woken. */
void transaction_sleep(struct transactions *tm, struct wavefront *wave, uint64_t cycle);
/* Lanes of its attempt abort; `teller` has undone what it knows of them (NULL: none has). Returns
 * how many: those whose outcome is settled or sealed do not. */
uint32_t transaction_abort(struct transactions *tm, struct wavefront *wave, uint64_t lanes,
                           const struct tm_unit *teller);

/* ---- transaction_refusal.c ---- */
/* Stops the launch at the wavefront's next instruction. False. */
bool transaction_stop(struct transactions *tm, struct wavefront *wave, const char *reason);

/* ---- transaction_oracle.c ---- */
void transaction_saw_begin(struct transactions *tm, struct wavefront *wave);
/* It has come to its commit. */
void transaction_saw_commit(struct transactions *tm, const struct wavefront *wave);
void transaction_saw_end(struct transactions *tm, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted);

/* ---- transaction_registers.c ---- */
/* An instruction of an open transaction is next; there is an oracle. */
void transaction_use_registers(struct transactions *tm, const struct wavefront *wave);
/* Lanes begin an attempt. */
void transaction_forget_registers(struct transactions *tm, const struct wavefront *wave,
                                  uint64_t lanes);
/* Lanes have committed: counts what they would have needed back. */
void transaction_count_registers(struct transactions *tm, const struct wavefront *wave,
                                 uint64_t committed);

/* ---- transaction_words.c ---- */
/* A memory instruction of an open transaction is about to be served. */
void transaction_saw_store(struct transactions *tm, const struct wavefront *wave, uint64_t pc,
                           const struct isa_memory_request *request);
/* Lanes' outcome is settled: what they stored is in memory, or never will be. */
void transaction_stores_end(struct transactions *tm, const struct wavefront *wave,
                            uint64_t committed, uint64_t aborted);

/* ---- transaction_account.c ---- */
/* What the oracle has found stops the launch. */
void transactions_report(struct transactions *tm, const struct group *group, uint32_t wavefront);
/* Counts the wavefront's lanes under what they do, up to now: before any of it changes. */
void transaction_account(struct transactions *tm, struct wavefront *wave);
void transaction_phase(struct transactions *tm, struct wavefront *wave,
                       enum transaction_phase phase);

#endif
