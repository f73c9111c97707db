/* SPDX-License-Identifier: MIT */
/* Scalar operations: SOP1, SOP2, SOPC, SOPK. */
#include "reference.h"

#define A ((uint32_t)scalar->source[0])
#define B ((uint32_t)scalar->source[1])
#define SA ((int32_t)A)
#define SB ((int32_t)B)
#define WA (scalar->source[0])
#define WB (scalar->source[1])
/* A 16-bit immediate, sign-extended. */
#define SK ((int32_t)(int16_t)scalar->source[1])

/* Result only; result and SCC; result and SCC = (result != 0); comparison. */
#define PLAIN(name, expression)                                                                    \
    static void name(struct reference_scalar *scalar)                                              \
    {                                                                                              \
        scalar->result = (uint64_t)(expression);                                                   \
        scalar->writes = true;                                                                     \
    }
#define WITH_SCC(name, expression, condition)                                                      \
    static void name(struct reference_scalar *scalar)                                              \
    {                                                                                              \
        bool holds = (condition);                                                                  \
                                                                                                   \
        scalar->result = (uint64_t)(expression);                                                   \
        scalar->scc = holds;                                                                       \
        scalar->writes = true;                                                                     \
    }
#define NONZERO(name, type, expression)                                                            \
    static void name(struct reference_scalar *scalar)                                              \
    {                                                                                              \
        scalar->result = (type)(expression);                                                       \
        scalar->scc = scalar->result != 0;                                                         \
        scalar->writes = true;                                                                     \
    }
#define CONDITION(name, condition)                                                                 \
    static void name(struct reference_scalar *scalar)                                              \
    {                                                                                              \
        scalar->scc = (condition);                                                                 \
    }

static bool outside_int32(int64_t value)
{
    return value < INT32_MIN || value > INT32_MAX;
}

WITH_SCC(add_u32, (uint32_t)(A + B), (uint64_t)A + B > UINT32_MAX)
WITH_SCC(sub_u32, (uint32_t)(A - B), B > A)
WITH_SCC(add_i32, (uint32_t)(A + B), outside_int32((int64_t)SA + SB))
WITH_SCC(sub_i32, (uint32_t)(A - B), outside_int32((int64_t)SA - SB))
WITH_SCC(addc_u32, (uint32_t)(A + B + scalar->scc), (uint64_t)A + B + scalar->scc > UINT32_MAX)
WITH_SCC(subb_u32, (uint32_t)(A - B - scalar->scc), (uint64_t)B + scalar->scc > A)
WITH_SCC(min_i32, SA < SB ? A : B, SA < SB)
WITH_SCC(min_u32, A < B ? A : B, A < B)
WITH_SCC(max_i32, SA > SB ? A : B, SA > SB)
WITH_SCC(max_u32, A > B ? A : B, A > B)
PLAIN(cselect, scalar->scc ? WA : WB)
NONZERO(and_32, uint32_t, (A & B))
NONZERO(and_64, uint64_t, (WA & WB))
NONZERO(or_32, uint32_t, A | B)
NONZERO(or_64, uint64_t, WA | WB)
NONZERO(xor_32, uint32_t, A ^ B)
NONZERO(xor_64, uint64_t, WA ^ WB)
NONZERO(andn2_32, uint32_t, A & ~B)
NONZERO(andn2_64, uint64_t, WA & ~WB)
NONZERO(orn2_32, uint32_t, A | ~B)
NONZERO(orn2_64, uint64_t, WA | ~WB)
NONZERO(nand_32, uint32_t, ~(A &B))
NONZERO(nand_64, uint64_t, ~(WA &WB))
NONZERO(nor_32, uint32_t, ~(A | B))
NONZERO(nor_64, uint64_t, ~(WA | WB))
NONZERO(xnor_32, uint32_t, ~(A ^ B))
NONZERO(xnor_64, uint64_t, ~(WA ^ WB))
NONZERO(lshl_32, uint32_t, A << (B & 31))
NONZERO(lshl_64, uint64_t, WA << (B & 63))
NONZERO(lshr_32, uint32_t, A >> (B & 31))
NONZERO(lshr_64, uint64_t, WA >> (B & 63))
NONZERO(ashr_32, uint32_t, SA >> (B & 31))
NONZERO(ashr_64, uint64_t, (int64_t)WA >> (B & 63))
PLAIN(bfm_32, (uint32_t)(((1ull << (A & 31)) - 1) << (B & 31)))
PLAIN(bfm_64, ((1ull << (A & 63)) - 1) << (B & 63))
PLAIN(mul_i32, (uint32_t)(A *B))
NONZERO(absdiff_i32, uint32_t, (int32_t)(A - B) < 0 ? 0 - (A - B) : A - B)

