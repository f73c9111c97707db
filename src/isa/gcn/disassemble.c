/* SPDX-License-Identifier: MIT */
/* Instructions in the syntax of LLVM's assembler: what is written here assembles to the same words
 * (a test does that for each operation). What is refused is written as its name and its words. */
#include "isa/gcn/decode.h"

#include <inttypes.h>

static void add_register(struct text *text, const char *file, unsigned index, unsigned count)
{
    if (count == 1)
        text_add(text, "%s%u", file, index);
    else
        text_add(text, "%s[%u:%u]", file, index, index + count - 1);
}

static void add_scalar(struct text *text, unsigned code, unsigned count)
{
    static const char *const low_high[2] = {"_lo", "_hi"};

    if (code == GCN_M0)
        text_add(text, "m0");
    else if ((code & ~1u) == GCN_VCC)
        text_add(text, "vcc%s", count == 2 ? "" : low_high[code & 1]);
    else if ((code & ~1u) == GCN_EXEC)
        text_add(text, "exec%s", count == 2 ? "" : low_high[code & 1]);
    else
        add_register(text, "s", code, count);
}

/* The assembler would make an inline constant of such a literal; lit() keeps it. */
static bool could_be_inline(uint32_t literal)
{
    static const uint32_t floats[8] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000,
                                       0x40000000, 0xc0000000, 0x40800000, 0xc0800000};

    for (unsigned i = 0; i < 8; i++)
        if (literal == floats[i])
            return true;
    return (int32_t)literal >= -16 && (int32_t)literal <= 64;
}

static void add_literal(struct text *text, uint32_t literal)
{
    text_add(text, could_be_inline(literal) ? "lit(0x%" PRIx32 ")" : "0x%" PRIx32, literal);
}

static void add_constant(struct text *text, unsigned code, uint32_t literal)
{
    static const char *const floats[8] = {"0.5", "-0.5", "1.0", "-1.0",
                                          "2.0", "-2.0", "4.0", "-4.0"};

    if (code == GCN_SOURCE_LITERAL)
        add_literal(text, literal);
    else if (code >= 240)
        text_add(text, "%s", floats[code - 240]);
    else
        text_add(text, "%d", code <= 192 ? (int)code - 128 : 192 - (int)code);
}

static void add_plain_source(struct text *text, const struct gcn_instruction *record,
                             unsigned number)
{
    static const char *const flags[3] = {"src_vccz", "src_execz", "src_scc"};
    const struct gcn_operand *source = &record->source[number];
    unsigned count = gcn_type_registers((enum gcn_type)source->type);

    switch ((enum gcn_operand_kind)source->kind) {
    case GCN_OPERAND_VECTOR:
        add_register(text, "v", source->index, count);
        return;
    case GCN_OPERAND_SCALAR:
        add_scalar(text, source->index, count);
        return;
    case GCN_OPERAND_CONSTANT:
        add_constant(text, source->index, record->word[1]);
        return;
    case GCN_OPERAND_FLAG:
        text_add(text, "%s", flags[source->index - GCN_SOURCE_VCCZ]);
        return;
    case GCN_OPERAND_NONE:
        return;
    }
}

/* With modifiers. A constant is negated by neg(), since "-1" would be another constant. */
static void add_source(struct text *text, const struct gcn_instruction *record, unsigned number)
{
    const struct gcn_operand *source = &record->source[number];
    bool negates_constant = source->negate != 0 && source->kind == GCN_OPERAND_CONSTANT;

    if (source->negate != 0)
        text_add(text, negates_constant ? "neg(" : "-");
    if (source->absolute != 0)
        text_add(text, "|");
    add_plain_source(text, record, number);
    if (source->absolute != 0)
        text_add(text, "|");
    if (negates_constant)
        text_add(text, ")");
}

/* ", " between operands; the first one follows the name after a space. */
static void operand_separate(struct text *text, bool *is_first)
{
    text_add(text, *is_first ? " " : ", ");
    *is_first = false;
}

static void add_sources(struct text *text, const struct gcn_instruction *record, bool *is_first)
{
    for (unsigned i = 0; i < 3; i++) {
        if (record->source[i].kind == GCN_OPERAND_NONE)
            continue;
        operand_separate(text, is_first);
        add_source(text, record, i);
    }
}

static void add_raw(struct text *text, const struct gcn_instruction *record)
{
    text_add(text, "%s ; 0x%08" PRIx32, gcn_operations[record->base.op].name, record->word[0]);
    if (record->base.bytes == 8)
        text_add(text, " 0x%08" PRIx32, record->word[1]);
}

