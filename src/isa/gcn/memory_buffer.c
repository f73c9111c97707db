/* SPDX-License-Identifier: MIT */
/*
 * Buffer loads, stores and atomics. The descriptor (V#), four scalar registers:
 *
 *     word 0  base 31:0
 *     word 1  base 47:32 | stride 14 bits (16) | cache swizzle (30) | swizzle enable (31)
 *     word 2  records (bytes where the stride is 0)
 *     word 3  format (memory_format.c) | element size 2 << n (19) | index stride 8 << n (21)
 *             | add lane number (23) | ...
 *
 *     offset = OFFSET + (OFFEN ? VGPR)      index = (IDXEN ? VGPR) + (add lane number ? lane)
 *     linear:    base + SOFFSET + index * stride + offset
 *     swizzled:  an index stride of records is interleaved, element by element
 *     ADDR64:    base + SOFFSET + OFFSET + the 64-bit VGPR pair, not checked; stride, swizzle and
 *                lane number are ignored
 *
 * A pointer of the program comes as the base of a descriptor that clang makes of it. Its 64 bits
 * are words 0 and 1 as they are, so bits above 47 stand where the stride and the swizzle do. Word 3
 * is 0x0100f000, and word 2 is all ones, or with ADDR64 zero. There the base may also be a negative
 * constant. Of such a descriptor without an index all 64 bits are the address. So a pointer to
 * nowhere is seen as what it is: hardware would read its upper bits as a stride.
 *
 * Out of range, loads give zero, and stores and atomics do nothing. With stride 0 that is beyond
 * records - SOFFSET, else at index >= records, or at offset >= stride where there is an index. A
 * lane is in range as a whole or not at all. Of a formatted access the format's bytes count.
 * Left out, refused by name: elements wider than the swizzle's (clang splits them).
 * Source: SI ISA manual, chapter 8; CLRX, "GCN Memory instructions"; LLVM,
 * lib/Target/AMDGPU/SIISelLowering.cpp (buildRSRC, wrapAddr64Rsrc) and SIInstrInfo.cpp
 * (getDefaultRsrcDataFormat), https://github.com/llvm/llvm-project.
 */
#include "isa/gcn/gcn.h"
#include "isa/gcn/memory_format.h"

#include <string.h>

struct buffer {
    uint64_t base, address_mask;
    uint32_t stride, records;
    unsigned element_shift,
        index_shift; /* of the element's bytes and the index stride, powers of two */
    bool swizzles, adds_lane;
};

enum { BIT_OFFEN = 12, BIT_IDXEN = 13, BIT_GLC = 14, BIT_ADDR64 = 15 };

static bool buffer_flag(const struct gcn_instruction *instruction, unsigned bit)
{
    return (instruction->word[0] >> bit & 1) != 0;
}

/* Whether the descriptor is a pointer as clang wraps it. */
static bool is_pointer(const struct gcn_instruction *instruction, const uint32_t *words)
{
    return words[3] == 0x0100f000 && !buffer_flag(instruction, BIT_IDXEN) &&
           words[2] == (buffer_flag(instruction, BIT_ADDR64) ? 0 : UINT32_MAX);
}

static void read_pointer(struct buffer *buffer, const uint32_t *words)
{
    *buffer = (struct buffer){.base = words[0] | (uint64_t)words[1] << 32,
                              .records = words[2],
                              .address_mask = UINT64_MAX};
}

static void read_descriptor(struct buffer *buffer, const uint32_t *words)
{
    buffer->address_mask = UINT64_C(0xffffffffffff);
    buffer->base = words[0] | (uint64_t)(words[1] & 0xffff) << 32;
    buffer->stride = words[1] >> 16 & 0x3fff;
    buffer->swizzles = words[1] >> 31 != 0;
    buffer->records = words[2];
    buffer->element_shift = 1 + (words[3] >> 19 & 3);
    buffer->index_shift = 3 + (words[3] >> 21 & 3);
    buffer->adds_lane = (words[3] >> 23 & 1) != 0;
}

/* Accesses are aligned down to two bytes or to four, wherever the odd bits come from. */
static uint64_t alignment_mask(unsigned bytes)
{
    return ~(uint64_t)((bytes < 4 ? bytes : 4) - 1);
}

