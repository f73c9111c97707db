/* SPDX-License-Identifier: MIT */
/*
 * The inside of a compute unit, shared by the files that are its parts:
 *
 *     compute_unit.c, compute_unit_parameters.c, boundary.c   this header
 *     gpu/wavefront.h      wavefront.c, execute.c, group.c, instruction_buffer.c
 *     gpu/issue.h          issue.c, control.c, account.c
 *     gpu/front_end.h      front_end.c
 *     gpu/vector_memory.h  vector_entries.c, vector_memory.c, vector_return.c, memory_trace.c, check_release.c
 *     gpu/scalar_memory.h, gpu/local_unit.h
 *     gpu/transaction.h    transaction.c and the others of that name
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
#include "gpu/compute_unit.h"
#include "gpu/front_end.h"
#include "gpu/issue.h"
#include "gpu/issue_order.h"
#include "gpu/local_unit.h"
#include "gpu/scalar_memory.h"
#include "gpu/turns.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"
#include "sim/debug.h"

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
    bool is_by_key; /* the order is that of the keys alone */
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

/* ---- boundary.c ---- */
void boundary_begin(struct compute_unit *unit, enum launch_boundary boundary);
/* Whether the reply is an answer to that. */
bool boundary_answer(struct compute_unit *unit, const struct message *message);
static inline bool boundary_takes(struct compute_unit *unit, const struct message *message)
{
    return __builtin_expect(unit->boundary_answers > 0, 0) && boundary_answer(unit, message);
}

#endif