static void disassemble_scalar(const struct gcn_instruction *record,
                               const struct gcn_operation *operation, struct text *text)
{
    bool is_first = true;

    text_add(text, "%s", operation->name);
    if (operation->type[0] != GCN_TYPE_N) {
        operand_separate(text, &is_first);
        add_scalar(text, record->destination,
                   gcn_type_registers((enum gcn_type)operation->type[0]));
    }
    add_sources(text, record, &is_first);
}

static void disassemble_sopk(const struct gcn_instruction *record,
                             const struct gcn_operation *operation, struct text *text)
{
    unsigned immediate = (uint16_t)record->immediate;

    text_add(text, "%s ", operation->name);
    if (record->base.op == GCN_OP_s_setreg_imm32_b32) {
        text_add(text, "0x%x, 0x%" PRIx32, immediate, record->word[1]);
        return;
    }
    if (record->base.op == GCN_OP_s_setreg_b32) {
        text_add(text, "0x%x, ", immediate);
        add_scalar(text, record->destination, 1);
        return;
    }
    add_scalar(text, record->destination, 1);
    text_add(text, ", 0x%x", immediate);
}

static void add_wait(const struct gcn_instruction *record, struct text *text)
{
    static const struct {
        const char *name;
        unsigned first, count;
    } counters[3] = {{"vmcnt", 0, 4}, {"expcnt", 4, 3}, {"lgkmcnt", 8, 4}};
    uint32_t immediate = (uint16_t)record->immediate;
    bool is_first = true;

    if ((immediate & ~0xf7fu) != 0 || immediate == 0xf7f) {
        text_add(text, " 0x%x", (unsigned)immediate);
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint32_t limit = gcn_field(immediate, counters[i].first, counters[i].count);

        if (limit == (1u << counters[i].count) - 1)
            continue;
        text_add(text, "%s%s(%u)", is_first ? " " : " & ", counters[i].name, (unsigned)limit);
        is_first = false;
    }
}

static void disassemble_sopp(const struct isa_code *code, const struct gcn_instruction *record,
                             const struct gcn_operation *operation, struct text *text)
{
    enum gcn_op op = (enum gcn_op)record->base.op;

    text_add(text, "%s", operation->name);
    if (op == GCN_OP_s_waitcnt) {
        add_wait(record, text);
        return;
    }
    if (op == GCN_OP_s_barrier || (op == GCN_OP_s_endpgm && record->immediate == 0))
        return;
    text_add(text, " 0x%x", (unsigned)(uint16_t)record->immediate);
    if (record->base.unit == ISA_UNIT_BRANCH)
        text_add(text, " ; 0x%" PRIx64,
                 code->address + record->base.offset + 4 +
                     (uint64_t)((int64_t)record->immediate * 4));
}

static void disassemble_smrd(const struct gcn_instruction *record,
                             const struct gcn_operation *operation, struct text *text)
{
    text_add(text, "%s ", operation->name);
    add_scalar(text, record->destination, operation->bytes / 4u);
    text_add(text, ", ");
    add_plain_source(text, record, 0);
    text_add(text, ", ");
    if (record->source[1].kind == GCN_OPERAND_NONE)
        text_add(text, "0x%x", (unsigned)record->immediate / 4);
    else
        add_plain_source(text, record, 1);
}

/* Operations that have a short and a long form are told apart by a suffix. */
static const char *form_suffix(const struct gcn_instruction *record,
                               const struct gcn_operation *operation)
{
    bool has_long = operation->format == GCN_FORMAT_VOPC || operation->format == GCN_FORMAT_VOP1 ||
                    operation->format == GCN_FORMAT_VOP2;

    if (!has_long || operation->traits & (GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST |
                                          GCN_TRAIT_LANE | GCN_TRAIT_SCALAR_RESULT))
        return "";
    if (record->base.op == GCN_OP_v_nop || record->base.op == GCN_OP_v_clrexcp)
        return record->format == GCN_FORMAT_VOP3 ? "_e64" : "";
    return record->format == GCN_FORMAT_VOP3 ? "_e64" : "_e32";
}

static void disassemble_vector(const struct gcn_instruction *record,
                               const struct gcn_operation *operation, struct text *text)
{
    static const char *const multipliers[4] = {"", " mul:2", " mul:4", " div:2"};
    unsigned count = gcn_type_registers((enum gcn_type)operation->type[0]);
    bool is_first = true;

    text_add(text, "%s%s", operation->name, form_suffix(record, operation));
    if (operation->type[0] == GCN_TYPE_M) {
        operand_separate(text, &is_first);
        add_scalar(text, record->mask_destination, 2);
    } else if (count != 0) {
        operand_separate(text, &is_first);
        if ((operation->traits & GCN_TRAIT_SCALAR_RESULT) != 0)
            add_scalar(text, record->destination, 1);
        else
            add_register(text, "v", record->destination, count);
    }
    if ((operation->traits & GCN_TRAIT_CARRY_OUT) != 0) {
        operand_separate(text, &is_first);
        add_scalar(text, record->mask_destination, 2);
    }
    add_sources(text, record, &is_first);
    if ((record->output & GCN_OUTPUT_CLAMP) != 0)
        text_add(text, " clamp");
    text_add(text, "%s", multipliers[record->output & GCN_OUTPUT_MULTIPLIER]);
}