static uint64_t addresses_64(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                             const struct buffer *buffer, uint32_t scalar_offset, unsigned bytes,
                             uint64_t *address)
{
    const uint32_t *low = wave->vector[instruction->source[0].index];
    const uint32_t *high = wave->vector[instruction->source[0].index + 1u];
    uint64_t mask = alignment_mask(bytes) & buffer->address_mask;
    uint64_t base = buffer->base + scalar_offset + (uint32_t)instruction->immediate;

    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        address[lane] = (base + (low[lane] | (uint64_t)high[lane] << 32)) & mask;
    return wave->base.active;
}

static uint64_t swizzled_offset(const struct buffer *buffer, uint32_t index, uint32_t offset)
{
    uint64_t index_high = index >> buffer->index_shift;
    uint64_t index_low = index & ((1u << buffer->index_shift) - 1);
    uint64_t offset_high = offset >> buffer->element_shift;
    uint64_t offset_low = offset & ((1u << buffer->element_shift) - 1);

    return offset_low + (index_low << buffer->element_shift) +
           ((index_high * buffer->stride + (offset_high << buffer->element_shift))
            << buffer->index_shift);
}

static bool in_range(const struct buffer *buffer, uint32_t index, uint32_t offset, uint64_t place,
                     uint32_t scalar_offset, unsigned bytes, bool has_index)
{
    uint64_t left = buffer->records > scalar_offset ? buffer->records - scalar_offset : 0;

    if (buffer->stride == 0)
        return place + bytes <= left;
    return index < buffer->records && (!has_index || offset + (uint64_t)bytes <= buffer->stride);
}

/* A plain array: no index, no stride. Whether all lanes are in range is seen from the largest
 * offset. */
static uint64_t addresses_linear(const struct gcn_wave *wave,
                                 const struct gcn_instruction *instruction,
                                 const struct buffer *buffer, uint32_t scalar_offset,
                                 unsigned bytes, uint64_t *address)
{
    const uint32_t *row = wave->vector[instruction->source[0].index];
    uint32_t varies = buffer_flag(instruction, BIT_OFFEN) ? UINT32_MAX : 0;
    uint32_t immediate = (uint32_t)instruction->immediate;
    uint32_t mask = (uint32_t)alignment_mask(bytes), largest = 0;
    uint64_t base = buffer->base + scalar_offset, inside = 0;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t offset = (immediate + (row[lane] & varies)) & mask;

        address[lane] = (base + offset) & alignment_mask(bytes);
        largest = offset > largest ? offset : largest;
    }
    if (in_range(buffer, 0, 0, largest, scalar_offset, bytes, false))
        return wave->base.active;
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t offset = (immediate + (row[lane] & varies)) & mask;

        inside |= (uint64_t)in_range(buffer, 0, 0, offset, scalar_offset, bytes, false) << lane;
    }
    return inside & wave->base.active;
}

static uint64_t addresses_32(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                             const struct buffer *buffer, uint32_t scalar_offset, unsigned bytes,
                             uint64_t *address)
{
    bool has_offset = buffer_flag(instruction, BIT_OFFEN),
         has_index = buffer_flag(instruction, BIT_IDXEN);
    unsigned vgpr = instruction->source[0].index;
    const uint32_t *index_row = wave->vector[vgpr];
    const uint32_t *offset_row = wave->vector[vgpr + (has_index ? 1u : 0u)];
    uint64_t inside = 0;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint32_t offset = (uint32_t)instruction->immediate + (has_offset ? offset_row[lane] : 0);
        uint32_t index = (has_index ? index_row[lane] : 0) + (buffer->adds_lane ? lane : 0);
        uint64_t place = buffer->swizzles ? swizzled_offset(buffer, index, offset)
                                          : (uint32_t)(index * buffer->stride) + (uint64_t)offset;

        place &= alignment_mask(bytes);
        address[lane] =
            (buffer->base + scalar_offset + place) & buffer->address_mask & alignment_mask(bytes);
        inside |= (uint64_t)in_range(buffer, index, offset, place, scalar_offset, bytes,
                                     has_index || buffer->adds_lane)
                  << lane;
    }
    return inside & wave->base.active;
}

static unsigned data_registers(const struct gcn_operation *operation)
{
    return operation->bytes <= 4 ? 1 : operation->bytes / 4u;
}

/* Dwords of request->data that an element takes. */
static unsigned element_dwords(const struct isa_memory_request *request)
{
    return (request->element_bytes + 3u) / 4;
}

