/* SPDX-License-Identifier: MIT */
/*
 * The inside of a compute unit, shared by the files that are its parts:
 *
 *     compute_unit.c   life, the tick's order, sleep   compute_unit_parameters.c  its parameters
 *     wavefront.c      states, counters, faults         instruction_buffer.c  what is fetched
 *     execute.c        instructions without memory      account.c        slots and stalls
 *     group.c          work-groups, starts and ends     control.c        waits, barriers, pauses
 *     issue.c          who issues what                  front_end.c      fetch
 *     transaction.c    hints, attempts, commits         transaction_refusal.c  what they cannot do
 *     transaction_access.c  accesses and aborts         transaction_unit.c  systems, groups, ticks
 *     transaction_account.c  what is counted of them    boundary.c       a kernel's start and end
 *     vector_entries.c, vector_memory.c, vector_return.c  vector memory: entries, out, back
 *     scalar_memory.c  scalar loads                     local_unit.c     the local data share's queue
 *
 * No file calls another that calls it, also by way of others (tests/tidy/circles.py): wavefronts know
 * no unit, the memory units no issue, compute_unit.c all.
 *
 * Within a tick: replies, launches, results that fall due, issue, then what the memory units and
 * the fetch send. So an instruction issued in cycle c can be sent in c at the earliest, and data
 * that arrives in c can be used in c.
 */
#ifndef GPU_UNIT_H
#define GPU_UNIT_H

#include "base/bits.h"
#include "base/check.h"
#include "gpu/coalescer.h"
#include "gpu/compute_unit.h"
#include "gpu/issue_order.h"
#include "gpu/records.h"
#include "gpu/transaction.h"
#include "gpu/turns.h"
#include "sim/debug.h"

enum { NO_ENTRY = 0xffff, NO_SLOT = 0xffff, NO_PART = 0xffff, VMEM_MAX_PARTS = 128, SMEM_MAX_PARTS = 2 };
_Static_assert(256 * VMEM_MAX_PARTS <= NO_PART, "a number for each access in flight");

/* Kinds of requests whose time is counted by its parts: loads, stores, atomics. */
enum { STACK_COUNT = ISA_MEMORY_ATOMIC + 1 };

/* What a wavefront slot waits for. Each state has a mask of the slots in it. */
enum wavefront_state {
    STATE_FREE,        /* no wavefront */
    STATE_RUNNABLE,    /* its next instruction is in the buffer; goes on at ready_at */
    STATE_PAUSED,      /* like RUNNABLE, after s_sleep or s_nop */
    STATE_TRANSACTION, /* asks the transactional memory again at ready_at; NEVER: when it is woken */
    STATE_QUEUE,       /* a memory queue is full */
    STATE_FETCH,       /* its next instruction is not here */
    STATE_LGKM,        /* LGKM_CNT must fall */
    STATE_VM,          /* VM_CNT must fall */
    STATE_EXP,         /* EXP_CNT must fall */
    STATE_BARRIER,     /* others of its work-group have not come to the barrier */
    STATE_END,         /* it has ended; its memory instructions have not, or its group has not */
    STATE_COUNT
};

struct wavefront {
    struct isa_wave *registers;
    const struct isa_instruction *next; /* at the program counter; NULL: there is none */
    uint64_t ready_at;                  /* cycle at which the next instruction may issue */
    uint64_t scalar_ready_at; /* the same, if it reads scalar results of a vector operation */
    uint64_t key;             /* the least issues first: priority above age */
    uint64_t age;
    uint64_t waiting_since; /* BARRIER */
    uint64_t refused_since; /* a full queue has kept its instruction; NEVER: none has */
    uint64_t block;         /* address of the first block in the buffer */
    uint64_t arrived;       /* bit i: block + i fetches is in the buffer */
    uint32_t requested;     /* blocks from `block` on that were asked for */
    uint32_t consumed;      /* blocks given up since the latest refill */
    uint32_t sequence;      /* instructions executed so far */
    uint16_t fetch_number;  /* of the latest refill: replies of older ones are dropped */
    uint16_t slot;
    uint8_t state;
    uint8_t simd;
    uint8_t group;
    uint8_t index; /* in its group */
    uint8_t vm_count, exp_count, lgkm_count;
    uint8_t releases;               /* not yet answered: no later access may be sent */
    uint16_t outstanding;           /* memory instructions of all kinds */
    uint16_t first_vmem, last_vmem; /* its vector memory instructions in issue order */
    bool has_ended;
    struct tm_wavefront transaction;
    struct transaction_state transaction_state;
    struct isa_snapshot *snapshot; /* at the begin of the transaction */
};

