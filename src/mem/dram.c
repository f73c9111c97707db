/* SPDX-License-Identifier: MIT */
#include "mem/dram.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"
#include "mem/dram_model.h"

#define PARAMETER(...) PARAMETER_ROW(struct dram_parameters, __VA_ARGS__)
const struct parameter dram_parameters[] = {DRAM_PARAMETERS(PARAMETER)};
const uint32_t dram_parameter_count = sizeof dram_parameters / sizeof dram_parameters[0];

#define STATISTIC(...) STATISTIC_ROW(struct dram_statistics, __VA_ARGS__)
const struct statistic dram_statistics[] = {DRAM_STATISTICS(STATISTIC)};
const uint32_t dram_statistic_count = sizeof dram_statistics / sizeof dram_statistics[0];

struct dram_place dram_place(const struct dram_parameters *parameters, uint64_t line)
{
    uint64_t block = line / ADDRESS_LINES;
    uint64_t blocks = parameters->row_bytes / ADDRESS_INTERLEAVE_BYTES;

    return (struct dram_place){
        .bank = (uint32_t)(block % parameters->banks),
        .row = (uint32_t)(block / parameters->banks / blocks),
    };
}

/* ---- Queues ---- */

/* The request takes effect. */
static void apply(struct dram_channel *channel, const struct message *request,
                  struct message *reply)
{
    unsigned char *bytes = backing_host(channel->backing, request->addr);

    check(backing_is_mapped(channel->backing, request->addr, LINE_BYTES),
          "%s: request for line 0x%llx, which no buffer holds", channel->component.path,
          (unsigned long long)request->addr);
    memcpy(reply, request, sizeof *reply);
    reply->kind = (uint8_t)(request->kind + 1);
    reply->destination = request->source;
    if (request->kind == MESSAGE_WRITE) {
        copy_masked(bytes, request->data, request->mask);
        channel->statistics.writes++;
        channel->statistics.write_bytes += count_bits(request->mask);
        return;
    }
    check(request->kind == MESSAGE_READ, "%s: message kind %u", channel->component.path,
          request->kind);
    memcpy(reply->data, bytes, LINE_BYTES);
    channel->statistics.reads++;
    channel->statistics.read_bytes += LINE_BYTES;
}

static void note_queue(struct dram_channel *channel, bool is_write)
{
    struct histogram *histogram =
        is_write ? &channel->statistics.write_queue : &channel->statistics.read_queue;

    occupancy_change(&channel->queue[is_write], histogram, component_cycle(&channel->component),
                     count_bits(channel->used[is_write]));
}

static void enter_bank(struct dram_bank *bank, const struct dram_entry *entry, bool is_write,
                       uint32_t slot)
{
    if (bank->queued[is_write] == 0)
        bank->oldest[is_write] = slot;
    bank->queued[is_write] |= UINT64_C(1) << slot;
    if (bank->row == entry->row)
        bank->hits[is_write] |= UINT64_C(1) << slot;
}

static void leave_bank(struct dram_channel *channel, struct dram_bank *bank, bool is_write,
                       uint32_t slot)
{
    bank->queued[is_write] &= ~(UINT64_C(1) << slot);
    bank->hits[is_write] &= ~(UINT64_C(1) << slot);
    if (bank->oldest[is_write] == slot && bank->queued[is_write] != 0)
        bank->oldest[is_write] = dram_oldest(channel, is_write, bank->queued[is_write]);
}

static void accept(struct dram_channel *channel, const struct message *request, bool is_write,
                   uint64_t cycle)
{
    uint32_t slot = lowest_bit(~channel->used[is_write]);
    struct dram_entry *entry = dram_entry(channel, is_write, slot);
    struct dram_place place =
        dram_place(&channel->parameters, address_place(channel->map, request->addr).line);

    apply(channel, request, &entry->reply);
    entry->accepted_at = cycle;
    entry->ready_at = cycle + channel->request_cycles;
    entry->sequence = ++channel->sequence;
    entry->bank = place.bank;
    entry->row = place.row;
    entry->bursts = (uint8_t)(LINE_BYTES / channel->parameters.burst_bytes);
    entry->is_counted = false;
    channel->used[is_write] |= UINT64_C(1) << slot;
    enter_bank(&channel->banks[place.bank], entry, is_write, slot);
    note_queue(channel, is_write);
}

/* One request a cycle. */
static bool take_request(struct dram_channel *channel, uint64_t cycle)
{
    const struct message *request = port_peek(channel->requests);
    bool is_write;

    if (request == NULL)
        return false;
    is_write = request->kind == MESSAGE_WRITE;
    if (count_bits(channel->used[is_write]) >=
        (is_write ? channel->parameters.write_entries : channel->parameters.read_entries))
        return false;
    accept(channel, request, is_write, cycle);
    port_take(channel->requests);
    return true;
}

bool dram_can_reply(struct dram_channel *channel, const struct dram_entry *entry)
{
    if (entry->reply.kind == MESSAGE_WRITE_REPLY && !entry->reply.returns)
        return true;
    return port_has_room(channel->replies, 1);
}

