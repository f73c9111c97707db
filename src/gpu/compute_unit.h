/* SPDX-License-Identifier: MIT */
/*
 * A compute unit of the Graphics Core Next kind, cycle by cycle: one component.
 *
 *     instruction cache ⇄ fetch ─► instruction buffers ─► issue ─┬─► vector ALUs (SIMDs)
 *                                     (one per wavefront)         ├─► scalar unit, branches
 *                                                                 ├─► scalar memory ⇄ scalar cache
 *                                                                 ├─► vector memory ⇄ L1
 *                                                                 └─► local data share
 *
 * In its turn (gpu/turns.h) a SIMD issues up to issue_width instructions of different kinds from
 * different wavefronts. The higher priority goes first, then issue_order decides
 * (gpu/issue_order.h). Instructions take effect at issue (isa->execute, isa->begin). Store data
 * leaves the registers when the vector memory unit takes the store from its queue
 * (isa->store_data). So a missing s_waitcnt stores new registers. Loaded data reaches them when the
 * last byte of it is here (isa->finish). So a missing s_waitcnt reads old ones.
 *
 * Invariants: a wavefront is in one state at a time (gpu/wavefront.h). VM_CNT falls in issue order;
 * LGKM_CNT in order for local memory, in any order for scalar loads; EXP_CNT when all of a store
 * was sent. Nothing is counted by ticks: a compute unit that sleeps counts its slots, stalls and
 * occupancies from the cycle number when it wakes.
 *
 * Left out: bank conflicts of the vector registers, GDS, exports and traps. Also the extra cycles
 * of 8-byte instructions at some offsets, and hazards that the hardware does not interlock. See
 * docs/models/compute-unit.md.
 * Sources: F. Candel, Caracterizacion del sistema de memoria de una GPGPU (2014), chapter 4; AMD,
 * OpenCL Optimization Guide; CLRX, GcnTimings, https://github.com/CLRX/CLRX-mirror. The values' own
 * sources are in gpus/hd7970.yaml.
 */
#ifndef GPU_COMPUTE_UNIT_H
#define GPU_COMPUTE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/bounds.h"
#include "gpu/front_end.h"
#include "gpu/issue.h"
#include "gpu/launch.h"
#include "gpu/local_unit.h"
#include "gpu/scalar_memory.h"
#include "gpu/transactions.h"
#include "gpu/vector_memory.h"
#include "isa/isa.h"
#include "mem/msg.h"
#include "sim/component.h"
#include "sim/declare.h"
#include "sim/port.h"
#include "sim/registry.h"
#include "tm/tm.h"

#define COMPUTE_UNIT_OWN_PARAMETERS(X)                                                             \
    /* What a work-group must find free. */                                                        \
    X(NUMBER, simds, "SIMDs", 4, 1, GPU_MAX_SIMDS, "SIMDs of a compute unit")                      \
    X(NUMBER, wavefronts_per_simd, "wavefronts", 10, 1, GPU_MAX_SLOTS,                             \
      "wavefront slots of a SIMD; a compute unit has 64 at most")                                  \
    X(NUMBER, vector_registers, "registers", 256, 16, 65536,                                       \
      "vector registers of a SIMD, per lane")                                                      \
    X(NUMBER, scalar_registers, "registers", 512, 16, 65536, "scalar registers of a SIMD")         \
    X(NUMBER, lds_bytes, "bytes", 65536, 1024, 1048576, "local data share of the compute unit")    \
    X(NUMBER, lds_granule_bytes, "bytes", 256, 4, 4096,                                            \
      "local memory is allocated in pieces of this size")                                          \
    X(NUMBER, barriers, "barriers", 16, 1, 64, "work-groups of several wavefronts at a time")      \
    X(NUMBER, group_on_one_simd, "", 0, 0, 1,                                                      \
      "1: a work-group's wavefronts share a SIMD, if it can hold them; 0: they go to all in turn")

#define COMPUTE_UNIT_LATE_PARAMETERS(X)                                                            \
    X(NUMBER, completion_cycles, "cycles", 4, 1, 1000, "from a work-group's end to the dispatcher")

