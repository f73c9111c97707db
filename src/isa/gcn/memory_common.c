/* SPDX-License-Identifier: MIT */
/* What the three kinds of memory instruction share. Lanes that have left do not get loaded data:
 * their registers may just have been restored. */
#include "isa/gcn/gcn.h"

#include <string.h>

#include "base/check.h"
#include "isa/gcn/decode.h"

static void take_hint(struct isa_memory_request *request, uint16_t hint)
{
    request->order = (uint8_t)gcn_field(hint, 4, 2);
    request->remote = gcn_field(hint, 2, 1) != 0;
    request->scope = (uint8_t)gcn_field(hint, 0, 2);
}

/* An access hint is for lanes that are active. Where there are none, a branch may pass the access
 * by, and the hint would stay for another. */
void gcn_note_hint(struct gcn_wave *wave, uint16_t hint)
{
    if ((hint & ~GCN_HINT_OPERANDS) == GCN_HINT_ACCESS && wave->base.active != 0)
        wave->access_hint = hint;
    if ((hint & ~GCN_HINT_OPERANDS) == GCN_HINT_FENCE && (hint >> 4 & ISA_ORDER_ACQUIRE) != 0)
        wave->acquire_hint = hint;
}

void gcn_hint_access(struct gcn_wave *wave, struct isa_memory_request *request)
{
    wave->acquire_hint = 0;
    if (wave->access_hint == 0)
        return;
    take_hint(request, wave->access_hint);
    if ((request->order & ISA_ORDER_ACQUIRE) != 0)
        wave->acquire_hint = wave->access_hint;
    wave->access_hint = 0;
}

void gcn_begin_invalidate(struct gcn_wave *wave, struct isa_memory_request *request)
{
    request->order = ISA_ORDER_ACQUIRE_RELEASE;
    request->scope = ISA_SCOPE_DEVICE;
    if (wave->acquire_hint != 0) {
        take_hint(request, wave->acquire_hint);
        request->order = (wave->acquire_hint & ~GCN_HINT_OPERANDS) == GCN_HINT_FENCE
                             ? ISA_ORDER_ACQUIRE
                             : ISA_ORDER_RELAXED;
    }
    wave->acquire_hint = 0;
}

static void begin_release(struct gcn_wave *wave, uint16_t hint, struct isa_memory_request *request)
{
    request->kind = ISA_MEMORY_FLUSH;
    request->space = ISA_SPACE_GLOBAL;
    request->returns = false;
    request->lanes = request->written = 0;
    take_hint(request, hint);
    gcn_note_hint(wave, hint);
    request->order = ISA_ORDER_RELEASE;
}

void gcn_begin(struct isa_wave *base, const struct isa_instruction *instruction,
               struct isa_memory_request *request)
{
    const struct gcn_operation *operation = &gcn_operations[instruction->op];
    struct gcn_wave *wave = gcn_wave_of(base);

    base->pc += instruction->bytes;
    request->kind = operation->kind;
    request->element_bytes = operation->bytes;
    request->rmw = operation->rmw;
    request->returns = operation->returns != 0;
    request->glc = false;
    request->slc = false;
    request->remote = request->keeps = false;
    request->scope = ISA_SCOPE_WAVEFRONT;
    request->order = ISA_ORDER_RELAXED;
    request->second_delta = 0;
    request->format = 0;
    if (instruction->control == ISA_CONTROL_RELEASE) {
        begin_release(wave, instruction->hint, request);
        return;
    }
    switch (instruction->unit) {
    case ISA_UNIT_SMEM:
        gcn_begin_scalar(wave, gcn_of(instruction), request);
        return;
    case ISA_UNIT_LDS:
        gcn_begin_lds(wave, gcn_of(instruction), request);
        return;
    case ISA_UNIT_VMEM:
        gcn_begin_buffer(wave, gcn_of(instruction), request);
        return;
    default:
        check(0, "%s is no memory instruction", operation->name);
    }
}

void gcn_finish(struct isa_wave *base, const struct isa_instruction *instruction,
                const struct isa_memory_request *request)
{
    struct gcn_wave *wave = gcn_wave_of(base);

    switch (instruction->unit) {
    case ISA_UNIT_SMEM:
        gcn_finish_scalar(wave, gcn_of(instruction), request);
        return;
    case ISA_UNIT_LDS:
        gcn_finish_lds(wave, gcn_of(instruction), request);
        return;
    case ISA_UNIT_VMEM:
        gcn_finish_buffer(wave, gcn_of(instruction), request);
        return;
    default:
        check(0, "%s is no memory instruction", gcn_operations[instruction->op].name);
    }
}

void gcn_clear_dropped(struct isa_memory_request *request, unsigned first, unsigned count,
                       uint64_t served)
{
    uint64_t dropped = request->written & ~served;

    for (unsigned lane = 0; dropped != 0 && lane < GCN_LANES; lane++)
        for (unsigned i = 0; i < count && (dropped >> lane & 1) != 0; i++)
            request->data[first + i][lane] = 0;
}

static uint32_t sign_extended(uint32_t value, unsigned bytes)
{
    return bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

/* Lane by lane, of each half of the wavefront those whose bit is set. */
static void write_half(uint32_t *row, const uint32_t *data, uint32_t lanes)
{
    for (unsigned lane = 0; lane < 32; lane++)
        row[lane] = (lanes & (1u << lane)) != 0 ? data[lane] : row[lane];
}

void gcn_write_rows(struct gcn_wave *wave, unsigned destination, uint64_t written,
                    const uint32_t (*rows)[ISA_MAX_LANES], unsigned count)
{
    uint64_t lanes = written & ~wave->left;

    for (unsigned i = 0; i < count; i++) {
        uint32_t *row = wave->vector[destination + i];

        if (lanes == UINT64_MAX) {
            memcpy(row, rows[i], sizeof rows[i]);
            continue;
        }
        write_half(row, rows[i], (uint32_t)lanes);
        write_half(row + 32, rows[i] + 32, (uint32_t)(lanes >> 32));
    }
}

void gcn_write_loaded(struct gcn_wave *wave, unsigned destination,
                      const struct isa_memory_request *request, unsigned count)
{
    gcn_write_rows(wave, destination, request->written, request->data, count);
}

void gcn_extend_signs(struct gcn_wave *wave, unsigned destination,
                      const struct isa_memory_request *request)
{
    uint64_t lanes = request->written & ~wave->left;
    uint32_t *row = wave->vector[destination];

    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        if ((lanes >> lane & 1) != 0)
            row[lane] = sign_extended(row[lane], request->element_bytes);
}
