/* SPDX-License-Identifier: MIT */
/*
 * Fetch and instruction buffers. A wavefront's buffer holds blocks of fetch_bytes from the one with
 * the program counter on; one fetch a cycle goes out, first for wavefronts that have nothing to
 * issue, in turn by slot. A taken branch empties the buffer, and fetches still on their way for the
 * old path are known by their refill number and dropped.
 */
#include "gpu/unit.h"

#include <string.h>

static void receive_block(struct compute_unit *unit, const struct message_requester *requester)
{
    struct wavefront *wave = &unit->waves.list[requester->wavefront];
    uint16_t place = (uint16_t)(requester->part - wave->consumed);

    if (requester->entry != wave->fetch_number) {
        unit->statistics.fetches_discarded++;
        return;
    }
    check(place < wave->requested, "wavefront %u was sent a block it did not ask for", wave->slot);
    wave->arrived |= UINT64_C(1) << place;
    if (wave->state == STATE_FETCH && instruction_buffer_has(&unit->waves, wave))
        wavefront_ready(&unit->waves, wave, unit_cycle(unit));
}

void front_end_receive(struct compute_unit *unit)
{
    const struct message *message;

    while ((message = port_peek(unit->ports.fetch_replies)) != NULL) {
        if (!boundary_takes(&unit->boundary, message))
            receive_block(unit, &message->requester);
        port_take(unit->ports.fetch_replies);
        unit->waves.has_progress = true;
    }
}

static struct wavefront *choose(struct compute_unit *unit)
{
    uint64_t wanting = unit->waves.wants_fetch & unit->waves.in_state[STATE_FETCH];
    uint64_t later;

    if (wanting == 0)
        wanting = unit->waves.wants_fetch;
    later = wanting & ~low_mask(unit->fetch_turn);
    return &unit->waves.list[lowest_bit(later != 0 ? later : wanting)];
}

void front_end_send(struct compute_unit *unit)
{
    struct wavefront *wave;
    struct message *message;
    uint64_t address;

    unit->fetch_is_blocked = false;
    if (unit->waves.wants_fetch == 0)
        return;
    if (!port_has_room(unit->ports.fetch_requests, 1)) {
        unit->fetch_is_blocked = true;
        return;
    }
    wave = choose(unit);
    unit->fetch_turn = wave->slot + 1u;
    address = wave->block + wave->requested * unit->parameters->fetch_bytes;
    message =
        port_send(unit->ports.fetch_requests, (uint32_t)unit->parameters->fetch_request_cycles);
    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_LOAD;
    message->addr = address & ~(uint64_t)(LINE_BYTES - 1);
    message->mask = low_mask((unsigned)unit->parameters->fetch_bytes) << (address % LINE_BYTES);
    message->requester = (struct message_requester){unit->waves.number, wave->slot, wave->fetch_number,
                                                    (uint16_t)(wave->consumed + wave->requested)};
    wave->requested++;
    unit->statistics.fetches++;
    unit->waves.has_progress = true;
    instruction_buffer_wants(&unit->waves, wave);
}
