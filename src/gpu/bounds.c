/* SPDX-License-Identifier: MIT */
#include "gpu/bounds.h"

#include <string.h>

#include "base/bits.h"

/* Whether the bytes lie in one block that allows the access. */
static bool block_allows(struct bounds *bounds, uint64_t addr, uint64_t bytes,
                         enum backing_access access, uint64_t slack)
{
    const struct backing_block *block = backing_find(bounds->backing, addr, &bounds->hint);

    return block != NULL && (block->rights >> access & 1) != 0 &&
           bytes <= block->bytes + slack - (addr - block->addr);
}

static bool may_access(struct bounds *bounds, uint64_t addr, uint64_t bytes,
                       enum backing_access access)
{
    return bounds->is_exact ? block_allows(bounds, addr, bytes, access, 0)
                            : backing_allows(bounds->backing, addr, bytes, access);
}

static uint64_t scalar_outside(struct bounds *bounds, const struct isa_memory_request *request)
{
    uint64_t addr = request->address[0], bytes = request->element_bytes;
    uint32_t hint = bounds->hint;
    const struct backing_block *block;

    if (request->lanes == 0)
        return 0;
    if (!bounds->is_exact)
        return !backing_allows(bounds->backing, addr, bytes, BACKING_LOAD);
    block = backing_find(bounds->backing, addr, &hint);
    return block == NULL || !block_allows(bounds, addr, bytes, BACKING_LOAD,
                                          align_up(block->bytes, 4) - block->bytes);
}

/* All lanes at once, where they are near each other: from the lowest to the highest. */
static bool all_inside(struct bounds *bounds, const struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes, low = UINT64_MAX, high = 0;

    for_each_bit(lane, lanes)
    {
        low = request->address[lane] < low ? request->address[lane] : low;
        high = request->address[lane] > high ? request->address[lane] : high;
    }
    if (!bounds->is_exact && high - low > 64 * BACKING_PAGE_BYTES)
        return false;
    return may_access(bounds, low, high - low + request->element_bytes, bounds_access(request));
}

uint64_t bounds_outside(struct bounds *bounds, const struct isa_memory_request *request)
{
    enum backing_access access = bounds_access(request);
    uint64_t lanes = request->lanes, outside = 0;

    if (request->kind == ISA_MEMORY_SCALAR_LOAD)
        return scalar_outside(bounds, request);
    if (lanes == 0 || all_inside(bounds, request))
        return 0;
    for_each_bit(lane, lanes)
    {
        bool is_inside = may_access(bounds, request->address[lane], request->element_bytes, access);

        outside |= (uint64_t)!is_inside << lane;
    }
    return outside;
}

uint64_t bounds_misaligned(const struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes, misaligned = 0;

    if (request->kind != ISA_MEMORY_ATOMIC)
        return 0;
    for_each_bit(lane, lanes) misaligned |=
        (uint64_t)(request->address[lane] % request->element_bytes != 0) << lane;
    return misaligned;
}

void bounds_drop(struct isa_memory_request *request, uint64_t lanes)
{
    request->lanes &= ~lanes;
    if (request->kind == ISA_MEMORY_SCALAR_LOAD) {
        memset(request->scalar, 0, sizeof request->scalar);
        return;
    }
    for_each_bit(lane, lanes)
    {
        for (unsigned i = 0; i < 4; i++)
            request->data[i][lane] = 0;
    }
}

void bounds_describe(const struct isa_memory_request *request, uint64_t lanes, enum fault_kind kind,
                     struct fault *fault)
{
    fault->kind = kind;
    fault->lane = lowest_bit(lanes);
    fault->address = request->address[fault->lane];
    fault->bytes = request->element_bytes;
    fault->access = request->kind;
}
