/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/lanes.h"

/*
 * The most frequent operations run without the NaN rule first: `plain` computes the results. Only
 * if one of them is a NaN is everything computed again, by `exact`.
 */
#define FREQUENT(name, flush, third, plain, exact)                                                 \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(room_c);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
        const uint32_t *row_c = third;                                                             \
        uint32_t any_nan = 0;                                                                      \
                                                                                                   \
        (void)room_c;                                                                              \
        FOR_LANES                                                                                  \
        {                                                                                          \
            float a = SOURCE_##flush(row_a[lane]), b = SOURCE_##flush(row_b[lane]);                \
            float c = SOURCE_##flush(row_c[lane]);                                                 \
            float value = (plain);                                                                 \
                                                                                                   \
            (void)c;                                                                               \
            result[lane] = RESULT_##flush(value);                                                  \
            any_nan |= value != value;                                                             \
        }                                                                                          \
        if (__builtin_expect(any_nan != 0, 0))                                                     \
            FOR_LANES                                                                              \
            {                                                                                      \
                float a = SOURCE_##flush(row_a[lane]), b = SOURCE_##flush(row_b[lane]);            \
                float c = SOURCE_##flush(row_c[lane]);                                             \
                                                                                                   \
                (void)c;                                                                           \
                result[lane] = RESULT_##flush(exact);                                              \
            }                                                                                      \
        store_float(wave, instruction, result);                                                    \
    }
#define NO_THIRD row_a
#define SOURCE_THIRD operand_fetch(wave, instruction, 2, room_c)
#define DESTINATION_THIRD wave->vector[instruction->destination]

FREQUENT(v_add_f32, FLUSHED, NO_THIRD, a + b, gcn_add_f32(a, b))
FREQUENT(v_sub_f32, FLUSHED, NO_THIRD, a - b, gcn_sub_f32(a, b))
FREQUENT(v_subrev_f32, FLUSHED, NO_THIRD, b - a, gcn_sub_f32(b, a))
FREQUENT(v_mul_f32, FLUSHED, NO_THIRD, a *b, gcn_mul_f32(a, b))

/* v_mad flushes by itself, whatever MODE says. */
static inline float plain_mad(float a, float b, float c)
{
    float product = gcn_flush_f32(gcn_flush_f32(a) * gcn_flush_f32(b));

    return gcn_flush_f32(product + gcn_flush_f32(c));
}
FREQUENT(v_mad_f32, RAW, SOURCE_THIRD, plain_mad(a, b, c), gcn_mad_f32(a, b, c))
FREQUENT(v_madmk_f32, RAW, SOURCE_THIRD, plain_mad(a, b, c), gcn_mad_f32(a, b, c))
FREQUENT(v_madak_f32, RAW, SOURCE_THIRD, plain_mad(a, b, c), gcn_mad_f32(a, b, c))
FREQUENT(v_mac_f32, RAW, DESTINATION_THIRD, plain_mad(a, b, c), gcn_mad_f32(a, b, c))

FLOAT_2(v_mul_legacy_f32, FLUSHED, gcn_mul_legacy_f32(a, b))
FLOAT_2(v_min_f32, RAW, gcn_min_f32(a, b))
FLOAT_2(v_max_f32, RAW, gcn_max_f32(a, b))
FLOAT_2(v_min_legacy_f32, RAW, gcn_min_legacy_f32(a, b))
FLOAT_2(v_max_legacy_f32, RAW, gcn_max_legacy_f32(a, b))

FLOAT_3(v_mad_legacy_f32, RAW, gcn_mad_legacy_f32(a, b, c))
FLOAT_3(v_mullit_f32, FLUSHED, gcn_mullit_f32(a, b, c))
FLOAT_3(v_fma_f32, FLUSHED, gcn_fma_f32(a, b, c))
FLOAT_3(v_min3_f32, RAW, gcn_min3_f32(a, b, c))
FLOAT_3(v_max3_f32, RAW, gcn_max3_f32(a, b, c))
FLOAT_3(v_med3_f32, RAW, gcn_med3_f32(a, b, c))
FLOAT_3(v_cubeid_f32, FLUSHED, gcn_cubeid_f32(a, b, c))
FLOAT_3(v_cubesc_f32, FLUSHED, gcn_cubesc_f32(a, b, c))
FLOAT_3(v_cubetc_f32, FLUSHED, gcn_cubetc_f32(a, b, c))
FLOAT_3(v_cubema_f32, FLUSHED, gcn_cubema_f32(a, b, c))
FLOAT_3(v_div_fixup_f32, FLUSHED, gcn_div_fixup_f32(a, b, c))

