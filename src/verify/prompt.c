/* SPDX-License-Identifier: MIT */
#include "verify/prompt.h"

#include "verify/world_links.h"

static bool has_room(const struct world *world, uint32_t l1, uint32_t slice, enum lane lane)
{
    return world_fifo(world, fifo_of(world, l1, slice, lane))->count < world->shape.room;
}

static uint32_t slice_of(const struct world *world, uint64_t addr)
{
    return address_place(&world->map, addr).slice;
}

/* Whether of the lines of a slice each goes its own way there, and an L1 has one of them. */
static bool are_lines_apart(const struct world_shape *shape)
{
    return shape->lines == 1 || (shape->l1_ways == 1 && shape->lines <= shape->l2_ways &&
                                 shape->lines <= shape->l2_mshrs);
}

/* ---- At an L1 ---- */

static bool has_readable(const struct controller *controller, uint64_t addr)
{
    const struct line *line = controller_find(controller, addr);

    return line != NULL && (controller->role->states[line->state].flags & STATE_READABLE) != 0;
}

static bool is_prompt_at_l1(const struct world *world, uint32_t l1, const struct message *message)
{
    const struct controller *controller = &world->controllers[l1];

    if (controller->kind_channels[message->kind] == CHANNEL_RESPONSE)
        return true;
    return are_lines_apart(&world->shape) && !has_readable(controller, message->addr) &&
           has_room(world, l1, slice_of(world, message->addr), LANE_WRITE_BACKS);
}

static bool has_prompt_walk(const struct world *world, uint32_t l1)
{
    const struct controller *controller = &world->controllers[l1];
    const struct walk *walk = &controller->state->walks[0];

    if (!controller_is_walking(controller))
        return false;
    if (walk->is_visited)
        return !walk->terms.awaits || controller_awaited(controller) == 0;
    for (uint32_t slice = 0; slice < world->shape.slices; slice++)
        if (!has_room(world, l1, slice, LANE_REQUESTS) ||
            !has_room(world, l1, slice, LANE_WRITE_BACKS))
            return false;
    return true;
}

static bool find_at_l1(const struct world *world, uint32_t l1, struct move *move)
{
    bool drains = world->controllers[l1].state->first_filled != NO_INDEX;

    *move = (struct move){drains ? MOVE_DRAIN : MOVE_WALK, (uint8_t)l1, 0};
    return drains || has_prompt_walk(world, l1);
}

/* ---- At a slice ---- */

static bool row_releases(const struct protocol_row *row)
{
    for (uint32_t i = 0; i < PROTOCOL_MAX_ACTIONS && row->actions[i] != NULL; i++)
        if (row->actions[i] == &verb_release_mshr)
            return true;
    return false;
}

/* What is no request, about a line in mid-transaction: not a copy that is given up beside it. */
static bool is_prompt_at_slice(const struct world *world, uint32_t number,
                               const struct message *message)
{
    struct controller *controller = &world->traffic->world->controllers[number];
    const struct mshr *mshr = controller_find_mshr(controller, message->addr);
    struct controller_plan plan;
    struct step step;

    if (mshr == NULL || mshr->filled || !controller_plan(controller, message, &step, &plan))
        return false;
    return mshr->is_eviction || row_releases(plan.row->row) ||
           (controller->role->from_above >> plan.row->row->event & 1) != 0;
}

/* The next answer, if no copy above can be given up meanwhile. */
static bool has_prompt_drain(const struct world *world, uint32_t slice)
{
    const struct controller *controller = &world->controllers[world->shape.l1s + slice];
    uint16_t index = controller->state->first_filled;
    const struct line *line;
    const struct message *message;

    if (index == NO_INDEX)
        return false;
    line = controller_find(controller, controller->mshrs[index].addr);
    message = &controller->waiting[controller->mshrs[index].first_target].message;
    return line != NULL && line->owner == NO_INDEX && node_set_is_empty(&line->sharers) &&
           has_room(world, message->source, slice, LANE_RESPONSES);
}

/* The oldest replay, of a line that is nowhere, where it has all that it can ask for. */
static bool has_prompt_replay(const struct world *world, uint32_t slice)
{
    const struct world_shape *shape = &world->shape;
    const struct controller *controller = &world->controllers[shape->l1s + slice];
    const struct message *message;

    if (controller->state->first_replay == NO_INDEX || shape->lines > shape->l2_ways ||
        shape->lines > shape->l2_mshrs)
        return false;
    message = &controller->waiting[controller->state->first_replay].message;
    return controller_find(controller, message->addr) == NULL &&
           controller_find_mshr(controller, message->addr) == NULL &&
           world_fifo(world, fifo_memory(world, slice))->count < shape->room &&
           has_room(world, message->source, slice, LANE_RESPONSES);
}

static bool find_prompt_probe(const struct world *world, uint32_t slice, struct move *move)
{
    const struct controller *controller = &world->controllers[world->shape.l1s + slice];
    uint16_t index = controller->state->first_probing;

    if (!are_lines_apart(&world->shape) || index == NO_INDEX)
        return false;
    for (uint32_t l1 = 0; l1 < world->shape.l1s; l1++)
        if (node_set_has(&controller->mshrs[index].probes, (uint16_t)l1) &&
            has_room(world, l1, slice, LANE_PROBES)) {
            *move = (struct move){MOVE_PROBE, (uint8_t)(world->shape.l1s + slice), (uint8_t)l1};
            return true;
        }
    return false;
}

static bool find_at_slice(const struct world *world, uint32_t slice, struct move *move)
{
    uint8_t number = (uint8_t)(world->shape.l1s + slice);

    if (!controller_has_work(&world->controllers[number]))
        return false;
    *move = (struct move){MOVE_DRAIN, number, 0};
    if (has_prompt_drain(world, slice))
        return true;
    *move = (struct move){MOVE_REPLAY, number, 0};
    return has_prompt_replay(world, slice) || find_prompt_probe(world, slice, move);
}

/* ---- All ---- */

static bool is_prompt_delivery(const struct world *world, uint32_t number)
{
    const struct fifo *fifo = world_fifo(world, number);

    if (fifo->count == 0)
        return false;
    if (is_upward(number))
        return is_prompt_at_l1(world, fifo_receiver(world, number), &fifo->messages[0]);
    return number % LANE_COUNT == LANE_WRITE_BACKS &&
           is_prompt_at_slice(world, fifo_receiver(world, number), &fifo->messages[0]);
}

bool prompt_find(const struct world *world, struct move *move)
{
    for (uint32_t i = 0; i < fifo_memory(world, 0); i++)
        if (is_prompt_delivery(world, i)) {
            *move = (struct move){MOVE_DELIVER, (uint8_t)fifo_receiver(world, i), (uint8_t)i};
            return true;
        }
    for (uint32_t l1 = 0; l1 < world->shape.l1s; l1++)
        if (find_at_l1(world, l1, move))
            return true;
    for (uint32_t slice = 0; slice < world->shape.slices; slice++)
        if (find_at_slice(world, slice, move))
            return true;
    return false;
}
