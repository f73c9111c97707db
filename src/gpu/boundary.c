/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/check.h"
#include "gpu/boundary.h"
#include "gpu/compute_unit.h"
#include "sim/debug.h"

static void boundary_tell(struct boundary *boundary, struct port *port, uint64_t cycles,
                          uint8_t kind)
{
    struct message *message;

    check(port_has_room(port, 1), "no room for a kernel's boundary");
    message = port_reserve(port, (uint32_t)cycles);
    memset(message, 0, sizeof *message);
    message->kind = kind;
    message->order = kind == MESSAGE_FLUSH ? ORDER_RELEASE : ORDER_ACQUIRE;
    message->scope = SCOPE_SYSTEM;
    message->requester = (struct message_requester){.unit = REQUESTER_KERNEL};
    boundary->answers++;
    boundary->statistics->boundary_messages++;
}

static void answer_if_done(struct boundary *boundary)
{
    struct group_done *done;

    if (boundary->answers > 0)
        return;
    check(port_has_room(boundary->ports->completions, 1), "no room for a boundary's end");
    done = port_reserve(boundary->ports->completions,
                        (uint32_t)boundary->parameters->completion_cycles);
    done->slot = BOUNDARY_SLOT;
}

void boundary_begin(struct boundary *boundary, enum launch_boundary which)
{
    const struct compute_unit_parameters *parameters = boundary->parameters;
    bool is_start = which == BOUNDARY_START;

    if (is_start ? !debug_breaks(boundary->breaks, KEEP_L1_AT_KERNEL)
                 : !debug_breaks(boundary->breaks, KEEP_L1_AT_END))
        boundary_tell(boundary, boundary->ports->requests, parameters->vmem_request_cycles,
                      is_start ? MESSAGE_INVALIDATE : MESSAGE_FLUSH);
    if (is_start && boundary->tells_shared_caches &&
        !debug_breaks(boundary->breaks, KEEP_SCALAR_AT_KERNEL)) {
        boundary_tell(boundary, boundary->ports->scalar_requests, parameters->smem_request_cycles,
                      MESSAGE_INVALIDATE);
        boundary_tell(boundary, boundary->ports->fetch_requests, parameters->fetch_request_cycles,
                      MESSAGE_INVALIDATE);
    }
    answer_if_done(boundary);
}

bool boundary_answer(struct boundary *boundary, const struct message *message)
{
    if (message->requester.unit != REQUESTER_KERNEL)
        return false;
    boundary->answers--;
    answer_if_done(boundary);
    return true;
}
