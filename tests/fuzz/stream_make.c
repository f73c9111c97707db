/* SPDX-License-Identifier: MIT */
/* How random instructions are made: an operation from the tables, its fields by format. */
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "fuzz/stream.h"
#include "isa/gcn/decode.h"

struct maker {
    struct random random;
    const struct isa *isa;
    struct stream *stream;
    bool with_faults; /* what the model refuses, wild registers, wild words */
};

static uint32_t below(struct maker *maker, uint32_t bound)
{
    return (uint32_t)random_below(&maker->random, bound);
}

static bool maker_chance(struct maker *maker, uint32_t percent)
{
    return below(maker, 100) < percent;
}

static uint32_t pick(struct maker *maker, const uint8_t *choices, uint32_t count)
{
    return choices[below(maker, count)];
}

/* ---- operands ---- */

static uint32_t any_word(struct maker *maker)
{
    static const uint32_t special[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                       0x3f800000, 0xbf800000, 0x7f800000, 0x00000001, 0x7fc00000,
                                       0x00800000, 0x4f000000, 0x0000ffff, 0x00010000};

    if (maker_chance(maker, 50))
        return special[below(maker, ARRAY_COUNT(special))];
    return (uint32_t)random_next(&maker->random);
}

static unsigned even(unsigned index, enum gcn_type type)
{
    return gcn_type_registers(type) > 1 ? index & ~1u : index;
}

/* A source of eight bits: a scalar register, a constant, a literal. */
static uint32_t scalar_source(struct maker *maker, enum gcn_type type)
{
    static const uint8_t special[] = {106, 107, 124, 126, 127, 251, 252, 253, 240, 241, 242,
                                      243, 244, 245, 246, 247, 255, 128, 193, 192, 208};

    if (maker_chance(maker, 60))
        return even(8 + below(maker, 34), type);
    if (maker_chance(maker, 50))
        return even(pick(maker, special, ARRAY_COUNT(special)), type);
    return maker_chance(maker, 70) ? 128 + below(maker, 81) : even(below(maker, 104), type);
}

static uint32_t vector_register(struct maker *maker)
{
    if (maker->with_faults && maker_chance(maker, 4))
        return 232 + below(maker, 24);
    return below(maker, 40);
}

/* A source of nine bits. */
static uint32_t vector_source(struct maker *maker, enum gcn_type type, bool may_be_literal)
{
    uint32_t source =
        maker_chance(maker, 65) ? 256 + vector_register(maker) : scalar_source(maker, type);

    return source == GCN_SOURCE_LITERAL && !may_be_literal ? GCN_SOURCE_ZERO : source;
}

/* What memory instructions need stays, most of the time. */
static uint32_t scalar_destination(struct maker *maker, enum gcn_type type)
{
    static const uint8_t special[] = {106, 107, 124, 126, 127};

    if (maker_chance(maker, 12))
        return even(pick(maker, special, ARRAY_COUNT(special)), type);
    if (maker->with_faults && maker_chance(maker, 10))
        return even(below(maker, 56), type); /* not the count of loops */
    return (29 + below(maker, 28)) & ~(gcn_type_registers(type) - 1);
}

static uint32_t vector_destination(struct maker *maker)
{
    uint32_t index = vector_register(maker);

    return index < 8 && maker_chance(maker, 95) ? index + 8 : index;
}

/* ---- instructions by format ---- */

static void make_scalar(struct maker *maker, const struct gcn_operation *operation, uint32_t *words)
{
    uint32_t destination = scalar_destination(maker, (enum gcn_type)operation->type[0]);
    uint32_t first = scalar_source(maker, (enum gcn_type)operation->type[1]);
    uint32_t second = scalar_source(maker, (enum gcn_type)operation->type[2]);

    if (operation->format == GCN_FORMAT_SOPK || operation->format == GCN_FORMAT_SOPP) {
        words[0] |= operation->format == GCN_FORMAT_SOPK ? destination << 16 : 0;
        words[0] |= any_word(maker) & 0xffff;
        if (strstr(operation->name, "reg_") != NULL) /* MODE is the register that there is */
            words[0] = (words[0] & ~UINT32_C(0x3f)) | 1;
        return;
    }
    words[0] |= first;
    if (operation->format != GCN_FORMAT_SOPC)
        words[0] |= destination << 16;
    if (operation->format != GCN_FORMAT_SOP1)
        words[0] |= second << 8;
}

