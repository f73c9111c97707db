/* SPDX-License-Identifier: MIT */
/* The vector memory unit of a compute unit (vector_memory.c draws it). */
#ifndef GPU_VECTOR_MEMORY_H
#define GPU_VECTOR_MEMORY_H

#include "gpu/coalescer.h"
#include "gpu/launch.h"
#include "gpu/records.h"
#include "mem/msg.h"
#include "sim/declare.h"

struct compute_unit;
struct wavefront;

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
void vmem_receive(struct compute_unit *unit);
void vmem_return(struct compute_unit *unit);
void vmem_orphan(struct compute_unit *unit, struct wavefront *wave);

/* ---- memory_trace.c ---- */
/* Whether the new instruction's accesses are traced. A launch without a trace is not asked. */
void memory_trace_choose(const struct compute_unit *unit, const struct wavefront *wave,
                         struct vmem_entry *entry);
/* The lines of an instruction that has ended. */
void memory_trace_write(const struct compute_unit *unit, const struct vmem_entry *entry);

/* ---- check_release.c: only where there is a shadow of memory ---- */
void check_release_sent(struct compute_unit *unit, const struct message *message);
void check_release_answered(struct compute_unit *unit, const struct vmem_entry *entry,
                            const struct vmem_part *part, const struct message *reply);

#endif
