/* SPDX-License-Identifier: MIT */
/*
 * What a state holds and can decide nothing any more is made the same in all states. First, bytes
 * that will be overwritten for certain become "dead", which no access may see. Second, where a
 * directory knows owners, the same is done to what their protocols look at in L1 alone. Tests
 * compare verdicts with and without faults, and a read of dead bytes is a fault, so that this
 * leaves out nothing in silence.
 */
#include <string.h>

#include "verify/alphabet_private.h"
#include "verify/world_links.h"

static const uint64_t FOLLOWED =
    (UINT64_C(1) << WORD_BYTES) - 1; /* bytes: WORD_FOLLOWED is the first */

static uint64_t followed_bytes(const struct world *world, uint64_t addr)
{
    return addr == world->lines[0] ? FOLLOWED : 0;
}

/* ---- Dead bytes ---- */

/* What a line or an entry of the write-back buffer has dirty will come over the bytes below it. */
static uint64_t dirty_in(const struct line *line, const struct mshr *mshr)
{
    return (line != NULL ? line->dirty : 0) | (mshr != NULL && mshr->is_eviction ? mshr->dirty : 0);
}

/* The bytes that an owner above has dirty, of a line that the slice knows to be its. */
static uint64_t owned_dirty(const struct alphabet *alphabet, const struct world *world,
                            const struct line *below)
{
    const struct line *line;

    if (below->owner >= alphabet->options.l1s)
        return 0;
    line = controller_find(&world->controllers[below->owner], below->addr);
    return line != NULL && line_is_in(line, alphabet->named.owners) ? line->dirty : 0;
}

/* Whether any was not dead yet. */
static bool kill_bytes(unsigned char *bytes, uint64_t mask)
{
    bool lived = false;

    mask &= FOLLOWED;
    for_each_bit(byte, mask)
    {
        lived |= bytes[byte] != VALUE_DEAD;
        bytes[byte] = VALUE_DEAD;
    }
    return lived;
}

/* The same of a part of the state. */
static void kill_in(struct world *world, uint32_t part, unsigned char *bytes, uint64_t mask)
{
    if (kill_bytes(bytes, mask))
        world_touch(world, part);
}

/* What a slice has as memory has it is taken for dirty, and memory's copy for dead. The one that
 * gives the line up writes the same bytes. */
static void take_for_dirty(struct world *world, uint32_t part, struct line *line)
{
    if ((line->dirty & FOLLOWED) == 0 && (line->valid & FOLLOWED) == FOLLOWED &&
        memcmp(line->data, world->memory[0], WORD_BYTES) == 0) {
        line->dirty |= FOLLOWED;
        world_touch(world, part);
    }
}

/* Of the slice that has the followed word's line. */
static void kill_below(const struct alphabet *alphabet, struct world *world)
{
    uint32_t slice = world->shape.l1s + address_place(&world->map, world->lines[0]).slice;
    struct line *line = controller_find(&world->controllers[slice], world->lines[0]);
    struct mshr *mshr = controller_find_mshr(&world->controllers[slice], world->lines[0]);
    bool knows_owners = alphabet->options.promise.owners != NULL;

    if (line != NULL && knows_owners)
        take_for_dirty(world, slice, line);
    kill_in(world, world_part_memory(world), world->memory[0], dirty_in(line, mshr));
    if (line != NULL && knows_owners)
        kill_in(world, slice, line->data, owned_dirty(alphabet, world, line));
}

/* ---- The order of use ---- */

/* Where all lines have room none is in the way of another: their order of use decides nothing. */
static void forget_order(const struct world *world, struct controller *controller)
{
    for (uint32_t i = 0; i < world->line_count; i++) {
        struct line *line = controller_find(controller, world->lines[i]);

        if (line != NULL)
            line->used = i + 1;
    }
}

/* Whether the controller has a way for each line that it may have. */
static bool has_all_ways(const struct world *world, uint32_t number)
{
    const struct world_shape *shape = &world->shape;

    return number < shape->l1s ? shape->l1_ways >= world->line_count
                               : shape->l2_ways >= shape->lines;
}

/* ---- Where a directory knows owners ---- */

/* Below L1s a mask decides nothing outside the followed bytes: the others are the same everywhere.
 * Of what a request asked for, its kind alone decides something. */
