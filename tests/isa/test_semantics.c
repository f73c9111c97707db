/* SPDX-License-Identifier: MIT */
/*
 * Does every instruction do what the manual says? Each operation in its forms (short, long,
 * modifiers, operands of each kind), encoded by LLVM's assembler, run on random and special values
 * under random EXEC masks, compared with a scalar reference written apart from src/isa; with the
 * plain and the fastest variant of the lane loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference_cases.h"
#include "reference_sequences.h"

/* Operations of the thesis's own programs, which must be covered; clang emitted the others too, for
 * some 960 kernels. */
static const char *const required[] = {
    "s_waitcnt",
    "s_mov_b32",
    "v_add_i32",
    "v_mov_b32",
    "v_cndmask_b32",
    "v_mul_f32",
    "buffer_load_dword",
    "v_mac_f32",
    "s_mov_b64",
    "v_mul_f64",
    "buffer_load_dwordx2",
    "v_lshlrev_b32",
    "v_add_f64",
    "v_mad_f32",
    "v_addc_u32",
    "v_add_f32",
    "v_sub_f32",
    "v_and_b32",
    "buffer_store_dword",
    "s_or_b64",
    "ds_read_b32",
    "s_add_i32",
    "s_cbranch_execz",
    "v_or_b32",
    "v_mul_lo_u32",
    "s_and_saveexec_b64",
    "v_cmp_eq_u32",
    "s_load_dword",
    "ds_write_b32",
    "v_ashrrev_i32",
    "v_lshrrev_b32",
    "s_mul_i32",
    "v_lshl_b64",
    "v_mul_hi_u32",
    "s_and_b64",
    "v_sub_i32",
    "v_madmk_f32",
    "buffer_store_dwordx2",
    "v_madak_f32",
    "v_cmp_gt_f32",
    "s_addc_u32",
    "s_add_u32",
    "v_xor_b32",
    "s_barrier",
    "s_and_b32",
    "v_rcp_f32",
    "s_xor_b64",
    "s_movk_i32",
    "s_load_dwordx2",
    "v_cmp_ne_u32",
    "s_lshl_b32",
    "s_endpgm",
    "s_sub_i32",
    "s_branch",
    "v_subrev_i32",
    "ds_read_b64",
    "s_load_dwordx4",
    "ds_read2_b32",
    "v_bfe_u32",
    "v_cmp_gt_u32",
    "v_cmp_gt_i32",
    "s_cselect_b32",
    "s_cbranch_scc1",
    "s_lshl_b64",
    "buffer_load_dwordx4",
    "s_ashr_i32",
    "v_cvt_f32_i32",
    "v_cmp_lt_i32",
    "v_cmp_lt_u32",
    "s_andn2_b64",
    "buffer_store_dwordx4",
    "v_cvt_u32_f32",
    "s_cmp_ge_u32",
    "ds_read2_b64",
    "v_cmp_le_u32",
    "s_lshr_b32",
    "v_readfirstlane_b32",
    "v_cvt_i32_f32",
    "v_ashr_i64",
    "v_cvt_f32_u32",
    "s_cselect_b64",
    "v_cvt_f64_i32",
    "s_getpc_b64",
    "v_cmp_ngt_f32",
    "ds_write_b8",
    "s_cbranch_vccnz",
    "s_cmp_lg_u32",
    "v_alignbit_b32",
    "ds_write2_b32",
    "s_cmp_lt_i32",
    "s_load_dwordx8",
    "buffer_wbinvl1",
    "v_cvt_f64_f32",
    "s_cmp_eq_u32",
    "s_cbranch_scc0",
    "v_cvt_f32_f64",
    "s_cbranch_execnz",
    "v_rcp_iflag_f32",
    "s_or_b32",
    "v_cmp_lt_f32",
    "ds_write_b64",
    "v_trunc_f32",
    "v_cmp_ne_u64",
    "v_min_u32",
    "s_andn2_saveexec_b64",
    "v_mul_u32_u24",
    "v_max_i32",
    "v_not_b32",
    "ds_read_u8",
    "s_not_b32",
    "v_cmp_le_i32",
    "s_cbranch_vccz",
    "v_ffbh_u32",
    "v_mad_i32_i24",
    "v_cmp_eq_f32",
    "v_sqrt_f32",
    "s_cmp_lt_u32",
    "v_cmp_ge_i32",
    "s_abs_i32",
    "s_xor_b32",
    "v_cmp_nlt_f32",
    "v_mul_hi_i32",
    "s_load_dwordx16",
    "s_brev_b32",
    "v_bfe_i32",
    "v_max_f32",
    "v_cvt_f32_ubyte0",
    "s_cmp_gt_i32",
    "v_subb_u32",
    "v_cmp_neq_f32",
    "v_cmp_ge_f32",
    "ds_write2_b64",
    "ds_write_b16",
    "s_cmp_gt_u32",
    "v_min_i32",
    "v_cvt_f32_ubyte1",
    "s_bfe_u32",
    "v_movrels_b32",
    "v_movreld_b32",
    "s_cmp_ge_i32",
    "v_max_legacy_f32",
    "s_or_saveexec_b64",
    "v_cmp_u_f32",
    "v_subbrev_u32",
    "s_subb_u32",
    "v_cvt_f32_ubyte2",
    "s_sub_u32",
    "ds_read_u16",
    "v_cvt_f32_ubyte3",
    "v_cmp_nle_f32",
    "v_max_u32",
    "s_cmp_le_u32",
    "s_min_u32",
    "v_bfrev_b32",
    "s_cmpk_lt_i32",
    "s_ashr_i64",
    "s_addk_i32",
    "s_cmpk_eq_i32",
    "v_cmp_ge_u64",
    "v_cmp_nlg_f32",
    "s_bitcmp0_b32",
    "v_med3_u32",
    "s_cmpk_gt_u32",
    "s_andn2_b32",
    "s_cmpk_lg_i32",
    "s_bfm_b32",
};