/* A field of `bits`-bit value: offset in the low bits of `where`, width in bits 22 to 16. */
static uint64_t field(uint64_t value, uint32_t where, unsigned bits, bool is_signed)
{
    unsigned offset = where & (bits - 1), width = (where >> 16) & 0x7f;
    uint64_t result = 0;

    if (width > bits - offset)
        width = bits - offset;
    for (unsigned i = 0; i < width; i++)
        result |= ((value >> (offset + i)) & 1) << i;
    for (unsigned i = width; is_signed && width > 0 && i < bits; i++)
        result |= ((result >> (width - 1)) & 1) << i;
    return result;
}

NONZERO(bfe_u32, uint32_t, field(A, B, 32, false))
NONZERO(bfe_i32, uint32_t, field(A, B, 32, true))
NONZERO(bfe_u64, uint64_t, field(WA, B, 64, false))
NONZERO(bfe_i64, uint64_t, field(WA, B, 64, true))

/* One operand. */
static uint32_t ones(uint64_t value)
{
    uint32_t count = 0;

    for (int i = 0; i < 64; i++)
        count += (value >> i) & 1;
    return count;
}

static uint64_t reversed(uint64_t value, int bits)
{
    uint64_t result = 0;

    for (int i = 0; i < bits; i++)
        result |= ((value >> i) & 1) << (bits - 1 - i);
    return result;
}

static uint32_t lowest_one(uint64_t value)
{
    for (uint32_t i = 0; i < 64; i++) {
        if ((value >> i) & 1)
            return i;
    }
    return UINT32_MAX;
}

static uint32_t highest_one(uint64_t value, int bits)
{
    for (int i = bits - 1; i >= 0; i--) {
        if ((value >> i) & 1)
            return (uint32_t)(bits - 1 - i);
    }
    return UINT32_MAX;
}

/* Groups of four bits: any bit set gives all four (whole quads), or one bit per group (quad mask).
 */
static uint64_t quads(uint64_t value, bool as_mask)
{
    uint64_t result = 0;

    for (int i = 0; i < 16; i++) {
        if ((value >> (4 * i)) & 15)
            result |= as_mask ? 1ull << i : 15ull << (4 * i);
    }
    return result;
}

PLAIN(mov, WA)
NONZERO(not_32, uint32_t, ~A)
NONZERO(not_64, uint64_t, ~WA)
NONZERO(wqm, uint64_t, quads(WA, false))
NONZERO(quadmask, uint64_t, quads(WA, true))
PLAIN(brev_32, reversed(A, 32))
PLAIN(brev_64, reversed(WA, 64))
NONZERO(bcnt0_32, uint32_t, 32 - ones(A))
NONZERO(bcnt0_64, uint32_t, 64 - ones(WA))
NONZERO(bcnt1, uint32_t, ones(WA))
PLAIN(ff0_32, lowest_one((uint32_t)~A))
PLAIN(ff0_64, lowest_one(~WA))
PLAIN(ff1, lowest_one(WA))
PLAIN(flbit_32, highest_one(A, 32))
PLAIN(flbit_64, highest_one(WA, 64))
PLAIN(flbit_i32, highest_one(SA < 0 ? ~A : A, 32))
PLAIN(flbit_i64, highest_one((int64_t)WA < 0 ? ~WA : WA, 64))
PLAIN(sext_i8, (uint32_t)(int32_t)(int8_t)A)
PLAIN(sext_i16, (uint32_t)(int32_t)(int16_t)A)
PLAIN(bitset0_32, scalar->old & ~(1ull << (A & 31)))
PLAIN(bitset0_64, scalar->old & ~(1ull << (A & 63)))
PLAIN(bitset1_32, scalar->old | (1ull << (A & 31)))
PLAIN(bitset1_64, scalar->old | (1ull << (A & 63)))
NONZERO(abs_i32, uint32_t, SA < 0 ? 0 - A : A)
PLAIN(getpc, scalar->next_pc)

static void cmov(struct reference_scalar *scalar)
{
    scalar->result = WA;
    scalar->writes = scalar->scc;
}

static void setpc(struct reference_scalar *scalar)
{
    scalar->target = WA;
    scalar->jumps = true;
}

static void swappc(struct reference_scalar *scalar)
{
    setpc(scalar);
    getpc(scalar);
}

#define SAVE_EXEC(name, expression)                                                                \
    static void name(struct reference_scalar *scalar)                                              \
    {                                                                                              \
        uint64_t exec = scalar->exec;                                                              \
                                                                                                   \
        scalar->result = exec;                                                                     \
        scalar->writes = true;                                                                     \
        scalar->exec = (expression);                                                               \
        scalar->scc = scalar->exec != 0;                                                           \
    }

