/* SPDX-License-Identifier: MIT */
/* --check-release: what a compute unit's accesses tell the shadow of memory, and what it finds. */
#include <string.h>

#include "gpu/shadow.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

/* The bytes of the line that the lanes of a part access. */
static uint64_t bytes_of_lanes(const struct isa_memory_request *request,
                               const struct vmem_part *part, uint64_t line)
{
    uint64_t lanes = part->lanes, bytes = low_mask(request->element_bytes), mask = 0;

    for_each_bit(lane, lanes)
    {
        uint64_t address = request->address[lane];

        if (address >= line && address < line + LINE_BYTES)
            mask |= bytes << (address - line);
        else if (address < line && line - address < request->element_bytes)
            mask |= bytes >> (line - address);
    }
    return mask;
}

void check_release_sent(struct vector_memory *vmem, const struct message *message)
{
    if (message->kind == MESSAGE_STORE || message->kind == MESSAGE_ATOMIC)
        shadow_sent(vmem->shadow, message->addr, message->mask);
}

static void note_stored(struct vector_memory *vmem, const struct vmem_entry *entry,
                        const struct vmem_part *part, const struct message *reply)
{
    uint64_t mask = bytes_of_lanes(&entry->request, part, reply->addr);
    struct access access = {.line = reply->addr, .mask = mask, .lanes = part->lanes};
    struct shadow_store store = {
        .pc = entry->pc, .cycle = wavefronts_cycle(vmem->waves), .unit = vmem->waves->number};
    struct message sent;

    if (entry->request.kind == ISA_MEMORY_ATOMIC || entry->request.keeps) {
        shadow_stored(vmem->shadow, reply->addr, mask, NULL, &store);
        return;
    }
    memset(&sent, 0, sizeof sent);
    access_to_message(&entry->request, &access, &sent);
    shadow_stored(vmem->shadow, reply->addr, mask, sent.data, &store);
}

/* The lane whose access has the byte. */
static unsigned lane_of(const struct isa_memory_request *request, const struct vmem_part *part,
                        uint64_t address)
{
    uint64_t lanes = part->lanes;

    for_each_bit(lane, lanes)
    {
        if (address - request->address[lane] < request->element_bytes)
            return lane;
    }
    return 0;
}

static void old_byte_describe(struct vector_memory *vmem, const struct vmem_entry *entry,
                              const struct vmem_part *part, uint64_t address,
                              const struct shadow_store *store)
{
    struct fault fault =
        wavefront_fault_here(vmem->waves, &vmem->waves->list[entry->slot], FAULT_OLD_BYTE);

    fault.pc = entry->pc;
    fault.launch = entry->launch;
    fault.access = entry->request.kind;
    fault.address = address;
    fault.bytes = 1;
    fault.lane = lane_of(&entry->request, part, address);
    fault.stored_pc = store->pc;
    fault.stored_unit = store->unit;
    fault.stored_cycles = wavefronts_cycle(vmem->waves) - store->cycle;
    vmem->old_bytes.first = fault;
    vmem->old_bytes.cycle = wavefronts_cycle(vmem->waves);
}

static void look_at_loaded(struct vector_memory *vmem, const struct vmem_entry *entry,
                           const struct vmem_part *part, const struct message *reply)
{
    uint64_t mask = bytes_of_lanes(&entry->request, part, reply->addr);
    struct shadow_store store;
    uint64_t old = shadow_old(vmem->shadow, reply->addr, mask, reply->data, vmem->waves->number,
                              entry->first_sent, &store);

    if (old == 0 || entry->slot == NO_SLOT)
        return;
    if (vmem->old_bytes.accesses == 0)
        old_byte_describe(vmem, entry, part, reply->addr + lowest_bit(old), &store);
    vmem->old_bytes.accesses += count_bits(old);
    vmem->statistics->old_bytes += count_bits(old);
}

void check_release_answered(struct vector_memory *vmem, const struct vmem_entry *entry,
                            const struct vmem_part *part, const struct message *reply)
{
    if (entry->request.kind == ISA_MEMORY_LOAD)
        look_at_loaded(vmem, entry, part, reply);
    else if (entry->request.kind == ISA_MEMORY_STORE || entry->request.kind == ISA_MEMORY_ATOMIC)
        note_stored(vmem, entry, part, reply);
}
