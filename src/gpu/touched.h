/* SPDX-License-Identifier: MIT */
/* Which lines of device memory were touched last, by instructions and by their fetch: what caches
 * would hold of them. */
#ifndef GPU_TOUCHED_H
#define GPU_TOUCHED_H

#include <stdint.h>

#include "base/bits.h"
#include "isa/isa.h"

/* A ring, newest last; its owner makes it. A line stands in it more than once, but never next to
 * itself. */
struct touched {
    uint64_t *lines; /* addresses */
    uint64_t capacity;
    uint64_t count;      /* so far; line i is at i % capacity */
    uint32_t line_bytes; /* a power of two */
};

static inline void touched_add(struct touched *touched, uint64_t address, uint32_t bytes)
{
    uint64_t mask = ~(uint64_t)(touched->line_bytes - 1), last = (address + bytes - 1) & mask;

    for (uint64_t line = address & mask; line <= last; line += touched->line_bytes)
        if (touched->count == 0 || touched->lines[(touched->count - 1) % touched->capacity] != line)
            touched->lines[touched->count++ % touched->capacity] = line;
}

/* What a request that was served has touched. */
static inline void touched_note(struct touched *touched, const struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes;

    if (request->space == ISA_SPACE_LOCAL || request->kind == ISA_MEMORY_INVALIDATE ||
        request->kind == ISA_MEMORY_FLUSH)
        return;
    if (request->kind == ISA_MEMORY_SCALAR_LOAD)
        lanes &= 1;
    for_each_bit(lane, lanes) touched_add(touched, request->address[lane], request->element_bytes);
}

#endif