static const char *const wanted[] = {
    "v_fma_f64",
    "v_readlane_b32",
    "v_div_scale_f64",
    "buffer_load_ubyte",
    "v_rcp_f64",
    "v_div_fmas_f64",
    "v_div_fixup_f64",
    "v_cmp_ngt_f64",
    "v_writelane_b32",
    "v_ldexp_f64",
    "s_swappc_b64",
    "buffer_store_byte",
    "v_cvt_i32_f64",
    "v_cmp_nlt_f64",
    "v_cmp_o_f64",
    "v_cmp_o_f32",
    "v_min_f64",
    "buffer_store_short",
    "v_max3_i32",
    "v_min_f32",
    "v_fma_f32",
    "v_bfi_b32",
    "v_cmp_ge_u32",
    "v_cmp_gt_u64",
    "buffer_load_ushort",
    "v_cmp_eq_u64",
    "v_rndne_f32",
    "v_cmp_neq_f64",
    "v_mbcnt_lo_u32_b32",
    "v_mbcnt_hi_u32_b32",
    "v_cvt_f64_u32",
    "v_cmp_gt_f64",
    "v_cmp_le_f64",
    "v_max_f64",
    "s_setreg_imm32_b32",
    "v_lshl_b32",
    "buffer_atomic_add",
    "v_lshr_b64",
    "v_div_scale_f32",
    "v_mad_u32_u24",
    "v_cmp_ge_f64",
    "v_cmp_gt_i64",
    "ds_inc_u32",
    "v_rsq_f32",
    "v_cmp_class_f64",
    "ds_write2st64_b32",
    "s_bcnt1_i32_b64",
    "ds_read2st64_b32",
    "buffer_load_sbyte",
    "v_cmp_class_f32",
    "v_div_fmas_f32",
    "v_div_fixup_f32",
    "s_sext_i32_i8",
    "s_ff1_i32_b64",
    "v_fract_f32",
    "v_cos_f32",
    "v_cmp_lt_f64",
    "v_fract_f64",
    "v_cmp_u_f64",
    "v_subrev_f32",
    "ds_add_u32",
    "v_cmp_lt_u64",
    "v_sin_f32",
    "s_nop",
    "s_max_i32",
    "v_cmp_le_f32",
    "v_min_legacy_f32",
    "v_floor_f32",
    "s_orn2_b64",
    "v_ldexp_f32",
    "s_bfe_i32",
    "v_rsq_f64",
    "v_med3_f32",
    "ds_add_rtn_u32",
    "v_sad_u32",
    "s_lshr_b64",
    "v_cmp_nge_f32",
    "v_cmp_lg_f64",
    "buffer_atomic_swap",
    "v_log_f32",
    "v_cvt_u32_f64",
    "buffer_atomic_cmpswap",
    "s_bitcmp1_b32",
    "v_max3_f32",
    "s_nor_b64",
    "v_mul_i32_i24",
    "buffer_atomic_smax",
    "v_cmp_le_u64",
    "buffer_atomic_inc",
    "v_med3_i32",
    "s_flbit_i32_b32",
    "s_setpc_b64",
    "buffer_atomic_smin",
    "s_cmpk_lt_u32",
    "buffer_atomic_umin",
    "v_cmp_lt_i64",
    "v_cmp_nlg_f64",
    "ds_inc_rtn_u32",
    "s_mulk_i32",
    "s_max_u32",
    "buffer_atomic_sub",
    "v_cmp_eq_f64",
    "ds_cmpst_rtn_b32",
    "v_cmp_lg_f32",
    "v_ceil_f32",
    "v_min3_i32",
    "buffer_atomic_umax",
    "s_min_i32",
    "v_exp_f32",
    "ds_dec_rtn_u32",
    "v_cmp_nge_f64",
    "ds_read2st64_b64",
    "s_ff1_i32_b32",
    "buffer_atomic_or",
    "v_cmp_le_i64",
    "s_bitset0_b32",
    "s_bfe_i64",
    "v_min3_f32",
    "buffer_atomic_umax_x2",
    "ds_max_rtn_u32",
    "ds_sub_rtn_u64",
    "ds_wrxchg_rtn_b32",
    "ds_cmpst_rtn_b64",
    "ds_and_rtn_b32",
    "ds_xor_rtn_b32",
    "buffer_atomic_and",
    "buffer_atomic_swap_x2",
    "ds_or_rtn_b64",
    "ds_max_rtn_u64",
    "ds_min_rtn_i64",
    "ds_inc_rtn_u64",
    "buffer_atomic_cmpswap_x2",
    "ds_or_rtn_b32",
    "ds_max_rtn_i64",
    "buffer_atomic_xor",
    "ds_dec_rtn_u64",
    "ds_max_rtn_i32",
    "buffer_atomic_smax_x2",
    "ds_xor_rtn_b64",
    "buffer_atomic_inc_x2",
    "buffer_atomic_xor_x2",
    "ds_sub_rtn_u32",
    "buffer_load_sshort",
    "v_min3_u32",
    "v_bcnt_u32_b32",
};

