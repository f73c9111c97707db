/* SPDX-License-Identifier: MIT */
#include "verify/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"
#include "verify/story.h"
#include "verify/world_links.h"

/* ---- FIFOs ---- */

/* False: it is full. */
static bool fifo_put(struct world *world, uint32_t number, const struct message *message)
{
    struct fifo *fifo = world_fifo(world, number);

    if (fifo->count >= world->shape.room)
        return false;
    world_touch(world, world_part_fifo(world, number));
    fifo->messages[fifo->count++] = *message;
    return true;
}

static void fifo_drop_first(struct fifo *fifo)
{
    fifo->count--;
    memmove(fifo->messages, fifo->messages + 1, fifo->count * sizeof fifo->messages[0]);
    memset(&fifo->messages[fifo->count], 0, sizeof fifo->messages[0]);
}

/* ---- What a step sends ---- */

uint32_t world_line(const struct world *world, uint64_t addr)
{
    for (uint32_t i = 0; i < world->line_count; i++)
        if (world->lines[i] == addr)
            return i;
    check(0, "address 0x%llx is no line of the small machine", (unsigned long long)addr);
    abort();
}

static bool access_memory(struct world *world, uint32_t slice, const struct message *request)
{
    unsigned char *bytes = world->memory[world_line(world, request->addr)];
    struct message reply = *request;

    reply.kind = (uint8_t)(request->kind + 1);
    reply.destination = request->source;
    if (request->kind == MESSAGE_WRITE) {
        copy_masked(bytes, request->data, request->mask);
        world_touch(world, world_part_memory(world));
    } else {
        memcpy(reply.data, bytes, LINE_BYTES);
    }
    return (request->kind == MESSAGE_WRITE && !request->returns) ||
           fifo_put(world, fifo_memory(world, slice), &reply);
}

/* False: a FIFO is full. */
static bool send_output(struct world *world, uint32_t number, const struct output *output)
{
    const struct message *message = &output->message;
    const struct controller *controller = &world->controllers[number];
    unsigned channel = controller->kind_channels[message->kind];
    uint32_t l1s = world->shape.l1s;

    story_output(world, number, output);
    world->traffic->output(world->traffic, message);
    if (number >= l1s) {
        if (output->side == OUTPUT_DOWN)
            return access_memory(world, number - l1s, message);
        check(message->destination < l1s, "%s answers node %u, which is none", controller->name,
              message->destination);
        return fifo_put(world, fifo_of(world, message->destination, number - l1s, lane_up(channel)),
                        message);
    }
    if (output->side == OUTPUT_ACROSS) {
        check(message->destination < l1s && world->has_peers, "%s sends to node %u",
              controller->name, message->destination);
        return fifo_put(world, fifo_across(world, number, message->destination), message);
    }
    if (output->side == OUTPUT_DOWN)
        return fifo_put(world,
                        fifo_of(world, number, address_place(&world->map, message->addr).slice,
                                lane_down(channel)),
                        message);
    world->traffic->answered(world->traffic, number, message);
    return true;
}

static bool send_outputs(struct world *world, uint32_t number, const struct step *step)
{
    for (uint32_t i = 0; i < step->output_count; i++)
        if (!send_output(world, number, &step->outputs[i]))
            return false;
    return true;
}

/* ---- Moves ---- */

static void controller_touch(struct world *world, uint32_t number)
{
    world->is_touched = true;
    world_touch(world, number);
}

static bool head_deliver(struct world *world, uint32_t number)
{
    struct fifo *fifo = world_fifo(world, number);
    const struct message *message = &fifo->messages[0];
    uint32_t receiver;
    struct step step;

    if (fifo->count == 0)
        return false;
    receiver = fifo_receiver(world, number);
    story_stimulus(world, receiver, message, "takes");
    if (controller_step(&world->controllers[receiver], message, &step) == STEP_STALLED)
        return false;
    controller_touch(world, receiver);
    story_row(world, receiver, &step);
    fifo_drop_first(fifo);
    world_touch(world, world_part_fifo(world, number));
    return send_outputs(world, receiver, &step);
}

static bool controller_stir(struct world *world, struct move move)
{
    struct controller *controller = &world->controllers[move.who];
    struct step step;

    switch (move.kind) {
    case MOVE_DRAIN:
        if (controller_drain_one(controller, UINT64_MAX, &step) < 0)
            return false;
        story_stimulus(world, move.who, NULL, "answers a request from its fill");
        break;
    case MOVE_PROBE:
        if (!controller_probe_node(controller, move.what, &step))
            return false;
        story_stimulus(world, move.who, NULL, "sends a probe");
        break;
    case MOVE_REPLAY:
        if (!controller_has_replay(controller))
            return false;
        story_stimulus(world, move.who,
                       &controller->waiting[controller->state->first_replay].message,
                       "looks again at");
        if (!controller_replay(controller, &step))
            return false;
        story_row(world, move.who, &step);
        break;
    default:
        story_stimulus(world, move.who, NULL, "walks over its lines");
        if (!controller_walk(controller, STEP_MAX_OUTPUTS, &step))
            return false;
        break;
    }
    controller_touch(world, move.who);
    return send_outputs(world, move.who, &step);
}