#define COMPUTE_UNIT_PARAMETERS(X)                                                                 \
    COMPUTE_UNIT_OWN_PARAMETERS(X)                                                                 \
    ISSUE_PARAMETERS(X)                                                                            \
    COMPUTE_UNIT_LATE_PARAMETERS(X)                                                                \
    FRONT_END_PARAMETERS(X)                                                                        \
    VECTOR_MEMORY_PARAMETERS(X)                                                                    \
    LOCAL_UNIT_PARAMETERS(X)                                                                       \
    SCALAR_MEMORY_PARAMETERS(X)

/* All by their names, and those of each unit as its own struct. */
struct compute_unit_parameters {
    COMPUTE_UNIT_OWN_PARAMETERS(PARAMETER_FIELD)
    union {
        struct {
            ISSUE_PARAMETERS(PARAMETER_FIELD)
        };
        struct issue_parameters issue;
    };
    COMPUTE_UNIT_LATE_PARAMETERS(PARAMETER_FIELD)
    union {
        struct {
            FRONT_END_PARAMETERS(PARAMETER_FIELD)
        };
        struct front_end_parameters front_end;
    };
    union {
        struct {
            VECTOR_MEMORY_PARAMETERS(PARAMETER_FIELD)
        };
        struct vector_memory_parameters vector_memory;
    };
    union {
        struct {
            LOCAL_UNIT_PARAMETERS(PARAMETER_FIELD)
        };
        struct local_unit_parameters local;
    };
    union {
        struct {
            SCALAR_MEMORY_PARAMETERS(PARAMETER_FIELD)
        };
        struct scalar_memory_parameters scalar_memory;
    };
};
#define COMPUTE_UNIT_PARAMETER_ROW(...) PARAMETER_ROW(struct compute_unit_parameters, __VA_ARGS__)
extern const struct parameter compute_unit_parameters[];
extern const uint32_t compute_unit_parameter_count;

/* The defaults above. */
void compute_unit_defaults(struct compute_unit_parameters *parameters);
/* What no range of a single parameter can say (powers of two, an instruction buffer of whole
 * fetches). */
bool compute_unit_parameters_check(const struct compute_unit_parameters *parameters,
                                   struct diagnosis *diagnosis) MUST_USE;

/* Instructions by kind; the functional device counts the same. One issue slot: a SIMD's turn. */
#define INSTRUCTION_STATISTICS(X)                                                                  \
    X(COUNTER, instructions_valu, "instructions", "wavefront instructions of the vector ALUs")     \
    X(COUNTER, instructions_salu, "instructions", "of the scalar ALU")                             \
    X(COUNTER, instructions_smem, "instructions", "scalar loads")                                  \
    X(COUNTER, instructions_vmem, "instructions",                                                  \
      "vector memory: buffer loads, stores, atomics, invalidations")                               \
    X(COUNTER, instructions_lds, "instructions", "local memory")                                   \
    X(COUNTER, instructions_export, "instructions", "exports")                                     \
    X(COUNTER, instructions_branch, "instructions", "branches and messages")                       \
    X(COUNTER, instructions_internal, "instructions",                                              \
      "consumed in the instruction buffer: waits, barriers, ends, no-ops, hints")                  \
    X(COUNTER, lane_operations, "operations",                                                      \
      "active lanes of vector instructions plus one for each scalar one (OPC's numerator)")

/* The same on both models. */
#define OUTSIDE_STATISTICS(X)                                                                      \
    X(COUNTER, out_of_bounds, "lanes",                                                             \
      "accesses outside all buffers that were dropped (--out-of-bounds=zero)")

