/* SPDX-License-Identifier: MIT */
/*
 * Fetch and instruction buffers. A wavefront's buffer holds blocks of fetch_bytes from the one with
 * the program counter on. One fetch a cycle is sent, first for wavefronts that have nothing to
 * issue, in turn by slot. A taken branch empties the buffer, and outstanding fetches of the old
 * path are known by their refill number and dropped.
 */
#include "gpu/front_end.h"
#include "gpu/boundary.h"
#include "gpu/wavefront.h"

#include <string.h>

void front_end_init(struct front_end *front_end, const struct front_end_parameters *parameters,
                    struct front_end_statistics *statistics, struct wavefronts *waves,
                    struct boundary *boundary)
{
    *front_end = (struct front_end){
        .parameters = parameters, .statistics = statistics, .waves = waves, .boundary = boundary};
}

void front_end_connect(struct front_end *front_end, struct port *requests, struct port *replies)
{
    front_end->requests = requests;
    front_end->replies = replies;
}

static void receive_block(struct front_end *front_end, const struct message_requester *requester)
{
    struct wavefront *wave = &front_end->waves->list[requester->wavefront];
    uint16_t place = (uint16_t)(requester->part - wave->consumed);

    if (requester->entry != wave->fetch_number) {
        front_end->statistics->fetches_discarded++;
        return;
    }
    check(place < wave->requested, "wavefront %u was sent a block it did not ask for", wave->slot);
    wave->arrived |= UINT64_C(1) << place;
    if (wave->state == STATE_FETCH && instruction_buffer_has(front_end->waves, wave))
        wavefront_ready(front_end->waves, wave, wavefronts_cycle(front_end->waves));
}

NOT_INLINE static void receive_replies(struct front_end *front_end)
{
    const struct message *message;

    while ((message = port_peek(front_end->replies)) != NULL) {
        if (!boundary_takes(front_end->boundary, message))
            receive_block(front_end, &message->requester);
        port_take(front_end->replies);
        front_end->waves->has_progress = true;
    }
}

void front_end_receive(struct front_end *front_end)
{
    if (port_peek(front_end->replies) != NULL)
        receive_replies(front_end);
}

static struct wavefront *front_end_choose(struct front_end *front_end)
{
    uint64_t wanting = front_end->waves->wants_fetch & front_end->waves->in_state[STATE_FETCH];
    uint64_t later;

    if (wanting == 0)
        wanting = front_end->waves->wants_fetch;
    later = wanting & ~low_mask(front_end->turn);
    return &front_end->waves->list[lowest_bit(later != 0 ? later : wanting)];
}

NOT_INLINE static void send_fetch(struct front_end *front_end)
{
    struct wavefront *wave;
    struct message *message;
    uint64_t address;

    if (!port_has_room(front_end->requests, 1)) {
        front_end->is_blocked = true;
        return;
    }
    wave = front_end_choose(front_end);
    front_end->turn = wave->slot + 1u;
    address = wave->block + wave->requested * front_end->parameters->fetch_bytes;
    message =
        port_reserve(front_end->requests, (uint32_t)front_end->parameters->fetch_request_cycles);
    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_LOAD;
    message->addr = address & ~(uint64_t)(LINE_BYTES - 1);
    message->mask = low_mask((unsigned)front_end->parameters->fetch_bytes)
                    << (address % LINE_BYTES);
    message->requester =
        (struct message_requester){front_end->waves->number, wave->slot, wave->fetch_number,
                                   (uint16_t)(wave->consumed + wave->requested)};
    wave->requested++;
    front_end->statistics->fetches++;
    front_end->waves->has_progress = true;
    instruction_buffer_wants(front_end->waves, wave);
}

void front_end_send(struct front_end *front_end)
{
    front_end->is_blocked = false;
    if (front_end->waves->wants_fetch != 0)
        send_fetch(front_end);
}

uint64_t front_end_next(const struct front_end *front_end)
{
    return front_end->waves->wants_fetch != 0 && !front_end->is_blocked
               ? wavefronts_cycle(front_end->waves) + 1
               : NEVER;
}