#define ACCUMULATE(name, function)                                                                 \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
        const uint32_t *row_c = wave->vector[instruction->destination];                            \
                                                                                                   \
        FOR_LANES result[lane] = gcn_bits_f32(                                                     \
            function(gcn_float(row_a[lane]), gcn_float(row_b[lane]), gcn_float(row_c[lane])));     \
        store_float(wave, instruction, result);                                                    \
    }
ACCUMULATE(v_mac_legacy_f32, gcn_mad_legacy_f32)

FLOAT_1(v_fract_f32, FLUSHED, gcn_fract_f32(a))
FLOAT_1(v_trunc_f32, FLUSHED, gcn_trunc_f32(a))
FLOAT_1(v_ceil_f32, FLUSHED, gcn_ceil_f32(a))
FLOAT_1(v_rndne_f32, FLUSHED, gcn_rndne_f32(a))
FLOAT_1(v_floor_f32, FLUSHED, gcn_floor_f32(a))
FLOAT_1(v_frexp_mant_f32, FLUSHED, gcn_frexp_mant_f32(a))

/* These treat denormals as zeros by themselves. */
FLOAT_1(v_exp_f32, RAW, gcn_exp2_f32(a))
FLOAT_1(v_log_clamp_f32, RAW, gcn_log_clamp_f32(a))
FLOAT_1(v_log_f32, RAW, gcn_log2_f32(a))
FLOAT_1(v_rcp_clamp_f32, RAW, gcn_rcp_clamp_f32(a))
FLOAT_1(v_rcp_legacy_f32, RAW, gcn_rcp_legacy_f32(a))
FLOAT_1(v_rcp_f32, RAW, gcn_rcp_f32(a))
FLOAT_1(v_rcp_iflag_f32, RAW, gcn_rcp_iflag_f32(a))
FLOAT_1(v_rsq_clamp_f32, RAW, gcn_rsq_clamp_f32(a))
FLOAT_1(v_rsq_legacy_f32, RAW, gcn_rsq_legacy_f32(a))
FLOAT_1(v_rsq_f32, RAW, gcn_rsq_f32(a))
FLOAT_1(v_sqrt_f32, RAW, gcn_sqrt_f32(a))
FLOAT_1(v_sin_f32, RAW, gcn_sin_f32(a))
FLOAT_1(v_cos_f32, RAW, gcn_cos_f32(a))

BODY(v_ldexp_f32)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(result);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);

    FOR_LANES result[lane] =
        RESULT_FLUSHED(gcn_ldexp_f32(SOURCE_FLUSHED(row_a[lane]), (int32_t)row_b[lane]));
    store_float(wave, instruction, result);
}

BODY(v_frexp_exp_i32_f32)
{
    ROW_OF(room_a);
    ROW_OF(result);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);

    FOR_LANES result[lane] = (uint32_t)gcn_frexp_exp_f32(SOURCE_FLUSHED(row_a[lane]));
    result_store(wave, instruction->destination, result);
}

BODY(v_div_scale_f32)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(room_c);
    ROW_OF(result);
    ROW_OF(truth);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);
    const uint32_t *row_c = operand_fetch(wave, instruction, 2, room_c);

    FOR_LANES
    {
        bool flag;
        float value = gcn_div_scale_f32(SOURCE_FLUSHED(row_a[lane]), SOURCE_FLUSHED(row_b[lane]),
                                        SOURCE_FLUSHED(row_c[lane]), &flag);

        result[lane] = RESULT_FLUSHED(value);
        truth[lane] = flag;
    }
    store_float(wave, instruction, result);
    store_mask(wave, instruction, truth);
}

BODY(v_div_fmas_f32)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(room_c);
    ROW_OF(flags);
    ROW_OF(result);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);
    const uint32_t *row_c = operand_fetch(wave, instruction, 2, room_c);

    row_of_mask(flags, gcn_scalar_pair(wave, GCN_VCC));
    FOR_LANES
    {
        float value = gcn_div_fmas_f32(SOURCE_FLUSHED(row_a[lane]), SOURCE_FLUSHED(row_b[lane]),
                                       SOURCE_FLUSHED(row_c[lane]), flags[lane] != 0);

        result[lane] = RESULT_FLUSHED(value);
    }
    store_float(wave, instruction, result);
}
