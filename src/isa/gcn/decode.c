/* SPDX-License-Identifier: MIT */
#include "isa/gcn/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "isa/gcn/scalar_bodies.h"

/* From the most leading bits to the fewest where formats overlap, since the first row that matches
 * is taken. SOP1, SOPC and SOPP lie in what SOPK and SOP2 would cover, VOP1 and VOPC in what VOP2
 * would. */
const struct gcn_encoding gcn_encodings[GCN_FORMAT_COUNT] = {
    {0xff800000, 0xbe800000, GCN_FORMAT_SOP1, 8, 8, 1},
    {0xff800000, 0xbf000000, GCN_FORMAT_SOPC, 16, 7, 1},
    {0xff800000, 0xbf800000, GCN_FORMAT_SOPP, 16, 7, 1},
    {0xf0000000, 0xb0000000, GCN_FORMAT_SOPK, 23, 5, 1},
    {0xc0000000, 0x80000000, GCN_FORMAT_SOP2, 23, 7, 1},
    {0xf8000000, 0xc0000000, GCN_FORMAT_SMRD, 22, 5, 1},
    {0xfe000000, 0x7e000000, GCN_FORMAT_VOP1, 9, 8, 1},
    {0xfe000000, 0x7c000000, GCN_FORMAT_VOPC, 17, 8, 1},
    {0x80000000, 0x00000000, GCN_FORMAT_VOP2, 25, 6, 1},
    {0xfc000000, 0xd0000000, GCN_FORMAT_VOP3, 17, 9, 2},
    {0xfc000000, 0xc8000000, GCN_FORMAT_VINTRP, 16, 2, 1},
    {0xfc000000, 0xd8000000, GCN_FORMAT_DS, 18, 8, 2},
    {0xfc000000, 0xe0000000, GCN_FORMAT_MUBUF, 18, 7, 2},
    {0xfc000000, 0xe8000000, GCN_FORMAT_MTBUF, 16, 3, 2},
    {0xfc000000, 0xf0000000, GCN_FORMAT_MIMG, 18, 7, 2},
    {0xfc000000, 0xf8000000, GCN_FORMAT_EXP, 0, 0, 2},
};

const struct gcn_encoding *gcn_find_encoding(uint32_t word)
{
    for (unsigned i = 0; i < GCN_FORMAT_COUNT; i++)
        if ((word & gcn_encodings[i].mask) == gcn_encodings[i].match)
            return &gcn_encodings[i];
    return NULL;
}

/* The destination and the three sources by their numbers; -1 is "no such field". */
struct fields {
    int destination;
    int source[3];
};

static const char *decode_sources(struct gcn_instruction *instruction,
                                  const struct gcn_operation *operation,
                                  const struct fields *fields)
{
    for (unsigned i = 0; i < 3; i++) {
        enum gcn_type type = (enum gcn_type)operation->type[i + 1];
        const char *reason;

        if (type == GCN_TYPE_N || fields->source[i] < 0)
            continue;
        reason = gcn_decode_source(&instruction->source[i], (unsigned)fields->source[i], type,
                                   instruction->word[1]);
        if (reason != NULL)
            return reason;
    }
    return NULL;
}

static bool reads_scalar_register(const struct gcn_instruction *instruction)
{
    for (unsigned i = 0; i < 3; i++)
        if (instruction->source[i].kind == GCN_OPERAND_SCALAR ||
            instruction->source[i].kind == GCN_OPERAND_FLAG)
            return true;
    return false;
}

static const char *decode_scalar(struct gcn_instruction *instruction,
                                 const struct gcn_operation *operation, const struct fields *fields)
{
    const char *reason = decode_sources(instruction, operation, fields);

    if (reason == NULL && operation->type[0] != GCN_TYPE_N) {
        instruction->destination = (uint16_t)fields->destination;
        reason = gcn_check_scalar((unsigned)fields->destination,
                                  gcn_type_registers((enum gcn_type)operation->type[0]));
    }
    instruction->body = gcn_scalar_bodies[instruction->base.op];
    if (reads_scalar_register(instruction) ||
        (operation->traits & (GCN_TRAIT_READS_SCC | GCN_TRAIT_READS_VCC | GCN_TRAIT_ACCUMULATES)) !=
            0)
        instruction->base.flags |= ISA_READS_SCALAR;
    return reason;
}