void gcn_store_data(const struct isa_wave *base, const struct isa_instruction *instruction,
                    struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->op];
    const struct gcn_wave *wave = gcn_wave_of_const(base);
    unsigned first = gcn_of(instruction)->destination, registers = data_registers(operation);
    uint32_t mask = operation->bytes == 1 ? 0xff : 0xffff;

    if (operation->is_formatted) {
        if (request->lanes != 0)
            gcn_store_format(request, registers, &wave->vector[first]);
        gcn_clear_dropped(request, 0, element_dwords(request), request->lanes);
        return;
    }
    memcpy(request->data, wave->vector[first], registers * sizeof request->data[0]);
    if (operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP)
        memcpy(request->compare, wave->vector[first + registers],
               registers * sizeof request->compare[0]);
    if (operation->bytes < 4)
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            request->data[0][lane] &= mask;
    gcn_clear_dropped(request, 0, registers, request->lanes);
}

/* Elements that a swizzle would tear apart, and formats: no lane is served then. */
static bool buffer_refuses(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                           const struct buffer *buffer, struct isa_memory_request *request)
{
    const char *reason = NULL;
    unsigned bytes;

    if (gcn_operations[instruction->base.op].is_formatted) {
        reason = gcn_check_format(request->format, &bytes);
        if (reason == NULL)
            request->element_bytes = (uint8_t)bytes;
    }
    if (reason == NULL && buffer->swizzles && !buffer_flag(instruction, BIT_ADDR64) &&
        request->element_bytes > 1u << buffer->element_shift)
        reason = "an element wider than the swizzle of its buffer descriptor is not modelled";
    if (reason == NULL)
        return false;
    gcn_refuse(wave, instruction, reason);
    request->lanes = request->written = 0;
    return true;
}

static uint64_t buffer_addresses(const struct gcn_wave *wave,
                                 const struct gcn_instruction *instruction,
                                 const struct buffer *buffer, struct isa_memory_request *request)
{
    unsigned bytes = request->element_bytes;
    uint32_t scalar_offset = gcn_scalar_value(wave, &instruction->source[2]);

    if (buffer_flag(instruction, BIT_ADDR64))
        return addresses_64(wave, instruction, buffer, scalar_offset, bytes, request->address);
    if (buffer->stride == 0 && !buffer->swizzles && !buffer->adds_lane &&
        !buffer_flag(instruction, BIT_IDXEN))
        return addresses_linear(wave, instruction, buffer, scalar_offset, bytes, request->address);
    return addresses_32(wave, instruction, buffer, scalar_offset, bytes, request->address);
}

void gcn_begin_buffer(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                      struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->base.op];
    const uint32_t *words = &wave->scalar[instruction->source[1].index];
    struct buffer buffer;

    request->space = ISA_SPACE_GLOBAL;
    if (operation->kind == ISA_MEMORY_INVALIDATE) {
        request->lanes = 0;
        request->written = 0;
        gcn_begin_invalidate(wave, request);
        return;
    }
    if (is_pointer(instruction, words))
        read_pointer(&buffer, words);
    else
        read_descriptor(&buffer, words);
    request->format = words[3];
    if (operation->kind == ISA_MEMORY_ATOMIC)
        request->returns = buffer_flag(instruction, BIT_GLC);
    if (buffer_refuses(wave, instruction, &buffer, request))
        return;
    request->glc = buffer_flag(instruction, BIT_GLC);
    request->slc = (instruction->word[1] >> 22 & 1) != 0;
    if (request->glc || operation->kind == ISA_MEMORY_ATOMIC)
        request->scope = ISA_SCOPE_DEVICE;
    if (buffer.adds_lane && !buffer_flag(instruction, BIT_ADDR64))
        request->space = ISA_SPACE_SCRATCH;
    else
        gcn_hint_access(wave, request);
    request->lanes = buffer_addresses(wave, instruction, &buffer, request);
    request->written = request->returns ? wave->base.active : 0;
    if (operation->kind == ISA_MEMORY_LOAD)
        gcn_clear_dropped(request, 0, element_dwords(request), request->lanes);
}

void gcn_finish_buffer(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                       const struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->base.op];
    uint32_t color[4][ISA_MAX_LANES];

    if (operation->is_formatted) {
        gcn_load_format(request, data_registers(operation), color);
        gcn_write_rows(wave, instruction->destination, request->written, color,
                       data_registers(operation));
        return;
    }
    gcn_write_loaded(wave, instruction->destination, request, data_registers(operation));
    if (operation->is_signed)
        gcn_extend_signs(wave, instruction->destination, request);
}
