/* SPDX-License-Identifier: MIT */
#include "isa/gcn/decode.h"

unsigned gcn_type_registers(enum gcn_type type)
{
    switch (type) {
    case GCN_TYPE_N:
        return 0;
    case GCN_TYPE_B32:
    case GCN_TYPE_F16:
    case GCN_TYPE_F32:
        return 1;
    case GCN_TYPE_B64:
    case GCN_TYPE_I64:
    case GCN_TYPE_F64:
    case GCN_TYPE_M:
        return 2;
    case GCN_TYPE_R128:
        return 4;
    }
    return 0;
}

const char *gcn_check_scalar(unsigned code, unsigned count)
{
    if (count == 2 && (code & 1) != 0)
        return "a pair of scalar registers starts at an odd number";
    if (count > 2 && (code & 3) != 0)
        return "a group of scalar registers does not start at a multiple of four";
    if (code + count <= GCN_SCALAR_REGISTERS)
        return NULL;
    if (code >= GCN_VCC && code + count <= GCN_VCC + 2)
        return NULL;
    if (code == GCN_M0 && count == 1)
        return NULL;
    if (code >= GCN_EXEC && code + count <= GCN_EXEC + 2)
        return NULL;
    return "a scalar operand is no register of a compute kernel (trap registers are not modelled)";
}

const char *gcn_check_vector(unsigned index, unsigned count)
{
    return index + count <= GCN_VECTOR_REGISTERS ? NULL : "a vector operand goes beyond v255";
}

/* 240 to 247: 0.5, -0.5, 1, -1, 2, -2, 4, -4. */
static uint64_t float_constant(unsigned code, bool wide)
{
    static const uint32_t narrow_bits[4] = {0x3f000000, 0x3f800000, 0x40000000, 0x40800000};
    static const uint64_t wide_bits[4] = {0x3fe0000000000000, 0x3ff0000000000000,
                                          0x4000000000000000, 0x4010000000000000};
    unsigned index = (code - 240) >> 1;
    bool negative = (code & 1) != 0;

    if (wide)
        return wide_bits[index] | (uint64_t)negative << 63;
    return narrow_bits[index] | (uint32_t)negative << 31;
}

static uint64_t literal_value(uint32_t literal, enum gcn_type type)
{
    if (type == GCN_TYPE_F64)
        return (uint64_t)literal << 32;
    if (type == GCN_TYPE_I64)
        return (uint64_t)(int64_t)(int32_t)literal;
    return literal;
}

static const char *operand_constant(struct gcn_operand *operand, uint64_t value)
{
    operand->kind = GCN_OPERAND_CONSTANT;
    operand->value = value;
    return NULL;
}

const char *gcn_decode_source(struct gcn_operand *operand, unsigned code, enum gcn_type type,
                              uint32_t literal)
{
    unsigned registers = gcn_type_registers(type);
    bool wide = registers > 1;

    operand->type = (uint8_t)type;
    operand->index = (uint16_t)code;
    if (code >= GCN_SOURCE_VECTOR) {
        operand->kind = GCN_OPERAND_VECTOR;
        operand->index = (uint16_t)(code - GCN_SOURCE_VECTOR);
        return gcn_check_vector(operand->index, registers);
    }
    if (code < GCN_SOURCE_ZERO) {
        operand->kind = GCN_OPERAND_SCALAR;
        return gcn_check_scalar(code, registers);
    }
    if (code <= 192)
        return operand_constant(operand, code - GCN_SOURCE_ZERO);
    if (code <= 208)
        return operand_constant(operand, wide ? (uint64_t)(192 - (int64_t)code)
                                              : (uint32_t)(192 - (int32_t)code));
    if (code >= 240 && code <= 247)
        return operand_constant(operand, float_constant(code, wide));
    if (code >= GCN_SOURCE_VCCZ && code <= GCN_SOURCE_SCC) {
        operand->kind = GCN_OPERAND_FLAG;
        return NULL;
    }
    if (code == GCN_SOURCE_LITERAL)
        return operand_constant(operand, literal_value(literal, type));
    return code == 254 ? "lds_direct is for pixel shaders" : "an operand number is reserved";
}
