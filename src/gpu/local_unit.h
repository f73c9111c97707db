/* SPDX-License-Identifier: MIT */
/*
 * The local data share of a compute unit: a queue before its banks.
 *
 *     has_room ─► issue ─► serve (the banks; data moves) ─► retire (registers, LGKM_CNT)
 *
 * Instructions are served in the order of their issue, one at a time, so LGKM_CNT falls in order.
 */
#ifndef GPU_LOCAL_UNIT_H
#define GPU_LOCAL_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "sim/declare.h"

#define LOCAL_UNIT_PARAMETERS(X)                                                                   \
    X(NUMBER, lds_entries, "instructions", 16, 1, 256, "local memory instructions in flight")      \
    X(NUMBER, lds_banks, "banks", 32, 1, 64, "banks of four bytes (a power of two)")               \
    X(NUMBER, lds_block_bytes, "bytes", 0, 0, 1024,                                                \
      "0: banks; otherwise a load takes a cycle for each block that its lanes touch")              \
    X(NUMBER, lds_block_store_cycles, "cycles", 2, 1, 1000,                                        \
      "with it: from a store's block to the next; lanes in a row share one")                       \
    X(NUMBER, lds_write_cycles, "cycles", 2, 0, 1000,                                              \
      "more for stores and atomics than for loads")                                                \
    X(NUMBER, lds_latency_cycles, "cycles", 28, 1, 1000,                                           \
      "from the last bank access to the registers")

struct local_unit_parameters {
    LOCAL_UNIT_PARAMETERS(PARAMETER_FIELD)
};

#define LOCAL_UNIT_STATISTICS(X)                                                                   \
    X(HISTOGRAM, lds_latency, "cycles", "local memory: from issue to the registers")               \
    X(COUNTER, lds_lanes, "lanes", "lanes that accessed local memory")                             \
    X(COUNTER, lds_cycles, "cycles", "cycles in which the local data share was busy")              \
    X(COUNTER, lds_conflict_cycles, "cycles",                                                      \
      "of these, more than the same instruction needs without bank conflicts")

struct local_unit_statistics {
    LOCAL_UNIT_STATISTICS(STATISTIC_FIELD)
};

struct wavefront;
struct wavefronts;

struct lds_entry {
    struct isa_memory_request request;
    const struct isa_instruction *instruction;
    uint64_t issued_at;
    uint64_t due_at; /* data in the registers */
    uint64_t pc;
    uint64_t active_at_issue; /* wavefront_active */
    uint32_t sequence;
    uint16_t slot;
    bool counts_exp;
};

struct local_unit {
    const struct local_unit_parameters *parameters;
    struct local_unit_statistics *statistics;
    struct wavefronts *waves;
    unsigned char *bytes; /* the compute unit's local memory */
    void *memory;
    struct lds_entry *entries; /* a ring: first `served`, then waiting ones */
    uint32_t capacity, head, count, served;
    uint64_t free_at; /* banks */
};

/* Borrows all but itself; `bytes` of local memory. */
void local_init(struct local_unit *local, const struct local_unit_parameters *parameters,
                struct local_unit_statistics *statistics, struct wavefronts *waves, uint64_t bytes);
void local_finish(struct local_unit *local);
bool local_has_room(const struct local_unit *local);
/* The wavefront's next instruction; there is room. */
void local_issue(struct local_unit *local, struct wavefront *wave);
/* Those whose turn at the banks has come. */
void local_serve_queue(struct local_unit *local);
static inline void local_serve(struct local_unit *local)
{
    if (local->served < local->count)
        local_serve_queue(local);
}
/* Those whose data is due in the registers. */
void local_retire_served(struct local_unit *local);
static inline void local_retire(struct local_unit *local)
{
    if (local->served > 0)
        local_retire_served(local);
}
/* The next cycle with something to do; NEVER: none. */
uint64_t local_next(const struct local_unit *local);

#endif
