/* SPDX-License-Identifier: MIT */
/*
 * The scalar memory unit of a compute unit: loads of up to 64 contiguous bytes, one or two lines
 * each, through the scalar cache. They end in any order.
 *
 *     has_room ─► issue ─► send ─► scalar cache ─► receive ─► retire (registers, LGKM_CNT)
 */
#ifndef GPU_SCALAR_MEMORY_H
#define GPU_SCALAR_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/records.h"
#include "isa/isa.h"
#include "sim/declare.h"

#define SCALAR_MEMORY_PARAMETERS(X)                                                                \
    X(NUMBER, smem_entries, "instructions", 16, 1, 256, "scalar loads in flight")                  \
    X(NUMBER, smem_cycles, "cycles", 4, 1, 1000,                                                   \
      "occupancy of the scalar memory unit for each 16 bytes")                                     \
    X(NUMBER, smem_return_cycles, "cycles", 4, 1, 1000, "from the last reply to the registers")    \
    X(NUMBER, smem_request_cycles, "cycles", 1, 1, 1000, "to the scalar cache")

struct scalar_memory_parameters {
    SCALAR_MEMORY_PARAMETERS(PARAMETER_FIELD)
};

#define SCALAR_MEMORY_STATISTICS(X)                                                                \
    X(COUNTER, smem_cycles, "cycles", "cycles in which the scalar memory unit was busy")           \
    X(COUNTER, smem_accesses, "accesses", "line accesses of scalar loads")                         \
    X(HISTOGRAM, smem_latency, "cycles", "scalar loads: first access sent to last reply")

struct scalar_memory_statistics {
    SCALAR_MEMORY_STATISTICS(STATISTIC_FIELD)
};

struct boundary;
struct port;
struct wavefront;
struct wavefronts;

struct smem_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    uint64_t pc;
    uint64_t active_at_issue; /* wavefront_active */
    uint64_t first_sent;
    uint32_t sequence;
    uint16_t slot;
    uint8_t parts, sent, outstanding;
};

struct scalar_memory {
    /* What each tick looks at. */
    struct wavefronts *waves;
    bool is_blocked;
    struct index_ring returns;
    struct index_ring queue; /* to be sent */
    uint64_t free_at;        /* issue */
    const struct scalar_memory_parameters *parameters;
    struct scalar_memory_statistics *statistics;
    struct boundary *boundary;
    struct port *requests, *replies;
    void *memory;
    struct smem_entry *entries;
    uint16_t *free_entries;
    uint32_t free_count;
};

/* Borrows all but itself. */
void smem_init(struct scalar_memory *smem, const struct scalar_memory_parameters *parameters,
               struct scalar_memory_statistics *statistics, struct wavefronts *waves,
               struct boundary *boundary);
void smem_finish(struct scalar_memory *smem);
void smem_connect(struct scalar_memory *smem, struct port *requests, struct port *replies);
bool smem_has_room(const struct scalar_memory *smem);
/* The wavefront's next instruction; there is room. */
void smem_issue(struct scalar_memory *smem, struct wavefront *wave);
void smem_receive(struct scalar_memory *smem);
/* Those whose data is due in the registers. */
void smem_retire(struct scalar_memory *smem);
/* One access. */
void smem_send(struct scalar_memory *smem);
/* The next cycle with something to do; NEVER: none, or a port wakes us. */
uint64_t smem_next(const struct scalar_memory *smem);

#endif