SAVE_EXEC(and_saveexec, (WA & exec))
SAVE_EXEC(or_saveexec, WA | exec)
SAVE_EXEC(xor_saveexec, WA ^ exec)
SAVE_EXEC(andn2_saveexec, WA & ~exec)
SAVE_EXEC(orn2_saveexec, WA | ~exec)
SAVE_EXEC(nand_saveexec, ~(WA &exec))
SAVE_EXEC(nor_saveexec, ~(WA | exec))
SAVE_EXEC(xnor_saveexec, ~(WA ^ exec))

/* Comparisons, and with an immediate: sign-extended for the signed kinds, zero-extended else. */
CONDITION(cmp_eq, A == B)
CONDITION(cmp_lg, A != B)
CONDITION(cmp_gt_i32, SA > SB)
CONDITION(cmp_ge_i32, SA >= SB)
CONDITION(cmp_lt_i32, SA < SB)
CONDITION(cmp_le_i32, SA <= SB)
CONDITION(cmp_gt_u32, A > B)
CONDITION(cmp_ge_u32, A >= B)
CONDITION(cmp_lt_u32, A < B)
CONDITION(cmp_le_u32, A <= B)
CONDITION(bitcmp0_32, !((A >> (B & 31)) & 1))
CONDITION(bitcmp1_32, (A >> (B & 31)) & 1)
CONDITION(bitcmp0_64, !((WA >> (B & 63)) & 1))
CONDITION(bitcmp1_64, (WA >> (B & 63)) & 1)
CONDITION(cmpk_eq_i32, SA == SK)
CONDITION(cmpk_lg_i32, SA != SK)
CONDITION(cmpk_gt_i32, SA > SK)
CONDITION(cmpk_ge_i32, SA >= SK)
CONDITION(cmpk_lt_i32, SA < SK)
CONDITION(cmpk_le_i32, SA <= SK)
PLAIN(movk, (uint32_t)SK)
WITH_SCC(addk, (uint32_t)(A + (uint32_t)SK), outside_int32((int64_t)SA + SK))
PLAIN(mulk, (uint32_t)(A *(uint32_t)SK))

static void cmovk(struct reference_scalar *scalar)
{
    movk(scalar);
    scalar->writes = scalar->scc;
}

