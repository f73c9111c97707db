/* SPDX-License-Identifier: MIT */
/*
 * Wavefronts and work-groups of a compute unit, and what the units that serve them may do to them:
 *
 *    a unit takes an instruction ──► a store's data was read: wavefront_data_read
 *                                    its data is back:        wavefront_loaded
 *                                    it is over:              wavefront_retired, wavefront_released
 *                                    its place is free:       wavefronts_queue_freed
 *    what stops the launch: wavefront_check_bounds, wavefront_fault_here, wavefront_fault
 *
 * They call no unit. What transactions must know of them they tell a listener.
 */
#ifndef GPU_WAVEFRONT_H
#define GPU_WAVEFRONT_H

#include "gpu/account.h"
#include "gpu/compute_unit.h"
#include "gpu/fault.h"
#include "gpu/profile.h"
#include "gpu/records.h"
#include "gpu/transactions.h"
#include "gpu/turns.h"
#include "gpu/wavefront_time.h"
#include "sim/debug.h"

/* What a wavefront slot waits for. Each state has a mask of the slots in it. */
enum wavefront_state {
    STATE_FREE,     /* no wavefront */
    STATE_RUNNABLE, /* its next instruction is in the buffer; goes on at ready_at */
    STATE_PAUSED,   /* like RUNNABLE, after s_sleep or s_nop */
    /* asks the transactional memory again at ready_at; NEVER: when it is woken */
    STATE_TRANSACTION,
    STATE_QUEUE,   /* a memory queue is full */
    STATE_FETCH,   /* its next instruction is not here */
    STATE_LGKM,    /* LGKM_CNT must fall */
    STATE_VM,      /* VM_CNT must fall */
    STATE_EXP,     /* EXP_CNT must fall */
    STATE_BARRIER, /* others of its work-group have not come to the barrier */
    STATE_END,     /* it has ended; its memory instructions have not, or its group has not */
    STATE_COUNT
};

