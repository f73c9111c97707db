/* SPDX-License-Identifier: MIT */
/* The scalar memory unit: loads of up to 64 contiguous bytes, one or two lines each, through the
 * scalar cache. They end in any order. */
#include "gpu/unit.h"

#include <stdlib.h>
#include <string.h>

void smem_init(struct compute_unit *unit)
{
    struct scalar_memory *smem = &unit->smem;
    uint32_t count = (uint32_t)unit->parameters->smem_entries;

    smem->entries = records_create(count, sizeof *smem->entries, &smem->memory);
    smem->free_entries = allocate(count, sizeof *smem->free_entries);
    while (smem->free_count < count) {
        smem->free_entries[smem->free_count] = (uint16_t)(count - 1 - smem->free_count);
        smem->free_count++;
    }
    index_ring_init(&smem->queue, count);
    index_ring_init(&smem->returns, count);
}

void smem_finish(struct compute_unit *unit)
{
    free(unit->smem.memory);
    free(unit->smem.free_entries);
    index_ring_finish(&unit->smem.queue);
    index_ring_finish(&unit->smem.returns);
}

bool smem_has_room(const struct compute_unit *unit)
{
    return unit->smem.free_count > 0;
}

void smem_issue(struct compute_unit *unit, struct wavefront *wave)
{
    struct scalar_memory *smem = &unit->smem;
    uint16_t index = smem->free_entries[--smem->free_count];
    struct smem_entry *entry = &smem->entries[index];
    uint64_t first, last, now = unit_cycle(unit);

    entry->instruction = wave->next;
    entry->pc = wave->registers->pc;
    entry->sequence = wave->sequence;
    entry->slot = wave->slot;
    entry->sent = entry->outstanding = entry->parts = 0;
    unit->waves.isa->begin(wave->registers, wave->next, &entry->request);
    smem->free_at = now + (entry->request.element_bytes + 15u) / 16 * unit->parameters->smem_cycles;
    if (!wavefront_check_bounds(&unit->waves, wave, entry->pc, &entry->request))
        return;
    if (entry->request.lanes == 0) { /* nothing to read: out of range */
        index_ring_put(&smem->returns, index, now + unit->parameters->smem_return_cycles);
        return;
    }
    first = entry->request.address[0] / LINE_BYTES;
    last = (entry->request.address[0] + entry->request.element_bytes - 1) / LINE_BYTES;
    entry->parts = (uint8_t)(last - first + 1);
    index_ring_put(&smem->queue, index, now);
}

static void send_part(struct compute_unit *unit, uint16_t index)
{
    struct smem_entry *entry = &unit->smem.entries[index];
    uint64_t start = entry->request.address[0], end = start + entry->request.element_bytes;
    uint64_t line = (start & ~(uint64_t)(LINE_BYTES - 1)) + (uint64_t)entry->sent * LINE_BYTES;
    uint64_t from = start > line ? start - line : 0;
    uint64_t to = end < line + LINE_BYTES ? end - line : LINE_BYTES;
    struct message *message =
        port_send(unit->ports.scalar_requests, (uint32_t)unit->parameters->smem_request_cycles);

    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_LOAD;
    message->addr = line;
    message->mask = low_mask((unsigned)to) & ~low_mask((unsigned)from);
    message->glc = entry->request.glc;
    message->requester = (struct message_requester){unit->waves.number, entry->slot, index, entry->sent};
    if (entry->sent == 0)
        entry->first_sent = unit_cycle(unit);
    entry->sent++;
    entry->outstanding++;
    unit->statistics.smem_accesses++;
    unit->waves.has_progress = true;
}

void smem_send(struct compute_unit *unit)
{
    struct scalar_memory *smem = &unit->smem;
    uint16_t index;

    smem->is_blocked = false;
    if (smem->queue.count == 0)
        return;
    if (!port_has_room(unit->ports.scalar_requests, 1)) {
        smem->is_blocked = true;
        return;
    }
    index = smem->queue.items[smem->queue.head];
    send_part(unit, index);
    if (smem->entries[index].sent == smem->entries[index].parts)
        index_ring_take(&smem->queue);
}

/* The part of the line that the instruction wants, into its data. */
static void copy_reply(struct isa_memory_request *request, const struct message *message)
{
    uint64_t start = request->address[0], end = start + request->element_bytes;
    uint64_t from = start > message->addr ? start : message->addr;
    uint64_t to = end < message->addr + LINE_BYTES ? end : message->addr + LINE_BYTES;

    memcpy((unsigned char *)request->scalar + (from - start),
           message->data + (from - message->addr), to - from);
}

static void receive_part(struct compute_unit *unit, const struct message *message)
{
    uint16_t index = message->requester.entry;
    struct smem_entry *entry = &unit->smem.entries[index];

    copy_reply(&entry->request, message);
    entry->outstanding--;
    if (entry->outstanding > 0 || entry->sent < entry->parts)
        return;
    histogram_add(&unit->statistics.smem_latency, unit_cycle(unit) - entry->first_sent, 1);
    index_ring_put(&unit->smem.returns, index,
                   unit_cycle(unit) + unit->parameters->smem_return_cycles);
}

void smem_receive(struct compute_unit *unit)
{
    const struct message *message;

    while ((message = port_peek(unit->ports.scalar_replies)) != NULL) {
        if (!boundary_takes(unit, message))
            receive_part(unit, message);
        port_take(unit->ports.scalar_replies);
        unit->waves.has_progress = true;
    }
}

void smem_return(struct compute_unit *unit)
{
    struct scalar_memory *smem = &unit->smem;
    uint64_t now = unit_cycle(unit);

    while (index_ring_time(&smem->returns) <= now) {
        uint16_t index = index_ring_take(&smem->returns);
        struct smem_entry *entry = &smem->entries[index];
        struct wavefront *wave = &unit->waves.list[entry->slot];

        unit->waves.isa->finish(wave->registers, entry->instruction, &entry->request);
        wavefront_trace_loaded(&unit->waves, wave, entry->sequence, entry->instruction,
                               entry->request.written);
        if ((entry->instruction->flags & ISA_COUNTS_LGKM) != 0)
            wave->lgkm_count = (uint8_t)(wave->lgkm_count - entry->instruction->lgkm);
        wave->outstanding--;
        wavefront_counter_fell(&unit->waves, wave);
        smem->free_entries[smem->free_count++] = index;
        wavefronts_queue_freed(&unit->waves, ISA_UNIT_SMEM);
        wavefront_released(&unit->waves, wave);
        unit->waves.has_progress = true;
    }
}

uint64_t smem_next(const struct compute_unit *unit)
{
    const struct scalar_memory *smem = &unit->smem;

    if (smem->queue.count > 0 && !smem->is_blocked)
        return unit_cycle(unit) + 1;
    return index_ring_time(&smem->returns);
}
