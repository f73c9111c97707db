/* SPDX-License-Identifier: MIT */
/*
 * Is what the disassembler writes what was encoded? Words are made from the tables, for every
 * operation and kind of operand, disassembled, and assembled again by LLVM: the words must come
 * back. This checks opcodes, fields and names against LLVM's own tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/decode.h"
#include "reference_assembler.h"

#define MAX_CASES 60000
#define LITERAL 0x12345678u

struct encoded {
    uint32_t word[2];
};

static struct encoded cases[MAX_CASES];
static size_t case_count;

/* In AMD's manual, not in LLVM's tables for this processor. */
static const char *const unknown_to_llvm[] = {
    "buffer_atomic_rsub",
    "buffer_atomic_rsub_x2",
    "v_qsad_pk_u16_u8",
};

static bool is_unknown_to_llvm(const char *name)
{
    for (unsigned i = 0; i < sizeof unknown_to_llvm / sizeof unknown_to_llvm[0]; i++)
        if (strcmp(name, unknown_to_llvm[i]) == 0)
            return true;
    return false;
}

static void add_case(uint32_t first, uint32_t second)
{
    assert_true(case_count < MAX_CASES);
    cases[case_count++] = (struct encoded){{first, second}};
}

static uint32_t leading_bits(enum gcn_format format)
{
    for (unsigned i = 0; i < GCN_FORMAT_COUNT; i++)
        if (gcn_encodings[i].format == format)
            return gcn_encodings[i].match;
    fail();
    return 0;
}

/* The processor reads one scalar value an instruction: where VCC, M0, a mask or a literal is one,
 * sources are inline constants only. LLVM takes no constants for v_cvt_f32_f16 (which format would
 * they have?). */
static bool may_be_scalar(const struct gcn_operation *operation, unsigned source, int code)
{
    bool is_constant = code >= 128 && code < 250;
    bool uses_other =
        operation->type[3] == GCN_TYPE_M || strcmp(operation->name, "v_movreld_b32") == 0 ||
        (operation->traits &
         (GCN_TRAIT_READS_VCC | GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST)) != 0;

    if (strcmp(operation->name, "v_cvt_f32_f16") == 0)
        return !is_constant && code != 255;
    if (operation->type[source + 1] == GCN_TYPE_M)
        return true;
    return is_constant || !uses_other;
}

/* Scalar operands worth trying for a type; ends with -1. */
static const int *scalar_codes(enum gcn_type type)
{
    static const int narrow[] = {0,   103, 106, 107, 124, 126, 127, 128, 129,
                                 192, 193, 208, 240, 247, 251, 252, 253, -1};
    static const int wide[] = {0, 102, 106, 126, 128, 192, 193, 208, 240, 245, -1};
    static const int registers[] = {0, 102, 106, -1};

    if (type == GCN_TYPE_M)
        return registers;
    return gcn_type_registers(type) == 2 ? wide : narrow;
}

static void add_scalar_cases(const struct gcn_operation *operation)
{
    uint32_t base = leading_bits((enum gcn_format)operation->format);
    static const int destinations[] = {0, 10, 102, 106, 124, 126};
    enum gcn_format format = (enum gcn_format)operation->format;
    unsigned shift = format == GCN_FORMAT_SOP1 ? 8 : format == GCN_FORMAT_SOP2 ? 23 : 16;

    base |= (uint32_t)operation->opcode << shift;
    for (unsigned d = 0; d < 6; d++) {
        bool has_destination = operation->type[0] != GCN_TYPE_N;
        uint32_t first = base | (has_destination ? (uint32_t)destinations[d] << 16 : 0);

        if (d > 0 && !has_destination)
            break;
        if (destinations[d] == 124 && gcn_type_registers((enum gcn_type)operation->type[0]) == 2)
            continue;
        add_case(first | (operation->type[1] != GCN_TYPE_N ? 4 : 0) |
                     (operation->type[2] != GCN_TYPE_N ? 6 << 8 : 0),
                 0);
    }
    if (operation->type[1] == GCN_TYPE_N)
        return;
    for (unsigned field = 0; field < 2 && operation->type[field + 1] != GCN_TYPE_N; field++) {
        const int *code = scalar_codes((enum gcn_type)operation->type[field + 1]);
        uint32_t other = operation->type[2] == GCN_TYPE_N ? 0 : field == 0 ? 6 << 8 : 4;

        if (strncmp(operation->name, "s_movrel", 8) == 0 ||
            strncmp(operation->name, "s_setpc", 7) == 0 ||
            strncmp(operation->name, "s_swappc", 8) == 0)
            break; /* a register's number or an address: no constants */
        for (; *code >= 0; code++)
            add_case(base | other | (uint32_t)*code << (8 * field), 0);
        add_case(base | other | 255u << (8 * field), LITERAL);
        add_case(base | other | 255u << (8 * field), 1);
        add_case(base | other | 255u << (8 * field), 0x3f800000);
    }
}

