/* SPDX-License-Identifier: MIT */
/* The vector memory unit's way back: replies, registers, and the end of an instruction's entry. */
#include "gpu/boundary.h"
#include "gpu/slices.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

/* The access is answered. Its legs are the time that it took: none is missing, none is twice
 * there. */
static void end_journey(const struct vector_memory *vmem, struct vmem_entry *entry,
                        const struct message *reply)
{
    struct journey *journey = vmem_journey(vmem, entry, reply->requester.part);
    uint64_t now = wavefronts_cycle(vmem->waves);

    entry->latest_part = reply->requester.part;
    journey_until(journey, PART_RETURN_QUEUE, now);
    check(journey->since == now && journey_cycles(journey) == now - entry->started_at,
          "compute unit %u: an access took %llu cycles, its parts are %llu", vmem->waves->number,
          (unsigned long long)(now - entry->started_at),
          (unsigned long long)journey_cycles(journey));
}

static bool is_scoped(const struct isa_memory_request *request)
{
    return request->order != ISA_ORDER_RELAXED || request->kind == ISA_MEMORY_INVALIDATE ||
           request->kind == ISA_MEMORY_FLUSH;
}

/* Of an instruction whose last access is answered. */
static void count_latency(struct vector_memory *vmem, const struct vmem_entry *entry)
{
    struct vector_memory_statistics *statistics = vmem->statistics;
    uint64_t latency = wavefronts_cycle(vmem->waves) - entry->first_sent;
    uint32_t lanes = count_bits(entry->request.lanes | entry->request.second_lanes);

    if (is_scoped(&entry->request)) {
        statistics->scoped_operations++;
        statistics->scoped_cycles += latency;
    }
    if (entry->request.kind == ISA_MEMORY_ATOMIC)
        histogram_add(&statistics->atomic_latency, latency, 1);
    if (entry->request.kind != ISA_MEMORY_LOAD && entry->request.kind != ISA_MEMORY_STORE)
        return;
    histogram_add(entry->request.kind == ISA_MEMORY_LOAD ? &statistics->load_latency
                                                         : &statistics->store_latency,
                  latency, 1);
    statistics->weighted_latency += latency * lanes;
    statistics->weighted_lanes += lanes;
}

static void receive_reply(struct vector_memory *vmem, const struct message *message)
{
    uint16_t index = message->requester.entry;
    struct vmem_entry *entry = &vmem->entries[index];
    const struct vmem_part *part = &entry->part[message->requester.part];

    check(entry->outstanding > 0, "a reply that nothing waits for came to compute unit %u",
          vmem->waves->number);
    if (__builtin_expect(vmem->shadow != NULL, 0))
        check_release_answered(vmem, entry, part, message);
    if (request_returns(&entry->request))
        access_from_reply(&entry->request, part->lanes, message);
    entry->outstanding--;
    end_journey(vmem, entry, message);
    if (__builtin_expect(vmem->waves->profile != NULL, 0))
        profile_access(vmem->waves->profile, entry->pc,
                       vmem_journey(vmem, entry, message->requester.part));
    if (entry->outstanding > 0 || !entry->all_sent)
        return;
    count_latency(vmem, entry);
    vmem_complete(vmem, index);
}

static void receive_message(struct vector_memory *vmem, const struct message *message)
{
    if (message->kind < MESSAGE_PROTOCOL && message->requester.unit != REQUESTER_COMMIT)
        receive_reply(vmem, message);
    else if (vmem->waves->tm != NULL)
        transactions_answer(vmem->waves->tm, message);
}

NOT_INLINE static void receive_replies(struct vector_memory *vmem)
{
    const struct message *message;

    while ((message = port_peek(vmem->replies)) != NULL) {
        if (!boundary_takes(vmem->boundary, message))
            receive_message(vmem, message);
        port_take(vmem->replies);
        vmem->waves->has_progress = true;
    }
}

void vmem_receive(struct vector_memory *vmem)
{
    if (port_peek(vmem->replies) != NULL)
        receive_replies(vmem);
}

