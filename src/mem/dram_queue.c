/* SPDX-License-Identifier: MIT */
/* A channel's queues: what requests do, and when they leave. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"
#include "mem/dram_model.h"

struct dram_place dram_place(const struct dram_parameters *parameters, uint64_t line)
{
    uint64_t block = line / ADDRESS_LINES;
    uint64_t blocks = parameters->row_bytes / ADDRESS_INTERLEAVE_BYTES;

    return (struct dram_place){
        .bank = (uint32_t)(block % parameters->banks),
        .row = (uint32_t)(block / parameters->banks / blocks),
    };
}

/* The request takes effect. */
static void request_apply(struct dram_channel *channel, const struct message *request,
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

void dram_note_queue(struct dram_channel *channel, bool is_write)
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

static void request_accept(struct dram_channel *channel, const struct message *request,
                           bool is_write, uint64_t cycle)
{
    uint32_t slot = lowest_bit(~channel->used[is_write]);
    struct dram_entry *entry = dram_entry(channel, is_write, slot);
    struct dram_place place =
        dram_place(&channel->parameters, address_place(channel->map, request->addr).line);

    request_apply(channel, request, &entry->reply);
    entry->accepted_at = cycle;
    entry->ready_at = cycle + channel->request_cycles;
    entry->begun_at = 0;
    entry->sequence = ++channel->sequence;
    entry->bank = place.bank;
    entry->row = place.row;
    entry->bursts = (uint8_t)(LINE_BYTES / channel->parameters.burst_bytes);
    entry->is_counted = false;
    channel->used[is_write] |= UINT64_C(1) << slot;
    enter_bank(&channel->banks[place.bank], entry, is_write, slot);
    dram_note_queue(channel, is_write);
}

void dram_write_now(struct dram_channel *channel, uint64_t addr, uint64_t mask,
                    const unsigned char *data)
{
    uint64_t reads = channel->used[false];

    copy_masked(backing_host(channel->backing, addr), data, mask);
    for_each_bit(slot, reads)
    {
        struct message *reply = &dram_entry(channel, false, slot)->reply;

        if (reply->addr == addr)
            copy_masked(reply->data, data, mask);
    }
}

/* One request a cycle. */
bool dram_take_request(struct dram_channel *channel, uint64_t cycle)
{
    const struct message *request = port_peek(channel->requests);
    bool is_write;

    if (request == NULL)
        return false;
    is_write = request->kind == MESSAGE_WRITE;
    if (count_bits(channel->used[is_write]) >=
        (is_write ? channel->parameters.write_entries : channel->parameters.read_entries))
        return false;
    request_accept(channel, request, is_write, cycle);
    port_take(channel->requests);
    return true;
}

bool dram_can_reply(struct dram_channel *channel, const struct dram_entry *entry)
{
    if (entry->reply.kind == MESSAGE_WRITE_REPLY && !entry->reply.returns)
        return true;
    return port_has_room(channel->replies, 1);
}

/* A core cycle from a cycle of the channel: the last that is not later. */
static uint64_t core_cycle(const struct dram_channel *channel, uint64_t cycle)
{
    const struct clock_domain *clock = channel->component.clock;

    return cycle * clock->period / clock->engine->domains[0].period;
}

/* The time in which requests waited for the channel, as the union of each one's. In the order of
 * their ends: a gap before an earlier one that a later one fills is not seen. */
static void count_waiting(struct dram_channel *channel, const struct dram_entry *entry,
                          bool is_write)
{
    uint64_t from = entry->ready_at;

    if (from < channel->waited_until)
        from = channel->waited_until;
    if (entry->begun_at <= from || (is_write && !channel->is_draining))
        return; /* writes that may wait do not keep anything up */
    channel->statistics.waiting_cycles += entry->begun_at - from;
    channel->waited_until = entry->begun_at;
}

/* Its way through the channel, up to the answer's arrival at the next edge of the core's clock. */
static void entry_stamp(const struct dram_channel *channel, const struct dram_entry *entry,
                        uint64_t end, struct journey *journey)
{
    const struct clock_domain *clock = channel->component.clock;

    journey_until(journey, PART_DRAM_QUEUE, core_cycle(channel, entry->accepted_at));
    journey_until(journey, PART_DRAM, core_cycle(channel, entry->ready_at));
    journey_until(journey, PART_DRAM_QUEUE, core_cycle(channel, entry->begun_at));
    journey_until(
        journey, PART_DRAM,
        clock_cycle_at(&clock->engine->domains[0], (end + channel->reply_cycles) * clock->period));
}

void dram_complete(struct dram_channel *channel, bool is_write, uint32_t slot, uint64_t end)
{
    struct dram_entry *entry = dram_entry(channel, is_write, slot);
    uint64_t cycle = component_cycle(&channel->component);

    if (!is_write)
        histogram_add(&channel->statistics.read_latency, end - entry->accepted_at, 1);
    dram_begin(entry, cycle);
    count_waiting(channel, entry, is_write);
    if (!is_write || entry->reply.returns) {
        struct message *sent =
            port_reserve(channel->replies, (uint32_t)(end - cycle + channel->reply_cycles));

        memcpy(sent, &entry->reply, sizeof *sent);
        if (message_journey(sent) != NULL)
            entry_stamp(channel, entry, end, sent->journey);
    }
    channel->used[is_write] &= ~(UINT64_C(1) << slot);
    leave_bank(channel, &channel->banks[entry->bank], is_write, slot);
    dram_note_queue(channel, is_write);
}