static void add_sopk_cases(enum gcn_op op, const struct gcn_operation *operation)
{
    static const uint32_t immediates[] = {0, 1, 0x7fff, 0x8000, 0xffff};
    uint32_t base = leading_bits(GCN_FORMAT_SOPK) | (uint32_t)operation->opcode << 23;

    if (op == GCN_OP_s_getreg_b32 || op == GCN_OP_s_setreg_b32)
        add_case(base | 5 << 16 | 31 << 11 | 1, 0);
    else if (op == GCN_OP_s_setreg_imm32_b32)
        add_case(base | 1 << 11 | 4 << 6 | 1, 3);
    else
        for (unsigned i = 0; i < 5; i++)
            add_case(base | 7 << 16 | immediates[i], 0);
}

static void add_sopp_cases(enum gcn_op op, const struct gcn_operation *operation)
{
    uint32_t base = leading_bits(GCN_FORMAT_SOPP) | (uint32_t)operation->opcode << 16;

    add_case(base, 0);
    if (op == GCN_OP_s_barrier)
        return;
    add_case(base | (op == GCN_OP_s_setprio ? 3 : 7), 0);
    if (op == GCN_OP_s_nop)
        add_case(base | 0x5a31, 0);
    if (op == GCN_OP_s_waitcnt) {
        add_case(base | 0xf70, 0);
        add_case(base | 0x07f, 0);
        add_case(base | 0xf7f, 0);
        add_case(base | 0x371, 0);
    }
    if (operation->unit == ISA_UNIT_BRANCH)
        add_case(base | 0xfffc, 0);
}

static void add_smrd_cases(const struct gcn_operation *operation)
{
    uint32_t base = leading_bits(GCN_FORMAT_SMRD) | (uint32_t)operation->opcode << 22;

    add_case(base | 12 << 15 | 2 << 9 | 1 << 8 | 0, 0);
    add_case(base | 12 << 15 | 2 << 9 | 1 << 8 | 255, 0);
    add_case(base | 12 << 15 | 50 << 9 | 3, 0);
    add_case(base | 12 << 15 | 50 << 9 | 124, 0);
}

/* The short forms: only source 0 may be anything but a vector register. */
static void add_vector_short_cases(const struct gcn_operation *operation)
{
    enum gcn_format format = (enum gcn_format)operation->format;
    uint32_t base = leading_bits(format);
    bool has_literal =
        (operation->traits & (GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST)) != 0;
    uint32_t second = has_literal ? LITERAL : 0;
    const int *code = scalar_codes((enum gcn_type)operation->type[1]);

    base |= (uint32_t)operation->opcode << (format == GCN_FORMAT_VOP1   ? 9
                                            : format == GCN_FORMAT_VOP2 ? 25
                                                                        : 17);
    if (operation->type[1] == GCN_TYPE_N) {
        add_case(base, 0);
        return;
    }
    if (operation->type[0] != GCN_TYPE_M)
        base |= 7u << 17;
    if (format != GCN_FORMAT_VOP1)
        base |= ((operation->traits & GCN_TRAIT_LANE) != 0 ? 133u : 200u) << 9;
    if (operation->opcode == 2 && format == GCN_FORMAT_VOP2) { /* v_writelane: a scalar source */
        add_case(base | 3, 0);
        add_case(base | 130, 0);
        return;
    }
    add_case(base | 256, second);
    add_case(base | 509, second);
    if ((operation->traits & (GCN_TRAIT_SCALAR_RESULT | GCN_TRAIT_LANE)) != 0 ||
        strncmp(operation->name, "v_movrels", 9) == 0)
        return;
    for (; *code >= 0; code++)
        if (may_be_scalar(operation, 0, *code))
            add_case(base | (uint32_t)*code, second);
    if (!has_literal && may_be_scalar(operation, 0, 255)) {
        add_case(base | 255, LITERAL);
        add_case(base | 255, 1);
    }
}

