/* SPDX-License-Identifier: MIT */
#include "isa/gcn/scalar_bodies.h"

#include "base/bits.h"

#define BODY(name) void gcn_##name(struct gcn_wave *wave, const struct gcn_instruction *instruction)

static uint32_t source_32(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                          unsigned number)
{
    return gcn_scalar_value(wave, &instruction->source[number]);
}

static uint64_t source_64(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                          unsigned number)
{
    return gcn_scalar_value_64(wave, &instruction->source[number]);
}

static void set_32(struct gcn_wave *wave, const struct gcn_instruction *instruction, uint32_t value)
{
    gcn_write_scalar(wave, instruction->destination, value);
}

static void set_64(struct gcn_wave *wave, const struct gcn_instruction *instruction, uint64_t value)
{
    gcn_write_scalar_pair(wave, instruction->destination, value);
}

/* Operations of one and two sources. In their expressions a and b are the sources, r the result;
 * SCC takes the third argument, whose KEEP leaves it. */
#define KEEP wave->scc
#define UNARY(name, in, out, expression, condition)                                                \
    BODY(name)                                                                                     \
    {                                                                                              \
        uint##in##_t a = source_##in(wave, instruction, 0);                                        \
        uint##out##_t r = (uint##out##_t)(expression);                                             \
                                                                                                   \
        wave->scc = (condition);                                                                   \
        set_##out(wave, instruction, r);                                                           \
    }
#define BINARY(name, width, shift_width, expression, condition)                                    \
    BODY(name)                                                                                     \
    {                                                                                              \
        uint##width##_t a = source_##width(wave, instruction, 0);                                  \
        uint##shift_width##_t b = source_##shift_width(wave, instruction, 1);                      \
        uint##width##_t r = (uint##width##_t)(expression);                                         \
                                                                                                   \
        wave->scc = (condition);                                                                   \
        set_##width(wave, instruction, r);                                                         \
    }

