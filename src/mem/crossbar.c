/* SPDX-License-Identifier: MIT */
#include "mem/crossbar.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

#define PARAMETER(...) PARAMETER_ROW(struct crossbar_parameters, __VA_ARGS__)
const struct parameter crossbar_parameters[] = {CROSSBAR_PARAMETERS(PARAMETER)};
const uint32_t crossbar_parameter_count =
    sizeof crossbar_parameters / sizeof crossbar_parameters[0];

#define STATISTIC(...) STATISTIC_ROW(struct crossbar_statistics, __VA_ARGS__)
const struct statistic crossbar_statistics[] = {CROSSBAR_STATISTICS(STATISTIC)};
const uint32_t crossbar_statistic_count =
    sizeof crossbar_statistics / sizeof crossbar_statistics[0];

/* ---- Sets of nodes ---- */

static void set_add(uint64_t *set, uint32_t node)
{
    set[node / 64] |= UINT64_C(1) << (node % 64);
}

static void set_remove(uint64_t *set, uint32_t node)
{
    set[node / 64] &= ~(UINT64_C(1) << (node % 64));
}

/* The first member at or after `node` and below `end`; `end`: there is none. */
static uint32_t set_next(const uint64_t *set, uint32_t node, uint32_t end)
{
    while (node < end) {
        uint64_t word = set[node / 64] >> (node % 64);

        if (word != 0) {
            node += lowest_bit(word);
            return node < end ? node : end;
        }
        node = (node / 64 + 1) * 64;
    }
    return end;
}

/* ---- One cycle ---- */

static void input_enqueue(struct crossbar *crossbar, uint32_t number, const struct message *message)
{
    struct crossbar_input *input = &crossbar->inputs[number];
    uint32_t output = message->destination / crossbar->shape.ends_per_output;
    uint16_t slot = input->free;

    check(message->destination < crossbar->shape.outputs, "%s: message to node %u of %u",
          crossbar->component.path, message->destination, crossbar->shape.outputs);
    input->free = input->next[slot];
    input->next[slot] = NO_INDEX;
    memcpy(&input->slots[slot], message, sizeof *message);
    if (input->first[output] == NO_INDEX) {
        input->first[output] = slot;
        set_add(crossbar->outputs[output].waiting, number);
        set_add(crossbar->wanted, output);
    } else {
        input->next[input->last[output]] = slot;
    }
    input->last[output] = slot;
    input->queued++;
}

static bool has_other(const struct crossbar_input *input, uint32_t end)
{
    for (uint32_t i = 0; i < input->ends; i++)
        if (i != end && port_peek(input->ports[i]) != NULL)
            return true;
    return false;
}

/* From the ends in turn, until all slots are taken or no end has anything. */
static bool take_from_ends(struct crossbar *crossbar, uint32_t number)
{
    struct crossbar_input *input = &crossbar->inputs[number];
    uint32_t without = 0;
    bool progress = false;

    while (input->free != NO_INDEX && without < input->ends) {
        struct port *port = input->ports[input->turn];
        const struct message *message = port_peek(port);

        if (message == NULL) {
            without++;
        } else {
            crossbar->statistics.contended_messages +=
                input->ends > 1 && has_other(input, input->turn);
            input_enqueue(crossbar, number, message);
            port_take(port);
            crossbar->waiting++;
            without = 0;
            progress = true;
        }
        input->turn = input->turn + 1 < input->ends ? input->turn + 1 : 0;
    }
    return progress;
}

static bool take_arrivals(struct crossbar *crossbar)
{
    uint64_t filled = crossbar->component.filled;
    bool progress = false;

    for (uint32_t i = 0; filled != 0 && i < crossbar->input_count; i++)
        if ((filled & crossbar->input_bits[i]) != 0)
            progress |= take_from_ends(crossbar, i);
    return progress;
}

/* Where the oldest message of an input for an output goes. */
static struct port *port_to_end(const struct crossbar *crossbar,
                                const struct crossbar_output *output, const struct message *message)
{
    return output
        ->ports[output->ends == 1 ? 0 : message->destination % crossbar->shape.ends_per_output];
}