struct group {
    const struct launch *launch;
    struct isa_group isa;
    uint32_t lds_base;
    uint64_t members; /* wavefront slots */
    uint64_t running; /* of those, not ended */
    uint64_t at_barrier;
    uint64_t done;
};

/* A vector memory instruction in flight. */
struct vmem_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    const struct launch *launch;
    uint64_t start_at; /* addresses may be processed from here on */
    uint64_t pc;
    uint64_t started_at; /* address processing began */
    uint64_t first_sent; /* NEVER: nothing was sent yet */
    uint32_t sequence;
    uint16_t slot; /* NO_SLOT: the wavefront is gone */
    uint16_t next; /* of the same wavefront; NO_ENTRY: none */
    uint16_t parts, outstanding;
    uint16_t latest_part; /* the access that was answered last; NO_PART: none was */
    bool all_sent;
    bool is_complete; /* waits for older ones of its wavefront */
    bool counts_exp;
    bool wants_data; /* what it stores is still in the registers */
    bool is_traced;  /* its accesses, with the next two */
    uint8_t wave;    /* of its work-group */
    uint32_t group[3];
    struct vmem_part {
        uint16_t lanes; /* of the quarter */
        uint16_t journey;
        uint8_t quarter;
    } part[VMEM_MAX_PARTS];
};

struct vector_memory {
    void *memory; /* where the entries lie */
    struct vmem_entry *entries;
    void *journey_memory;
    struct journey *journeys; /* of all parts in flight, by number */
    uint16_t *free_journeys;  /* the latest to become free is used first: it is warm */
    uint32_t free_journey_count;
    uint16_t *free_entries;
    uint32_t free_count;
    struct index_ring queue;   /* issued, addresses not yet processed */
    struct index_ring returns; /* all replies here, on the way to the registers */
    /* The instruction whose addresses are being processed. */
    uint16_t current; /* NO_ENTRY: none */
    uint32_t quarters; /* of a wavefront: 16 lanes each */
    uint32_t quarter;  /* next one to be coalesced; `quarters`: none left */
    uint64_t quarter_at[ISA_MAX_LANES / QUARTER_LANES + 1];
    uint64_t started_at, free_at;
    uint32_t position; /* next access of the list */
    bool is_blocked;   /* the port is full and will wake us */
    uint64_t blocked_since;  /* NEVER: it is not */
    uint64_t blocked_cycles; /* of the current instruction, before its latest access */
    struct access_list list;
    struct occupancy occupancy;
};

struct lds_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    uint64_t issued_at;
    uint64_t due_at; /* data in the registers */
    uint64_t pc;
    uint32_t sequence;
    uint16_t slot;
    bool counts_exp;
};

struct local_unit {
    unsigned char *bytes; /* the compute unit's local memory */
    void *memory;
    struct lds_entry *entries; /* a ring: first `served`, then waiting ones */
    uint32_t capacity, head, count, served;
    uint64_t free_at; /* banks */
};

struct smem_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    const struct launch *launch;
    uint64_t pc;
    uint64_t first_sent;
    uint32_t sequence;
    uint16_t slot;
    uint8_t parts, sent, outstanding;
};

struct scalar_memory {
    void *memory;
    struct smem_entry *entries;
    uint16_t *free_entries;
    uint32_t free_count;
    struct index_ring queue; /* to be sent */
    struct index_ring returns;
    uint64_t free_at; /* issue */
    bool is_blocked;
};

/* What was counted of a SIMD's slots. */
struct simd {
    uint64_t slots; /* mask of its wavefront slots */
    uint64_t valu_free_at;
    uint64_t next_issue;    /* no wavefront of it can issue before this cycle */
    uint64_t counted_until; /* slots before this cycle are counted */
    uint32_t last;          /* the slot that went first in the latest turn in which any did */
};

