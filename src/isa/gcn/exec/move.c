/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/lanes.h"

#include "base/bits.h"

INTEGER_1(v_mov_b32, a)

BODY(v_nop) {}

/* There are no exceptions to clear. */
BODY(v_clrexcp) {}

BODY(v_cndmask_b32)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(result);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);
    uint64_t mask = gcn_scalar_value_64(wave, &instruction->source[2]);

    memcpy(result, row_a, sizeof result);
    blend_half(result, row_b, (uint32_t)mask);
    blend_half(result + 32, row_b + 32, (uint32_t)(mask >> 32));
    result_store(wave, instruction->destination, result);
}

static uint32_t lane_value(const struct gcn_wave *wave, const struct gcn_operand *operand,
                           unsigned lane)
{
    if (operand->kind == GCN_OPERAND_VECTOR)
        return wave->vector[operand->index][lane];
    return gcn_scalar_value(wave, operand);
}

BODY(v_readfirstlane_b32)
{
    uint64_t active = wave->base.active;
    unsigned lane = active == 0 ? 0 : lowest_bit(active);

    gcn_write_scalar(wave, instruction->destination,
                     lane_value(wave, &instruction->source[0], lane));
}

/* These two ignore EXEC. */
BODY(v_readlane_b32)
{
    unsigned lane = gcn_scalar_value(wave, &instruction->source[1]) & 63;

    gcn_write_scalar(wave, instruction->destination,
                     lane_value(wave, &instruction->source[0], lane));
}

BODY(v_writelane_b32)
{
    unsigned lane = gcn_scalar_value(wave, &instruction->source[1]) & 63;

    wave->vector[instruction->destination][lane] = lane_value(wave, &instruction->source[0], lane);
}

/* A register number plus M0. Beyond the kernel's registers a source is v0 and a destination none
 * (-1). */
static int register_relative(const struct gcn_wave *wave, unsigned base, int otherwise)
{
    int64_t index = (int64_t)base + (int32_t)wave->scalar[GCN_M0];

    if (index < 0 || index >= wave->base.launch->kernel->vector_registers)
        return otherwise;
    return (int)index;
}

BODY(v_movrels_b32)
{
    int source = register_relative(wave, instruction->source[0].index, 0);

    result_store(wave, instruction->destination, wave->vector[source]);
}

BODY(v_movreld_b32)
{
    ROW_OF(room);
    const uint32_t *row = operand_fetch(wave, instruction, 0, room);
    int destination = register_relative(wave, instruction->destination, -1);

    if (destination >= 0)
        result_store(wave, (unsigned)destination, row);
}

BODY(v_movrelsd_b32)
{
    int source = register_relative(wave, instruction->source[0].index, 0);
    int destination = register_relative(wave, instruction->destination, -1);

    if (destination >= 0)
        result_store(wave, (unsigned)destination, wave->vector[source]);
}