static bool line_evict(struct world *world, struct move move)
{
    struct step step;

    if (controller_find(&world->controllers[move.who], world->lines[move.what]) == NULL)
        return false;
    story_eviction(world, move.who, world->lines[move.what]);
    if (!controller_evict(&world->controllers[move.who], world->lines[move.what], &step))
        return false;
    controller_touch(world, move.who);
    return send_outputs(world, move.who, &step);
}

/* Whether the L1 has nothing of the line, so that the request may go late: prompt.h. */
static bool may_go_late(const struct world *world, uint32_t l1, const struct message *message)
{
    return world->sends_late && !message_is_about_all(message) &&
           controller_find(&world->controllers[l1], message->addr) == NULL;
}

/* Sends a request when its slice takes it. False: it does not. */
static bool send_late(struct world *world, uint32_t l1, const struct step *step)
{
    const struct message *message = &step->outputs[0].message;
    unsigned channel = world->controllers[l1].kind_channels[message->kind];
    uint32_t number =
        fifo_of(world, l1, address_place(&world->map, message->addr).slice, lane_down(channel));

    if (world_fifo(world, number)->count > 0)
        return false;
    world->is_refused = !send_outputs(world, l1, step) || !head_deliver(world, number);
    return !world->is_refused;
}

static bool request_offer(struct world *world, struct move move)
{
    struct message message;
    struct step step;
    bool is_late;

    if (world->traffic->act != NULL && world->traffic->act(world->traffic, move.who, move.what)) {
        world->is_touched = true;
        return true;
    }
    memset(&message, 0, sizeof message);
    if (!world->traffic->offer(world->traffic, move.who, move.what, &message))
        return false;
    is_late = may_go_late(world, move.who, &message);
    story_request(world, move.who, &message);
    world->is_refused =
        controller_step(&world->controllers[move.who], &message, &step) == STEP_STALLED;
    if (world->is_refused)
        return false;
    controller_touch(world, move.who);
    story_row(world, move.who, &step);
    world->traffic->sent(world->traffic, move.who, move.what, &message);
    if (is_late && step.output_count == 1 && step.outputs[0].side == OUTPUT_DOWN)
        return send_late(world, move.who, &step);
    if (is_late && step.output_count > 1 && world->shape.evicts)
        return false; /* as after the victim's eviction */
    return send_outputs(world, move.who, &step);
}

bool world_do(struct world *world, struct move move)
{
    bool moved;

    world->is_refused = false;
    switch (move.kind) {
    case MOVE_DELIVER:
        moved = head_deliver(world, move.what);
        break;
    case MOVE_EVICT:
        moved = line_evict(world, move);
        break;
    case MOVE_OFFER:
        moved = request_offer(world, move);
        break;
    default:
        moved = controller_stir(world, move);
        break;
    }
    if (moved && world->fault->check == VERIFY_NOTHING)
        world->traffic->judge(world->traffic, world);
    return moved;
}

bool world_is_at_rest(const struct world *world)
{
    if (!world->traffic->is_idle(world->traffic))
        return false;
    for (uint32_t i = 0; i < world->fifo_count; i++)
        if (world_fifo(world, i)->count > 0)
            return false;
    for (uint32_t i = 0; i < world->controller_count; i++)
        if (!controller_is_idle(&world->controllers[i]))
            return false;
    return true;
}

/* ---- Building ---- */

static void add_move(struct world *world, enum move_kind kind, uint32_t who, uint32_t what)
{
    check(world->move_count < WORLD_MAX_MOVES, "too many moves");
    world->moves[world->move_count++] = (struct move){(uint8_t)kind, (uint8_t)who, (uint8_t)what};
}

static void list_moves(struct world *world)
{
    for (uint32_t i = 0; i < world->fifo_count; i++)
        add_move(world, MOVE_DELIVER, fifo_receiver(world, i), i);
    for (uint32_t i = 0; i < world->controller_count; i++)
        for (unsigned kind = MOVE_DRAIN; kind <= MOVE_WALK; kind++)
            for (uint32_t what = 0; what < (kind == MOVE_PROBE ? world->shape.l1s : 1); what++)
                add_move(world, kind, i, what);
    for (uint32_t i = 0; i < world->controller_count && world->shape.evicts; i++)
        for (uint32_t line = 0; line < world->line_count; line++)
            if (i < world->shape.l1s ||
                address_place(&world->map, world->lines[line]).slice == i - world->shape.l1s)
                add_move(world, MOVE_EVICT, i, line);
    for (uint32_t l1 = 0; l1 < world->shape.l1s; l1++)
        for (uint32_t which = 0; which < world->traffic->offers; which++)
            add_move(world, MOVE_OFFER, l1, which);
}