struct compute_unit {
    struct component component;
    struct compute_unit_statistics statistics;
    const struct compute_unit_parameters *parameters;
    const struct isa *isa;
    uint32_t wave_lanes; /* of each wavefront */
    struct bounds bounds;
    struct outside outside, old_bytes;
    struct shadow *shadow; /* NULL: stores and loads are not compared */
    struct transactions *tm; /* NULL: hints mean nothing */
    bool tm_acts;            /* a system does something by itself: ticks, sends, gets packets */
    bool tm_is_global;       /* a system isolates global memory */
    struct compute_unit_ports ports;
    uint64_t breaks;
    uint16_t number;
    bool sends_releases, tells_shared_caches;
    uint32_t boundary_answers; /* to come, of what a kernel's boundary told the caches */
    bool has_progress; /* in this tick */
    uint64_t valu_cycles[ISA_LATENCY_COUNT];
    uint64_t in_state[STATE_COUNT];
    uint64_t queue_waiting[ISA_UNIT_COUNT]; /* STATE_QUEUE, by the unit whose queue is full */
    uint64_t wants_fetch;                   /* wavefronts with room in their buffer */
    unsigned fetch_shift;                   /* log2(fetch_bytes) */
    uint32_t fetch_turn;                    /* slot after the one that fetched last */
    bool fetch_is_blocked;
    uint64_t next_age;
    struct occupancy resident;
    struct turns turns;
    const struct issue_order *order;
    struct simd simds[GPU_MAX_SIMDS];
    struct wavefront *wavefronts;
    uint32_t slot_count;
    struct group groups[GPU_MAX_GROUPS];
    struct index_ring completed_groups; /* to be told to the dispatcher */
    struct vector_memory vmem;
    struct latency_stack stacks[STACK_COUNT]; /* by kind of request */
    struct local_unit local;
    struct scalar_memory smem;
    struct fault fault;
    void *wave_memory, *snapshot_memory; /* all wavefronts' registers and snapshots */
};

static inline uint64_t unit_cycle(const struct compute_unit *unit)
{
    return component_cycle(&unit->component);
}

/* Cycles before a full queue after which a wavefront goes before all others, whoever is older:
 * else those that spin on what it will store could keep the queue from it for ever. Far above what
 * programs without such loops wait. */
enum { PATIENCE_CYCLES = 65536 };

/* The smallest gets a place in a queue first. */
static inline uint64_t wavefront_seniority(const struct compute_unit *unit,
                                       const struct wavefront *wave)
{
    return wave->refused_since != NEVER && unit_cycle(unit) - wave->refused_since > PATIENCE_CYCLES
               ? wave->refused_since
               : wave->key;
}

/* ---- account.c ---- */
/* Counts the SIMD's issue slots before `cycle` under its present stall cause. */
void account_slots(struct compute_unit *unit, struct simd *simd, unsigned number, uint64_t cycle);
/* Counts the slot of this cycle, if something was done in it. */
void account_slot(struct compute_unit *unit, unsigned simd, bool issued, bool internal);

void account_residents(struct compute_unit *unit);

/* ---- wavefront.c ---- */
void wavefront_set_state(struct compute_unit *unit, struct wavefront *wave,
                         enum wavefront_state state);
/* Its next instruction may be tried from `cycle` on. */
void wavefront_ready(struct compute_unit *unit, struct wavefront *wave, uint64_t cycle);
/* After an instruction: finds the next one, and whether the buffer has it. */
void wavefront_advance(struct compute_unit *unit, struct wavefront *wave, uint64_t old_pc,
                       uint64_t ready_at);
/* The program counter was set to somewhere else. */
void wavefront_redirect(struct compute_unit *unit, struct wavefront *wave, uint64_t ready_at);
/* One of its counters fell: a wait may be over. */
void wavefront_counter_fell(struct compute_unit *unit, struct wavefront *wave);
/* Whether the counters are low enough for the wait; if not, *state says which is not. */
bool wavefront_may_pass(const struct compute_unit *unit, const struct wavefront *wave,
                      enum wavefront_state *state);
/* A place in the unit's queue became free: the first wavefront that waits for one may look again.
 */
void wavefronts_queue_freed(struct compute_unit *unit, enum isa_unit which);
/* Whether a memory request gives registers new values. */
bool request_returns(const struct isa_memory_request *request);
void wavefront_fault(struct compute_unit *unit, const struct fault *fault);
/* A fault at the wavefront's next instruction, for the caller to complete. */
struct fault wavefront_fault_here(const struct compute_unit *unit, const struct wavefront *wave,
                                  enum fault_kind kind);
/* Before a request to memory, begun at `pc`, is sent: looks at each lane, drops those outside or
 * stops the launch. False: stopped. */
bool wavefront_check_bounds(struct compute_unit *unit, const struct wavefront *wave, uint64_t pc,
                            struct isa_memory_request *request);
/* Writes the line of an instruction that has had its effect, if it is traced. */
void wavefront_trace(struct compute_unit *unit, const struct wavefront *wave, uint32_t sequence,
                     const struct isa_instruction *instruction);
/* The same for loaded data: lanes are those that were active when the instruction was issued. */
void wavefront_trace_loaded(struct compute_unit *unit, struct wavefront *wave, uint32_t sequence,
                            const struct isa_instruction *instruction, uint64_t written);