static void make_vector_short(struct maker *maker, const struct gcn_operation *operation,
                              uint32_t *words)
{
    bool is_lane = (operation->traits & GCN_TRAIT_LANE) != 0;
    bool has_scalar_result = (operation->traits & GCN_TRAIT_SCALAR_RESULT) != 0;
    uint32_t destination =
        has_scalar_result ? scalar_destination(maker, GCN_TYPE_B32) : vector_destination(maker);

    words[0] |= vector_source(maker, (enum gcn_type)operation->type[1], true);
    if (operation->format != GCN_FORMAT_VOP1)
        words[0] |= (is_lane ? below(maker, 104) : vector_register(maker)) << 9;
    if (operation->format != GCN_FORMAT_VOPC)
        words[0] |= destination << 17;
}

static void make_vector_long(struct maker *maker, const struct gcn_operation *operation,
                             uint32_t *words)
{
    static const uint16_t first_opcode[GCN_FORMAT_COUNT] = {
        [GCN_FORMAT_VOP2] = 256, [GCN_FORMAT_VOP1] = 384};
    bool is_mask = operation->type[0] == GCN_TYPE_M;
    uint32_t opcode = operation->opcode + first_opcode[operation->format];

    words[0] = 0xd0000000u | opcode << 17;
    words[0] |= is_mask ? scalar_destination(maker, GCN_TYPE_B64) : vector_destination(maker);
    if ((operation->traits & GCN_TRAIT_CARRY_OUT) != 0)
        words[0] |= scalar_destination(maker, GCN_TYPE_B64) << 8;
    else if (maker_chance(maker, 20))
        words[0] |= below(maker, 16) << 8; /* absolute values, clamp */
    for (unsigned i = 0; i < 3; i++)
        words[1] |= vector_source(maker, (enum gcn_type)operation->type[i + 1], false) << (9 * i);
    if (maker_chance(maker, 20))
        words[1] |= below(maker, 32) << 27; /* output modifier, negated sources */
}

static void make_scalar_load(struct maker *maker, const struct gcn_operation *operation,
                             uint32_t *words)
{
    static const uint8_t offsets[] = {28, 128, 129, 106, 124};
    uint32_t base = operation->opcode >= 8 ? 2 : 12;
    uint32_t destination = 32 + below(maker, 2) * 8;

    if (!maker->stream->has_stores && maker_chance(maker, 20))
        base = operation->opcode >= 8 ? 2 * below(maker, 26) : below(maker, 52);
    words[0] |= destination << 15 | base << 9;
    if (maker_chance(maker, 70))
        words[0] |= 0x100 | below(maker, 256);
    else
        words[0] |= maker->with_faults ? pick(maker, offsets, ARRAY_COUNT(offsets)) : 28;
}

static void make_local(struct maker *maker, const struct gcn_operation *operation, uint32_t *words)
{
    uint32_t address = maker_chance(maker, 92) ? 1 + below(maker, 3) : vector_register(maker);
    uint32_t offset = maker_chance(maker, 60) ? below(maker, 64) * 4 : below(maker, 65536);

    if (operation->elements == 2)
        offset = below(maker, 32) | below(maker, 32) << 8;
    if (maker_chance(maker, 90))
        offset &= 0x7ff;
    words[0] |= offset;
    words[1] = address | vector_register(maker) << 8 | vector_register(maker) << 16 |
               vector_destination(maker) << 24;
}