static const char *decode_sopk(struct gcn_instruction *instruction,
                               const struct gcn_operation *operation)
{
    uint32_t word = instruction->word[0];
    struct fields fields = {(int)gcn_field(word, 16, 7), {-1, -1, -1}};
    enum gcn_op op = (enum gcn_op)instruction->base.op;

    instruction->immediate = (int16_t)gcn_field(word, 0, 16);
    if ((op == GCN_OP_s_getreg_b32 || op == GCN_OP_s_setreg_b32 ||
         op == GCN_OP_s_setreg_imm32_b32) &&
        gcn_field(word, 0, 6) != 1)
        return "of the hardware registers only MODE is modelled";
    if ((op >= GCN_OP_s_cmpk_eq_i32 && op <= GCN_OP_s_cmpk_le_u32) || op == GCN_OP_s_setreg_b32)
        instruction->base.flags |= ISA_READS_SCALAR;
    return decode_scalar(instruction, operation, &fields);
}

/* A counter's largest value means "do not wait". */
static uint8_t wait_limit(uint32_t field, uint32_t largest)
{
    return (uint8_t)(field == largest ? UINT8_MAX : field);
}

static void make_release(struct isa_instruction *base)
{
    base->control = ISA_CONTROL_RELEASE;
    base->unit = ISA_UNIT_VMEM;
    base->latency = ISA_LATENCY_MEMORY;
    base->flags |= ISA_COUNTS_VM;
}

static bool is_hint_of_release(uint16_t hint, enum gcn_hint kind)
{
    return (hint & ~GCN_HINT_OPERANDS) == kind && (hint >> 4 & ISA_ORDER_RELEASE) != 0;
}

static void decode_hint(struct isa_instruction *base)
{
    base->control = ISA_CONTROL_HINT;
    if (is_hint_of_release(base->hint, GCN_HINT_FENCE))
        make_release(base);
}

static void decode_control(struct gcn_instruction *instruction, uint32_t immediate)
{
    struct isa_instruction *base = &instruction->base;

    switch ((enum gcn_op)base->op) {
    case GCN_OP_s_nop:
        base->control = ISA_CONTROL_NOP;
        base->hint = (uint16_t)immediate;
        base->argument = (uint8_t)(immediate & 7);
        if (immediate >> 8 == 0x5a)
            decode_hint(base);
        break;
    case GCN_OP_s_endpgm:
        base->control = ISA_CONTROL_END;
        break;
    case GCN_OP_s_barrier:
        base->control = ISA_CONTROL_BARRIER;
        break;
    case GCN_OP_s_waitcnt:
        base->control = ISA_CONTROL_WAIT;
        base->wait_vm = wait_limit(gcn_field(immediate, 0, 4), 15);
        base->wait_exp = wait_limit(gcn_field(immediate, 4, 3), 7);
        base->wait_lgkm = wait_limit(gcn_field(immediate, 8, 4), 15);
        break;
    case GCN_OP_s_sleep:
        base->control = ISA_CONTROL_SLEEP;
        base->argument = (uint8_t)(immediate & 0x7f);
        break;
    case GCN_OP_s_setprio:
        base->control = ISA_CONTROL_PRIORITY;
        base->argument = (uint8_t)(immediate & 3);
        break;
    default:
        break;
    }
}

static const char *decode_sopp(struct gcn_instruction *instruction,
                               const struct gcn_operation *operation)
{
    struct isa_instruction *base = &instruction->base;
    struct fields fields = {-1, {-1, -1, -1}};

    instruction->immediate = (int16_t)gcn_field(instruction->word[0], 0, 16);
    decode_control(instruction, gcn_field(instruction->word[0], 0, 16));
    if (base->op >= GCN_OP_s_cbranch_scc0 && base->op <= GCN_OP_s_cbranch_execnz)
        base->flags |= ISA_READS_SCALAR;
    return decode_scalar(instruction, operation, &fields);
}