/* ---- execute.c ---- */
/* Takes the next instruction out of the buffer: its effect, its count, its trace. */
void wavefront_execute(struct compute_unit *unit, struct wavefront *wave, uint64_t ready_at);

/* ---- group.c ---- */
/* A memory instruction is no more; the wavefront's end may have waited for it. */
void wavefront_released(struct compute_unit *unit, struct wavefront *wave);
/* It issues nothing more; wavefront_released comes next. */
void wavefront_end(struct compute_unit *unit, struct wavefront *wave);
void group_start(struct compute_unit *unit, const struct group_launch *launch);
void groups_send_completions(struct compute_unit *unit);
/* Opens the barrier if all of the group that have not ended are at it. */
void barrier_check(struct compute_unit *unit, struct group *group);

/* ---- instruction_buffer.c ---- */
void instruction_buffer_refill(struct compute_unit *unit, struct wavefront *wave);
bool instruction_buffer_has(const struct compute_unit *unit, const struct wavefront *wave);
/* Gives up blocks that lie before the program counter. */
void instruction_buffer_consume(struct compute_unit *unit, struct wavefront *wave);
/* Notes whether there is room for a block more. */
void instruction_buffer_wants(struct compute_unit *unit, const struct wavefront *wave);

/* ---- front_end.c ---- */
void front_end_receive(struct compute_unit *unit);
void front_end_send(struct compute_unit *unit);

/* ---- boundary.c ---- */
void boundary_begin(struct compute_unit *unit, enum launch_boundary boundary);
/* Whether the reply is an answer to that. */
bool boundary_answer(struct compute_unit *unit, const struct message *message);
static inline bool boundary_takes(struct compute_unit *unit, const struct message *message)
{
    return __builtin_expect(unit->boundary_answers > 0, 0) && boundary_answer(unit, message);
}

/* ---- issue.c ---- */
void issue_simd(struct compute_unit *unit, unsigned simd);

/* ---- control.c ---- */
/* Consumes an internal instruction. False: it has to wait, and the wavefront's state says for what.
 */
bool control_consume(struct compute_unit *unit, struct wavefront *wave);

/* ---- transaction.c ---- */
/* A begin or commit hint; as control_consume. */
bool transaction_hint(struct compute_unit *unit, struct wavefront *wave);
/* Sends a wavefront without running lanes back to its begin; false: its memory instructions are not
 * done yet. */
bool transaction_restart(struct compute_unit *unit, struct wavefront *wave);
/* An instruction that no transaction may contain (a barrier, an end) is next; false: it is a fault, or the
 * wavefront is held. */
bool transaction_allows(struct compute_unit *unit, struct wavefront *wave, const char *reason);
/* Asks again no sooner than `cycle`; TM_LATER: when it is woken. */
void transaction_sleep(struct compute_unit *unit, struct wavefront *wave, uint64_t cycle);
/* Lanes of its attempt abort; `teller` has undone what it knows of them (NULL: a fault did it). */
void transaction_abort(struct compute_unit *unit, struct wavefront *wave, uint64_t lanes,
                       const struct tm_unit *teller);

/* ---- transaction_refusal.c ---- */
/* Stops the launch at the wavefront's next instruction. False. */
bool transaction_stop(struct compute_unit *unit, struct wavefront *wave, const char *reason);
/* Stops where the next instruction reads what attempts left behind differently in a scalar register,
 * or branches on what lanes disagree about though the compiler took it for equal in all. */
void transaction_check_scalars(struct compute_unit *unit, struct wavefront *wave);
void transaction_check_branch(struct compute_unit *unit, struct wavefront *wave);

/* ---- transaction_access.c ---- */
/* From when on the next instruction may issue; 0: now, NEVER: the wavefront sleeps. */
uint64_t transaction_may_issue(struct compute_unit *unit, struct wavefront *wave);
/* A memory instruction's turn has come; takes lanes out of the request. Returns the cycles that the
 * banks of local memory are busy with it beside the access itself. */
uint32_t transaction_serve(struct compute_unit *unit, struct wavefront *wave, uint64_t pc,
                           struct isa_memory_request *request);
/* Its data is about to reach the registers. */
void transaction_loaded(struct compute_unit *unit, struct wavefront *wave,
                        struct isa_memory_request *request);
/* Lanes of `lanes` abort instead of a fault: returns the others. */
uint64_t transaction_faults(struct compute_unit *unit, struct wavefront *wave, uint64_t lanes);

/* ---- transaction_oracle.c: what the oracles are told, if there are any ---- */
void transaction_saw_begin(struct compute_unit *unit, struct wavefront *wave);
void transaction_saw_end(struct compute_unit *unit, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted);
/* A vector memory instruction is about to be served, or its data to reach the registers. */
void transaction_saw_access(struct compute_unit *unit, const struct vmem_entry *entry);
void transaction_saw_loaded(struct compute_unit *unit, const struct vmem_entry *entry);