static void make_buffer(struct maker *maker, const struct gcn_operation *operation, uint32_t *words)
{
    static const uint8_t modes[] = {0, 1, 1, 1, 2, 2, 3, 8, 8, 8};
    uint32_t mode = pick(maker, modes, ARRAY_COUNT(modes)); /* ADDR64, -, IDXEN, OFFEN */
    uint32_t descriptor = mode >= 8 ? 3 : 2 + (mode >= 2) * (2 + below(maker, 2));
    uint32_t address = mode >= 8 ? 4 + 2 * below(maker, 2) : mode >= 2 ? 0 : 1 + below(maker, 3);
    uint32_t scalar = maker_chance(maker, 60) ? 128 : 28;

    if (maker_chance(maker, 8))
        descriptor = below(maker, 11);
    if (maker->with_faults && maker_chance(maker, 12)) {
        address = vector_register(maker);
        scalar = scalar_source(maker, GCN_TYPE_B32);
    }
    words[0] |= mode << 12 | below(maker, 2) << 14;
    words[0] |= maker_chance(maker, 70) ? below(maker, 64) * 4 : below(maker, 4096);
    words[1] = address | vector_destination(maker) << 8 | descriptor << 16 | below(maker, 2) << 22 |
               scalar << 24;
}

static void make_fields(struct maker *maker, const struct gcn_operation *operation, uint32_t *words)
{
    const struct gcn_encoding *encoding = NULL;

    for (unsigned i = 0; i < GCN_FORMAT_COUNT; i++)
        if (gcn_encodings[i].format == (enum gcn_format)operation->format)
            encoding = &gcn_encodings[i];
    words[0] = encoding->match | (uint32_t)operation->opcode << encoding->opcode_first;
    switch ((enum gcn_format)operation->format) {
    case GCN_FORMAT_VOP1:
    case GCN_FORMAT_VOP2:
    case GCN_FORMAT_VOPC:
        if (maker_chance(maker, 50))
            make_vector_short(maker, operation, words);
        else
            make_vector_long(maker, operation, words);
        break;
    case GCN_FORMAT_VOP3:
        make_vector_long(maker, operation, words);
        break;
    case GCN_FORMAT_SMRD:
        make_scalar_load(maker, operation, words);
        break;
    case GCN_FORMAT_DS:
        make_local(maker, operation, words);
        break;
    case GCN_FORMAT_MUBUF:
        make_buffer(maker, operation, words);
        break;
    case GCN_FORMAT_MTBUF:
    case GCN_FORMAT_MIMG:
    case GCN_FORMAT_EXP:
    case GCN_FORMAT_VINTRP:
        words[0] |= any_word(maker) & ~encoding->mask;
        words[1] = any_word(maker);
        break;
    default:
        make_scalar(maker, operation, words);
        break;
    }
}

/* Whether a vector access may store: by the descriptors of the buffer alone. What scalar loads read
 * must not change (s[4:7] are the constants, others any memory). */
static bool may_store(const struct maker *maker, const uint32_t *words)
{
    uint32_t descriptor = words[1] >> 16 & 31;

    return maker->stream->has_stores && descriptor >= 2 && descriptor <= 5;
}

/* ---- items ---- */

/* Turns drawn words into an item, if the stream may have it. */
static bool item_accept(struct maker *maker, struct stream_item *item)
{
    struct isa_code *code = maker->isa->decode(item->words, 8, 0x1000);
    struct isa_instruction instruction = *isa_code_at(code, 0x1000);
    bool is_memory = instruction.unit == ISA_UNIT_VMEM || instruction.unit == ISA_UNIT_LDS ||
                     instruction.unit == ISA_UNIT_SMEM;
    bool is_branch = instruction.op >= GCN_OP_s_branch && instruction.op <= GCN_OP_s_cbranch_execnz;
    bool is_jump = instruction.op == GCN_OP_s_setpc_b64 || instruction.op == GCN_OP_s_swappc_b64;

    maker->isa->code_destroy(code);
    if ((instruction.control == ISA_CONTROL_REFUSED || is_jump ||
         instruction.control == ISA_CONTROL_END) &&
        !(maker->with_faults && maker_chance(maker, 8)))
        return false;
    if (instruction.control == ISA_CONTROL_HINT)
        return false;
    if (maker->stream->is_shared && (instruction.flags & ISA_WRITES_MEMORY) != 0)
        return false;
    if (instruction.unit == ISA_UNIT_VMEM && (instruction.flags & ISA_WRITES_MEMORY) != 0 &&
        !may_store(maker, item->words))
        return false;
    item->count = instruction.bytes == 8 ? 2 : 1;
    if (is_memory)
        item->words[item->count++] = 0xbf8c0000u; /* s_waitcnt 0 */
    if (is_branch)
        item->target = (int16_t)(maker->stream->count + 1 + below(maker, 8));
    return true;
}