static void place_lines(struct world *world)
{
    enum { BASE = 1 << 20 };

    for (uint32_t slice = 0; slice < world->shape.slices; slice++)
        for (uint32_t line = 0; line < world->shape.lines; line++)
            world->lines[world->line_count++] =
                address_map_addr(&world->map, slice, BASE / LINE_BYTES + line);
}

static void build_controllers(struct world *world)
{
    const struct world_shape *shape = &world->shape;
    const struct controller_shape l1 = {.sets = 1,
                                        .ways = shape->l1_ways,
                                        .mshr_entries = shape->l1_mshrs,
                                        .waiting_entries = shape->l1_waiting,
                                        .walk_lines = 1};
    const struct controller_shape l2 = {.sets = 1,
                                        .ways = shape->l2_ways,
                                        .mshr_entries = shape->l2_mshrs,
                                        .waiting_entries = shape->l2_waiting,
                                        .walk_lines = 1};

    for (uint32_t i = 0; i < world->controller_count; i++) {
        bool is_l1 = i < shape->l1s;
        char name[16];

        snprintf(name, sizeof name, is_l1 ? "L1 %u" : "L2 %u", is_l1 ? i : i - shape->l1s);
        controller_init(&world->controllers[i], name, shape->protocol, is_l1 ? ROLE_L1 : ROLE_L2,
                        is_l1 ? &l1 : &l2, is_l1 ? NULL : &world->map,
                        (uint16_t)(is_l1 ? i : i - shape->l1s), shape->breaks);
        world->controllers[i].l1s = (uint16_t)shape->l1s;
    }
}

static void add_part(struct world *world, void *at, size_t bytes)
{
    check(world->part_count < WORLD_MAX_PARTS && bytes % 8 == 0, "part %u of %zu bytes",
          world->part_count, bytes);
    world->parts[world->part_count++] = (struct world_part){at, bytes};
}

static void list_parts(struct world *world)
{
    for (uint32_t i = 0; i < world->controller_count; i++)
        add_part(world, world->controllers[i].arena, world->controllers[i].arena_bytes);
    add_part(world, world->memory, world->line_count * sizeof *world->memory);
    add_part(world, world->traffic->state, world->traffic->bytes);
    for (uint32_t i = 0; i < world->fifo_count; i++)
        add_part(world, world_fifo(world, i), world->fifo_bytes);
}

static bool is_within(const struct world_shape *shape)
{
    return shape->l1s >= 1 && shape->l1s <= WORLD_MAX_L1S && shape->slices >= 1 &&
           shape->slices <= WORLD_MAX_SLICES && shape->lines >= 1 &&
           shape->slices * shape->lines <= WORLD_MAX_LINES && shape->room >= 1 &&
           shape->room <= WORLD_MAX_ROOM;
}

bool world_init(struct world *world, const struct world_shape *shape, struct traffic *traffic,
                struct fault *fault, struct diagnosis *diagnosis)
{
    struct address_map_parameters parameters = {.rule = "modulo",
                                                .slices = shape->slices,
                                                .channels_per_slice = 1,
                                                .interleave_bytes = ADDRESS_INTERLEAVE_BYTES};

    memset(world, 0, sizeof *world);
    if (!is_within(shape))
        return diagnose(diagnosis,
                        "a small machine has 1 to %d L1s, 1 to %d slices, and 1 to %d "
                        "lines in all of them",
                        WORLD_MAX_L1S, WORLD_MAX_SLICES, WORLD_MAX_LINES);
    if (!address_map_init(&world->map, &parameters, diagnosis))
        return false;
    world->shape = *shape;
    world->traffic = traffic;
    world->fault = fault;
    traffic->world = world;
    traffic->fault = fault;
    world->controller_count = shape->l1s + shape->slices;
    world->has_peers = protocol_sends_across(shape->protocol, NULL);
    world->fifo_count = fifo_across(world, world->has_peers ? shape->l1s : 0, 0);
    world->fifo_bytes = sizeof(struct fifo) + shape->room * sizeof(struct message);
    world->fifos = allocate(world->fifo_count, world->fifo_bytes);
    place_lines(world);
    world->memory = allocate(world->line_count, sizeof *world->memory);
    build_controllers(world);
    list_moves(world);
    list_parts(world);
    return true;
}

void world_finish(struct world *world)
{
    for (uint32_t i = 0; i < world->controller_count; i++)
        controller_finish(&world->controllers[i]);
    free(world->fifos);
    free(world->memory);
    memset(world, 0, sizeof *world);
}