static const struct message *input_dequeue(struct crossbar *crossbar, uint32_t number,
                                           uint32_t output)
{
    struct crossbar_input *input = &crossbar->inputs[number];
    uint16_t slot = input->first[output];

    input->first[output] = input->next[slot];
    input->next[slot] = input->free;
    input->free = slot;
    input->queued--;
    if (input->first[output] != NO_INDEX)
        return &input->slots[slot];
    set_remove(crossbar->outputs[output].waiting, number);
    if (set_next(crossbar->outputs[output].waiting, 0, crossbar->input_count) ==
        crossbar->input_count)
        set_remove(crossbar->wanted, output);
    return &input->slots[slot];
}

static void input_grant(struct crossbar *crossbar, uint32_t number, uint32_t output, uint64_t cycle)
{
    const struct message *message = input_dequeue(crossbar, number, output);
    uint32_t payload = message_payload_bytes(message, &crossbar->kinds[message->kind]);
    uint64_t width = crossbar->parameters.width_bytes;
    uint64_t busy = payload <= width ? 1 : (payload + width - 1) / width;
    struct message *sent;

    sent = port_reserve(port_to_end(crossbar, &crossbar->outputs[output], message),
                        (uint32_t)crossbar->parameters.latency_cycles);
    memcpy(sent, message, sizeof *sent);
    if (crossbar->kinds[message->kind].channel != CHANNEL_PROBE) {
        message_stamp(sent, crossbar->queue_part, cycle);
        message_stamp(sent, crossbar->transit_part, cycle + crossbar->parameters.latency_cycles);
    }
    crossbar->inputs[number].free_at = cycle + busy;
    crossbar->outputs[output].free_at = cycle + busy;
    crossbar->outputs[output].latest = number;
    crossbar->waiting--;
    kind_counts_add(&crossbar->passed, message);
    crossbar->statistics.messages++;
    crossbar->statistics.payload_bytes += payload;
    crossbar->statistics.bytes += payload + crossbar->parameters.header_bytes;
    crossbar->statistics.link_busy_cycles += busy;
}

/* Whether the input's oldest message for the output may go now. `is_later` is set where only a link
 * that is busy holds it up: an end without room will wake us. */
static inline bool may_go(const struct crossbar *crossbar, uint32_t input, uint32_t number,
                          uint64_t cycle, bool *is_later)
{
    const struct crossbar_input *from = &crossbar->inputs[input];
    const struct crossbar_output *output = &crossbar->outputs[number];

    if (from->free_at > cycle) {
        *is_later = true;
        return false;
    }
    return output->ends == 1 ||
           port_has_room(port_to_end(crossbar, output, &from->slots[from->first[number]]), 1);
}

/* The input whose turn it is among those whose message may go; input_count: none. */
static uint32_t output_pick(const struct crossbar *crossbar, uint32_t number, uint64_t cycle,
                            bool *is_later)
{
    const struct crossbar_output *output = &crossbar->outputs[number];
    uint32_t count = crossbar->input_count, start = output->latest + 1;

    for (uint32_t i = set_next(output->waiting, start, count); i < count;
         i = set_next(output->waiting, i + 1, count))
        if (may_go(crossbar, i, number, cycle, is_later))
            return i;
    for (uint32_t i = set_next(output->waiting, 0, start); i < start;
         i = set_next(output->waiting, i + 1, start))
        if (may_go(crossbar, i, number, cycle, is_later))
            return i;
    return count;
}

/* The output's messages wait for `stall` from now on: what was before is counted. */
static void note_stall(struct crossbar *crossbar, struct crossbar_output *output,
                       enum crossbar_stall stall, uint64_t cycle)
{
    uint64_t cycles = cycle - output->stalled_since;

    crossbar->statistics.stall_link_cycles += output->stall == CROSSBAR_LINK ? cycles : 0;
    crossbar->statistics.stall_input_cycles += output->stall == CROSSBAR_INPUT ? cycles : 0;
    crossbar->statistics.stall_room_cycles += output->stall == CROSSBAR_ROOM ? cycles : 0;
    output->stall = stall;
    output->stalled_since = cycle;
}