struct wavefront {
    /* What each of its SIMD's turns looks at: one line of the host's cache. */
    _Alignas(64) const struct isa_instruction *next; /* at the program counter; NULL: none */
    uint64_t ready_at;        /* cycle at which the next instruction may issue */
    uint64_t scalar_ready_at; /* the same, if it reads scalar results of a vector operation */
    uint64_t key;             /* the smallest issues first: priority above age */
    uint64_t refused_since;   /* a full queue has kept its instruction; NEVER: none has */
    struct isa_wave *registers;
    struct transaction_flags tm_flags;
    uint16_t slot;
    uint8_t state;
    uint8_t time; /* enum wavefront_time */
    uint8_t simd;
    uint8_t group;
    uint8_t vm_count, exp_count, lgkm_count;
    uint8_t releases; /* not yet answered: no later access may be sent */
    /* The rest. */
    uint8_t index; /* in its group */
    bool has_ended;
    uint16_t outstanding;     /* memory instructions of all kinds */
    uint16_t unawaited;       /* of these, stores that no transaction waits for */
    uint16_t lds_outstanding; /* of these, local memory's */
    uint16_t fetch_number;    /* of the latest refill: replies of older ones are dropped */
    uint32_t sequence;        /* instructions executed so far */
    uint64_t time_since;      /* cycle up to which its time is counted */
    uint64_t active_cycles, hidden_until; /* see gpu/wavefront_time.h; never set back */
    uint64_t block;                       /* address of the first block in the buffer */
    uint64_t arrived;                     /* bit i: block + i fetches is in the buffer */
    uint32_t requested;                   /* blocks from `block` on that were asked for */
    uint32_t consumed;                    /* blocks given up since the latest refill */
    uint64_t age;
    uint64_t profiled_pc; /* of the latest instruction, where there is a profile */
    struct tm_wavefront transaction;
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

/* What is told of wavefronts. */
struct wavefront_listener {
    /* Its wavefronts are in their slots and have not issued. */
    void (*group_started)(struct wavefront_listener *listener, const struct group_launch *launch);
    void (*group_ended)(struct wavefront_listener *listener, const struct group *group);
    /* The memory instructions of a wavefront that slept until then are over. */
    void (*memory_over)(struct wavefront_listener *listener, struct wavefront *wave);
    /* An instruction is next, and tm_flags.is_watched. */
    void (*registers_used)(struct wavefront_listener *listener, struct wavefront *wave);
};

/* Of one compute unit. The units that serve wavefronts hold a pointer to it, and call what is
 * below. */
struct wavefronts {
    /* What each tick looks at. */
    const struct clock_domain *clock;
    uint64_t wants_fetch; /* wavefronts with room in their buffer */
    struct turns turns;
    bool has_progress;                  /* in this tick */
    bool tm_is_global;                  /* a system isolates global memory */
    struct index_ring completed_groups; /* to be told to the dispatcher */
    struct fault fault;
    /* By SIMD: the first turn in which a wavefront may issue; NEVER: none. */
    uint64_t next_issue[GPU_MAX_SIMDS];
    uint64_t in_state[STATE_COUNT];
    uint64_t queue_waiting[ISA_UNIT_COUNT]; /* STATE_QUEUE, by the unit whose queue is full */
    struct wavefront *list;                 /* by slot */
    struct simd simds[GPU_MAX_SIMDS];
    const struct compute_unit_parameters *parameters;
    struct compute_unit_statistics *statistics;
    const struct isa *isa;
    uint32_t lanes;          /* of each wavefront */
    uint16_t number;         /* of the compute unit */
    unsigned fetch_shift;    /* log2(fetch_bytes) */
    struct transactions *tm; /* for the units that serve wavefronts; NULL: hints mean nothing */
    struct wavefront_listener *listener; /* NULL: none */
    struct bounds bounds;
    struct outside outside;
    uint64_t breaks;
    uint32_t slot_count;
    uint64_t next_age;
    struct occupancy resident;
    struct wavefront_times times;
    const struct profile *profile; /* of the running launch; NULL: none is made */
    struct group groups[GPU_MAX_GROUPS];
    unsigned char *lds; /* local memory of all work-groups; borrowed */
    void *wave_memory;  /* all wavefronts' registers */
    void *list_memory;  /* where the list lies */
};

static inline uint64_t wavefronts_cycle(const struct wavefronts *waves)
{
    return waves->clock->cycle;
}

/* After so many cycles before a full queue a wavefront goes before all others, whatever its age.
 * Else those that spin on what it will store could keep the queue from it for ever. Far above what
 * programs without such loops wait. */
enum { PATIENCE_CYCLES = 65536 };

/* The smallest gets a place in a queue first. */
static inline uint64_t wavefront_seniority(const struct wavefronts *waves,
                                           const struct wavefront *wave)
{
    return wave->refused_since != NEVER &&
                   wavefronts_cycle(waves) - wave->refused_since > PATIENCE_CYCLES
               ? wave->refused_since
               : wave->key;
}

/* ---- wavefront.c ---- */
void wavefront_change_state(struct wavefronts *waves, struct wavefront *wave,
                            enum wavefront_state state);
static inline void wavefront_set_state(struct wavefronts *waves, struct wavefront *wave,
                                       enum wavefront_state state)
{
    if (wave->state != state)
        wavefront_change_state(waves, wave, state);
}
/* Its next instruction may be tried from `cycle` on. */
void wavefront_ready(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle);
/* With serial_fetch_cycles: its next instruction is fetched from `cycle` on. One that is internal
 * then goes through the scalar unit. */
void wavefront_fetched(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle);
/* After an instruction: finds the next one, and whether the buffer has it. */
void wavefront_advance(struct wavefronts *waves, struct wavefront *wave, uint64_t old_pc,
                       uint64_t ready_at);
/* The program counter was set to somewhere else. */
void wavefront_redirect(struct wavefronts *waves, struct wavefront *wave, uint64_t ready_at);
/* Whether the counters are low enough for the wait; if not, *state says which is not. */
bool wavefront_may_pass(const struct wavefronts *waves, const struct wavefront *wave,
                        enum wavefront_state *state);
/* What a memory instruction has loaded reaches the registers, and is traced. */
void wavefront_loaded(struct wavefronts *waves, struct wavefront *wave, uint32_t sequence,
                      const struct isa_instruction *instruction,
                      struct isa_memory_request *request);
/* It is over: VM_CNT or LGKM_CNT falls. wavefront_released comes next. */
void wavefront_retired(struct wavefronts *waves, struct wavefront *wave, uint64_t active_at_issue,
                       const struct isa_instruction *instruction);
/* A store's data has left the registers: EXP_CNT falls. */
void wavefront_data_read(struct wavefronts *waves, struct wavefront *wave);
/* A place in the unit's queue became free: the first wavefront that waits for one may look again.
 */
void wavefronts_queue_freed(struct wavefronts *waves, enum isa_unit which);
void wavefront_fault(struct wavefronts *waves, const struct fault *fault);
/* A fault at the wavefront's next instruction, for the caller to complete. */
struct fault wavefront_fault_here(const struct wavefronts *waves, const struct wavefront *wave,
                                  enum fault_kind kind);
/* Before a request to memory, begun at `pc`, is sent: looks at each lane, drops those outside or
 * stops the launch. False: stopped. */
bool wavefront_check_bounds(struct wavefronts *waves, const struct wavefront *wave, uint64_t pc,
                            struct isa_memory_request *request);
/* Writes the line of an instruction that has had its effect, if it is traced. */
void wavefront_trace_line(struct wavefronts *waves, const struct wavefront *wave, uint32_t sequence,
                          const struct isa_instruction *instruction);
static inline void wavefront_trace(struct wavefronts *waves, const struct wavefront *wave,
                                   uint32_t sequence, const struct isa_instruction *instruction)
{
    if (__builtin_expect(waves->groups[wave->group].launch->trace != NULL, 0))
        wavefront_trace_line(waves, wave, sequence, instruction);
}

/* ---- wavefront_time.c ---- */
/* The next instruction is about to be executed or issued: its row of the profile. */
void wavefront_profile(struct wavefronts *waves, struct wavefront *wave);

/* ---- execute.c ---- */
/* Takes the next instruction out of the buffer: its effect, its count, its trace. */
void wavefront_execute(struct wavefronts *waves, struct wavefront *wave, uint64_t ready_at);

/* ---- group.c ---- */
/* A memory instruction is no more; the wavefront's end may have waited for it. */
void wavefront_released(struct wavefronts *waves, struct wavefront *wave);
/* It issues nothing more; wavefront_released comes next. */
void wavefront_end(struct wavefronts *waves, struct wavefront *wave);
void group_start(struct wavefronts *waves, const struct group_launch *launch);
void groups_send_completions(struct wavefronts *waves, struct port *completions);
/* Opens the barrier if all of the group that have not ended are at it. */
void barrier_check(struct wavefronts *waves, struct group *group);

/* ---- instruction_buffer.c ---- */
void instruction_buffer_refill(struct wavefronts *waves, struct wavefront *wave);
/* Whether the next instruction is in it; where there is none, there never will be more. The program
 * counter lies in the first block. */
static inline bool instruction_buffer_has(const struct wavefronts *waves,
                                          const struct wavefront *wave)
{
    uint64_t last, blocks;

    if (wave->next == NULL)
        return true;
    last = (wave->registers->pc - wave->block + wave->next->bytes - 1) >> waves->fetch_shift;
    blocks = (UINT64_C(2) << last) - 1;
    return (wave->arrived & blocks) == blocks;
}
/* Gives up blocks that lie before the program counter. */
void instruction_buffer_consume(struct wavefronts *waves, struct wavefront *wave);
/* Notes whether there is room for a block more. */
void instruction_buffer_wants(struct wavefronts *waves, const struct wavefront *wave);

#endif
