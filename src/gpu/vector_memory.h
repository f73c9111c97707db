/* SPDX-License-Identifier: MIT */
/*
 * The vector memory unit of a compute unit.
 *
 *     has_room ─► issue ─► queue ─► addresses: a run at a time, coalesced ─────► send ─► L1
 *                                   store data from the registers (EXP_CNT)           │
 *     retire: registers, VM_CNT ◄─ in issue order of each wavefront ◄─ returns ◄─ receive
 *
 * An instruction keeps its entry from issue until VM_CNT falls. Replies may come in any order.
 */
#ifndef GPU_VECTOR_MEMORY_H
#define GPU_VECTOR_MEMORY_H

#include "gpu/bounds.h"
#include "gpu/coalescer.h"
#include "gpu/launch.h"
#include "gpu/records.h"
#include "mem/msg.h"
#include "sim/declare.h"

#define VECTOR_MEMORY_PARAMETERS(X)                                                                \
    /* Vector memory: cycles of address processing for 64 lanes, a fourth for each 16 of them */   \
    X(NUMBER, vmem_entries, "instructions", 32, 1, 256, "vector memory instructions in flight")    \
    X(NUMBER, load_linear_cycles, "cycles", 4, 1, 1000,                                            \
      "load of at most a dword, quarter-waves contiguous or uniform")                              \
    X(NUMBER, load_cycles, "cycles", 16, 1, 1000, "load of at most a dword, other addresses")      \
    X(NUMBER, load_x2_cycles, "cycles", 18, 1, 1000, "load of two dwords")                         \
    X(NUMBER, load_x4_linear_cycles, "cycles", 16, 1, 1000,                                        \
      "load of three or four dwords, contiguous or uniform")                                       \
    X(NUMBER, load_x4_cycles, "cycles", 18, 1, 1000,                                               \
      "load of three or four dwords, other addresses")                                             \
    X(NUMBER, store_cycles, "cycles", 16, 1, 1000, "store of any width")                           \
    X(NUMBER, atomic_cycles, "cycles", 16, 1, 1000, "atomic")                                      \
    X(NUMBER, compare_swap_cycles, "cycles", 32, 1, 1000, "atomic with two operands")              \
    X(NUMBER, vmem_issue_cycles, "cycles", 16, 1, 1000, "from issue to the first address")         \
    X(NUMBER, vmem_return_cycles, "cycles", 16, 1, 1000, "from the last reply to the registers")   \
    X(NUMBER, vmem_request_cycles, "cycles", 1, 1, 1000, "to the L1")                              \
    X(NUMBER, vmem_requests_per_cycle, "requests", 1, 1, 64, "accesses sent to the L1 in a cycle") \
    X(NUMBER, coalesced_lanes, "lanes", 16, 16, 64,                                                \
      "whose accesses to one line are one access: 16, 32 or 64 neighbours (a run)")

struct vector_memory_parameters {
    VECTOR_MEMORY_PARAMETERS(PARAMETER_FIELD)
};

#define VECTOR_MEMORY_STATISTICS(X)                                                                \
    X(HISTOGRAM, vmem_entries, "instructions", "vector memory instructions in flight, by cycles")  \
    X(HISTOGRAM, load_latency, "cycles", "vector loads: first access sent to last reply")          \
    X(HISTOGRAM, store_latency, "cycles",                                                          \
      "vector stores: first access sent to last acknowledgement")                                  \
    X(HISTOGRAM, atomic_latency, "cycles", "atomics: first access sent to last reply")             \
    X(COUNTER, scoped_operations, "operations",                                                    \
      "accesses that acquire or release, and fences that are vector instructions")                 \
    X(COUNTER, scoped_cycles, "cycles", "these, first access sent to last answer, added up")       \
    X(COUNTER, weighted_latency, "lane cycles",                                                    \
      "of vector loads and stores, first access sent to last answer, times the lanes of each")     \
    X(COUNTER, weighted_lanes, "lanes", "these lanes")                                             \
    X(COUNTER, load_lanes, "lanes", "lanes that loaded")                                           \
    X(COUNTER, load_accesses, "accesses", "line accesses that these became")                       \
    X(COUNTER, store_lanes, "lanes", "lanes that stored")                                          \
    X(COUNTER, store_accesses, "accesses", "line accesses that these became")                      \
    X(COUNTER, atomic_lanes, "lanes", "lanes with an atomic")                                      \
    X(COUNTER, atomic_accesses, "accesses", "line accesses that these became")                     \
    X(COUNTER, address_cycles, "cycles",                                                           \
      "cycles in which the vector memory unit was at an instruction's addresses")                  \
    X(COUNTER, l1_full_cycles, "cycles",                                                           \
      "cycles in which the vector memory unit could not send: the L1's queue was full")            \
    X(COUNTER, old_bytes, "bytes",                                                                 \
      "loaded though another compute unit had stored newer ones (--check-release)")

struct vector_memory_statistics {
    VECTOR_MEMORY_STATISTICS(STATISTIC_FIELD)
};

struct boundary;
struct port;
struct registry;
struct shadow;
struct text;
struct wavefront;
struct wavefronts;

enum { NO_SLOT = 0xffff, NO_PART = 0xffff, VMEM_MAX_PARTS = 128 };
_Static_assert(256 * VMEM_MAX_PARTS <= NO_PART, "a number for each access in flight");

/* Kinds of requests whose time is counted by its parts: loads, stores, atomics. */
enum { STACK_COUNT = ISA_MEMORY_ATOMIC + 1 };

