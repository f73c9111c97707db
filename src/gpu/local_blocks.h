/* SPDX-License-Identifier: MIT */
/*
 * Local memory as a module of whole blocks instead of banks, as Multi2Sim 4.2 has it
 * (src/mem-system/local-mem-protocol.c, https://github.com/Multi2Sim/multi2sim). There each lane
 * makes an access. A load joins any other of its instruction to the same block. A store joins the
 * one before it alone, and has its port when the one before has left it.
 */
#ifndef GPU_LOCAL_BLOCKS_H
#define GPU_LOCAL_BLOCKS_H

#include "gpu/local_memory.h"

/* Lanes in ascending order, of each the first element and then the second. Loads: a cycle for each
 * block. Stores and atomics: `store_cycles` from a run of elements in one block to the next run,
 * and a cycle for the last. `block_bytes` is a power of two. */
struct local_cost local_blocks_cost(const struct isa_memory_request *request, unsigned block_bytes,
                                    unsigned store_cycles);

#endif
