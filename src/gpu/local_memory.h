/* SPDX-License-Identifier: MIT */
/*
 * Local memory as data and as banks; used by the compute unit's local data share and by the
 * functional device.
 *
 * Bank of a word: word address modulo the number of banks. A pass serves 32 lanes of at most a
 * dword, or 16 lanes of more. It takes as many cycles as the busiest bank has distinct words, at
 * least one. Lanes that read or write the same word share it; atomics of several lanes on one word
 * do not. The two elements of ds_read2, ds_write2 and ds_wrxchg2 share passes, as one access of
 * twice the width. Or they have passes of their own, as two accesses, where that takes less (a
 * choice; see docs/models/compute-unit.md).
 * Sources: AMD, OpenCL Optimization Guide 2.2; CLRX, GcnTimings (rates of writes, of atomics and of
 * the operations with two elements), https://github.com/CLRX/CLRX-mirror, doc/GcnTimings.md.
 */
#ifndef GPU_LOCAL_MEMORY_H
#define GPU_LOCAL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

/* Loads, stores or updates `memory`, lanes in ascending order. Every lane lies inside (see
 * local_memory_outside). */
void local_memory_access(unsigned char *memory, struct isa_memory_request *request);

/* The same for loads and stores of one or two dwords at host address base + address; false: it is
 * something else, and nothing was done. */
bool memory_access_dwords(uint64_t base, struct isa_memory_request *request);

/* The first lane that reaches beyond `bytes`, or -1. */
int local_memory_outside(const struct isa_memory_request *request, uint32_t bytes);

struct local_cost {
    uint32_t cycles;   /* of the banks */
    uint32_t conflict; /* of these, because of conflicts */
};
/* `wave_lanes`: of the wavefront. */
struct local_cost local_memory_cost(const struct isa_memory_request *request, unsigned banks,
                                    unsigned wave_lanes);

#endif
