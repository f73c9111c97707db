/* SPDX-License-Identifier: MIT */
/*
 * Scalar registers that the attempts of one transaction leave behind differently. A wavefront has
 * one set of them, and after the last attempt they hold the values of that attempt. Which registers
 * an instruction reads and writes follows from its operands and its row in the table of operations.
 *
 * Left out: registers that s_movrels and s_movreld find through M0 (clang emits none on scalars).
 */
#include "isa/gcn/decode.h"

#include <string.h>

enum { SCC_BIT = GCN_SCALAR_ROWS - 1 }; /* no register has this number */

static void add_registers(struct gcn_scalar_set *set, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count && i < GCN_SCALAR_ROWS; i++)
        set->bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static void add_source(struct gcn_scalar_set *set, const struct gcn_operand *operand)
{
    if (operand->kind == GCN_OPERAND_SCALAR)
        add_registers(set, operand->index, gcn_type_registers((enum gcn_type)operand->type));
    else if (operand->kind == GCN_OPERAND_FLAG && operand->index == GCN_SOURCE_SCC)
        add_registers(set, SCC_BIT, 1);
    else if (operand->kind == GCN_OPERAND_FLAG && operand->index == GCN_SOURCE_VCCZ)
        add_registers(set, GCN_VCC, 2);
}

static bool is_sopk_compare(const struct gcn_operation *operation)
{
    return operation->format == GCN_FORMAT_SOPK && operation->opcode >= 3 &&
           operation->opcode <= 14;
}

struct gcn_scalar_set gcn_scalars_read(const struct gcn_instruction *record)
{
    const struct gcn_operation *operation = &gcn_operations[record->base.op];
    struct gcn_scalar_set set = {{0}};

    for (unsigned i = 0; i < 3; i++)
        add_source(&set, &record->source[i]);
    if ((operation->traits & GCN_TRAIT_READS_SCC) != 0)
        add_registers(&set, SCC_BIT, 1);
    if ((operation->traits & GCN_TRAIT_READS_VCC) != 0 && operation->type[3] != GCN_TYPE_M)
        add_registers(&set, GCN_VCC, 2);
    if (is_sopk_compare(operation) ||
        (operation->unit == ISA_UNIT_SALU && (operation->traits & GCN_TRAIT_ACCUMULATES) != 0))
        add_registers(&set, record->destination, 1);
    return set;
}

struct gcn_scalar_set gcn_scalars_written(const struct gcn_instruction *record)
{
    const struct gcn_operation *operation = &gcn_operations[record->base.op];
    enum gcn_type type = (enum gcn_type)operation->type[0];
    struct gcn_scalar_set set = {{0}};

    if (operation->kind == ISA_MEMORY_SCALAR_LOAD && operation->format == GCN_FORMAT_SMRD)
        add_registers(&set, record->destination, operation->bytes / 4u);
    else if (operation->latency == ISA_LATENCY_MEMORY)
        return set;
    else if (type == GCN_TYPE_M)
        add_registers(&set, record->mask_destination, 2);
    else if (operation->unit != ISA_UNIT_VALU ? type != GCN_TYPE_N && !is_sopk_compare(operation)
                                              : (operation->traits & GCN_TRAIT_SCALAR_RESULT) != 0)
        add_registers(&set, record->destination, gcn_type_registers(type));
    if ((operation->traits & GCN_TRAIT_CARRY_OUT) != 0)
        add_registers(&set, record->mask_destination, 2);
    if ((operation->traits & GCN_TRAIT_WRITES_SCC) != 0)
        add_registers(&set, SCC_BIT, 1);
    return set;
}

/* EXEC is left out: it is what the begin saw, or the next instruction's business. */
bool gcn_attempt_ended(const struct isa_wave *base, struct isa_snapshot *snapshot, bool is_first)
{
    const struct gcn_wave *wave = gcn_wave_of_const(base);
    struct gcn_snapshot *saved = (struct gcn_snapshot *)(void *)snapshot;
    uint64_t any = 0;

    if (is_first) {
        memcpy(saved->ended, wave->scalar, sizeof saved->ended);
        saved->ended_scc = wave->scc;
        memset(&saved->differing, 0, sizeof saved->differing);
        return false;
    }
    for (unsigned i = 0; i < GCN_EXEC; i++)
        if (saved->ended[i] != wave->scalar[i])
            add_registers(&saved->differing, i, 1);
    if (saved->ended_scc != wave->scc)
        add_registers(&saved->differing, SCC_BIT, 1);
    for (unsigned i = 0; i < 3; i++)
        any |= saved->differing.bits[i];
    return any != 0;
}

bool gcn_reads_differing(const struct isa_instruction *instruction, struct isa_snapshot *snapshot)
{
    struct gcn_snapshot *saved = (struct gcn_snapshot *)(void *)snapshot;
    const struct gcn_instruction *record = gcn_of(instruction);
    struct gcn_scalar_set read = gcn_scalars_read(record), written = gcn_scalars_written(record);
    uint64_t hit = 0;

    for (unsigned i = 0; i < 3; i++) {
        hit |= saved->differing.bits[i] & read.bits[i];
        saved->differing.bits[i] &= ~written.bits[i];
    }
    return hit != 0;
}

bool gcn_lanes_disagree(const struct isa_wave *base, const struct isa_instruction *instruction)
{
    uint64_t vcc = gcn_scalar_pair(gcn_wave_of_const(base), GCN_VCC) & base->active;

    return (instruction->op == GCN_OP_s_cbranch_vccz ||
            instruction->op == GCN_OP_s_cbranch_vccnz) &&
           vcc != 0 && vcc != base->active;
}