#define COMPUTE_UNIT_EARLY_STATISTICS(X)                                                           \
    INSTRUCTION_STATISTICS(X)                                                                      \
    X(COUNTER, branches_taken, "branches",                                                         \
      "branches that went elsewhere than to the next instruction")                                 \
    X(COUNTER, groups, "groups", "work-groups that ended here")                                    \
    X(HISTOGRAM, wavefronts, "wavefronts", "wavefronts resident, by cycles")                       \
    X(COUNTER, busy_cycles, "cycles", "cycles with a wavefront resident")                          \
    X(COUNTER, slots_issued, "slots", "issue slots in which an instruction went to a unit")        \
    X(COUNTER, slots_internal, "slots",                                                            \
      "issue slots in which only internal instructions were consumed")                             \
    X(COUNTER, valu_cycles, "cycles",                                                              \
      "cycles in which a SIMD's vector ALU was busy, summed over SIMDs")                           \
    X(COUNTER, hidden_vmem_cycles, "cycles",                                                       \
      "of wavefronts: work done while the vector memory instruction went on that was then waited " \
      "for")                                                                                       \
    X(COUNTER, hidden_lds_cycles, "cycles", "the same for local memory")                           \
    X(COUNTER, hidden_smem_cycles, "cycles", "the same for scalar loads")                          \
    X(COUNTER, stall_empty, "slots", "nothing issued: the SIMD has no wavefront")                  \
    X(COUNTER, stall_busy, "slots", "nothing issued: units busy, or results not yet usable")       \
    X(COUNTER, stall_queue, "slots", "nothing issued: the memory unit's queue is full")            \
    X(COUNTER, stall_fetch, "slots", "nothing issued: waiting for instructions")                   \
    X(COUNTER, stall_lgkm, "slots",                                                                \
      "nothing issued: waiting for LGKM_CNT (local memory, scalar loads)")                         \
    X(COUNTER, stall_vm, "slots", "nothing issued: waiting for VM_CNT (vector memory)")            \
    X(COUNTER, stall_exp, "slots", "nothing issued: waiting for EXP_CNT (store data)")             \
    X(COUNTER, stall_barrier, "slots", "nothing issued: waiting at a barrier")                     \
    X(COUNTER, stall_sleep, "slots", "nothing issued: s_sleep, s_nop")                             \
    X(COUNTER, stall_transaction, "slots",                                                         \
      "nothing issued: a transaction may not begin or commit yet")                                 \
    X(COUNTER, stall_end, "slots",                                                                 \
      "nothing issued: wavefronts finished; waiting for stores or for the work-group")

#define BARRIER_STATISTICS(X)                                                                      \
    X(COUNTER, barrier_waits, "wavefronts", "wavefronts that had to wait at a barrier")

#define BOUNDARY_STATISTICS(X)                                                                     \
    X(COUNTER, boundary_messages, "messages",                                                      \
      "to caches at kernels' starts (invalidate) and ends (flush)")

#define COMPUTE_UNIT_STATISTICS(X)                                                                 \
    COMPUTE_UNIT_EARLY_STATISTICS(X)                                                               \
    FRONT_END_STATISTICS(X)                                                                        \
    BARRIER_STATISTICS(X)                                                                          \
    VECTOR_MEMORY_STATISTICS(X)                                                                    \
    LOCAL_UNIT_STATISTICS(X)                                                                       \
    SCALAR_MEMORY_STATISTICS(X)                                                                    \
    BOUNDARY_STATISTICS(X)                                                                         \
    TRANSACTION_COUNTS(X)                                                                          \
    OUTSIDE_STATISTICS(X)

/* All by their names, and those of each unit as its own struct. */
struct compute_unit_statistics {
    COMPUTE_UNIT_EARLY_STATISTICS(STATISTIC_FIELD)
    union {
        struct {
            FRONT_END_STATISTICS(STATISTIC_FIELD)
        };
        struct front_end_statistics front_end;
    };
    BARRIER_STATISTICS(STATISTIC_FIELD)
    union {
        struct {
            VECTOR_MEMORY_STATISTICS(STATISTIC_FIELD)
        };
        struct vector_memory_statistics vector_memory;
    };
    union {
        struct {
            LOCAL_UNIT_STATISTICS(STATISTIC_FIELD)
        };
        struct local_unit_statistics local;
    };
    union {
        struct {
            SCALAR_MEMORY_STATISTICS(STATISTIC_FIELD)
        };
        struct scalar_memory_statistics scalar_memory;
    };
    BOUNDARY_STATISTICS(STATISTIC_FIELD)
    union {
        struct {
            TRANSACTION_COUNTS(STATISTIC_FIELD)
        };
        struct transaction_counts transactions;
    };
    OUTSIDE_STATISTICS(STATISTIC_FIELD)
};

