/* SPDX-License-Identifier: MIT */
/* The vector memory unit's entries: one for each instruction in flight. */
#include <stdlib.h>

#include "base/text.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

void vmem_init(struct vector_memory *vmem, const struct vector_memory_parameters *parameters,
               struct vector_memory_statistics *statistics, struct wavefronts *waves,
               struct boundary *boundary, struct shadow *shadow)
{
    uint32_t count = (uint32_t)parameters->vmem_entries;

    vmem->parameters = parameters;
    vmem->statistics = statistics;
    vmem->waves = waves;
    vmem->boundary = boundary;
    vmem->shadow = shadow;
    for (uint32_t i = 0; i < GPU_MAX_SLOTS; i++)
        vmem->order[i] = (struct vmem_order){NO_ENTRY, NO_ENTRY};

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
    vmem->run_lanes = (uint32_t)parameters->coalesced_lanes;
    if (vmem->run_lanes > vmem->waves->lanes)
        vmem->run_lanes = vmem->waves->lanes;
    vmem->runs = vmem->waves->lanes / vmem->run_lanes;
    vmem->current = NO_ENTRY;
    vmem->blocked_since = NEVER;
}

void vmem_finish(struct vector_memory *vmem)
{
    free(vmem->memory);
    free(vmem->journey_memory);
    free(vmem->free_journeys);
    free(vmem->free_entries);
    index_ring_finish(&vmem->queue);
    index_ring_finish(&vmem->returns);
}

void vmem_register(struct vector_memory *vmem, struct registry *registry, const char *path)
{
    static const char *const names[] = {[ISA_MEMORY_LOAD] = "load_stack",
                                        [ISA_MEMORY_STORE] = "store_stack",
                                        [ISA_MEMORY_ATOMIC] = "atomic_stack"};

    for (unsigned i = 0; i < STACK_COUNT; i++) {
        char *stack_path = format_string("%s.%s", path, names[i]);

        registry_add(registry, stack_path, "latency_stack", latency_stack_statistics,
                     latency_stack_statistic_count, &vmem->stacks[i], sizeof vmem->stacks[i]);
        free(stack_path);
    }
}

void vmem_connect(struct vector_memory *vmem, struct port *requests, struct port *replies)
{
    vmem->requests = requests;
    vmem->replies = replies;
}

bool vmem_has_room(const struct vector_memory *vmem)
{
    return vmem->free_count > 0;
}

void vmem_read_store_data(struct vector_memory *vmem, struct vmem_entry *entry)
{
    if (!entry->wants_data)
        return;
    vmem->waves->isa->store_data(vmem->waves->list[entry->slot].registers, entry->instruction,
                                 &entry->request);
    entry->wants_data = false;
}

void vmem_count_occupancy(struct vector_memory *vmem)
{
    occupancy_change(&vmem->occupancy, &vmem->statistics->vmem_entries,
                     wavefronts_cycle(vmem->waves),
                     vmem->parameters->vmem_entries - vmem->free_count);
}

void vmem_settle(struct vector_memory *vmem)
{
    occupancy_settle(&vmem->occupancy, &vmem->statistics->vmem_entries,
                     wavefronts_cycle(vmem->waves));
}

void vmem_explain(const struct vector_memory *vmem, struct text *text)
{
    if (vmem->free_count < vmem->parameters->vmem_entries)
        text_add(text, "; %u vector memory instructions in flight",
                 (unsigned)vmem->parameters->vmem_entries - vmem->free_count);
    if (vmem->is_blocked)
        text_add(text, "; the L1 takes no requests");
}

void vmem_complete(struct vector_memory *vmem, uint16_t index)
{
    uint64_t due_at = wavefronts_cycle(vmem->waves) + vmem->parameters->vmem_return_cycles;
    struct vmem_entry *entry = &vmem->entries[index];

    index_ring_put(&vmem->returns, index, due_at);
    if (entry->latest_part != NO_PART)
        journey_until(vmem_journey(vmem, entry, entry->latest_part), PART_RETURN, due_at);
}
