/* SPDX-License-Identifier: MIT */
/*
 * Registers that an instruction reads and writes: its operands, and what its row in the table of
 * operations says beside them.
 *
 * Left out: what v_movrels and v_movreld find through M0 (their operand stands for it); EXEC, M0
 * and SCC.
 */
#include "base/bits.h"
#include "isa/gcn/decode.h"

#include <string.h>

static void add_vectors(struct isa_registers *set, unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count && i < GCN_VECTOR_REGISTERS; i++)
        set->vector[i / 64] |= UINT64_C(1) << (i % 64);
}

static void add_scalars(struct isa_registers *set, struct gcn_scalar_set scalars)
{
    set->scalar[0] = scalars.bits[0];
    set->scalar[1] = scalars.bits[1] & low_mask(GCN_VCC + 2 - 64);
}

/* Vector registers of the data of a memory instruction, as stored or as loaded. */
static unsigned data_registers(const struct gcn_operation *operation)
{
    return operation->bytes <= 4 ? 1 : operation->bytes / 4u;
}

static bool has_comparand(const struct gcn_operation *operation)
{
    return operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP;
}

static void buffer_reads(const struct gcn_instruction *record,
                         const struct gcn_operation *operation, struct isa_registers *read)
{
    const struct gcn_operand *address = &record->source[0];
    bool has_address =
        gcn_field(record->word[0], 12, 2) != 0 || gcn_field(record->word[0], 15, 1) != 0;

    if (has_address && address->kind == GCN_OPERAND_VECTOR)
        add_vectors(read, address->index, gcn_type_registers((enum gcn_type)address->type));
    if (operation->kind == ISA_MEMORY_STORE || operation->kind == ISA_MEMORY_ATOMIC)
        add_vectors(read, record->destination,
                    data_registers(operation) * (has_comparand(operation) ? 2 : 1));
}

static void local_reads(const struct gcn_instruction *record, const struct gcn_operation *operation,
                        struct isa_registers *read)
{
    add_vectors(read, record->source[0].index, 1);
    if (operation->kind == ISA_MEMORY_LOAD)
        return;
    add_vectors(read, record->source[1].index, data_registers(operation));
    if (operation->elements == 2 || has_comparand(operation) || operation->rmw == RMW_MASK_OR)
        add_vectors(read, record->source[2].index, data_registers(operation));
}

static void memory_registers(const struct gcn_instruction *record,
                             const struct gcn_operation *operation, struct isa_registers *read,
                             struct isa_registers *written)
{
    bool returns = operation->returns;

    if (operation->format == GCN_FORMAT_SMRD || operation->kind == ISA_MEMORY_INVALIDATE)
        return;
    if (operation->format == GCN_FORMAT_DS) {
        local_reads(record, operation, read);
    } else {
        buffer_reads(record, operation, read);
        returns |= operation->kind == ISA_MEMORY_ATOMIC && gcn_field(record->word[0], 14, 1) != 0;
    }
    if (returns)
        add_vectors(written, record->destination, data_registers(operation) * operation->elements);
}

void gcn_registers(const struct isa_instruction *instruction, struct isa_registers *read,
                   struct isa_registers *written)
{
    const struct gcn_instruction *record = gcn_of(instruction);
    const struct gcn_operation *operation = &gcn_operations[instruction->op];
    enum gcn_type type = (enum gcn_type)operation->type[0];

    memset(read, 0, sizeof *read);
    memset(written, 0, sizeof *written);
    add_scalars(read, gcn_scalars_read(record));
    add_scalars(written, gcn_scalars_written(record));
    if (operation->latency == ISA_LATENCY_MEMORY) {
        memory_registers(record, operation, read, written);
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        if (record->source[i].kind == GCN_OPERAND_VECTOR)
            add_vectors(read, record->source[i].index,
                        gcn_type_registers((enum gcn_type)record->source[i].type));
    if (operation->unit != ISA_UNIT_VALU || type == GCN_TYPE_M || type == GCN_TYPE_N ||
        (operation->traits & GCN_TRAIT_SCALAR_RESULT) != 0)
        return;
    add_vectors(written, record->destination, gcn_type_registers(type));
    if ((operation->traits & GCN_TRAIT_ACCUMULATES) != 0)
        add_vectors(read, record->destination, gcn_type_registers(type));
}
