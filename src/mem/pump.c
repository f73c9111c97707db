/* SPDX-License-Identifier: MIT */
#include "mem/pump.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"

enum { NONE = UINT32_MAX };

/* ---- Links: a FIFO for each lane of each pair that talks. The pairs: above each upper cache;
 * upper cache to slice; slice to upper cache; slice to memory; memory to slice. ---- */

static uint32_t link_above(uint32_t node)
{
    return node;
}

static uint32_t link_down(const struct pump *pump, uint32_t node, uint32_t slice, enum lane lane)
{
    return pump->upper_count + (node * pump->slice_count + slice) * 2 +
           (wiring_fifo(&pump->wiring, lane) - LANE_REQUESTS);
}

static uint32_t lanes_up(const struct pump *pump)
{
    return pump->wiring.probes_apart ? 2 : 1;
}

static uint32_t link_up(const struct pump *pump, uint32_t slice, uint32_t node, enum lane lane)
{
    return pump->upper_count * (1 + 2 * pump->slice_count) +
           (slice * pump->upper_count + node) * lanes_up(pump) +
           (wiring_fifo(&pump->wiring, lane) - LANE_RESPONSES);
}

static uint32_t link_memory(const struct pump *pump, uint32_t slice)
{
    return pump->upper_count * (1 + (2 + lanes_up(pump)) * pump->slice_count) + slice;
}

static uint32_t link_from_memory(const struct pump *pump, uint32_t slice)
{
    return link_memory(pump, slice) + pump->slice_count;
}

static uint32_t link_across(const struct pump *pump, uint32_t from, uint32_t to)
{
    return link_from_memory(pump, pump->slice_count) + from * pump->upper_count + to;
}

static void link_lead(struct pump *pump, uint32_t number, struct controller *receiver,
                      uint32_t index)
{
    pump->links[number] =
        (struct pump_link){.first = NONE, .last = NONE, .receiver = receiver, .index = index};
}

static void lay_links(struct pump *pump)
{
    for (uint32_t node = 0; node < pump->upper_count; node++)
        link_lead(pump, link_above(node), pump->uppers[node], node);
    for (uint32_t slice = 0; slice < pump->slice_count; slice++) {
        for (uint32_t node = 0; node < pump->upper_count; node++) {
            link_lead(pump, link_down(pump, node, slice, LANE_REQUESTS), pump->slices[slice],
                      slice);
            link_lead(pump, link_down(pump, node, slice, LANE_WRITE_BACKS), pump->slices[slice],
                      slice);
            link_lead(pump, link_up(pump, slice, node, LANE_RESPONSES), pump->uppers[node], node);
            link_lead(pump, link_up(pump, slice, node, LANE_PROBES), pump->uppers[node], node);
        }
        link_lead(pump, link_memory(pump, slice), NULL, slice);
        link_lead(pump, link_from_memory(pump, slice), pump->slices[slice], slice);
    }
    for (uint32_t i = 0; pump->has_peers && i < pump->upper_count * pump->upper_count; i++)
        link_lead(pump, link_across(pump, 0, i), pump->uppers[i % pump->upper_count],
                  i % pump->upper_count);
}

void pump_init(struct pump *pump, struct controller **uppers, uint32_t upper_count,
               struct controller **slices, uint32_t slice_count, const struct address_map *map,
               struct backing *backing, uint32_t capacity)
{
    memset(pump, 0, sizeof *pump);
    pump->uppers = uppers;
    pump->upper_count = upper_count;
    pump->slices = slices;
    pump->slice_count = slice_count;
    pump->map = map;
    pump->backing = backing;
    pump->capacity = capacity;
    pump->messages = allocate(capacity, sizeof *pump->messages);
    for (uint32_t i = 0; i < capacity; i++)
        pump->messages[i].next = i + 1 < capacity ? i + 1 : NONE;
    pump->wiring.write_backs_apart = true;
    pump->wiring.probes_apart = slice_count > 0 && slices[0]->protocol->probes_may_pass;
    pump->has_peers =
        upper_count > 0 && protocol_sends_across(uppers[0]->protocol, uppers[0]->parameters);
    pump->link_count = link_across(pump, pump->has_peers ? upper_count : 0, 0);
    pump->links = allocate(pump->link_count, sizeof *pump->links);
    pump->busy = allocate(pump->link_count, sizeof *pump->busy);
    lay_links(pump);
    pump->breaks = slice_count > 0 ? slices[0]->breaks : upper_count > 0 ? uppers[0]->breaks : 0;
    for (uint32_t i = 0; i < upper_count; i++)
        check(uppers[i]->node == i, "%s: node %u of the pump's %u", uppers[i]->name,
              uppers[i]->node, i);
}

void pump_finish(struct pump *pump)
{
    free(pump->messages);
    free(pump->links);
    free(pump->busy);
    memset(pump, 0, sizeof *pump);
}

