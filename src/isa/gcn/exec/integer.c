/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/lanes.h"

/* Counts and searches without the processor's instructions for them, so that every build has them
 * in vector form. */
static inline uint32_t count_ones(uint32_t value)
{
    value = value - (value >> 1 & 0x55555555u);
    value = (value & 0x33333333u) + (value >> 2 & 0x33333333u);
    value = (value + (value >> 4)) & 0x0f0f0f0fu;
    return (value * 0x01010101u) >> 24;
}

/* All bits below the highest one that is set become set. */
static inline uint32_t bits_smear(uint32_t value)
{
    value |= value >> 1;
    value |= value >> 2;
    value |= value >> 4;
    value |= value >> 8;
    return value | value >> 16;
}

static inline uint32_t find_high(uint32_t value)
{
    return value == 0 ? UINT32_MAX : 32 - count_ones(bits_smear(value));
}

static inline uint32_t find_low(uint32_t value)
{
    return value == 0 ? UINT32_MAX : count_ones(~value & (value - 1));
}

static inline uint32_t find_sign(uint32_t value)
{
    return find_high(value ^ (uint32_t)((int32_t)value >> 31));
}

static inline uint32_t bits_reverse(uint32_t value)
{
    value = (value >> 1 & 0x55555555u) | (value & 0x55555555u) << 1;
    value = (value >> 2 & 0x33333333u) | (value & 0x33333333u) << 2;
    value = (value >> 4 & 0x0f0f0f0fu) | (value & 0x0f0f0f0fu) << 4;
    value = (value >> 8 & 0x00ff00ffu) | (value & 0x00ff00ffu) << 8;
    return value >> 16 | value << 16;
}

static inline int32_t signed_24(uint32_t value)
{
    return (int32_t)(value << 8) >> 8;
}

static inline uint32_t unsigned_24(uint32_t value)
{
    return value & 0xffffff;
}

/* The lowest `count` (0 to 31) bits. */
static inline uint32_t bits_below(uint32_t count)
{
    return (1u << count) - 1;
}

static inline uint32_t extract_signed(uint32_t value, uint32_t first, uint32_t count)
{
    uint32_t left = first + count < 32 ? 32 - first - count : 0;
    uint32_t shifted = (uint32_t)((int32_t)(value << (left & 31)) >> ((left + first) & 31));

    return count == 0 ? 0 : shifted;
}

INTEGER_1(v_not_b32, ~a)
INTEGER_1(v_bfrev_b32, bits_reverse(a))
INTEGER_1(v_ffbh_u32, find_high(a))
INTEGER_1(v_ffbl_b32, find_low(a))
INTEGER_1(v_ffbh_i32, find_sign(a))

INTEGER_2(v_mul_i32_i24, (uint32_t)signed_24(a) * (uint32_t)signed_24(b))
INTEGER_2(v_mul_hi_i32_i24, ((int64_t)signed_24(a) * signed_24(b)) >> 32)
INTEGER_2(v_mul_u32_u24, unsigned_24(a) * unsigned_24(b))
INTEGER_2(v_mul_hi_u32_u24, ((uint64_t)unsigned_24(a) * unsigned_24(b)) >> 32)
INTEGER_2(v_min_i32, gcn_min_i32((int32_t)a, (int32_t)b))
INTEGER_2(v_max_i32, gcn_max_i32((int32_t)a, (int32_t)b))
INTEGER_2(v_min_u32, gcn_min_u32(a, b))
INTEGER_2(v_max_u32, gcn_max_u32(a, b))
INTEGER_2(v_lshr_b32, a >> (b & 31))
INTEGER_2(v_lshrrev_b32, b >> (a & 31))
INTEGER_2(v_ashr_i32, (int32_t)a >> (b & 31))
INTEGER_2(v_ashrrev_i32, (int32_t)b >> (a & 31))
INTEGER_2(v_lshl_b32, a << (b & 31))
INTEGER_2(v_lshlrev_b32, b << (a & 31))
INTEGER_2(v_and_b32, a &b)
INTEGER_2(v_or_b32, a | b)
INTEGER_2(v_xor_b32, a ^ b)
INTEGER_2(v_bfm_b32, bits_below(a & 31) << (b & 31))
INTEGER_2(v_bcnt_u32_b32, count_ones(a) + b)
INTEGER_2(v_mbcnt_lo_u32_b32, count_ones(a &(lane < 32 ? bits_below(lane & 31) : UINT32_MAX)) + b)
INTEGER_2(v_mbcnt_hi_u32_b32, count_ones(a &(lane < 32 ? 0 : bits_below(lane & 31))) + b)
INTEGER_2(v_mul_lo_u32, a *b)
INTEGER_2(v_mul_hi_u32, ((uint64_t)a * b) >> 32)
INTEGER_2(v_mul_lo_i32, a *b)
INTEGER_2(v_mul_hi_i32, ((int64_t)(int32_t)a * (int32_t)b) >> 32)
INTEGER_2(v_cvt_pk_u16_u32, gcn_min_u32(a, 0xffff) | gcn_min_u32(b, 0xffff) << 16)
INTEGER_2(v_cvt_pk_i16_i32,
          ((uint32_t)gcn_max_i32(gcn_min_i32((int32_t)a, 32767), -32768) & 0xffff) |
              (uint32_t)gcn_max_i32(gcn_min_i32((int32_t)b, 32767), -32768) << 16)