static struct harness harness;

static bool is_covered(const char *name)
{
    for (size_t i = 0; i < harness.case_count; i++) {
        if (strcmp(harness.cases[i].name, name) == 0)
            return true;
    }
    return false;
}

static size_t count_uncovered(const char *const *names, size_t count, const char *what)
{
    size_t uncovered = 0;

    for (size_t i = 0; i < count; i++) {
        if (is_covered(names[i]))
            continue;
        printf("not covered (%s): %s\n", what, names[i]);
        uncovered++;
    }
    return uncovered;
}

static size_t count_names(void)
{
    size_t names = 0;

    for (size_t i = 0; i < harness.case_count; i++) {
        size_t first = 0;

        while (strcmp(harness.cases[first].name, harness.cases[i].name) != 0)
            first++;
        names += first == i;
    }
    return names;
}

static void every_instruction_does_what_the_manual_says(void **state)
{
    harness_init(&harness);
    add_vector_cases(&harness);
    add_scalar_cases(&harness);
    add_control_cases(&harness);
    add_memory_cases(&harness);
    assert_true(harness_run(&harness));
    printf("%zu operations in %zu instructions, %zu runs of 64 lanes on each of %d variants, %zu "
           "failures\n",
           count_names(), harness.case_count, harness.runs, HARNESS_VARIANTS, harness.failures);
    assert_int_equal(harness.failures, 0);
}

static void every_instruction_of_the_thesis_programs_is_covered(void **state)
{
    size_t missing = count_uncovered(required, sizeof required / sizeof required[0], "required");

    missing += count_uncovered(wanted, sizeof wanted / sizeof wanted[0], "seen from clang");
    harness_finish(&harness);
    assert_int_equal(missing, 0);
}

/* 300 rounds of 64 lanes each: about 19,000 pairs of operands. */
static void division_and_square_root_are_correctly_rounded(void **state)
{
    size_t count, wrong = 0;
    const struct sequence *list = sequences(&count);

    harness_init(&harness);
    for (size_t i = 0; i < count; i++) {
        bool assembled;

        wrong += sequence_run(&harness, &list[i], 300, &assembled);
        assert_true(assembled);
    }
    harness_finish(&harness);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_does_what_the_manual_says),
        cmocka_unit_test(every_instruction_of_the_thesis_programs_is_covered),
        cmocka_unit_test(division_and_square_root_are_correctly_rounded),
    };

    return cmocka_run_group_tests_name("isa/semantics", tests, NULL, NULL);
}