static void add_ds_offset(const struct gcn_instruction *record,
                          const struct gcn_operation *operation, struct text *text)
{
    unsigned field = (unsigned)record->immediate;

    if (operation->elements == 1 && field != 0)
        text_add(text, " offset:%u", field);
    if (operation->elements == 2 && (field & 0xff) != 0)
        text_add(text, " offset0:%u", field & 0xff);
    if (operation->elements == 2 && field >> 8 != 0)
        text_add(text, " offset1:%u", field >> 8);
}

static void disassemble_ds(const struct gcn_instruction *record,
                           const struct gcn_operation *operation, struct text *text)
{
    unsigned count = operation->bytes == 8 ? 2 : 1;
    bool is_load = operation->kind == ISA_MEMORY_LOAD;
    bool has_second = operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP ||
                      operation->rmw == RMW_MASK_OR ||
                      (operation->kind == ISA_MEMORY_STORE && operation->elements == 2);

    text_add(text, "%s ", operation->name);
    if (operation->returns) {
        add_register(text, "v", record->destination, count * operation->elements);
        text_add(text, ", ");
    }
    add_register(text, "v", record->source[0].index, 1);
    if (!is_load) {
        text_add(text, ", ");
        add_register(text, "v", record->source[1].index, count);
    }
    if (has_second) {
        text_add(text, ", ");
        add_register(text, "v", record->source[2].index, count);
    }
    add_ds_offset(record, operation, text);
}

static void disassemble_mubuf(const struct gcn_instruction *record,
                              const struct gcn_operation *operation, struct text *text)
{
    static const struct {
        unsigned bit;
        const char *name;
    } flags[3] = {{15, " addr64"}, {13, " idxen"}, {12, " offen"}};
    bool compares = operation->rmw == RMW_COMPARE_SWAP || operation->rmw == RMW_FCOMPARE_SWAP;
    unsigned count = operation->bytes <= 4 ? 1 : operation->bytes / 4u;
    bool has_address = (record->word[0] & (1u << 15 | 1u << 13 | 1u << 12)) != 0;

    text_add(text, "%s", operation->name);
    if (operation->kind == ISA_MEMORY_INVALIDATE)
        return;
    text_add(text, " ");
    add_register(text, "v", record->destination, compares ? 2 * count : count);
    text_add(text, ", ");
    if (has_address)
        add_plain_source(text, record, 0);
    else
        text_add(text, "off");
    text_add(text, ", ");
    add_plain_source(text, record, 1);
    text_add(text, ", ");
    add_plain_source(text, record, 2);
    for (unsigned i = 0; i < 3; i++)
        if ((record->word[0] >> flags[i].bit & 1) != 0)
            text_add(text, "%s", flags[i].name);
    if (record->immediate != 0)
        text_add(text, " offset:%u", (unsigned)record->immediate);
    if ((record->word[0] >> 14 & 1) != 0)
        text_add(text, " glc");
    if ((record->word[1] >> 22 & 1) != 0)
        text_add(text, " slc");
}

void gcn_disassemble(const struct isa_code *code, const struct isa_instruction *instruction,
                     struct text *text)
{
    const struct gcn_instruction *record = gcn_of(instruction);
    const struct gcn_operation *operation = &gcn_operations[instruction->op];

    if (instruction->op == GCN_OP_UNKNOWN) {
        text_add(text, ".long 0x%08" PRIx32, record->word[0]);
        return;
    }
    if (instruction->control == ISA_CONTROL_REFUSED) {
        add_raw(text, record);
        return;
    }
    switch ((enum gcn_format)operation->format) {
    case GCN_FORMAT_SOP1:
    case GCN_FORMAT_SOP2:
    case GCN_FORMAT_SOPC:
        disassemble_scalar(record, operation, text);
        return;
    case GCN_FORMAT_SOPK:
        disassemble_sopk(record, operation, text);
        return;
    case GCN_FORMAT_SOPP:
        disassemble_sopp(code, record, operation, text);
        return;
    case GCN_FORMAT_SMRD:
        disassemble_smrd(record, operation, text);
        return;
    case GCN_FORMAT_DS:
        disassemble_ds(record, operation, text);
        return;
    case GCN_FORMAT_MUBUF:
        disassemble_mubuf(record, operation, text);
        return;
    default:
        disassemble_vector(record, operation, text);
        return;
    }
}