static const struct reference_scalar_op ops[] = {
    {"s_add_u32", "iii", add_u32},
    {"s_sub_u32", "iii", sub_u32},
    {"s_add_i32", "iii", add_i32},
    {"s_sub_i32", "iii", sub_i32},
    {"s_addc_u32", "iii", addc_u32},
    {"s_subb_u32", "iii", subb_u32},
    {"s_min_i32", "iii", min_i32},
    {"s_min_u32", "iii", min_u32},
    {"s_max_i32", "iii", max_i32},
    {"s_max_u32", "iii", max_u32},
    {"s_cselect_b32", "iii", cselect},
    {"s_cselect_b64", "lll", cselect},
    {"s_and_b32", "iii", and_32},
    {"s_and_b64", "lll", and_64},
    {"s_or_b32", "iii", or_32},
    {"s_or_b64", "lll", or_64},
    {"s_xor_b32", "iii", xor_32},
    {"s_xor_b64", "lll", xor_64},
    {"s_andn2_b32", "iii", andn2_32},
    {"s_andn2_b64", "lll", andn2_64},
    {"s_orn2_b32", "iii", orn2_32},
    {"s_orn2_b64", "lll", orn2_64},
    {"s_nand_b32", "iii", nand_32},
    {"s_nand_b64", "lll", nand_64},
    {"s_nor_b32", "iii", nor_32},
    {"s_nor_b64", "lll", nor_64},
    {"s_xnor_b32", "iii", xnor_32},
    {"s_xnor_b64", "lll", xnor_64},
    {"s_lshl_b32", "iii", lshl_32},
    {"s_lshl_b64", "lli", lshl_64},
    {"s_lshr_b32", "iii", lshr_32},
    {"s_lshr_b64", "lli", lshr_64},
    {"s_ashr_i32", "iii", ashr_32},
    {"s_ashr_i64", "lli", ashr_64},
    {"s_bfm_b32", "iii", bfm_32},
    {"s_bfm_b64", "lii", bfm_64},
    {"s_mul_i32", "iii", mul_i32},
    {"s_bfe_u32", "iii", bfe_u32},
    {"s_bfe_i32", "iii", bfe_i32},
    {"s_bfe_u64", "lli", bfe_u64},
    {"s_bfe_i64", "lli", bfe_i64},
    {"s_absdiff_i32", "iii", absdiff_i32},
    {"s_mov_b32", "ii", mov},
    {"s_mov_b64", "ll", mov},
    {"s_cmov_b32", "ii", cmov},
    {"s_cmov_b64", "ll", cmov},
    {"s_not_b32", "ii", not_32},
    {"s_not_b64", "ll", not_64},
    {"s_wqm_b32", "ii", wqm},
    {"s_wqm_b64", "ll", wqm},
    {"s_quadmask_b32", "ii", quadmask},
    {"s_quadmask_b64", "ll", quadmask},
    {"s_brev_b32", "ii", brev_32},
    {"s_brev_b64", "ll", brev_64},
    {"s_bcnt0_i32_b32", "ii", bcnt0_32},
    {"s_bcnt0_i32_b64", "il", bcnt0_64},
    {"s_bcnt1_i32_b32", "ii", bcnt1},
    {"s_bcnt1_i32_b64", "il", bcnt1},
    {"s_ff0_i32_b32", "ii", ff0_32},
    {"s_ff0_i32_b64", "il", ff0_64},
    {"s_ff1_i32_b32", "ii", ff1},
    {"s_ff1_i32_b64", "il", ff1},
    {"s_flbit_i32_b32", "ii", flbit_32},
    {"s_flbit_i32_b64", "il", flbit_64},
    {"s_flbit_i32", "ii", flbit_i32},
    {"s_flbit_i32_i64", "il", flbit_i64},
    {"s_sext_i32_i8", "ii", sext_i8},
    {"s_sext_i32_i16", "ii", sext_i16},
    {"s_bitset0_b32", "ii", bitset0_32},
    {"s_bitset0_b64", "li", bitset0_64},
    {"s_bitset1_b32", "ii", bitset1_32},
    {"s_bitset1_b64", "li", bitset1_64},
    {"s_abs_i32", "ii", abs_i32},
    {"s_getpc_b64", "l", getpc},
    {"s_setpc_b64", "-l", setpc},
    {"s_swappc_b64", "ll", swappc},
    {"s_and_saveexec_b64", "ll", and_saveexec},
    {"s_or_saveexec_b64", "ll", or_saveexec},
    {"s_xor_saveexec_b64", "ll", xor_saveexec},
    {"s_andn2_saveexec_b64", "ll", andn2_saveexec},
    {"s_orn2_saveexec_b64", "ll", orn2_saveexec},
    {"s_nand_saveexec_b64", "ll", nand_saveexec},
    {"s_nor_saveexec_b64", "ll", nor_saveexec},
    {"s_xnor_saveexec_b64", "ll", xnor_saveexec},
    {"s_cmp_eq_i32", "-ii", cmp_eq},
    {"s_cmp_lg_i32", "-ii", cmp_lg},
    {"s_cmp_gt_i32", "-ii", cmp_gt_i32},
    {"s_cmp_ge_i32", "-ii", cmp_ge_i32},
    {"s_cmp_lt_i32", "-ii", cmp_lt_i32},
    {"s_cmp_le_i32", "-ii", cmp_le_i32},
    {"s_cmp_eq_u32", "-ii", cmp_eq},
    {"s_cmp_lg_u32", "-ii", cmp_lg},
    {"s_cmp_gt_u32", "-ii", cmp_gt_u32},
    {"s_cmp_ge_u32", "-ii", cmp_ge_u32},
    {"s_cmp_lt_u32", "-ii", cmp_lt_u32},
    {"s_cmp_le_u32", "-ii", cmp_le_u32},
    {"s_bitcmp0_b32", "-ii", bitcmp0_32},
    {"s_bitcmp1_b32", "-ii", bitcmp1_32},
    {"s_bitcmp0_b64", "-li", bitcmp0_64},
    {"s_bitcmp1_b64", "-li", bitcmp1_64},
    {"s_movk_i32", "ik", movk},
    {"s_cmovk_i32", "ik", cmovk},
    {"s_cmpk_eq_i32", "-ik", cmpk_eq_i32},
    {"s_cmpk_lg_i32", "-ik", cmpk_lg_i32},
    {"s_cmpk_gt_i32", "-ik", cmpk_gt_i32},
    {"s_cmpk_ge_i32", "-ik", cmpk_ge_i32},
    {"s_cmpk_lt_i32", "-ik", cmpk_lt_i32},
    {"s_cmpk_le_i32", "-ik", cmpk_le_i32},
    {"s_cmpk_eq_u32", "-ik", cmp_eq},
    {"s_cmpk_lg_u32", "-ik", cmp_lg},
    {"s_cmpk_gt_u32", "-ik", cmp_gt_u32},
    {"s_cmpk_ge_u32", "-ik", cmp_ge_u32},
    {"s_cmpk_lt_u32", "-ik", cmp_lt_u32},
    {"s_cmpk_le_u32", "-ik", cmp_le_u32},
    {"s_addk_i32", "ik", addk},
    {"s_mulk_i32", "ik", mulk},
};

const struct reference_scalar_op *reference_scalar_ops(size_t *count)
{
    *count = sizeof ops / sizeof ops[0];
    return ops;
}
