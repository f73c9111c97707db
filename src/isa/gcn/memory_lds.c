/* SPDX-License-Identifier: MIT */
/*
 * Local memory. An element outside min(M0, what the work-group was granted) reads zero and writes
 * nothing. The two elements of ds_read2 and ds_write2 have an address each and are dropped each for
 * itself. Addresses are aligned down to the element's size, as the hardware does.
 *
 * Sources: AMD, "Southern Islands Series Instruction Set Architecture" (2012): local memory is
 * granted in granules and clamped by M0 (chapter 3, "LDS Allocation and Clamping"); the two-element
 * operations are two stores, or loads, with an address each (chapter 12, DS instructions). That the
 * range is checked for each of the two follows from the latter; no document says it in a word.
 */
#include "isa/gcn/gcn.h"

#include <string.h>

/* The two offset fields in bytes. One-element operations have one field of 16 bits. */
static void offsets_of(const struct gcn_instruction *instruction,
                       const struct gcn_operation *operation, uint32_t offset[2])
{
    uint32_t field = (uint32_t)instruction->immediate;
    uint32_t unit = (uint32_t)operation->bytes * operation->scale;

    offset[0] = operation->elements == 2 ? (field & 0xff) * unit : field;
    offset[1] = operation->elements == 2 ? (field >> 8) * unit : field;
}

static uint32_t limit_of(const struct gcn_wave *wave)
{
    uint32_t limit = wave->scalar[GCN_M0];

    return limit < wave->base.lds_bytes ? limit : wave->base.lds_bytes;
}

/* Addresses of the first elements, and which lanes' first and second lie inside the limit. */
static void lds_addresses(const struct gcn_wave *wave, const uint32_t *row,
                          const uint32_t offset[2], uint32_t bytes,
                          struct isa_memory_request *request)
{
    uint64_t active = wave->base.active, limit = limit_of(wave), inside[2] = {0, 0};
    uint32_t last = offset[0] > offset[1] ? offset[0] : offset[1], largest = 0;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t base = row[lane] & ~(bytes - 1);

        request->address[lane] = (uint64_t)base + offset[0];
        largest = base > largest ? base : largest;
    }
    request->lanes = request->second_lanes = active;
    if ((uint64_t)largest + last + bytes <= limit)
        return;
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint64_t base = request->address[lane] - offset[0];

        inside[0] |= (uint64_t)(base + offset[0] + bytes <= limit) << lane;
        inside[1] |= (uint64_t)(base + offset[1] + bytes <= limit) << lane;
    }
    request->lanes &= inside[0];
    request->second_lanes &= inside[1];
}

static void copy_rows(const struct gcn_wave *wave, unsigned source, uint32_t (*target)[GCN_LANES],
                      unsigned count)
{
    memcpy(target, wave->vector[source], count * sizeof target[0]);
}

static void lds_narrow(uint32_t *row, unsigned bytes)
{
    uint32_t mask = bytes == 1 ? 0xff : 0xffff;

    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        row[lane] &= mask;
}

/* Compare-and-swap and mask-or have what is compared (the mask) in DATA0 and the new value in
 * DATA1. */
static void lds_operands(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                         const struct gcn_operation *operation, struct isa_memory_request *request)
{
    unsigned registers = operation->bytes <= 4 ? 1 : 2;
    unsigned first = instruction->source[1].index, second = instruction->source[2].index;

    if (operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP ||
        operation->rmw == RMW_MASK_OR) {
        copy_rows(wave, first, request->compare, registers);
        copy_rows(wave, second, request->data, registers);
        return;
    }
    copy_rows(wave, first, request->data, registers);
    if (operation->elements == 2)
        copy_rows(wave, second, request->data + (request->second_delta == 0 ? 0 : registers),
                  registers);
    if (operation->bytes < 4)
        lds_narrow(request->data[0], operation->bytes);
}

/* ds_swizzle moves values between lanes and touches no memory:
 *
 *     offset bit 15 set    two bits for each lane of a quad name the quad's lane that it reads
 *     clear                xor 14:10, or 9:5, and 4:0 make the number of the lane, of 32
 */
static void lds_swizzle(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                        struct isa_memory_request *request)
{
    uint32_t pattern = (uint32_t)instruction->immediate;
    const uint32_t *row = wave->vector[instruction->source[0].index];

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        unsigned from =
            (((lane & 31 & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)) | (lane & 32);

        if ((pattern & 0x8000) != 0)
            from = (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
        request->data[0][lane] = (wave->base.active >> from & 1) != 0 ? row[from] : 0;
    }
    request->lanes = request->second_lanes = 0;
    request->written = wave->base.active;
}

/* Elements that are not served read as zero. */
static void clear_dropped(const struct gcn_operation *operation, struct isa_memory_request *request)
{
    unsigned registers = operation->bytes <= 4 ? 1 : 2;

    gcn_clear_dropped(request, 0, registers, request->lanes);
    if (request->second_delta != 0)
        gcn_clear_dropped(request, registers, registers, request->second_lanes);
}

void gcn_begin_lds(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                   struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->base.op];
    uint32_t offset[2];

    request->space = ISA_SPACE_LOCAL;
    if (instruction->base.op == GCN_OP_ds_swizzle_b32) {
        lds_swizzle(wave, instruction, request);
        return;
    }
    offsets_of(instruction, operation, offset);
    request->second_delta = (int32_t)(offset[1] - offset[0]);
    lds_addresses(wave, wave->vector[instruction->source[0].index], offset, operation->bytes,
                  request);
    if (operation->kind != ISA_MEMORY_LOAD)
        lds_operands(wave, instruction, operation, request);
    request->written = operation->returns ? wave->base.active : 0;
    if (operation->returns)
        clear_dropped(operation, request);
}

void gcn_finish_lds(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                    const struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->base.op];
    unsigned registers = operation->bytes <= 4 ? 1 : 2;
    bool twice = operation->elements == 2;

    gcn_write_loaded(wave, instruction->destination, request,
                     twice && request->second_delta != 0 ? 2 * registers : registers);
    if (twice && request->second_delta == 0) /* both elements are the same one */
        gcn_write_loaded(wave, instruction->destination + registers, request, registers);
    if (operation->is_signed)
        gcn_extend_signs(wave, instruction->destination, request);
}
