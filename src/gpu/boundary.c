/* SPDX-License-Identifier: MIT */
/*
 * A kernel's start and end, as its caches see them: before the first work-group each cache above
 * the crossbar is told to invalidate, after the last one each L1 that keeps stores is told to flush.
 * The dispatcher asks every compute unit and waits for all; the scalar and instruction caches that
 * compute units share are told by the first of those that share them.
 */
#include <string.h>

#include "gpu/unit.h"

static void tell(struct compute_unit *unit, struct port *port, uint64_t cycles, uint8_t kind)
{
    struct message *message;

    check(port_has_room(port, 1), "compute unit %u: no room for a kernel's boundary", unit->waves.number);
    message = port_send(port, (uint32_t)cycles);
    memset(message, 0, sizeof *message);
    message->kind = kind;
    message->order = kind == MESSAGE_FLUSH ? ORDER_RELEASE : ORDER_ACQUIRE;
    message->scope = SCOPE_SYSTEM;
    message->requester = (struct message_requester){.unit = REQUESTER_KERNEL};
    unit->boundary_answers++;
    unit->statistics.boundary_messages++;
}

static void answer_if_done(struct compute_unit *unit)
{
    struct group_done *done;

    if (unit->boundary_answers > 0)
        return;
    check(port_has_room(unit->ports.completions, 1),
          "compute unit %u: no room for a boundary's end", unit->waves.number);
    done = port_send(unit->ports.completions, (uint32_t)unit->parameters->completion_cycles);
    done->slot = BOUNDARY_SLOT;
}

void boundary_begin(struct compute_unit *unit, enum launch_boundary boundary)
{
    const struct compute_unit_parameters *parameters = unit->parameters;
    bool is_start = boundary == BOUNDARY_START;

    if (!is_start || !debug_breaks(unit->waves.breaks, KEEP_L1_AT_KERNEL))
        tell(unit, unit->ports.requests, parameters->vmem_request_cycles,
             is_start ? MESSAGE_INVALIDATE : MESSAGE_FLUSH);
    if (is_start && unit->tells_shared_caches &&
        !debug_breaks(unit->waves.breaks, KEEP_SCALAR_AT_KERNEL)) {
        tell(unit, unit->ports.scalar_requests, parameters->smem_request_cycles,
             MESSAGE_INVALIDATE);
        tell(unit, unit->ports.fetch_requests, parameters->fetch_request_cycles,
             MESSAGE_INVALIDATE);
    }
    answer_if_done(unit);
}

bool boundary_answer(struct compute_unit *unit, const struct message *message)
{
    if (message->requester.unit != REQUESTER_KERNEL)
        return false;
    unit->boundary_answers--;
    answer_if_done(unit);
    return true;
}