/* Back a few instructions, as often as s62 still says. */
static void make_loop(struct maker *maker, struct stream_item *item)
{
    uint32_t back = 1 + below(maker, 10), here = maker->stream->count;

    item->words[0] =
        0x80000000u | 1u << 23 | 62u << 16 | 129u << 8 | 62u;  /* s_sub_u32 s62, s62, 1 */
    item->words[1] = 0xbf000000u | 2u << 16 | 128u << 8 | 62u; /* s_cmp_gt_i32 s62, 0 */
    item->words[2] = 0xbf800000u | 5u << 16;                   /* s_cbranch_scc1 */
    item->count = 3;
    item->branch = 2;
    item->target = (int16_t)(here > back ? here - back : 0);
}

/* How often each unit's operations are drawn. Those of memory are drawn more often than the
 * tables have them, and of them loads and stores more often than atomics. */
static const struct gcn_operation *choose_operation(struct maker *maker)
{
    static const uint8_t units[] = {ISA_UNIT_VALU, ISA_UNIT_VALU, ISA_UNIT_VALU,   ISA_UNIT_SALU,
                                    ISA_UNIT_SALU, ISA_UNIT_VMEM, ISA_UNIT_VMEM,   ISA_UNIT_VMEM,
                                    ISA_UNIT_LDS,  ISA_UNIT_LDS,  ISA_UNIT_BRANCH, ISA_UNIT_SMEM};
    uint32_t unit = pick(maker, units, ARRAY_COUNT(units));
    bool is_any = maker_chance(maker, 10), may_be_atomic = maker_chance(maker, 30);

    for (;;) {
        const struct gcn_operation *operation = &gcn_operations[below(maker, GCN_OP_UNKNOWN)];
        bool is_atomic = operation->kind == ISA_MEMORY_ATOMIC && unit == ISA_UNIT_VMEM;

        if (is_any || (operation->unit == unit && (may_be_atomic || !is_atomic)))
            return operation;
    }
}

static bool make_item(struct maker *maker, struct stream_item *item)
{
    memset(item, 0, sizeof *item);
    item->target = STREAM_NO_TARGET;
    if (maker_chance(maker, 3)) {
        make_loop(maker, item);
        return true;
    }
    if (maker->with_faults && maker_chance(maker, 5)) {
        item->words[0] = (uint32_t)random_next(&maker->random);
        item->words[1] = any_word(maker);
    } else {
        const struct gcn_operation *operation = choose_operation(maker);

        if (operation->refused && !maker->with_faults)
            return false;
        item->words[1] = 0;
        make_fields(maker, operation, item->words);
        if (item->words[1] == 0)
            item->words[1] = any_word(maker); /* a literal, if there is one */
    }
    return item_accept(maker, item);
}

static void choose_launch(struct maker *maker)
{
    static const uint8_t sizes[] = {64, 64, 64, 1, 17, 63};

    maker->stream->is_shared = maker_chance(maker, 15);
    maker->stream->has_stores = !maker->stream->is_shared && maker_chance(maker, 60);
    maker->stream->groups = maker->stream->is_shared ? 1 + below(maker, 5) : 1;
    maker->stream->group_items = maker->stream->is_shared ? 64 * (1 + below(maker, 4))
                                                          : pick(maker, sizes, ARRAY_COUNT(sizes));
}

void stream_make(struct stream *stream, uint64_t seed, uint64_t number, uint64_t buffer)
{
    struct maker maker = {.random = {seed * UINT64_C(0x9e3779b97f4a7c15) + number},
                          .isa = isa_gcn(false),
                          .stream = stream};
    uint32_t count;

    random_next(&maker.random);
    memset(stream, 0, sizeof *stream);
    stream->buffer = buffer;
    maker.with_faults = maker_chance(&maker, 35);
    choose_launch(&maker);
    count = 8 + below(&maker, STREAM_ITEMS - 8);
    while (stream->count < count)
        stream->count += make_item(&maker, &stream->items[stream->count]);
    for (uint32_t i = 0; i < stream->count; i++)
        if (stream->items[i].target > (int)stream->count)
            stream->items[i].target = (int16_t)stream->count;
}