/* Modifiers that no rule covers are refused, not ignored. */
static const char *decode_modifiers(struct gcn_instruction *instruction,
                                    const struct gcn_operation *operation, bool has_mask)
{
    uint32_t absolute = has_mask ? 0 : gcn_field(instruction->word[0], 8, 3);
    uint32_t negate = gcn_field(instruction->word[1], 29, 3);
    bool is_float = operation->type[0] == GCN_TYPE_F32 || operation->type[0] == GCN_TYPE_F64;

    for (unsigned i = 0; i < 3; i++) {
        struct gcn_operand *source = &instruction->source[i];
        unsigned modified = ((absolute | negate) >> i) & 1;

        if (modified != 0 && source->type != GCN_TYPE_F16 && source->type != GCN_TYPE_F32 &&
            source->type != GCN_TYPE_F64)
            return "a source modifier stands at an operand that is not floating point";
        source->absolute = (absolute >> i) & 1;
        source->negate = (negate >> i) & 1;
    }
    instruction->output = (uint8_t)gcn_field(instruction->word[1], 27, 2);
    if (!has_mask && gcn_field(instruction->word[0], 11, 1) != 0)
        instruction->output |= GCN_OUTPUT_CLAMP;
    if (instruction->output != 0 && !is_float)
        return "an output modifier stands at a result that is not floating point";
    return NULL;
}

/* Where the result goes: a vector register, a scalar register, a lane mask. */
static const char *decode_vector_destination(struct gcn_instruction *instruction,
                                             const struct gcn_operation *operation,
                                             unsigned destination, unsigned mask)
{
    unsigned registers = gcn_type_registers((enum gcn_type)operation->type[0]);
    const char *reason = NULL;

    instruction->destination = (uint16_t)destination;
    instruction->mask_destination = (uint16_t)mask;
    if (operation->type[0] == GCN_TYPE_M || (operation->traits & GCN_TRAIT_CARRY_OUT) != 0) {
        instruction->base.flags |= ISA_WRITES_SCALAR_FROM_VECTOR;
        reason = gcn_check_scalar(mask, 2);
        if (operation->type[0] == GCN_TYPE_M)
            return reason;
    }
    if ((operation->traits & GCN_TRAIT_SCALAR_RESULT) != 0) {
        instruction->base.flags |= ISA_WRITES_SCALAR_FROM_VECTOR;
        return gcn_check_scalar(destination, 1);
    }
    if (reason != NULL)
        return reason;
    return registers == 0 ? NULL : gcn_check_vector(destination, registers);
}

static const char *decode_vector(struct gcn_instruction *instruction,
                                 const struct gcn_operation *operation, struct fields *fields,
                                 unsigned mask)
{
    bool is_relative = instruction->base.op == GCN_OP_v_movrels_b32 ||
                       instruction->base.op == GCN_OP_v_movrelsd_b32;
    const char *reason;

    instruction->rounds = (operation->traits & GCN_TRAIT_ROUNDS) != 0;
    reason = decode_sources(instruction, operation, fields);
    if (reason == NULL)
        reason =
            decode_vector_destination(instruction, operation, (unsigned)fields->destination, mask);
    if (reason == NULL && (operation->traits & GCN_TRAIT_LANE) != 0 &&
        instruction->source[1].kind == GCN_OPERAND_VECTOR)
        reason = "the lane number of a lane operation is a vector register";
    if (reason == NULL && is_relative && instruction->source[0].kind != GCN_OPERAND_VECTOR)
        reason = "the source of a relative move is not a vector register";
    return reason;
}

static const char *decode_vop3(struct gcn_instruction *instruction,
                               const struct gcn_operation *operation)
{
    uint32_t first = instruction->word[0], second = instruction->word[1];
    bool has_mask = (operation->traits & GCN_TRAIT_CARRY_OUT) != 0;
    struct fields fields = {(int)gcn_field(first, 0, 8),
                            {(int)gcn_field(second, 0, 9), (int)gcn_field(second, 9, 9),
                             (int)gcn_field(second, 18, 9)}};
    unsigned mask = has_mask ? gcn_field(first, 8, 7) : gcn_field(first, 0, 8);
    const char *reason;

    for (unsigned i = 0; i < 3; i++)
        if (operation->type[i + 1] != GCN_TYPE_N && fields.source[i] == GCN_SOURCE_LITERAL)
            return "a VOP3 instruction has a literal, which this generation has not";
    if ((operation->traits & (GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST)) != 0)
        return "this operation has no VOP3 form";
    reason = decode_vector(instruction, operation, &fields, mask);
    return reason != NULL ? reason : decode_modifiers(instruction, operation, has_mask);
}

