/* SPDX-License-Identifier: MIT */
/* The vector memory unit's way back: replies, registers, and the end of an instruction's entry. */
#include "gpu/unit.h"

/* The access is answered. Its legs are the time that it took: none is missing, none is twice there. */
static void end_journey(const struct compute_unit *unit, struct vmem_entry *entry,
                        const struct message *reply)
{
    struct journey *journey = vmem_journey(&unit->vmem, entry, reply->requester.part);
    uint64_t now = unit_cycle(unit);

    entry->latest_part = reply->requester.part;
    journey_until(journey, PART_RETURN_QUEUE, now);
    check(journey->since == now && journey_cycles(journey) == now - entry->started_at,
          "compute unit %u: an access took %llu cycles, its parts are %llu", unit->waves.number,
          (unsigned long long)(now - entry->started_at),
          (unsigned long long)journey_cycles(journey));
}

/* Of an instruction whose last access is answered. */
static void count_latency(struct compute_unit *unit, const struct vmem_entry *entry)
{
    struct compute_unit_statistics *statistics = &unit->statistics;
    uint64_t latency = unit_cycle(unit) - entry->first_sent;
    uint32_t lanes = count_bits(entry->request.lanes | entry->request.second_lanes);

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

static void receive_reply(struct compute_unit *unit, const struct message *message)
{
    uint16_t index = message->requester.entry;
    struct vmem_entry *entry = &unit->vmem.entries[index];
    const struct vmem_part *part = &entry->part[message->requester.part];

    check(entry->outstanding > 0, "a reply that nothing waits for came to compute unit %u",
          unit->waves.number);
    if (__builtin_expect(unit->shadow != NULL, 0))
        check_release_answered(unit, entry, part, message);
    if (request_returns(&entry->request))
        access_from_reply(&entry->request, part->quarter, part->lanes, message);
    entry->outstanding--;
    end_journey(unit, entry, message);
    if (entry->outstanding > 0 || !entry->all_sent)
        return;
    count_latency(unit, entry);
    vmem_complete(unit, index);
}

static void receive_message(struct compute_unit *unit, const struct message *message)
{
    if (message->kind < MESSAGE_PROTOCOL && message->requester.unit != REQUESTER_COMMIT)
        receive_reply(unit, message);
    else
        transactions_receive(&unit->waves, message);
}

void vmem_receive(struct compute_unit *unit)
{
    const struct message *message;

    while ((message = port_peek(unit->ports.replies)) != NULL) {
        if (!boundary_takes(&unit->boundary, message))
            receive_message(unit, message);
        port_take(unit->ports.replies);
        unit->waves.has_progress = true;
    }
}

/* The instruction's registers are written. Those of its wavefront that are older came first. */
static void count_journey(struct compute_unit *unit, const struct vmem_entry *entry)
{
    struct journey *journey;

    if (entry->latest_part == NO_PART || entry->request.kind >= STACK_COUNT)
        return;
    journey = vmem_journey(&unit->vmem, entry, entry->latest_part);
    journey_until(journey, PART_IN_ORDER, unit_cycle(unit));
    latency_stack_add(&unit->stacks[entry->request.kind], journey);
}

static void release_entry(struct compute_unit *unit, uint16_t index)
{
    struct vector_memory *vmem = &unit->vmem;
    const struct vmem_entry *entry = &vmem->entries[index];

    count_journey(unit, entry);
    if (__builtin_expect(entry->is_traced, 0))
        memory_trace_write(unit, entry);
    for (unsigned i = 0; i < entry->parts; i++)
        vmem->free_journeys[vmem->free_journey_count++] = entry->part[i].journey;
    unit->vmem.free_entries[unit->vmem.free_count++] = index;
    vmem_count_occupancy(unit);
    wavefronts_queue_freed(&unit->waves, ISA_UNIT_VMEM);
}

/* The oldest instruction of the wavefront is complete. */
static void retire(struct compute_unit *unit, struct wavefront *wave)
{
    uint16_t index = wave->first_vmem;
    struct vmem_entry *entry = &unit->vmem.entries[index];

    if (request_returns(&entry->request)) {
        if (__builtin_expect(wave->transaction.is_open, 0)) {
            transaction_loaded(&unit->waves, wave, &entry->request);
            transaction_saw_loaded(&unit->waves, wave, index, &entry->request);
        }
        wavefront_loaded(&unit->waves, wave, entry->sequence, entry->instruction, &entry->request);
    }
    wave->first_vmem = entry->next;
    wavefront_retired(&unit->waves, wave, entry->instruction);
    release_entry(unit, index);
}

void vmem_return(struct compute_unit *unit)
{
    struct vector_memory *vmem = &unit->vmem;
    uint64_t now = unit_cycle(unit);

    while (index_ring_time(&vmem->returns) <= now) {
        uint16_t index = index_ring_take(&vmem->returns);
        struct vmem_entry *entry = &vmem->entries[index];
        struct wavefront *wave;

        unit->waves.has_progress = true;
        entry->is_complete = true;
        if (entry->slot == NO_SLOT) {
            release_entry(unit, index);
            continue;
        }
        wave = &unit->waves.list[entry->slot];
        while (wave->first_vmem != NO_ENTRY && vmem->entries[wave->first_vmem].is_complete)
            retire(unit, wave);
        wavefront_released(&unit->waves, wave);
    }
}

/* The wavefront goes without waiting for them; they run to their end on their own. */
void vmem_orphan(struct compute_unit *unit, struct wavefront *wave)
{
    for (uint16_t index = wave->first_vmem; index != NO_ENTRY;) {
        struct vmem_entry *entry = &unit->vmem.entries[index];

        index = entry->next;
        vmem_read_store_data(unit, entry);
        entry->slot = NO_SLOT;
        wave->outstanding--;
        if (entry->is_complete) /* it waited for an older one to retire it */
            release_entry(unit, (uint16_t)(entry - unit->vmem.entries));
    }
    wave->first_vmem = NO_ENTRY;
}