void dram_complete(struct dram_channel *channel, bool is_write, uint32_t slot, uint64_t end)
{
    struct dram_entry *entry = dram_entry(channel, is_write, slot);
    uint64_t cycle = component_cycle(&channel->component);

    if (!is_write)
        histogram_add(&channel->statistics.read_latency, end - entry->accepted_at, 1);
    if (!is_write || entry->reply.returns)
        memcpy(port_send(channel->replies, (uint32_t)(end - cycle + channel->reply_cycles)),
               &entry->reply, sizeof entry->reply);
    channel->used[is_write] &= ~(UINT64_C(1) << slot);
    leave_bank(channel, &channel->banks[entry->bank], is_write, slot);
    note_queue(channel, is_write);
}

/* ---- The component ---- */

static bool tick(struct component *component)
{
    struct dram_channel *channel = container_of(component, struct dram_channel, component);
    uint64_t cycle = component_cycle(component);
    bool progress = take_request(channel, cycle);
    uint64_t next;

    if ((channel->used[0] | channel->used[1]) == 0)
        return progress;
    next = channel->model->schedule(channel, cycle);
    if (next != UINT64_MAX && next > cycle + 1)
        component_wake_at(component, next);
    return progress || next == cycle + 1;
}

static void settle(struct component *component)
{
    struct dram_channel *channel = container_of(component, struct dram_channel, component);

    note_queue(channel, false);
    note_queue(channel, true);
    if (channel->model->settle != NULL)
        channel->model->settle(channel, component_cycle(component));
}

static void explain(const struct component *component, struct text *text)
{
    const struct dram_channel *channel = container_of(component, struct dram_channel, component);

    if ((channel->used[0] | channel->used[1]) != 0)
        text_add(text, "%u reads and %u writes queued", count_bits(channel->used[0]),
                 count_bits(channel->used[1]));
}

static const struct component_operations operations = {
    .tick = tick, .settle = settle, .explain = explain};

/* ---- Building ---- */

static bool unknown_model(const char *path, const char *name, struct diagnosis *diagnosis)
{
    struct text known = {0};

    for (unsigned i = 0; dram_models[i] != NULL; i++)
        text_add(&known, "%s%s", i > 0 ? " or " : "", dram_models[i]->name);
    diagnose(diagnosis, "%s: there is no memory model '%s'", path, name);
    diagnose_hint(diagnosis, "%s", text_chars(&known));
    text_finish(&known);
    return false;
}

bool dram_parameters_check(const char *path, const struct dram_parameters *parameters,
                           struct diagnosis *diagnosis)
{
    const struct dram_model *model = dram_model_find(parameters->model);

    if (model == NULL)
        return unknown_model(path, parameters->model, diagnosis);
    if (!is_power_of_two(parameters->burst_bytes))
        return diagnose(diagnosis, "%s: a line of 64 bytes does not divide into bursts of %llu",
                        path, (unsigned long long)parameters->burst_bytes);
    return model->is_sound == NULL || model->is_sound(path, parameters, diagnosis);
}

bool dram_init(struct dram_channel *channel, const char *path, struct clock_domain *clock,
               const struct dram_parameters *parameters, const struct address_map *map,
               struct backing *backing, struct diagnosis *diagnosis)
{
    memset(channel, 0, sizeof *channel);
    if (!dram_parameters_check(path, parameters, diagnosis))
        return false;
    component_init(&channel->component, &operations, clock, path);
    channel->model = dram_model_find(parameters->model);
    channel->parameters = *parameters;
    channel->map = map;
    channel->backing = backing;
    channel->entries = allocate((size_t)2 * DRAM_MAX_QUEUE, sizeof *channel->entries);
    channel->banks = allocate(parameters->banks, sizeof *channel->banks);
    for (uint32_t i = 0; i < parameters->banks; i++)
        channel->banks[i].row = DRAM_NO_ROW;
    channel->refresh_at = parameters->trefi;
    channel->request_cycles = channel->model->has_controller ? parameters->request_cycles : 0;
    channel->reply_cycles = channel->model->has_controller ? parameters->reply_cycles : 0;
    return true;
}

void dram_finish(struct dram_channel *channel)
{
    free(channel->entries);
    free(channel->banks);
    component_finish(&channel->component);
}

void dram_connect(struct dram_channel *channel, struct port *requests, struct port *replies)
{
    channel->requests = requests;
    channel->replies = replies;
}

uint32_t dram_reply_slots(const struct dram_parameters *parameters)
{
    const struct dram_model *model = dram_model_find(parameters->model);

    return (uint32_t)((model->data_cycles(parameters) + parameters->reply_cycles) /
                      dram_line_cycles(parameters)) +
           8;
}

void dram_register(struct dram_channel *channel, struct registry *registry)
{
    registry_add(registry, channel->component.path, "dram", dram_statistics, dram_statistic_count,
                 &channel->statistics, sizeof channel->statistics);
}
