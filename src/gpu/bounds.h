/* SPDX-License-Identifier: MIT */
/*
 * Which accesses of a kernel lie outside the memory that it may access, and what becomes of them.
 *
 * There are two measures. By page is a look at a bit mask, which the timed model does once a line.
 * To the byte is a look for the block, lane by lane. Two consequences: a fault, which stops the
 * kernel, or nothing: loads give zero, stores and atomics vanish, and the access is counted.
 *
 * What may be accessed is said by each block of device memory (mem/backing.h). Loads and stores are
 * told apart, and private memory is reached through its own descriptor only. The compiler widens
 * scalar loads of less than a dword. So where bounds are exact, a scalar load may reach up to the
 * end of the block's last dword.
 *
 * Left out: a sub-buffer's own end (its block is the buffer's), local memory (isa/ clamps it, as
 * the hardware does).
 */
#ifndef GPU_BOUNDS_H
#define GPU_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/fault.h"
#include "isa/isa.h"
#include "mem/backing.h"

struct bounds {
    const struct backing *backing;
    bool is_exact; /* to the byte; else by page */
    bool drops;    /* what lies outside is dropped and counted; else it is a fault */
    uint32_t hint; /* the block that was found last */
};

/* What was dropped since it was last asked for: how many lanes' accesses, and the first of them. */
struct outside {
    uint64_t accesses;
    uint64_t cycle; /* of the first, for those who have cycles */
    struct fault first;
};

static inline enum backing_access bounds_access(const struct isa_memory_request *request)
{
    if (request->space == ISA_SPACE_SCRATCH)
        return BACKING_SCRATCH;
    return request->kind == ISA_MEMORY_STORE || request->kind == ISA_MEMORY_ATOMIC ? BACKING_STORE
                                                                                   : BACKING_LOAD;
}

/* The lanes of a request to memory whose access lies outside; of a scalar load bit 0. */
uint64_t bounds_outside(struct bounds *bounds, const struct isa_memory_request *request);

/* The lanes of an atomic whose address is no multiple of its size. */
uint64_t bounds_misaligned(const struct isa_memory_request *request);

/* Takes the lanes out of the request: loads get zero. */
void bounds_drop(struct isa_memory_request *request, uint64_t lanes);

/* Fills in what the access of the first of `lanes` says about itself. */
void bounds_describe(const struct isa_memory_request *request, uint64_t lanes, enum fault_kind kind,
                     struct fault *fault);

#endif