static void link_put(struct pump *pump, uint32_t number, const struct message *message)
{
    struct pump_link *link = &pump->links[number];
    uint32_t index = pump->free;

    check(index != NONE, "the pump's %u messages do not suffice", pump->capacity);
    pump->free = pump->messages[index].next;
    memcpy(&pump->messages[index].message, message, sizeof *message);
    pump->messages[index].next = NONE;
    pump->messages[index].stamp = ++pump->stamp;
    if (link->first == NONE) {
        link->first = index;
        link->place = pump->busy_count;
        pump->busy[pump->busy_count++] = number;
    } else {
        pump->messages[link->last].next = index;
    }
    link->last = index;
    pump->in_flight++;
}

static void drop_first(struct pump *pump, uint32_t number)
{
    struct pump_link *link = &pump->links[number];
    uint32_t index = link->first;

    link->first = pump->messages[index].next;
    pump->messages[index].next = pump->free;
    pump->free = index;
    pump->in_flight--;
    if (link->first != NONE)
        return;
    pump->busy[link->place] = pump->busy[--pump->busy_count];
    pump->links[pump->busy[link->place]].place = link->place;
}

void pump_send(struct pump *pump, uint32_t node, const struct message *message)
{
    check(node < pump->upper_count, "the pump has no node %u", node);
    link_put(pump, link_above(node), message);
}

/* ---- Moving things ---- */

static void take_answer(struct pump *pump, const struct controller *controller,
                        const struct message *message)
{
    const struct message *asked = &pump->asked;

    check(!pump->is_answered && message->kind == asked->kind + 1 && message->addr == asked->addr &&
              memcmp(&message->requester, &asked->requester, sizeof asked->requester) == 0,
          "%s sends the host a %s that answers nothing", controller->name,
          protocol_kind(controller->protocol, message->kind)->name);
    memcpy(&pump->answer, message, sizeof pump->answer);
    pump->is_answered = true;
}

/* To the compute units, or the answer that the host waits for. */
static void send_above(struct pump *pump, uint32_t node, const struct message *message)
{
    if (message->destination == REQUESTER_HOST)
        take_answer(pump, pump->uppers[node], message);
    else if (pump->reply != NULL)
        pump->reply(pump->context, node, message);
}

static void send_from_upper(struct pump *pump, uint32_t node, const struct output *output)
{
    if (output->side == OUTPUT_UP) {
        send_above(pump, node, &output->message);
        return;
    }
    if (output->side == OUTPUT_ACROSS) {
        check(pump->has_peers && output->message.destination < pump->upper_count,
              "%s sends to node %u", pump->uppers[node]->name, output->message.destination);
        link_put(pump, link_across(pump, node, output->message.destination), &output->message);
        return;
    }
    link_put(pump,
             link_down(pump, node, address_place(pump->map, output->message.addr).slice,
                       lane_down(pump->uppers[node]->kind_channels[output->message.kind])),
             &output->message);
}

static void send_from_slice(struct pump *pump, uint32_t slice, const struct output *output)
{
    const struct controller *controller = pump->slices[slice];
    uint32_t node = output->message.destination;

    if (output->side == OUTPUT_DOWN) {
        link_put(pump, link_memory(pump, slice), &output->message);
        return;
    }
    if (node == REQUESTER_HOST) {
        take_answer(pump, controller, &output->message);
        return;
    }
    check(node < pump->upper_count, "%s sends a %s to node %u", controller->name,
          protocol_kind(controller->protocol, output->message.kind)->name, node);
    link_put(pump,
             link_up(pump, slice, node, lane_up(controller->kind_channels[output->message.kind])),
             &output->message);
}

static void send_outputs(struct pump *pump, const struct controller *controller, uint32_t index,
                         const struct step *step)
{
    for (uint32_t i = 0; i < step->output_count; i++)
        if (controller->kind == ROLE_L2)
            send_from_slice(pump, index, &step->outputs[i]);
        else
            send_from_upper(pump, index, &step->outputs[i]);
}

static void access_memory(struct pump *pump, uint32_t number, uint32_t slice)
{
    const struct message *request = &pump->messages[pump->links[number].first].message;
    unsigned char *bytes = backing_host(pump->backing, request->addr);
    struct message reply;

    memcpy(&reply, request, sizeof reply);
    reply.kind = (uint8_t)(request->kind + 1);
    reply.destination = request->source;
    if (request->kind == MESSAGE_WRITE)
        copy_masked(bytes, request->data, request->mask);
    else
        memcpy(reply.data, bytes, LINE_BYTES);
    drop_first(pump, number);
    if (request->kind != MESSAGE_WRITE || reply.returns)
        link_put(pump, link_from_memory(pump, slice), &reply);
}

/* Moves the head of a link, if its receiver takes it. */
static bool link_move(struct pump *pump, uint32_t number)
{
    struct pump_link *link = &pump->links[number];
    struct step step;

    if (link->receiver == NULL) {
        access_memory(pump, number, link->index);
        return true;
    }
    if (controller_step(link->receiver, &pump->messages[link->first].message, &step) ==
        STEP_STALLED)
        return false;
    send_outputs(pump, link->receiver, link->index, &step);
    drop_first(pump, number);
    return true;
}

