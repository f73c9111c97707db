/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/lanes.h"

DOUBLE_2(v_add_f64, FLUSHED, gcn_add_f64(a, b))
DOUBLE_2(v_mul_f64, FLUSHED, gcn_mul_f64(a, b))
DOUBLE_2(v_min_f64, RAW, gcn_min_f64(a, b))
DOUBLE_2(v_max_f64, RAW, gcn_max_f64(a, b))
DOUBLE_3(v_fma_f64, FLUSHED, gcn_fma_f64(a, b, c))
DOUBLE_3(v_div_fixup_f64, FLUSHED, gcn_div_fixup_f64(a, b, c))

DOUBLE_1(v_rcp_f64, FLUSHED, gcn_rcp_f64(a))
DOUBLE_1(v_rcp_clamp_f64, FLUSHED, gcn_rcp_clamp_f64(a))
DOUBLE_1(v_rsq_f64, FLUSHED, gcn_rsq_f64(a))
DOUBLE_1(v_rsq_clamp_f64, FLUSHED, gcn_rsq_clamp_f64(a))
DOUBLE_1(v_sqrt_f64, FLUSHED, gcn_sqrt_f64(a))
DOUBLE_1(v_fract_f64, FLUSHED, gcn_fract_f64(a))
DOUBLE_1(v_frexp_mant_f64, FLUSHED, gcn_frexp_mant_f64(a))

BODY(v_frexp_exp_i32_f64)
{
    ROW_OF(room_0);
    ROW_OF(room_1);
    ROW_OF(result);
    struct row_pair pair = fetch_pair(wave, instruction, 0, room_0, room_1);

    FOR_LANES result[lane] = (uint32_t)gcn_frexp_exp_f64(SOURCE_64_FLUSHED(pair));
    result_store(wave, instruction->destination, result);
}

/* A double and an integer. */
#define DOUBLE_INTEGER(name, expression)                                                           \
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
            double a = SOURCE_64_FLUSHED(pair_a);                                                  \
            uint32_t b = row_b[lane];                                                              \
            uint64_t bits = RESULT_64_FLUSHED(expression);                                         \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_double(wave, instruction, low, high);                                                \
    }
DOUBLE_INTEGER(v_ldexp_f64, gcn_ldexp_f64(a, (int32_t)b))
DOUBLE_INTEGER(v_trig_preop_f64, gcn_trig_preop_f64(a, b))

BODY(v_div_scale_f64)
{
    ROW_OF(room_0);
    ROW_OF(room_1);
    ROW_OF(room_2);
    ROW_OF(room_3);
    ROW_OF(room_4);
    ROW_OF(room_5);
    ROW_OF(low);
    ROW_OF(high);
    ROW_OF(truth);
    struct row_pair a = fetch_pair(wave, instruction, 0, room_0, room_1);
    struct row_pair b = fetch_pair(wave, instruction, 1, room_2, room_3);
    struct row_pair c = fetch_pair(wave, instruction, 2, room_4, room_5);

    FOR_LANES
    {
        bool flag;
        double value = gcn_div_scale_f64(SOURCE_64_FLUSHED(a), SOURCE_64_FLUSHED(b),
                                         SOURCE_64_FLUSHED(c), &flag);
        uint64_t bits = RESULT_64_FLUSHED(value);

        SPLIT(bits);
        truth[lane] = flag;
    }
    store_double(wave, instruction, low, high);
    store_mask(wave, instruction, truth);
}

BODY(v_div_fmas_f64)
{
    ROW_OF(room_0);
    ROW_OF(room_1);
    ROW_OF(room_2);
    ROW_OF(room_3);
    ROW_OF(room_4);
    ROW_OF(room_5);
    ROW_OF(low);
    ROW_OF(high);
    ROW_OF(flags);
    struct row_pair a = fetch_pair(wave, instruction, 0, room_0, room_1);
    struct row_pair b = fetch_pair(wave, instruction, 1, room_2, room_3);
    struct row_pair c = fetch_pair(wave, instruction, 2, room_4, room_5);

    row_of_mask(flags, gcn_scalar_pair(wave, GCN_VCC));
    FOR_LANES
    {
        double value = gcn_div_fmas_f64(SOURCE_64_FLUSHED(a), SOURCE_64_FLUSHED(b),
                                        SOURCE_64_FLUSHED(c), flags[lane] != 0);
        uint64_t bits = RESULT_64_FLUSHED(value);

        SPLIT(bits);
    }
    store_double(wave, instruction, low, high);
}
