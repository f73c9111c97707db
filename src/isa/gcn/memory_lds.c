/* SPDX-License-Identifier: MIT */
/*
 * Local memory. An access outside min(M0, the work-group's LDS) reads zero and writes nothing; of
 * an operation with two elements both are dropped when one is outside. Addresses are aligned down
 * to the element's size, as the hardware does.
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

/* Addresses of the first elements; the result is the lanes inside the limit. */
static uint64_t addresses(const struct gcn_wave *wave, const uint32_t *row,
                          const uint32_t offset[2], uint32_t bytes, uint64_t *address)
{
    uint64_t active = wave->base.active, inside = 0;
    uint32_t last = offset[0] > offset[1] ? offset[0] : offset[1], largest = 0;
    uint64_t limit = limit_of(wave);

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t base = row[lane] & ~(bytes - 1);

        address[lane] = (uint64_t)base + offset[0];
        largest = base > largest ? base : largest;
    }
    if ((uint64_t)largest + last + bytes <= limit)
        return active;
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        inside |= (uint64_t)(address[lane] - offset[0] + last + bytes <= limit) << lane;
    return inside & active;
}

static void copy_rows(const struct gcn_wave *wave, unsigned source, uint32_t (*target)[GCN_LANES],
                      unsigned count)
{
    memcpy(target, wave->vector[source], count * sizeof target[0]);
}

static void narrow(uint32_t *row, unsigned bytes)
{
    uint32_t mask = bytes == 1 ? 0xff : 0xffff;

    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        row[lane] &= mask;
}

/* Compare-and-swap and mask-or have what is compared (the mask) in DATA0 and the new value in
 * DATA1. */
static void operands(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
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
        narrow(request->data[0], operation->bytes);
}

/* ds_swizzle moves values between lanes and touches no memory:
 *
 *     offset bit 15 set    two bits for each lane of a quad name the quad's lane that it reads
 *     clear                xor 14:10, or 9:5, and 4:0 make the number of the lane, of 32
 */
static void swizzle(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
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
    request->lanes = 0;
    request->written = wave->base.active;
}

void gcn_begin_lds(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                   struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->base.op];
    uint32_t offset[2];

    request->space = ISA_SPACE_LOCAL;
    if (instruction->base.op == GCN_OP_ds_swizzle_b32) {
        swizzle(wave, instruction, request);
        return;
    }
    offsets_of(instruction, operation, offset);
    request->second_delta = (int32_t)(offset[1] - offset[0]);
    request->lanes = addresses(wave, wave->vector[instruction->source[0].index], offset,
                               operation->bytes, request->address);
    if (operation->kind != ISA_MEMORY_LOAD)
        operands(wave, instruction, operation, request);
    request->written = operation->returns ? wave->base.active : 0;
    if (operation->returns)
        gcn_clear_dropped(request,
                          operation->bytes <= 4 ? operation->elements : 2u * operation->elements);
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