/* ---- transaction_unit.c ---- */
void transactions_init(struct compute_unit *unit, const struct compute_unit_options *options);
void transactions_finish(struct compute_unit *unit);
void transactions_group_start(struct compute_unit *unit, const struct group_launch *launch);
void transactions_group_end(struct compute_unit *unit, const struct group *group);
/* The tick's start, and what systems send at its end when the L1's port may still take a message. */
void transactions_tick(struct compute_unit *unit);
void transactions_send(struct compute_unit *unit, bool may_send);
void transactions_receive(struct compute_unit *unit, const struct message *message);
uint64_t transactions_next(const struct compute_unit *unit);
void transactions_settle(struct compute_unit *unit);
void transactions_explain(const struct compute_unit *unit, struct text *text);
/* Serves local memory, seen by the oracle. `issued` is the request before systems took lanes out. */
void transaction_watched_access(struct compute_unit *unit, struct wavefront *wave, uint64_t pc,
                                struct isa_memory_request *request);
/* ---- transaction_account.c ---- */
/* What the oracle has found stops the launch. */
void transactions_report(struct compute_unit *unit, const struct group *group, uint32_t wavefront);
/* Counts the wavefront's lanes under what they do, up to now: before any of it changes. */
void transaction_account(struct compute_unit *unit, struct wavefront *wave);
void transaction_phase(struct compute_unit *unit, struct wavefront *wave,
                       enum transaction_phase phase);
/* Adds what a hook charges: banks are busy, the wavefront's next instruction is later. */
void transaction_charge(struct compute_unit *unit, struct wavefront *wave,
                        const struct tm_charge *charge);

/* ---- check_release.c: only where there is a shadow of memory ---- */
void check_release_sent(struct compute_unit *unit, const struct message *message);
void check_release_answered(struct compute_unit *unit, const struct vmem_entry *entry,
                            const struct vmem_part *part, const struct message *reply);

/* ---- vector_entries.c ---- */
void vmem_init(struct compute_unit *unit);
void vmem_finish(struct compute_unit *unit);
bool vmem_has_room(const struct compute_unit *unit);
/* What the instruction stores is read from the registers, unless it was before. */
void vmem_read_store_data(struct compute_unit *unit, struct vmem_entry *entry);
/* All replies of the instruction are here: it is on its way to the registers. */
void vmem_complete(struct compute_unit *unit, uint16_t index);
void vmem_count_occupancy(struct compute_unit *unit);

/* ---- vector_memory.c ---- */
void vmem_issue(struct compute_unit *unit, struct wavefront *wave);
void vmem_send(struct compute_unit *unit);
uint64_t vmem_next(const struct compute_unit *unit);
/* Where one of the instruction's accesses has spent its time. */
static inline struct journey *vmem_journey(const struct compute_unit *unit,
                                           const struct vmem_entry *entry, unsigned part)
{
    return &unit->vmem.journeys[entry->part[part].journey];
}

/* ---- memory_trace.c ---- */
/* Whether the new instruction's accesses are traced. A launch without a trace is not asked. */
void memory_trace_choose(const struct compute_unit *unit, const struct wavefront *wave,
                         struct vmem_entry *entry);
/* The lines of an instruction that has ended. */
void memory_trace_write(const struct compute_unit *unit, const struct vmem_entry *entry);

/* ---- vector_return.c ---- */
void vmem_receive(struct compute_unit *unit);
void vmem_return(struct compute_unit *unit);
void vmem_orphan(struct compute_unit *unit, struct wavefront *wave);

/* ---- local_unit.c ---- */
void local_init(struct compute_unit *unit);
void local_finish(struct compute_unit *unit);
bool local_has_room(const struct compute_unit *unit);
void local_issue(struct compute_unit *unit, struct wavefront *wave);
void local_serve(struct compute_unit *unit);
void local_return(struct compute_unit *unit);
uint64_t local_next(const struct compute_unit *unit);

/* ---- scalar_memory.c ---- */
void smem_init(struct compute_unit *unit);
void smem_finish(struct compute_unit *unit);
bool smem_has_room(const struct compute_unit *unit);
void smem_issue(struct compute_unit *unit, struct wavefront *wave);
void smem_receive(struct compute_unit *unit);
void smem_return(struct compute_unit *unit);
void smem_send(struct compute_unit *unit);
uint64_t smem_next(const struct compute_unit *unit);

#endif