static void clean_message(const struct world *world, struct message *message, bool keeps_mask)
{
    if (!keeps_mask)
        message->mask &= followed_bytes(world, message->addr);
    message->glc = message->slc = false;
    message->scope = message->order = 0;
}

static void clean_queue(const struct world *world, struct controller *controller, uint16_t first)
{
    for (; first != NO_INDEX; first = controller->waiting[first].next)
        clean_message(world, &controller->waiting[first].message, false);
}

/* What an MSHR has copied of a dirty line: these protocols' fills look at the line's own bytes. */
static void forget_copied(struct mshr *mshr)
{
    if (!mshr->filled && !mshr->is_eviction)
        mshr->filled_mask = 0;
}

static void clean_slice(const struct world *world, struct controller *slice)
{
    clean_queue(world, slice, slice->state->first_replay);
    for (uint32_t i = 0; i < world->line_count; i++) {
        struct line *line = controller_find(slice, world->lines[i]);
        struct mshr *mshr = controller_find_mshr(slice, world->lines[i]);

        if (line != NULL)
            line->dirty &= followed_bytes(world, line->addr);
        if (mshr == NULL)
            continue;
        mshr->dirty &= followed_bytes(world, mshr->addr);
        forget_copied(mshr);
        clean_queue(world, slice, mshr->first_target);
        clean_queue(world, slice, mshr->first_stalled);
    }
}

/* Of a copy that will be sent again, clean bytes are dead, and whether an acquire has made them
 * invalid decides nothing. */
static void kill_replaced(const struct alphabet *alphabet, struct line *line)
{
    if (!line_is_in(line, alphabet->named.replaced))
        return;
    line->valid = low_mask(LINE_BYTES);
    kill_bytes(line->data, ~line->dirty);
}

/* A copy to be written has all bytes; loads that wait for a line are alike. */
static void clean_l1(const struct alphabet *alphabet, const struct world *world,
                     struct controller *l1)
{
    for (uint32_t i = 0; i < world->line_count; i++) {
        struct line *line = controller_find(l1, world->lines[i]);
        struct mshr *mshr = controller_find_mshr(l1, world->lines[i]);

        if (line != NULL && line_is_in(line, alphabet->named.owners))
            line->dirty &= followed_bytes(world, line->addr);
        if (mshr == NULL)
            continue;
        forget_copied(mshr);
        if (alphabet->options.outstanding > 1)
            continue;
        if (line != NULL && !mshr->filled)
            kill_replaced(alphabet, line);
        for (uint16_t at = mshr->first_target; at != NO_INDEX; at = l1->waiting[at].next)
            if (l1->waiting[at].message.kind == MESSAGE_LOAD)
                clean_message(world, &l1->waiting[at].message, true);
    }
}

static void clean_link(const struct world *world, uint32_t number)
{
    struct fifo *fifo = world_fifo(world, number);

    for (uint32_t i = 0; i < fifo->count; i++) {
        struct message *message = &fifo->messages[i];
        unsigned channel = world->controllers[0].kind_channels[message->kind];

        clean_message(world, message, is_upward(number) && channel != CHANNEL_PROBE);
    }
}

/* What has changed in a part decides alone what is forgotten there. */
static void clean_touched(const struct alphabet *alphabet, struct world *world)
{
    uint32_t fifos = world_part_fifo(world, 0);
    uint64_t touched = world->touched & low_mask(fifos + fifo_memory(world, 0));

    for_each_bit(part, touched)
    {
        if (part < world->shape.l1s)
            clean_l1(alphabet, world, &world->controllers[part]);
        else if (part < world->controller_count)
            clean_slice(world, &world->controllers[part]);
        else if (part >= fifos)
            clean_link(world, part - fifos);
    }
}

void alphabet_forget(struct alphabet *alphabet)
{
    struct world *world = alphabet->traffic.world;

    for (uint32_t i = 0; i < world->controller_count; i++)
        if ((world->touched >> i & 1) != 0 && has_all_ways(world, i))
            forget_order(world, &world->controllers[i]);
    kill_below(alphabet, world);
    if (alphabet->options.promise.owners != NULL)
        clean_touched(alphabet, world);
}