INTEGER_3(v_mad_i32_i24, (uint32_t)signed_24(a) * (uint32_t)signed_24(b) + c)
INTEGER_3(v_mad_u32_u24, unsigned_24(a) * unsigned_24(b) + c)
INTEGER_3(v_bfe_u32, (a >> (b & 31)) & bits_below(c & 31))
INTEGER_3(v_bfe_i32, extract_signed(a, b & 31, c & 31))
INTEGER_3(v_bfi_b32, (a & b) | (~a & c))
INTEGER_3(v_lerp_u8, gcn_lerp_u8(a, b, c))
INTEGER_3(v_alignbit_b32, halves_join(b, a) >> (c & 31))
INTEGER_3(v_alignbyte_b32, halves_join(b, a) >> (8 * (c & 3)))
INTEGER_3(v_min3_i32, gcn_min_i32(gcn_min_i32((int32_t)a, (int32_t)b), (int32_t)c))
INTEGER_3(v_min3_u32, gcn_min_u32(gcn_min_u32(a, b), c))
INTEGER_3(v_max3_i32, gcn_max_i32(gcn_max_i32((int32_t)a, (int32_t)b), (int32_t)c))
INTEGER_3(v_max3_u32, gcn_max_u32(gcn_max_u32(a, b), c))
INTEGER_3(v_med3_i32, gcn_med3_i32((int32_t)a, (int32_t)b, (int32_t)c))
INTEGER_3(v_med3_u32, gcn_med3_u32(a, b, c))
INTEGER_3(v_sad_u8, gcn_sad_u8(a, b, c))
INTEGER_3(v_sad_hi_u8, gcn_sad_hi_u8(a, b, c))
INTEGER_3(v_sad_u16, gcn_sad_u16(a, b, c))
INTEGER_3(v_sad_u32, gcn_sad_u32(a, b, c))
INTEGER_3(v_msad_u8, gcn_msad_u8(a, b, c))

/* Add and subtract with a carry or borrow in each lane. `in` is 0 or 1. */
#define CARRY(name, has_input, sum, carry)                                                         \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(input);                                                                             \
        ROW_OF(result);                                                                            \
        ROW_OF(truth);                                                                             \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
                                                                                                   \
        if (has_input)                                                                             \
            row_of_mask(input, gcn_scalar_value_64(wave, &instruction->source[2]));                \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint32_t a = row_a[lane], b = row_b[lane], in = (has_input) ? input[lane] : 0;         \
            uint32_t r = (sum);                                                                    \
                                                                                                   \
            result[lane] = r;                                                                      \
            truth[lane] = (carry);                                                                 \
        }                                                                                          \
        result_store(wave, instruction->destination, result);                                      \
        store_mask(wave, instruction, truth);                                                      \
    }
CARRY(v_add_i32, false, a + b + in, r < a)
CARRY(v_sub_i32, false, a - b - in, b > a)
CARRY(v_subrev_i32, false, b - a - in, a > b)
CARRY(v_addc_u32, true, a + b + in, (r < a) | ((r == a) & (in != 0)))
CARRY(v_subb_u32, true, a - b - in, (b > a) | ((b == a) & (in != 0)))
CARRY(v_subbrev_u32, true, b - a - in, (a > b) | ((a == b) & (in != 0)))

#define SHIFT_64(name, expression)                                                                 \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(low);                                                                               \
        ROW_OF(high);                                                                              \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint64_t a = halves_join(pair_a.low[lane], pair_a.high[lane]), b = row_b[lane] & 63;   \
            uint64_t bits = (uint64_t)(expression);                                                \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_pair(wave, instruction, low, high);                                                  \
    }
SHIFT_64(v_lshl_b64, a << b)
SHIFT_64(v_lshr_b64, a >> b)
SHIFT_64(v_ashr_i64, (int64_t)a >> b)

#define QUAD_SAD(name, function)                                                                   \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(room_2);                                                                            \
        ROW_OF(room_3);                                                                            \
        ROW_OF(low);                                                                               \
        ROW_OF(high);                                                                              \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
        struct row_pair pair_c = fetch_pair(wave, instruction, 2, room_2, room_3);                 \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint64_t bits =                                                                        \
                function(halves_join(pair_a.low[lane], pair_a.high[lane]), row_b[lane],            \
                         halves_join(pair_c.low[lane], pair_c.high[lane]));                        \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_pair(wave, instruction, low, high);                                                  \
    }
QUAD_SAD(v_qsad_pk_u16_u8, gcn_qsad_u8)
QUAD_SAD(v_mqsad_pk_u16_u8, gcn_mqsad_u8)
