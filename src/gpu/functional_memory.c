/* SPDX-License-Identifier: MIT */
#include "gpu/functional_memory.h"

#include <string.h>

#include "base/bits.h"
#include "gpu/local_memory.h"

static bool outside(struct fault *fault, enum fault_kind kind,
                    const struct isa_memory_request *request, unsigned lane)
{
    fault->kind = kind;
    fault->lane = lane;
    fault->access = request->kind;
    fault->address = request->address[lane];
    fault->bytes = request->element_bytes;
    return false;
}

/* Whether all lanes lie in one mapped run of pages. */
static bool all_mapped(const struct backing *backing, const struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes, low = UINT64_MAX, high = 0;

    for_each_bit(lane, lanes)
    {
        low = request->address[lane] < low ? request->address[lane] : low;
        high = request->address[lane] > high ? request->address[lane] : high;
    }
    return high - low <= 64 * BACKING_PAGE_BYTES &&
           backing_is_mapped(backing, low, high - low + request->element_bytes);
}

static bool check_lanes(const struct backing *backing, const struct isa_memory_request *request,
                        struct fault *fault)
{
    uint64_t lanes = request->lanes;

    if (lanes == 0 || all_mapped(backing, request))
        return true;
    for_each_bit(lane, lanes)
    {
        if (!backing_is_mapped(backing, request->address[lane], request->element_bytes))
            return outside(fault, FAULT_UNMAPPED, request, lane);
    }
    return true;
}

/* An element of another width or an atomic: one lane at a time. */
static void access_lanes(struct backing *backing, struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes, all = request->lanes;

    for_each_bit(lane, lanes)
    {
        uint64_t address = request->address[lane];

        request->lanes = UINT64_C(1) << lane;
        request->address[lane] = 0;
        local_memory_access(backing_host(backing, address), request);
        request->address[lane] = address;
    }
    request->lanes = all;
}

static bool serve_scalar(const struct backing *backing, struct isa_memory_request *request,
                         struct fault *fault)
{
    if (request->lanes == 0)
        return true;
    if (!backing_is_mapped(backing, request->address[0], request->element_bytes))
        return outside(fault, FAULT_UNMAPPED, request, 0);
    memcpy(request->scalar, backing_host(backing, request->address[0]), request->element_bytes);
    return true;
}

bool functional_serve(struct backing *backing, unsigned char *local, uint32_t local_bytes,
                      struct isa_memory_request *request, struct fault *fault)
{
    int lane;

    if (request->kind == ISA_MEMORY_INVALIDATE)
        return true;
    if (request->kind == ISA_MEMORY_SCALAR_LOAD)
        return serve_scalar(backing, request, fault);
    if (request->space == ISA_SPACE_LOCAL) {
        lane = local_memory_outside(request, local_bytes);
        if (lane >= 0)
            return outside(fault, FAULT_LOCAL, request, (unsigned)lane);
        local_memory_access(local, request);
        return true;
    }
    if (!check_lanes(backing, request, fault))
        return false;
    if (!memory_access_dwords((uintptr_t)backing->host - backing->base, request))
        access_lanes(backing, request);
    return true;
}