static uint32_t long_opcode(const struct gcn_operation *operation)
{
    uint32_t first = operation->format == GCN_FORMAT_VOP2   ? 256
                     : operation->format == GCN_FORMAT_VOP1 ? 384
                                                            : 0;

    return first + operation->opcode;
}

/* Which bits of a long form are modifiers of float operands. */
static void add_modifier_cases(const struct gcn_operation *operation, uint32_t first,
                               uint32_t second)
{
    bool is_short_mask = (operation->traits & GCN_TRAIT_CARRY_OUT) != 0;

    for (unsigned i = 0; i < 3; i++) {
        bool is_float = operation->type[i + 1] == GCN_TYPE_F16 ||
                        operation->type[i + 1] == GCN_TYPE_F32 ||
                        operation->type[i + 1] == GCN_TYPE_F64;

        /* LLVM has no modifiers for v_div_scale. */
        if (!is_float || is_short_mask)
            continue;
        add_case(first, second | 1u << (29 + i));
        add_case(first | 1u << (8 + i), second);
        add_case(first | 1u << (8 + i), second | 1u << (29 + i));
    }
    if (is_short_mask || (operation->type[0] != GCN_TYPE_F32 && operation->type[0] != GCN_TYPE_F64))
        return;
    add_case(first | 1u << 11, second);
    for (uint32_t multiplier = 1; multiplier <= 3; multiplier++)
        add_case(first, second | multiplier << 27);
    add_case(first | 1u << 11, second | 2u << 27);
}

static void add_vector_long_cases(const struct gcn_operation *operation)
{
    bool is_compare = operation->type[0] == GCN_TYPE_M;
    uint32_t first = leading_bits(GCN_FORMAT_VOP3) | long_opcode(operation) << 17;
    uint32_t second = 0;

    if (operation->traits & (GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST | GCN_TRAIT_LANE |
                             GCN_TRAIT_SCALAR_RESULT))
        return;
    if (operation->type[0] != GCN_TYPE_N)
        first |= is_compare ? 20 : 30;
    if ((operation->traits & GCN_TRAIT_CARRY_OUT) != 0)
        first |= 22 << 8;
    for (unsigned i = 0; i < 3; i++)
        if (operation->type[i + 1] != GCN_TYPE_N)
            second |= (operation->type[i + 1] == GCN_TYPE_M ? 24u : 260u + 2 * i) << (9 * i);
    add_case(first, second);
    if (strncmp(operation->name, "v_movrels", 9) == 0)
        return;
    for (unsigned i = 0; i < 3; i++) {
        const int *code = scalar_codes((enum gcn_type)operation->type[i + 1]);

        if (operation->type[i + 1] == GCN_TYPE_N)
            continue;
        for (; *code >= 0; code++)
            if (may_be_scalar(operation, i, *code))
                add_case(first, (second & ~(0x1ffu << (9 * i))) | (uint32_t)*code << (9 * i));
    }
    add_modifier_cases(operation, first, second);
}

static void add_ds_cases(enum gcn_op op, const struct gcn_operation *operation)
{
    uint32_t base = leading_bits(GCN_FORMAT_DS) | (uint32_t)operation->opcode << 18;
    bool is_load = operation->kind == ISA_MEMORY_LOAD;
    bool compares = operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP ||
                    operation->rmw == RMW_MASK_OR;
    bool has_second = compares || (!is_load && operation->elements == 2);
    uint32_t second = 9;

    if (!is_load)
        second |= 20 << 8;
    if (has_second)
        second |= 30 << 16;
    if (operation->returns)
        second |= 40u << 24;
    add_case(base, second);
    add_case(base | 0x1234, second);
    if (op != GCN_OP_ds_swizzle_b32)
        add_case(base | 0xff00, second);
}

