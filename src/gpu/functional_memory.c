/* SPDX-License-Identifier: MIT */
#include "gpu/functional_memory.h"

#include <string.h>

#include "base/bits.h"
#include "gpu/local_memory.h"

/* An element of another width or an atomic: one lane at a time. */
static void access_lanes(const struct backing *backing, struct isa_memory_request *request)
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

static void serve_inside(const struct backing *backing, struct isa_memory_request *request)
{
    if (request->kind == ISA_MEMORY_SCALAR_LOAD) {
        if (request->lanes != 0)
            memcpy(request->scalar, backing_host(backing, request->address[0]),
                   request->element_bytes);
        return;
    }
    if (!memory_access_dwords((uintptr_t)backing->host - backing->base, request))
        access_lanes(backing, request);
}

static enum functional_access serve_local(unsigned char *local, uint32_t local_bytes,
                                          struct isa_memory_request *request, struct fault *fault)
{
    int lane = local_memory_outside(request, local_bytes);

    if (lane >= 0) {
        bounds_describe(request, UINT64_C(1) << lane, FAULT_LOCAL, fault);
        return FUNCTIONAL_STOPPED;
    }
    local_memory_access(local, request);
    return FUNCTIONAL_SERVED;
}

enum functional_access functional_serve(struct bounds *bounds, unsigned char *local,
                                        uint32_t local_bytes, struct isa_memory_request *request,
                                        struct fault *fault, uint32_t *outside)
{
    uint64_t lanes;

    if (request->kind == ISA_MEMORY_INVALIDATE || request->kind == ISA_MEMORY_FLUSH)
        return FUNCTIONAL_SERVED;
    if (request->space == ISA_SPACE_LOCAL)
        return serve_local(local, local_bytes, request, fault);
    lanes = bounds_outside(bounds, request);
    if (lanes != 0) {
        bounds_describe(request, lanes, FAULT_UNMAPPED, fault);
        if (!bounds->drops)
            return FUNCTIONAL_STOPPED;
        *outside = count_bits(lanes);
        bounds_drop(request, lanes);
    }
    if (bounds_misaligned(request) != 0) {
        bounds_describe(request, bounds_misaligned(request), FAULT_MISALIGNED, fault);
        return FUNCTIONAL_STOPPED;
    }
    serve_inside(bounds->backing, request);
    return lanes != 0 ? FUNCTIONAL_DROPPED : FUNCTIONAL_SERVED;
}