/* The oldest that does not wait again. */
static bool controller_replay_oldest(struct pump *pump, struct controller *controller,
                                     uint32_t index)
{
    bool has_sent = false;

    for (uint32_t tries = controller->state->waiting_used; tries > 0; tries--) {
        struct step step;

        if (!controller_replay(controller, &step))
            break;
        send_outputs(pump, controller, index, &step);
        if (step.outcome != STEP_RECYCLED)
            return true;
        has_sent |= step.output_count > 0;
    }
    return has_sent;
}

/* What a controller does by itself: targets, walks, replays. */
static bool pump_stir(struct pump *pump, struct controller *controller, uint32_t index)
{
    struct step step;

    if (!controller_has_work(controller))
        return false;
    if (controller_drain_one(controller, UINT64_MAX, &step) >= 0) {
        send_outputs(pump, controller, index, &step);
        return true;
    }
    if (controller_probe_one(controller, UINT64_MAX, &step) >= 0) {
        send_outputs(pump, controller, index, &step);
        return true;
    }
    if (controller_replay_oldest(pump, controller, index))
        return true;
    if (!controller_walk(controller, STEP_MAX_OUTPUTS, &step))
        return false;
    send_outputs(pump, controller, index, &step);
    return true;
}

static bool stir_number(struct pump *pump, uint32_t number)
{
    if (number < pump->upper_count)
        return pump_stir(pump, pump->uppers[number], number);
    number -= pump->upper_count;
    return pump_stir(pump, pump->slices[number], number);
}

/* From a random start, the first that moves; links that are held back only if `held` says so. */
static bool move_at_random(struct pump *pump, bool held)
{
    uint32_t controllers = pump->upper_count + pump->slice_count;
    uint32_t all = controllers + pump->link_count;
    uint32_t start = (uint32_t)random_below(&pump->random, all);

    for (uint32_t i = 0; i < all; i++) {
        uint32_t which = (start + i) % all;
        const struct pump_link *link = &pump->links[which - controllers];

        if (which < controllers) {
            if (stir_number(pump, which))
                return true;
        } else if (link->first != NONE && (link->held_until > pump->steps) == held &&
                   link_move(pump, which - controllers)) {
            return true;
        }
    }
    return false;
}

/* Now and then a link is held back for a while, so that much can happen behind its messages. */
static bool step_at_random(struct pump *pump)
{
    enum { HOLD_ONE_IN = 64, HOLD_STEPS = 256 };

    pump->steps++;
    if (random_below(&pump->random, HOLD_ONE_IN) == 0)
        pump->links[random_below(&pump->random, pump->link_count)].held_until =
            pump->steps + random_below(&pump->random, HOLD_STEPS);
    return move_at_random(pump, false) || move_at_random(pump, true);
}

/* The oldest message that its receiver takes. */
static bool step_in_order(struct pump *pump)
{
    uint64_t after = 0;

    for (uint32_t i = 0; i < pump->upper_count + pump->slice_count; i++)
        if (stir_number(pump, i))
            return true;
    for (;;) {
        uint32_t best = NONE;
        uint64_t stamp = UINT64_MAX;

        for (uint32_t i = 0; i < pump->busy_count; i++) {
            uint64_t sent = pump->messages[pump->links[pump->busy[i]].first].stamp;

            if (sent <= after || sent >= stamp)
                continue;
            best = pump->busy[i];
            stamp = sent;
        }
        if (best == NONE)
            return false;
        if (link_move(pump, best))
            return true;
        after = stamp;
    }
}

bool pump_step(struct pump *pump)
{
    return pump->is_random ? step_at_random(pump) : step_in_order(pump);
}

void pump_run(struct pump *pump)
{
    while (pump_step(pump))
        ;
    check(pump->in_flight == 0, "%u messages cannot move", pump->in_flight);
    for (uint32_t i = 0; i < pump->upper_count; i++)
        check(controller_is_idle(pump->uppers[i]), "%s is not idle", pump->uppers[i]->name);
    for (uint32_t i = 0; i < pump->slice_count; i++)
        check(controller_is_idle(pump->slices[i]), "%s is not idle", pump->slices[i]->name);
}

void pump_ask(struct pump *pump, struct controller *controller, uint32_t index,
              const struct message *request)
{
    struct step step;

    memcpy(&pump->asked, request, sizeof pump->asked);
    pump->asked.requester.entry = pump->requests++;
    pump->is_answered = false;
    check(controller_step(controller, &pump->asked, &step) == STEP_DONE,
          "%s: the host's request stalls on an idle machine", controller->name);
    send_outputs(pump, controller, index, &step);
    if (!pump->is_answered || pump->in_flight + STEP_MAX_OUTPUTS > pump->capacity)
        pump_run(pump);
    check(pump->is_answered, "%s: the host's request is not answered", controller->name);
}