/* Grants one of the output's messages, or says why none can go. */
static enum crossbar_stall try_output(struct crossbar *crossbar, uint32_t number, uint64_t cycle)
{
    const struct crossbar_output *output = &crossbar->outputs[number];
    bool is_later = false;
    uint32_t input;

    if (output->free_at > cycle)
        return CROSSBAR_LINK;
    if (output->ends == 1 && !port_has_room(output->ports[0], 1))
        return CROSSBAR_ROOM;
    input = output_pick(crossbar, number, cycle, &is_later);
    if (input == crossbar->input_count)
        return is_later ? CROSSBAR_INPUT : CROSSBAR_ROOM;
    input_grant(crossbar, input, number, cycle);
    return CROSSBAR_GOES;
}

/* True: something was granted, or will be able to go when a link that is busy now is free. */
static bool output_serve(struct crossbar *crossbar, uint32_t number, uint64_t cycle)
{
    enum crossbar_stall stall = try_output(crossbar, number, cycle);

    if (stall != crossbar->outputs[number].stall)
        note_stall(crossbar, &crossbar->outputs[number], stall, cycle);
    return stall != CROSSBAR_ROOM;
}

static bool serve_all(struct crossbar *crossbar, uint64_t cycle)
{
    uint32_t count = crossbar->output_count, first = (uint32_t)(cycle % count);
    uint64_t wanted[CROSSBAR_WORDS];
    bool progress = false;

    memcpy(wanted, crossbar->wanted, sizeof wanted);
    for (uint32_t i = set_next(wanted, first, count); i < count; i = set_next(wanted, i + 1, count))
        progress |= output_serve(crossbar, i, cycle);
    for (uint32_t i = set_next(wanted, 0, first); i < first; i = set_next(wanted, i + 1, first))
        progress |= output_serve(crossbar, i, cycle);
    return progress;
}

static bool crossbar_tick(struct component *component)
{
    struct crossbar *crossbar = container_of(component, struct crossbar, component);
    uint64_t cycle = component_cycle(component);
    bool progress = take_arrivals(crossbar);

    if (crossbar->waiting > 0)
        progress |= serve_all(crossbar, cycle);
    if (crossbar->queued.value != crossbar->waiting)
        occupancy_change(&crossbar->queued, &crossbar->statistics.queued, cycle, crossbar->waiting);
    return progress;
}

static void crossbar_settle(struct component *component)
{
    struct crossbar *crossbar = container_of(component, struct crossbar, component);

    occupancy_settle(&crossbar->queued, &crossbar->statistics.queued, component_cycle(component));
    for (uint32_t i = 0; i < crossbar->output_count; i++)
        note_stall(crossbar, &crossbar->outputs[i], crossbar->outputs[i].stall,
                   component_cycle(component));
}

static void crossbar_explain(const struct component *component, struct text *text)
{
    const struct crossbar *crossbar = container_of(component, struct crossbar, component);

    if (crossbar->waiting > 0)
        text_add(text, "%u messages wait for an output", crossbar->waiting);
}

static const struct component_operations operations = {
    .tick = crossbar_tick, .settle = crossbar_settle, .explain = crossbar_explain};

/* ---- Building ---- */

/* Ends of the port with that number, of so many in all. */
static uint32_t ends_of(uint32_t number, uint32_t count, uint32_t per_port)
{
    uint32_t left = count - number * per_port;

    return left < per_port ? left : per_port;
}

static void init_input(struct crossbar *crossbar, uint32_t number)
{
    struct crossbar_input *input = &crossbar->inputs[number];
    uint16_t slots = (uint16_t)crossbar->parameters.queue_entries;
    uint32_t outputs = crossbar->output_count;

    input->ends = ends_of(number, crossbar->shape.inputs, crossbar->shape.ends_per_input);
    input->ports = allocate(input->ends, sizeof *input->ports);
    input->first = allocate(outputs, sizeof *input->first);
    input->last = allocate(outputs, sizeof *input->last);
    memset(input->first, 0xff, outputs * sizeof *input->first);
    input->next = allocate(slots, sizeof *input->next);
    input->slots = allocate(slots, sizeof *input->slots);
    for (uint16_t slot = 0; slot < slots; slot++)
        input->next[slot] = slot + 1 < slots ? (uint16_t)(slot + 1) : (uint16_t)NO_INDEX;
}