static void add_mubuf_cases(const struct gcn_operation *operation)
{
    uint32_t base = leading_bits(GCN_FORMAT_MUBUF) | (uint32_t)operation->opcode << 18;
    uint32_t second = 3u << 24 | 2u << 16 | 40u << 8;

    if (operation->kind == ISA_MEMORY_INVALIDATE) {
        add_case(base, 0);
        return;
    }
    add_case(base, second);
    add_case(base | 0xfff, 128u << 24 | 2u << 16 | 40u << 8);
    add_case(base | 1u << 12 | 4, second | 12);
    add_case(base | 1u << 13, second | 12);
    add_case(base | 3u << 12, second | 12);
    add_case(base | 1u << 15 | 8, second | 12);
    add_case(base | 1u << 14, second);
    add_case(base | 1u << 14 | 1u << 15, second | 12 | 1u << 22);
    add_case(base, (second & 0xffffff) | 193u << 24);
    add_case(base, (second & 0xffffff) | 124u << 24);
}

static void add_operation(enum gcn_op op)
{
    const struct gcn_operation *operation = &gcn_operations[op];

    if (operation->refused || is_unknown_to_llvm(operation->name))
        return;
    switch ((enum gcn_format)operation->format) {
    case GCN_FORMAT_SOP1:
    case GCN_FORMAT_SOP2:
    case GCN_FORMAT_SOPC:
        add_scalar_cases(operation);
        return;
    case GCN_FORMAT_SOPK:
        add_sopk_cases(op, operation);
        return;
    case GCN_FORMAT_SOPP:
        add_sopp_cases(op, operation);
        return;
    case GCN_FORMAT_SMRD:
        add_smrd_cases(operation);
        return;
    case GCN_FORMAT_VOP1:
    case GCN_FORMAT_VOP2:
    case GCN_FORMAT_VOPC:
        add_vector_short_cases(operation);
        add_vector_long_cases(operation);
        return;
    case GCN_FORMAT_VOP3:
        add_vector_long_cases(operation);
        return;
    case GCN_FORMAT_DS:
        add_ds_cases(op, operation);
        return;
    case GCN_FORMAT_MUBUF:
        add_mubuf_cases(operation);
        return;
    default:
        return;
    }
}

static char *disassembled(const struct encoded *encoded)
{
    const struct isa *isa = isa_gcn(true);
    struct isa_code *code = isa->decode(encoded->word, sizeof encoded->word, 0);
    const struct isa_instruction *instruction = isa_code_at(code, 0);
    struct text text = {0};
    char *line;

    if (instruction->control == ISA_CONTROL_REFUSED) {
        isa->refusal(instruction, &text);
        fail_msg("%08x %08x: %s", (unsigned)encoded->word[0], (unsigned)encoded->word[1],
                 text_chars(&text));
    }
    isa->disassemble(code, instruction, &text);
    line = copy_string(text_chars(&text));
    text_finish(&text);
    isa->code_destroy(code);
    return line;
}

static bool matches(const struct encoded *encoded, const struct reference_encoding *reference)
{
    return (reference->count == 4 || reference->count == 8) &&
           memcmp(encoded->word, reference->bytes, reference->count) == 0;
}

static void round_trip(void **state)
{
    static char *lines[MAX_CASES];
    static struct reference_encoding encodings[MAX_CASES];
    unsigned wrong = 0;

    for (int op = 0; op < GCN_OP_UNKNOWN; op++)
        add_operation((enum gcn_op)op);
    for (size_t i = 0; i < case_count; i++)
        lines[i] = disassembled(&cases[i]);
    assert_true(reference_assemble((const char *const *)lines, case_count, encodings));
    for (size_t i = 0; i < case_count; i++) {
        if (!matches(&cases[i], &encodings[i]) && wrong++ < 20)
            print_error("%08x %08x: %s\n", (unsigned)cases[i].word[0], (unsigned)cases[i].word[1],
                        lines[i]);
        free(lines[i]);
    }
    assert_int_equal(wrong, 0);
    assert_true(case_count > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
    };

    return cmocka_run_group_tests_name("disassembly", tests, NULL, NULL);
}