static uint32_t reverse_32(uint32_t value)
{
    value = (value >> 1 & 0x55555555u) | (value & 0x55555555u) << 1;
    value = (value >> 2 & 0x33333333u) | (value & 0x33333333u) << 2;
    value = (value >> 4 & 0x0f0f0f0fu) | (value & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(value);
}

static uint64_t reverse_64(uint64_t value)
{
    return (uint64_t)reverse_32((uint32_t)value) << 32 | reverse_32((uint32_t)(value >> 32));
}

/* Each group of four bits becomes 1111 if any is set. */
static uint64_t whole_quads(uint64_t mask)
{
    uint64_t any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & UINT64_C(0x1111111111111111);

    return any * 15;
}

/* One bit for each group of four. */
static uint64_t quad_mask(uint64_t mask)
{
    uint64_t result = 0;

    for (unsigned quad = 0; quad < 16; quad++)
        result |= (uint64_t)((mask >> (4 * quad) & 15) != 0) << quad;
    return result;
}

static uint32_t first_one(uint64_t value)
{
    return value == 0 ? UINT32_MAX : lowest_bit(value);
}

static uint32_t leading_zeros(uint64_t value, unsigned width)
{
    return value == 0 ? UINT32_MAX : (uint32_t)__builtin_clzll(value) - (64 - width);
}

/* How many bits from the top equal the sign; -1 when all do. */
static uint32_t sign_bits(uint64_t value, unsigned width)
{
    uint64_t sign = value >> (width - 1) & 1;

    return leading_zeros(sign != 0 ? ~value & low_mask(width) : value, width);
}

UNARY(s_mov_b32, 32, 32, a, KEEP)
UNARY(s_mov_b64, 64, 64, a, KEEP)
UNARY(s_not_b32, 32, 32, ~a, r != 0)
UNARY(s_not_b64, 64, 64, ~a, r != 0)
UNARY(s_wqm_b32, 32, 32, whole_quads(a), r != 0)
UNARY(s_wqm_b64, 64, 64, whole_quads(a), r != 0)
UNARY(s_brev_b32, 32, 32, reverse_32(a), KEEP)
UNARY(s_brev_b64, 64, 64, reverse_64(a), KEEP)
UNARY(s_bcnt0_i32_b32, 32, 32, 32 - count_bits(a), r != 0)
UNARY(s_bcnt0_i32_b64, 64, 32, 64 - count_bits(a), r != 0)
UNARY(s_bcnt1_i32_b32, 32, 32, count_bits(a), r != 0)
UNARY(s_bcnt1_i32_b64, 64, 32, count_bits(a), r != 0)
UNARY(s_ff0_i32_b32, 32, 32, first_one((uint32_t)~a), KEEP)
UNARY(s_ff0_i32_b64, 64, 32, first_one(~a), KEEP)
UNARY(s_ff1_i32_b32, 32, 32, first_one(a), KEEP)
UNARY(s_ff1_i32_b64, 64, 32, first_one(a), KEEP)
UNARY(s_flbit_i32_b32, 32, 32, leading_zeros(a, 32), KEEP)
UNARY(s_flbit_i32_b64, 64, 32, leading_zeros(a, 64), KEEP)
UNARY(s_flbit_i32, 32, 32, sign_bits(a, 32), KEEP)
UNARY(s_flbit_i32_i64, 64, 32, sign_bits(a, 64), KEEP)
UNARY(s_sext_i32_i8, 32, 32, (int8_t)a, KEEP)
UNARY(s_sext_i32_i16, 32, 32, (int16_t)a, KEEP)
UNARY(s_quadmask_b32, 32, 32, quad_mask(a), r != 0)
UNARY(s_quadmask_b64, 64, 64, quad_mask(a), r != 0)
UNARY(s_abs_i32, 32, 32, (int32_t)a < 0 ? 0 - a : a, r != 0)

static uint32_t overflow_add(uint32_t a, uint32_t b, uint32_t r)
{
    return ((a ^ r) & (b ^ r)) >> 31;
}

static uint32_t overflow_subtract(uint32_t a, uint32_t b, uint32_t r)
{
    return ((a ^ b) & (a ^ r)) >> 31;
}

/* A bit field's offset is in bits 0 to 5 of `field`, its width in bits 16 to 22. */
static uint64_t field_extract(uint64_t value, uint32_t field, unsigned width)
{
    return value >> (field & (width - 1)) & low_mask(field >> 16 & 0x7f);
}

static uint64_t extract_signed(int64_t value, uint32_t field, unsigned width)
{
    unsigned bits = field >> 16 & 0x7f;
    int64_t shifted = value >> (field & (width - 1));
    uint64_t part = (uint64_t)shifted & low_mask(bits);
    uint64_t sign;

    if (bits == 0)
        return 0;
    if (bits >= width)
        return (uint64_t)shifted;
    sign = UINT64_C(1) << (bits - 1);
    return (part ^ sign) - sign;
}

BINARY(s_add_u32, 32, 32, a + b, r < a)
BINARY(s_sub_u32, 32, 32, a - b, b > a)
BINARY(s_add_i32, 32, 32, a + b, overflow_add(a, b, r))
BINARY(s_sub_i32, 32, 32, a - b, overflow_subtract(a, b, r))
BINARY(s_addc_u32, 32, 32, a + b + wave->scc, ((uint64_t)a + b + wave->scc) >> 32 != 0)
BINARY(s_subb_u32, 32, 32, a - b - wave->scc, (uint64_t)b + wave->scc > a)
BINARY(s_min_i32, 32, 32, (int32_t)a < (int32_t)b ? a : b, (int32_t)a < (int32_t)b)
BINARY(s_min_u32, 32, 32, a < b ? a : b, a < b)
BINARY(s_max_i32, 32, 32, (int32_t)a > (int32_t)b ? a : b, (int32_t)a > (int32_t)b)
BINARY(s_max_u32, 32, 32, a > b ? a : b, a > b)
BINARY(s_cselect_b32, 32, 32, wave->scc != 0 ? a : b, KEEP)
BINARY(s_cselect_b64, 64, 64, wave->scc != 0 ? a : b, KEEP)
BINARY(s_and_b32, 32, 32, a &b, r != 0)
BINARY(s_and_b64, 64, 64, a &b, r != 0)
BINARY(s_or_b32, 32, 32, a | b, r != 0)
BINARY(s_or_b64, 64, 64, a | b, r != 0)
BINARY(s_xor_b32, 32, 32, a ^ b, r != 0)
BINARY(s_xor_b64, 64, 64, a ^ b, r != 0)
BINARY(s_andn2_b32, 32, 32, a & ~b, r != 0)
BINARY(s_andn2_b64, 64, 64, a & ~b, r != 0)
BINARY(s_orn2_b32, 32, 32, a | ~b, r != 0)
BINARY(s_orn2_b64, 64, 64, a | ~b, r != 0)
BINARY(s_nand_b32, 32, 32, ~(a &b), r != 0)
BINARY(s_nand_b64, 64, 64, ~(a &b), r != 0)
BINARY(s_nor_b32, 32, 32, ~(a | b), r != 0)
BINARY(s_nor_b64, 64, 64, ~(a | b), r != 0)
BINARY(s_xnor_b32, 32, 32, ~(a ^ b), r != 0)
BINARY(s_xnor_b64, 64, 64, ~(a ^ b), r != 0)
BINARY(s_lshl_b32, 32, 32, a << (b & 31), r != 0)
BINARY(s_lshl_b64, 64, 32, a << (b & 63), r != 0)
BINARY(s_lshr_b32, 32, 32, a >> (b & 31), r != 0)
BINARY(s_lshr_b64, 64, 32, a >> (b & 63), r != 0)
BINARY(s_ashr_i32, 32, 32, (int32_t)a >> (b & 31), r != 0)
BINARY(s_ashr_i64, 64, 32, (int64_t)a >> (b & 63), r != 0)
BINARY(s_bfm_b32, 32, 32, ((1u << (a & 31)) - 1) << (b & 31), KEEP)
BINARY(s_mul_i32, 32, 32, a *b, KEEP)
BINARY(s_bfe_u32, 32, 32, field_extract(a, b, 32), r != 0)
BINARY(s_bfe_i32, 32, 32, extract_signed((int32_t)a, b, 32), r != 0)
BINARY(s_bfe_u64, 64, 32, field_extract(a, b, 64), r != 0)
BINARY(s_bfe_i64, 64, 32, extract_signed((int64_t)a, b, 64), r != 0)
BINARY(s_absdiff_i32, 32, 32, (int32_t)(a - b) < 0 ? b - a : a - b, r != 0)

BODY(s_bfm_b64)
{
    uint32_t count = source_32(wave, instruction, 0), first = source_32(wave, instruction, 1);

    set_64(wave, instruction, low_mask(count & 63) << (first & 63));
}

BODY(s_cmov_b32)
{
    if (wave->scc != 0)
        set_32(wave, instruction, source_32(wave, instruction, 0));
}

BODY(s_cmov_b64)
{
    if (wave->scc != 0)
        set_64(wave, instruction, source_64(wave, instruction, 0));
}

BODY(s_bitset0_b32)
{
    set_32(wave, instruction,
           wave->scalar[instruction->destination] &
               ~(1u << (source_32(wave, instruction, 0) & 31)));
}

BODY(s_bitset0_b64)
{
    set_64(wave, instruction,
           gcn_scalar_pair(wave, instruction->destination) &
               ~(UINT64_C(1) << (source_32(wave, instruction, 0) & 63)));
}

BODY(s_bitset1_b32)
{
    set_32(wave, instruction,
           wave->scalar[instruction->destination] | 1u << (source_32(wave, instruction, 0) & 31));
}

BODY(s_bitset1_b64)
{
    set_64(wave, instruction,
           gcn_scalar_pair(wave, instruction->destination) |
               UINT64_C(1) << (source_32(wave, instruction, 0) & 63));
}

#define SAVEEXEC(name, expression)                                                                 \
    BODY(name)                                                                                     \
    {                                                                                              \
        uint64_t a = source_64(wave, instruction, 0), exec = gcn_exec(wave);                       \
        uint64_t r = (expression);                                                                 \
                                                                                                   \
        set_64(wave, instruction, exec);                                                           \
        gcn_write_scalar_pair(wave, GCN_EXEC, r);                                                  \
        wave->scc = r != 0;                                                                        \
    }
SAVEEXEC(s_and_saveexec_b64, a &exec)
SAVEEXEC(s_or_saveexec_b64, a | exec)
SAVEEXEC(s_xor_saveexec_b64, a ^ exec)
SAVEEXEC(s_andn2_saveexec_b64, a & ~exec)
SAVEEXEC(s_orn2_saveexec_b64, a | ~exec)
SAVEEXEC(s_nand_saveexec_b64, ~(a &exec))
SAVEEXEC(s_nor_saveexec_b64, ~(a | exec))
SAVEEXEC(s_xnor_saveexec_b64, ~(a ^ exec))

/* A register number plus M0; out of range it is that of s0. */
static unsigned register_relative(const struct gcn_wave *wave, unsigned base, unsigned count)
{
    uint64_t index = (uint64_t)base + wave->scalar[GCN_M0];

    return index + count <= GCN_SCALAR_REGISTERS ? (unsigned)index : 0;
}

BODY(s_movrels_b32)
{
    set_32(wave, instruction,
           wave->scalar[register_relative(wave, instruction->source[0].index, 1)]);
}

BODY(s_movrels_b64)
{
    set_64(wave, instruction,
           gcn_scalar_pair(wave, register_relative(wave, instruction->source[0].index, 2)));
}

BODY(s_movreld_b32)
{
    gcn_write_scalar(wave, register_relative(wave, instruction->destination, 1),
                     source_32(wave, instruction, 0));
}

BODY(s_movreld_b64)
{
    gcn_write_scalar_pair(wave, register_relative(wave, instruction->destination, 2),
                          source_64(wave, instruction, 0));
}

#define COMPARE(name, width, type, condition)                                                      \
    BODY(name)                                                                                     \
    {                                                                                              \
        type a = (type)source_##width(wave, instruction, 0);                                       \
        type b = (type)source_32(wave, instruction, 1);                                            \
                                                                                                   \
        wave->scc = (condition);                                                                   \
    }
COMPARE(s_cmp_eq_i32, 32, int32_t, a == b)
COMPARE(s_cmp_lg_i32, 32, int32_t, a != b)
COMPARE(s_cmp_gt_i32, 32, int32_t, a > b)
COMPARE(s_cmp_ge_i32, 32, int32_t, a >= b)
COMPARE(s_cmp_lt_i32, 32, int32_t, a < b)
COMPARE(s_cmp_le_i32, 32, int32_t, a <= b)
COMPARE(s_cmp_eq_u32, 32, uint32_t, a == b)
COMPARE(s_cmp_lg_u32, 32, uint32_t, a != b)
COMPARE(s_cmp_gt_u32, 32, uint32_t, a > b)
COMPARE(s_cmp_ge_u32, 32, uint32_t, a >= b)
COMPARE(s_cmp_lt_u32, 32, uint32_t, a < b)
COMPARE(s_cmp_le_u32, 32, uint32_t, a <= b)
COMPARE(s_bitcmp0_b32, 32, uint32_t, (a >> (b & 31) & 1) == 0)
COMPARE(s_bitcmp1_b32, 32, uint32_t, (a >> (b & 31) & 1) != 0)
COMPARE(s_bitcmp0_b64, 64, uint64_t, (a >> (b & 63) & 1) == 0)
COMPARE(s_bitcmp1_b64, 64, uint64_t, (a >> (b & 63) & 1) != 0)