static void init_output(struct crossbar *crossbar, uint32_t number)
{
    struct crossbar_output *output = &crossbar->outputs[number];

    output->ends = ends_of(number, crossbar->shape.outputs, crossbar->shape.ends_per_output);
    output->ports = allocate(output->ends, sizeof *output->ports);
    output->latest = crossbar->input_count - 1;
}

void crossbar_init(struct crossbar *crossbar, const char *path, struct clock_domain *clock,
                   const struct crossbar_parameters *parameters, const struct protocol *protocol,
                   const struct crossbar_shape *shape)
{
    check(shape->inputs > 0 && shape->outputs > 0 && shape->inputs <= CROSSBAR_MAX_NODES &&
              shape->outputs <= CROSSBAR_MAX_NODES && shape->ends_per_input > 0 &&
              shape->ends_per_output > 0,
          "%s: %u inputs and %u outputs", path, shape->inputs, shape->outputs);
    memset(crossbar, 0, sizeof *crossbar);
    component_init(&crossbar->component, &operations, clock, path);
    crossbar->parameters = *parameters;
    kind_counts_init(&crossbar->passed, protocol);
    crossbar->queue_part = PART_NETWORK_QUEUE;
    crossbar->transit_part = PART_NETWORK;
    for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++)
        if (protocol_find_kind(protocol, kind) != NULL)
            crossbar->kinds[kind] = *protocol_find_kind(protocol, kind);
    crossbar->shape = *shape;
    crossbar->input_count = (shape->inputs - 1) / shape->ends_per_input + 1;
    crossbar->output_count = (shape->outputs - 1) / shape->ends_per_output + 1;
    crossbar->inputs = allocate(crossbar->input_count, sizeof *crossbar->inputs);
    crossbar->input_bits = allocate(crossbar->input_count, sizeof *crossbar->input_bits);
    crossbar->outputs = allocate(crossbar->output_count, sizeof *crossbar->outputs);
    for (uint32_t i = 0; i < crossbar->input_count; i++)
        init_input(crossbar, i);
    for (uint32_t i = 0; i < crossbar->output_count; i++)
        init_output(crossbar, i);
}

void crossbar_carry_answers(struct crossbar *crossbar)
{
    crossbar->queue_part = PART_RETURN_QUEUE;
    crossbar->transit_part = PART_RETURN;
}

void crossbar_finish(struct crossbar *crossbar)
{
    kind_counts_finish(&crossbar->passed);
    for (uint32_t i = 0; i < crossbar->input_count; i++) {
        free(crossbar->inputs[i].ports);
        free(crossbar->inputs[i].first);
        free(crossbar->inputs[i].last);
        free(crossbar->inputs[i].next);
        free(crossbar->inputs[i].slots);
    }
    for (uint32_t i = 0; i < crossbar->output_count; i++)
        free(crossbar->outputs[i].ports);
    free(crossbar->inputs);
    free(crossbar->input_bits);
    free(crossbar->outputs);
    component_finish(&crossbar->component);
}

void crossbar_connect_input(struct crossbar *crossbar, struct port *port)
{
    uint32_t end = crossbar->inputs_connected++, shared = crossbar->shape.ends_per_input;

    check(end < crossbar->shape.inputs, "%s: too many inputs", crossbar->component.path);
    crossbar->inputs[end / shared].ports[end % shared] = port;
    crossbar->input_bits[end / shared] |= port_bit(port);
}

void crossbar_connect_output(struct crossbar *crossbar, struct port *port)
{
    uint32_t end = crossbar->outputs_connected++, shared = crossbar->shape.ends_per_output;

    check(end < crossbar->shape.outputs, "%s: too many outputs", crossbar->component.path);
    crossbar->outputs[end / shared].ports[end % shared] = port;
}

void crossbar_register(struct crossbar *crossbar, const char *path, struct registry *registry,
                       const char *kind)
{
    registry_add(registry, path, kind, crossbar_statistics, crossbar_statistic_count,
                 &crossbar->statistics, sizeof crossbar->statistics);
    if (crossbar->passed.count > 0) /* else it has not been built */
        kind_counts_register(&crossbar->passed, registry, path);
}