struct compute_unit;

/* Everything a compute unit is given at birth; borrowed, must outlive it. */
struct compute_unit_options {
    const struct compute_unit_parameters *parameters;
    const struct isa *isa;
    uint32_t wave_lanes;     /* of all its wavefronts; 0: isa->wave_lanes */
    struct bounds bounds;    /* memory is only asked what may be accessed */
    const struct tm_set *tm; /* copied; NULL: hints mean nothing */
    const struct tm_parameters *tm_parameters;
    struct tm_facts tm_facts;
    bool checks_transactions;            /* an oracle watches local memory (tm/oracle.h) */
    struct global_oracle *global_oracle; /* one of the machine's watches global memory; or NULL */
    struct scalar_words *scalar_words; /* the machine's (gpu/scalar_words.h); NULL: none are kept */
    struct clock_domain *clock;
    struct registry *registry; /* statistics go in here under `path`, kind "compute_unit" */
    const char *path;          /* "cu3" */
    struct shadow *shadow;     /* borrowed, of all compute units; NULL: none (gpu/shadow.h) */
    bool sends_releases;       /* its L1 may hold stores that others do not see */
    bool tells_shared_caches;  /* of a kernel's start, the scalar and instruction caches */
    uint16_t number;           /* requester.unit of its messages */
    uint64_t breaks;           /* sim/debug.h */
};

struct compute_unit *compute_unit_create(const struct compute_unit_options *options);
void compute_unit_destroy(struct compute_unit *unit);
struct component *compute_unit_component(struct compute_unit *unit);

/* The ports that machine/ has made between this component and its neighbours; borrowed. Elements
 * are struct message, but launches (struct group_launch) and completions (struct group_done). Call
 * once, before engine_start. */
struct compute_unit_ports {
    struct port *requests, *replies; /* to and from the L1 (or the socket before it) */
    struct port *scalar_requests,
        *scalar_replies; /* scalar cache: MESSAGE_LOAD, at most a line each */
    struct port *fetch_requests, *fetch_replies; /* instruction cache: MESSAGE_LOAD of fetch_bytes;
                                                    the data is not looked at */
    struct port *launches, *completions;         /* from and to the dispatcher */
};
void compute_unit_connect(struct compute_unit *unit, const struct compute_unit_ports *ports);

/* Of a transactional memory that uses the network: struct message to and from it. */
void compute_unit_connect_network(struct compute_unit *unit, uint32_t system,
                                  struct port *to_network, struct port *from_network);
/* Of a transactional memory with a centre: struct tm_packet to and from it. `system` is its place
 * in the set. */
void compute_unit_connect_centre(struct compute_unit *unit, uint32_t system, struct port *to_centre,
                                 struct port *from_centre);

/* What stopped the launch, or NULL. The engine has been asked to stop. A compute unit with a fault
 * does nothing any more. */
const struct fault *compute_unit_fault(const struct compute_unit *unit);

/* What was dropped since the last call; afterwards nothing. */
struct outside compute_unit_take_outside(struct compute_unit *unit);
/* The same of bytes that were loaded old. */
struct outside compute_unit_take_old_bytes(struct compute_unit *unit);

/* Wavefront instructions of all kinds since it was made: for progress. */
uint64_t compute_unit_instructions(const struct compute_unit *unit);
const struct compute_unit_statistics *compute_unit_statistics(const struct compute_unit *unit);

/* Number of wavefront slots (all SIMDs): isa->wave_init's slot_index is number * this + slot. */
uint32_t compute_unit_slots(const struct compute_unit_parameters *parameters);

/* Local memory that a work-group which asks for `bytes` is granted: whole granules. */
uint32_t compute_unit_granted_lds(const struct compute_unit_parameters *parameters, uint32_t bytes);

#endif