/* A vector memory instruction in flight. */
struct vmem_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    const struct launch *launch;
    uint64_t start_at; /* addresses may be processed from here on */
    uint64_t pc;
    uint64_t active_at_issue; /* wavefront_active */
    uint64_t started_at;      /* address processing began */
    uint64_t first_sent;      /* NEVER: nothing was sent yet */
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
        uint64_t lanes;
        uint16_t journey;
    } part[VMEM_MAX_PARTS];
};

struct vector_memory {
    /* What each tick looks at. */
    struct wavefronts *waves;
    const struct vector_memory_parameters *parameters;
    uint64_t free_at;
    uint16_t current; /* whose addresses are being processed; NO_ENTRY: none */
    bool is_blocked;  /* the port is full and will wake us */
    uint32_t runs;    /* of a wavefront: run_lanes each, coalesced together */
    uint32_t run;     /* next one to be coalesced; `runs`: none left */
    uint32_t run_lanes;
    uint32_t position;         /* next access of the list */
    struct index_ring returns; /* all replies here, on the way to the registers */
    struct index_ring queue;   /* issued, addresses not yet processed */
    struct vector_memory_statistics *statistics;
    struct boundary *boundary;
    struct port *requests, *replies;
    struct shadow *shadow; /* NULL: stores and loads are not compared */
    struct outside old_bytes;
    struct latency_stack stacks[STACK_COUNT]; /* by kind of request */
    /* By wavefront slot: its instructions in issue order. */
    struct vmem_order {
        uint16_t first, last; /* NO_ENTRY: none */
    } order[GPU_MAX_SLOTS];
    void *memory; /* where the entries lie */
    struct vmem_entry *entries;
    void *journey_memory;
    struct journey *journeys; /* of all parts in flight, by number */
    uint16_t *free_journeys;  /* the latest to become free is used first: it is warm */
    uint32_t free_journey_count;
    uint16_t *free_entries;
    uint32_t free_count;
    uint64_t run_at[ISA_MAX_LANES / QUARTER_LANES + 1];
    uint64_t started_at;
    uint64_t blocked_since;  /* NEVER: it is not */
    uint64_t blocked_cycles; /* of the current instruction, before its latest access */
    struct access_list list;
    struct occupancy occupancy;
};

static inline uint64_t vmem_run_lanes(const struct vector_memory *vmem, uint32_t run)
{
    return low_mask(vmem->run_lanes) << (run * vmem->run_lanes);
}

/* ---- vector_entries.c ---- */
/* All is borrowed, and must be here before the first tick. `shadow` may be NULL. */
void vmem_init(struct vector_memory *vmem, const struct vector_memory_parameters *parameters,
               struct vector_memory_statistics *statistics, struct wavefronts *waves,
               struct boundary *boundary, struct shadow *shadow);
void vmem_finish(struct vector_memory *vmem);
/* Enters the latency stacks below the compute unit's path. */
void vmem_register(struct vector_memory *vmem, struct registry *registry, const char *path);
void vmem_connect(struct vector_memory *vmem, struct port *requests, struct port *replies);
bool vmem_has_room(const struct vector_memory *vmem);
/* What the instruction stores is read from the registers, unless it was before. */
void vmem_read_store_data(struct vector_memory *vmem, struct vmem_entry *entry);
/* All replies of the instruction are here: its data goes to the registers. */
void vmem_complete(struct vector_memory *vmem, uint16_t index);
void vmem_count_occupancy(struct vector_memory *vmem);
void vmem_settle(struct vector_memory *vmem);
void vmem_explain(const struct vector_memory *vmem, struct text *text);

/* ---- vector_memory.c ---- */
/* The wavefront's next instruction; there is room. */
void vmem_issue(struct vector_memory *vmem, struct wavefront *wave);
/* Addresses, and at most vmem_requests_per_cycle accesses. Returns how many more it could send. */
uint64_t vmem_send(struct vector_memory *vmem);
/* The next cycle with something to do; NEVER: none, or a port wakes us. */
uint64_t vmem_next(const struct vector_memory *vmem);

static inline uint16_t vmem_index(const struct vector_memory *vmem, const struct vmem_entry *entry)
{
    return (uint16_t)(entry - vmem->entries);
}

/* Where one of the instruction's accesses has spent its time. */
static inline struct journey *vmem_journey(const struct vector_memory *vmem,
                                           const struct vmem_entry *entry, unsigned part)
{
    return &vmem->journeys[entry->part[part].journey];
}

/* ---- vector_return.c ---- */
void vmem_receive(struct vector_memory *vmem);
/* Those whose data is due in the registers, in issue order of each wavefront. */
void vmem_retire(struct vector_memory *vmem);
/* The wavefront goes without waiting for its instructions; they run to their end on their own. */
void vmem_orphan(struct vector_memory *vmem, struct wavefront *wave);

/* ---- memory_trace.c ---- */
/* Whether the new instruction's accesses are traced. A launch without a trace is not asked. */
void memory_trace_choose(const struct vector_memory *vmem, const struct wavefront *wave,
                         struct vmem_entry *entry);
/* The lines of an instruction that has ended. */
void memory_trace_write(const struct vector_memory *vmem, const struct vmem_entry *entry);

/* ---- check_release.c: only where there is a shadow of memory ---- */
void check_release_sent(struct vector_memory *vmem, const struct message *message);
void check_release_answered(struct vector_memory *vmem, const struct vmem_entry *entry,
                            const struct vmem_part *part, const struct message *reply);

#endif
