/* SPDX-License-Identifier: MIT */
/* Scalar loads. s_load takes a 64-bit base, s_buffer_load a buffer descriptor, whose end is
 * checked: what lies beyond reads as zero. Addresses are multiples of four; the low bits are
 * ignored. */
#include "isa/gcn/gcn.h"

#include <string.h>

static uint64_t descriptor_bytes(const uint32_t *words)
{
    uint32_t stride = words[1] >> 16 & 0x3fff;

    return (uint64_t)words[2] * (stride == 0 ? 1 : stride);
}

void gcn_begin_scalar(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                      struct isa_memory_request *request)
{
    const struct gcn_operand *base = &instruction->source[0];
    uint64_t address = gcn_scalar_pair(wave, base->index);
    uint32_t offset = (uint32_t)instruction->immediate;
    uint32_t bytes = instruction->base.data_bytes;

    if (instruction->source[1].kind != GCN_OPERAND_NONE)
        offset = gcn_scalar_value(wave, &instruction->source[1]);
    offset &= ~3u;
    if (base->type == GCN_TYPE_R128) {
        const uint32_t *words = &wave->scalar[base->index];
        uint64_t end = descriptor_bytes(words) & ~UINT64_C(3);

        address &= UINT64_C(0xffffffffffff);
        if (offset + (uint64_t)bytes > end)
            bytes = offset < end ? (uint32_t)(end - offset) : 0;
        memset(request->scalar, 0, sizeof request->scalar);
    }
    request->space = ISA_SPACE_CONSTANT;
    request->element_bytes = (uint8_t)bytes;
    request->address[0] = (address & ~UINT64_C(3)) + offset;
    request->lanes = bytes != 0;
    request->written = 1;
}

void gcn_finish_scalar(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                       const struct isa_memory_request *request)
{
    for (unsigned i = 0; i < instruction->base.data_bytes / 4u; i++)
        gcn_write_scalar(wave, instruction->destination + i, request->scalar[i]);
}
