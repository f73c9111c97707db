/* SPDX-License-Identifier: MIT */
#include "gpu/scalar_memory.h"
#include "gpu/boundary.h"
#include "gpu/wavefront.h"

#include <stdlib.h>
#include <string.h>

void smem_init(struct scalar_memory *smem, const struct scalar_memory_parameters *parameters,
               struct scalar_memory_statistics *statistics, struct wavefronts *waves,
               struct boundary *boundary)
{
    uint32_t count = (uint32_t)parameters->smem_entries;

    smem->parameters = parameters;
    smem->statistics = statistics;
    smem->waves = waves;
    smem->boundary = boundary;

    smem->entries = records_create(count, sizeof *smem->entries, &smem->memory);
    smem->free_entries = allocate(count, sizeof *smem->free_entries);
    while (smem->free_count < count) {
        smem->free_entries[smem->free_count] = (uint16_t)(count - 1 - smem->free_count);
        smem->free_count++;
    }
    index_ring_init(&smem->queue, count);
    index_ring_init(&smem->returns, count);
}

void smem_finish(struct scalar_memory *smem)
{
    free(smem->memory);
    free(smem->free_entries);
    index_ring_finish(&smem->queue);
    index_ring_finish(&smem->returns);
}

void smem_connect(struct scalar_memory *smem, struct port *requests, struct port *replies)
{
    smem->requests = requests;
    smem->replies = replies;
}

bool smem_has_room(const struct scalar_memory *smem)
{
    return smem->free_count > 0;
}

void smem_issue(struct scalar_memory *smem, struct wavefront *wave)
{
    uint16_t index = smem->free_entries[--smem->free_count];
    struct smem_entry *entry = &smem->entries[index];
    uint64_t first, last, now = wavefronts_cycle(smem->waves);

    entry->instruction = wave->next;
    entry->pc = wave->registers->pc;
    entry->sequence = wave->sequence;
    entry->active_at_issue = wavefront_active(smem->waves, wave);
    entry->slot = wave->slot;
    entry->sent = entry->outstanding = entry->parts = 0;
    smem->waves->isa->begin(wave->registers, wave->next, &entry->request);
    if (__builtin_expect(smem->waves->groups[wave->group].launch->isa->kernel->has_transactions,
                         0) &&
        smem->waves->tm != NULL)
        transactions_saw_scalar(smem->waves->tm, wave, entry->pc, &entry->request);
    smem->free_at = now + (entry->request.element_bytes + 15u) / 16 * smem->parameters->smem_cycles;
    smem->statistics->smem_cycles += smem->free_at - now;
    if (!wavefront_check_bounds(smem->waves, wave, entry->pc, &entry->request))
        return;
    if (entry->request.lanes == 0) { /* nothing to read: out of range */
        index_ring_put(&smem->returns, index, now + smem->parameters->smem_return_cycles);
        return;
    }
    first = entry->request.address[0] / LINE_BYTES;
    last = (entry->request.address[0] + entry->request.element_bytes - 1) / LINE_BYTES;
    entry->parts = (uint8_t)(last - first + 1);
    index_ring_put(&smem->queue, index, now);
}

static void send_part(struct scalar_memory *smem, uint16_t index)
{
    struct smem_entry *entry = &smem->entries[index];
    uint64_t start = entry->request.address[0], end = start + entry->request.element_bytes;
    uint64_t line = (start & ~(uint64_t)(LINE_BYTES - 1)) + (uint64_t)entry->sent * LINE_BYTES;
    uint64_t from = start > line ? start - line : 0;
    uint64_t to = end < line + LINE_BYTES ? end - line : LINE_BYTES;
    struct message *message =
        port_reserve(smem->requests, (uint32_t)smem->parameters->smem_request_cycles);

    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_LOAD;
    message->addr = line;
    message->mask = low_mask((unsigned)to) & ~low_mask((unsigned)from);
    message->glc = entry->request.glc;
    message->requester =
        (struct message_requester){smem->waves->number, entry->slot, index, entry->sent};
    if (entry->sent == 0)
        entry->first_sent = wavefronts_cycle(smem->waves);
    entry->sent++;
    entry->outstanding++;
    smem->statistics->smem_accesses++;
    if (__builtin_expect(smem->waves->profile != NULL, 0))
        profile_row(smem->waves->profile, entry->pc)[PROFILE_SMEM_ACCESSES]++;
    smem->waves->has_progress = true;
}

void smem_send(struct scalar_memory *smem)
{
    uint16_t index;

    smem->is_blocked = false;
    if (smem->queue.count == 0)
        return;
    if (!port_has_room(smem->requests, 1)) {
        smem->is_blocked = true;
        return;
    }
    index = smem->queue.items[smem->queue.head];
    send_part(smem, index);
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

static void receive_part(struct scalar_memory *smem, const struct message *message)
{
    uint16_t index = message->requester.entry;
    struct smem_entry *entry = &smem->entries[index];

    copy_reply(&entry->request, message);
    entry->outstanding--;
    if (entry->outstanding > 0 || entry->sent < entry->parts)
        return;
    histogram_add(&smem->statistics->smem_latency,
                  wavefronts_cycle(smem->waves) - entry->first_sent, 1);
    index_ring_put(&smem->returns, index,
                   wavefronts_cycle(smem->waves) + smem->parameters->smem_return_cycles);
}

NOT_INLINE static void receive_replies(struct scalar_memory *smem)
{
    const struct message *message;

    while ((message = port_peek(smem->replies)) != NULL) {
        if (!boundary_takes(smem->boundary, message))
            receive_part(smem, message);
        port_take(smem->replies);
        smem->waves->has_progress = true;
    }
}

void smem_receive(struct scalar_memory *smem)
{
    if (port_peek(smem->replies) != NULL)
        receive_replies(smem);
}

NOT_INLINE static void retire_due(struct scalar_memory *smem)
{
    uint64_t now = wavefronts_cycle(smem->waves);

    while (index_ring_time(&smem->returns) <= now) {
        uint16_t index = index_ring_take(&smem->returns);
        struct smem_entry *entry = &smem->entries[index];
        struct wavefront *wave = &smem->waves->list[entry->slot];

        wavefront_loaded(smem->waves, wave, entry->sequence, entry->instruction, &entry->request);
        wavefront_retired(smem->waves, wave, entry->active_at_issue, entry->instruction);
        smem->free_entries[smem->free_count++] = index;
        wavefronts_queue_freed(smem->waves, ISA_UNIT_SMEM);
        wavefront_released(smem->waves, wave);
        smem->waves->has_progress = true;
    }
}

void smem_retire(struct scalar_memory *smem)
{
    if (index_ring_time(&smem->returns) <= wavefronts_cycle(smem->waves))
        retire_due(smem);
}

uint64_t smem_next(const struct scalar_memory *smem)
{
    if (smem->queue.count > 0 && !smem->is_blocked)
        return wavefronts_cycle(smem->waves) + 1;
    return index_ring_time(&smem->returns);
}