/* The instruction's registers are written. Those of its wavefront that are older came first. */
static void count_journey(struct vector_memory *vmem, const struct vmem_entry *entry)
{
    struct journey *journey;

    if (entry->latest_part == NO_PART || entry->request.kind >= STACK_COUNT)
        return;
    journey = vmem_journey(vmem, entry, entry->latest_part);
    journey_until(journey, PART_IN_ORDER, wavefronts_cycle(vmem->waves));
    latency_stack_add(&vmem->stacks[entry->request.kind], journey);
    if (__builtin_expect(vmem->waves->profile != NULL, 0)) {
        profile_latency(vmem->waves->profile, entry->pc, journey);
        if (vmem->waves->profile->slices != NULL)
            slices_accesses(vmem->waves->profile->slices, vmem, entry);
    }
}

static void release_entry(struct vector_memory *vmem, uint16_t index)
{
    const struct vmem_entry *entry = &vmem->entries[index];

    count_journey(vmem, entry);
    if (__builtin_expect(entry->is_traced, 0))
        memory_trace_write(vmem, entry);
    for (unsigned i = 0; i < entry->parts; i++)
        vmem->free_journeys[vmem->free_journey_count++] = entry->part[i].journey;
    vmem->free_entries[vmem->free_count++] = index;
    vmem_count_occupancy(vmem);
    wavefronts_queue_freed(vmem->waves, ISA_UNIT_VMEM);
}

/* The oldest instruction of the wavefront is complete. */
static void retire_oldest(struct vector_memory *vmem, struct wavefront *wave)
{
    uint16_t index = vmem->order[wave->slot].first;
    struct vmem_entry *entry = &vmem->entries[index];

    if (request_returns(&entry->request)) {
        if (__builtin_expect(wave->transaction.is_open, 0)) {
            transactions_loaded(vmem->waves->tm, wave, &entry->request);
            transactions_saw_loaded(vmem->waves->tm, wave, index, &entry->request);
        }
        wavefront_loaded(vmem->waves, wave, entry->sequence, entry->instruction, &entry->request);
    }
    vmem->order[wave->slot].first = entry->next;
    wave->unawaited -= entry->request.keeps;
    wavefront_retired(vmem->waves, wave, entry->active_at_issue, entry->instruction);
    release_entry(vmem, index);
}

NOT_INLINE static void retire_due(struct vector_memory *vmem)
{
    uint64_t now = wavefronts_cycle(vmem->waves);

    while (index_ring_time(&vmem->returns) <= now) {
        uint16_t index = index_ring_take(&vmem->returns);
        struct vmem_entry *entry = &vmem->entries[index];
        struct wavefront *wave;

        vmem->waves->has_progress = true;
        entry->is_complete = true;
        if (entry->slot == NO_SLOT) {
            release_entry(vmem, index);
            continue;
        }
        wave = &vmem->waves->list[entry->slot];
        while (vmem->order[wave->slot].first != NO_ENTRY &&
               vmem->entries[vmem->order[wave->slot].first].is_complete)
            retire_oldest(vmem, wave);
        wavefront_released(vmem->waves, wave);
    }
}

void vmem_retire(struct vector_memory *vmem)
{
    if (index_ring_time(&vmem->returns) <= wavefronts_cycle(vmem->waves))
        retire_due(vmem);
}

void vmem_orphan(struct vector_memory *vmem, struct wavefront *wave)
{
    for (uint16_t index = vmem->order[wave->slot].first; index != NO_ENTRY;) {
        struct vmem_entry *entry = &vmem->entries[index];

        index = entry->next;
        vmem_read_store_data(vmem, entry);
        entry->slot = NO_SLOT;
        wave->outstanding--;
        wave->unawaited -= entry->request.keeps;
        if (entry->is_complete) /* it waited for an older one to retire it */
            release_entry(vmem, (uint16_t)(entry - vmem->entries));
    }
    vmem->order[wave->slot].first = NO_ENTRY;
}
