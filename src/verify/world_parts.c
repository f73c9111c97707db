/* SPDX-License-Identifier: MIT */
/* The parts of a small machine's state: their canonical form, and which are whose. */
#include "base/bits.h"
#include "verify/world.h"
#include "verify/world_links.h"

static enum message_way way_of(const struct world *world, uint32_t fifo)
{
    if (is_across(world, fifo))
        return MESSAGE_GOES_ACROSS;
    if (fifo >= fifo_memory(world, 0))
        return MESSAGE_IS_ELSEWHERE;
    return is_upward(fifo) ? MESSAGE_GOES_UP : MESSAGE_GOES_DOWN;
}

static void encode_fifo(const struct world *world, uint32_t number, const struct form *form)
{
    const struct fifo *fifo = world_fifo(world, number);
    enum message_way way = way_of(world, number);
    uint64_t count = fifo->count;

    form->add(form->context, &count, sizeof count);
    for (uint32_t i = 0; i < fifo->count; i++) {
        const struct message *message = &fifo->messages[i];
        const struct message_kind *kind = protocol_kind(world->shape.protocol, message->kind);

        message_encode(message, message_kind_is_forwarded(kind) ? MESSAGE_GOES_ACROSS : way, form);
    }
}

static void encode_memory(const struct world *world, const struct form *form)
{
    for (uint32_t line = 0; line < world->line_count; line++) {
        uint64_t bytes = ~form->same_bytes;

        for_each_bit(byte, bytes) form->add(form->context, &world->memory[line][byte], 1);
    }
}

void world_encode_part(const struct world *world, uint32_t part, const struct form *form)
{
    if (part < world->controller_count)
        controller_encode(&world->controllers[part], form);
    else if (part == world_part_memory(world))
        encode_memory(world, form);
    else
        encode_fifo(world, part - world_part_fifo(world, 0), form);
}

uint64_t world_parts_of(const struct world *world, uint32_t l1)
{
    uint32_t fifos = world->shape.slices * LANE_COUNT;

    return UINT64_C(1) << l1 | low_mask(fifos) << world_part_fifo(world, l1 * fifos);
}

uint32_t world_part_named(const struct world *world, uint32_t part, const struct node_names *names)
{
    uint32_t fifos = world->shape.slices * LANE_COUNT, l1s = world->shape.l1s, fifo;

    if (names == NULL)
        return part;
    if (part < l1s)
        return names->of[part];
    if (part < world_part_fifo(world, 0))
        return part;
    fifo = part - world_part_fifo(world, 0);
    if (fifo < fifo_memory(world, 0))
        return world_part_fifo(world, names->of[fifo / fifos] * fifos + fifo % fifos);
    if (!is_across(world, fifo))
        return part;
    fifo -= fifo_across(world, 0, 0);
    return world_part_fifo(world, fifo_across(world, names->of[fifo / l1s], names->of[fifo % l1s]));
}