/* VOP1, VOP2, VOPC: one word, VCC where the long form names a mask. */
static const char *decode_vector_short(struct gcn_instruction *instruction,
                                       const struct gcn_operation *operation)
{
    uint32_t word = instruction->word[0];
    int second = (int)gcn_field(word, 9, 8) + GCN_SOURCE_VECTOR;
    struct fields fields = {(int)gcn_field(word, 17, 8), {(int)gcn_field(word, 0, 9), -1, -1}};

    if (instruction->format != GCN_FORMAT_VOP1)
        fields.source[1] = second;
    if ((operation->traits & GCN_TRAIT_LANE) != 0)
        fields.source[1] = (int)gcn_field(word, 9, 8);
    if (operation->type[3] == GCN_TYPE_M)
        fields.source[2] = GCN_VCC;
    if ((operation->traits & GCN_TRAIT_LITERAL_MIDDLE) != 0) {
        fields.source[1] = GCN_SOURCE_LITERAL;
        fields.source[2] = second;
    }
    if ((operation->traits & GCN_TRAIT_LITERAL_LAST) != 0)
        fields.source[2] = GCN_SOURCE_LITERAL;
    return decode_vector(instruction, operation, &fields, GCN_VCC);
}

static const char *decode_operands(struct gcn_instruction *instruction,
                                   const struct gcn_operation *operation)
{
    uint32_t word = instruction->word[0];
    struct fields fields = {(int)gcn_field(word, 16, 7),
                            {(int)gcn_field(word, 0, 8), (int)gcn_field(word, 8, 8), -1}};

    switch ((enum gcn_format)instruction->format) {
    case GCN_FORMAT_SOP1:
    case GCN_FORMAT_SOP2:
    case GCN_FORMAT_SOPC:
        return decode_scalar(instruction, operation, &fields);
    case GCN_FORMAT_SOPK:
        return decode_sopk(instruction, operation);
    case GCN_FORMAT_SOPP:
        return decode_sopp(instruction, operation);
    case GCN_FORMAT_SMRD:
        return gcn_decode_smrd(instruction, operation);
    case GCN_FORMAT_VOP1:
    case GCN_FORMAT_VOP2:
    case GCN_FORMAT_VOPC:
        return decode_vector_short(instruction, operation);
    case GCN_FORMAT_VOP3:
        return decode_vop3(instruction, operation);
    case GCN_FORMAT_DS:
        return gcn_decode_ds(instruction, operation);
    case GCN_FORMAT_MUBUF:
        return gcn_decode_mubuf(instruction, operation);
    default:
        return NULL;
    }
}

/* Whether a one-word format is followed by a literal. */
static bool has_literal(const struct gcn_encoding *encoding, const struct gcn_operation *operation,
                        enum gcn_op op, uint32_t word)
{
    switch (encoding->format) {
    case GCN_FORMAT_SOP2:
    case GCN_FORMAT_SOPC:
        return gcn_field(word, 0, 8) == 255 || gcn_field(word, 8, 8) == 255;
    case GCN_FORMAT_SOP1:
        return gcn_field(word, 0, 8) == 255 && operation->type[1] != GCN_TYPE_N;
    case GCN_FORMAT_SOPK:
        return op == GCN_OP_s_setreg_imm32_b32;
    case GCN_FORMAT_VOP1:
    case GCN_FORMAT_VOPC:
        return gcn_field(word, 0, 9) == 255;
    case GCN_FORMAT_VOP2:
        return gcn_field(word, 0, 9) == 255 ||
               (operation->traits & (GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST)) != 0 ||
               ((operation->traits & GCN_TRAIT_LANE) != 0 && gcn_field(word, 9, 8) == 255);
    default:
        return false;
    }
}

