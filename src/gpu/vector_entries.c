/* SPDX-License-Identifier: MIT */
/* The vector memory unit's entries: one for each instruction in flight. */
#include <stdlib.h>

#include "gpu/unit.h"

void vmem_init(struct compute_unit *unit)
{
    struct vector_memory *vmem = &unit->vmem;
    uint32_t count = (uint32_t)unit->parameters->vmem_entries;

    vmem->entries = records_create(count, sizeof *vmem->entries, &vmem->memory);
    vmem->journeys = records_create((size_t)count * VMEM_MAX_PARTS, sizeof *vmem->journeys,
                                    &vmem->journey_memory);
    vmem->free_journeys = allocate((size_t)count * VMEM_MAX_PARTS, sizeof *vmem->free_journeys);
    for (uint32_t i = count * VMEM_MAX_PARTS; i-- > 0;)
        vmem->free_journeys[vmem->free_journey_count++] = (uint16_t)i;
    vmem->free_entries = allocate(count, sizeof *vmem->free_entries);
    while (vmem->free_count < count) {
        vmem->free_entries[vmem->free_count] = (uint16_t)(count - 1 - vmem->free_count);
        vmem->free_count++;
    }
    index_ring_init(&vmem->queue, count);
    index_ring_init(&vmem->returns, count);
    vmem->quarters = unit->waves.lanes / QUARTER_LANES;
    vmem->current = NO_ENTRY;
    vmem->blocked_since = NEVER;
}

void vmem_finish(struct compute_unit *unit)
{
    free(unit->vmem.memory);
    free(unit->vmem.journey_memory);
    free(unit->vmem.free_journeys);
    free(unit->vmem.free_entries);
    index_ring_finish(&unit->vmem.queue);
    index_ring_finish(&unit->vmem.returns);
}

bool vmem_has_room(const struct compute_unit *unit)
{
    return unit->vmem.free_count > 0;
}

void vmem_read_store_data(struct compute_unit *unit, struct vmem_entry *entry)
{
    if (!entry->wants_data)
        return;
    unit->waves.isa->store_data(unit->waves.list[entry->slot].registers, entry->instruction,
                          &entry->request);
    entry->wants_data = false;
}

void vmem_count_occupancy(struct compute_unit *unit)
{
    struct vector_memory *vmem = &unit->vmem;

    occupancy_change(&vmem->occupancy, &unit->statistics.vmem_entries, unit_cycle(unit),
                     unit->parameters->vmem_entries - vmem->free_count);
}

void vmem_complete(struct compute_unit *unit, uint16_t index)
{
    uint64_t due_at = unit_cycle(unit) + unit->parameters->vmem_return_cycles;
    struct vmem_entry *entry = &unit->vmem.entries[index];

    index_ring_put(&unit->vmem.returns, index, due_at);
    if (entry->latest_part != NO_PART)
        journey_until(vmem_journey(&unit->vmem, entry, entry->latest_part), PART_RETURN, due_at);
}
