/* SPDX-License-Identifier: MIT */
#include "isa/gcn/decode.h"

const char *gcn_decode_smrd(struct gcn_instruction *instruction,
                            const struct gcn_operation *operation)
{
    uint32_t word = instruction->word[0];
    struct isa_instruction *base = &instruction->base;
    bool is_buffer = operation->opcode >= 8;
    unsigned registers = operation->bytes / 4u;
    const char *reason;

    instruction->destination = (uint16_t)gcn_field(word, 15, 7);
    base->data_bytes = operation->bytes;
    base->lgkm = registers == 1 ? 1 : 2;
    base->flags |= ISA_COUNTS_LGKM | ISA_READS_SCALAR;
    reason = gcn_check_scalar(instruction->destination, registers);
    if (reason == NULL)
        reason = gcn_decode_source(&instruction->source[0], gcn_field(word, 9, 6) * 2,
                                   is_buffer ? GCN_TYPE_R128 : GCN_TYPE_B64, 0);
    if (reason != NULL)
        return reason;
    if (gcn_field(word, 8, 1) != 0) {
        instruction->immediate = (int32_t)gcn_field(word, 0, 8) * 4;
        return NULL;
    }
    if (gcn_field(word, 0, 8) >= GCN_SOURCE_ZERO)
        return "the offset of a scalar load is neither a register nor an immediate";
    return gcn_decode_source(&instruction->source[1], gcn_field(word, 0, 8), GCN_TYPE_B32, 0);
}

static void memory_flags(struct isa_instruction *base, const struct gcn_operation *operation)
{
    if (operation->kind == ISA_MEMORY_STORE)
        base->flags |= ISA_WRITES_MEMORY;
    if (operation->kind == ISA_MEMORY_ATOMIC)
        base->flags |= ISA_WRITES_MEMORY | ISA_IS_ATOMIC;
    base->data_bytes = (uint8_t)(operation->bytes * operation->elements);
}

/* How many vector registers hold one element. */
static unsigned element_registers(const struct gcn_operation *operation)
{
    return operation->bytes <= 4 ? 1 : operation->bytes / 4u;
}

/* The offset field is OFFSET1:OFFSET0 as one number, or two numbers in `immediate` as they stand.
 */
const char *gcn_decode_ds(struct gcn_instruction *instruction,
                          const struct gcn_operation *operation)
{
    uint32_t second = instruction->word[1];
    struct isa_instruction *base = &instruction->base;
    unsigned registers = element_registers(operation);
    const char *reason = NULL;

    if (gcn_field(instruction->word[0], 17, 1) != 0)
        return "global data share (GDS) is not modelled";
    memory_flags(base, operation);
    base->flags |= ISA_COUNTS_LGKM;
    base->lgkm = 1;
    instruction->immediate = (int32_t)gcn_field(instruction->word[0], 0, 16);
    instruction->destination = (uint16_t)gcn_field(second, 24, 8);
    for (unsigned i = 0; i < 3 && reason == NULL; i++)
        reason =
            gcn_decode_source(&instruction->source[i],
                              gcn_field(second, 8 * i, 8) + GCN_SOURCE_VECTOR, GCN_TYPE_B32, 0);
    if (reason == NULL && operation->kind != ISA_MEMORY_LOAD)
        reason = gcn_check_vector(instruction->source[1].index, registers);
    if (reason == NULL && (operation->elements == 2 || operation->rmw == RMW_COMPARE_SWAP ||
                           operation->rmw == RMW_FCOMPARE_SWAP || operation->rmw == RMW_MASK_OR))
        reason = gcn_check_vector(instruction->source[2].index,
                                  operation->kind == ISA_MEMORY_LOAD ? 1 : registers);
    if (reason == NULL && operation->returns)
        reason = gcn_check_vector(instruction->destination, registers * operation->elements);
    return reason;
}

/* Sources: 0 address, 1 descriptor, 2 scalar offset; the data register is `destination`. */
const char *gcn_decode_mubuf(struct gcn_instruction *instruction,
                             const struct gcn_operation *operation)
{
    uint32_t first = instruction->word[0], second = instruction->word[1];
    struct isa_instruction *base = &instruction->base;
    bool compares = operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP;
    bool wide = gcn_field(first, 15, 1) != 0 || gcn_field(first, 12, 2) == 3;
    const char *reason;

    if (operation->kind == ISA_MEMORY_INVALIDATE) {
        base->flags |= ISA_COUNTS_VM;
        return NULL;
    }
    if (gcn_field(first, 16, 1) != 0 || gcn_field(second, 23, 1) != 0)
        return "buffer instructions with LDS or TFE set are not modelled";
    if (gcn_field(first, 15, 1) != 0 && gcn_field(first, 12, 2) != 0)
        return "ADDR64 excludes IDXEN and OFFEN";
    memory_flags(base, operation);
    base->flags |= ISA_COUNTS_VM;
    if (operation->kind != ISA_MEMORY_LOAD)
        base->flags |= ISA_COUNTS_EXP;
    instruction->immediate = (int32_t)gcn_field(first, 0, 12);
    instruction->destination = (uint16_t)gcn_field(second, 8, 8);
    reason = gcn_check_vector(instruction->destination,
                              element_registers(operation) * (compares ? 2 : 1));
    if (reason == NULL)
        reason =
            gcn_decode_source(&instruction->source[0], gcn_field(second, 0, 8) + GCN_SOURCE_VECTOR,
                              wide ? GCN_TYPE_B64 : GCN_TYPE_B32, 0);
    if (reason == NULL)
        reason = gcn_decode_source(&instruction->source[1], gcn_field(second, 16, 5) * 4,
                                   GCN_TYPE_R128, 0);
    if (reason == NULL && gcn_field(second, 24, 8) == GCN_SOURCE_LITERAL)
        return "a buffer instruction has a literal";
    if (reason == NULL)
        reason =
            gcn_decode_source(&instruction->source[2], gcn_field(second, 24, 8), GCN_TYPE_B32, 0);
    return reason;
}