static void decode_refuse(struct gcn_instruction *instruction, const char *reason)
{
    instruction->base.unit = ISA_UNIT_INTERNAL;
    instruction->base.latency = ISA_LATENCY_NONE;
    instruction->base.control = ISA_CONTROL_REFUSED;
    instruction->base.flags = 0;
    instruction->body = NULL;
    instruction->reason = reason;
}

/* Decodes the instruction at the first of `count` words; never reads beyond them. */
static void decode_one(struct gcn_instruction *instruction, const uint32_t *words, uint32_t count,
                       gcn_body *const *bodies)
{
    const struct gcn_encoding *encoding = gcn_find_encoding(words[0]);
    const struct gcn_operation *operation;
    enum gcn_op op = GCN_OP_UNKNOWN;
    unsigned size = 1;
    const char *reason;

    instruction->word[0] = words[0];
    instruction->format = GCN_FORMAT_NONE;
    if (encoding != NULL) {
        op = gcn_find_operation(
            encoding->format, gcn_field(words[0], encoding->opcode_first, encoding->opcode_count));
        size = encoding->words;
        instruction->format = (uint8_t)encoding->format;
    }
    operation = &gcn_operations[op];
    if (op != GCN_OP_UNKNOWN && has_literal(encoding, operation, op, words[0]))
        size = 2;
    instruction->base.op = (uint16_t)op;
    instruction->base.bytes = (uint8_t)(4 * (size <= count ? size : 1));
    instruction->base.unit = operation->unit;
    instruction->base.latency = operation->latency;
    instruction->destination_type = operation->type[0];
    if (size > count) {
        decode_refuse(instruction, "the code ends within it");
        return;
    }
    if (size == 2)
        instruction->word[1] = words[1];
    if (operation->refused) {
        decode_refuse(instruction, NULL);
        return;
    }
    if (operation->unit == ISA_UNIT_VALU)
        instruction->body = bodies[op];
    reason = decode_operands(instruction, operation);
    if (reason != NULL)
        decode_refuse(instruction, reason);
}

struct isa_code *gcn_decode(const void *code, uint32_t bytes, uint64_t address,
                            gcn_body *const *bodies)
{
    uint32_t count = bytes / 4;
    struct isa_code *result = allocate(1, sizeof *result);
    uint32_t *words = allocate(count + 1, sizeof *words);
    struct gcn_instruction *decoded = allocate(count + 1, sizeof *decoded);

    memcpy(words, code, (size_t)count * 4);
    for (uint32_t i = 0; i < count; i += decoded[i].base.bytes / 4u) {
        decode_one(&decoded[i], words + i, count - i, bodies);
        decoded[i].base.offset = i * 4;
    }
    free(words);
    result->address = address;
    result->bytes = count * 4;
    result->stride = sizeof *decoded;
    result->decoded = (unsigned char *)decoded;
    return result;
}

void gcn_fence_releases(struct isa_code *code)
{
    struct gcn_instruction *decoded = (struct gcn_instruction *)(void *)code->decoded;

    for (uint32_t i = 0; i < code->bytes / 4; i++) {
        struct isa_instruction *base = &decoded[i].base;

        if (base->control == ISA_CONTROL_HINT && is_hint_of_release(base->hint, GCN_HINT_ACCESS) &&
            gcn_field(base->hint, 0, 2) >= ISA_SCOPE_DEVICE)
            make_release(base);
    }
}

void gcn_code_destroy(struct isa_code *code)
{
    if (code == NULL)
        return;
    free(code->decoded);
    free(code);
}

void gcn_refusal(const struct isa_instruction *instruction, struct text *text)
{
    const struct gcn_instruction *record = gcn_of(instruction);

    if (instruction->op == GCN_OP_UNKNOWN) {
        text_add(text, "the word 0x%08x is no instruction of Southern Islands",
                 (unsigned)record->word[0]);
        return;
    }
    text_add(text, "%s: %s", gcn_operations[instruction->op].name,
             record->reason != NULL ? record->reason : "this operation is not modelled");
}
