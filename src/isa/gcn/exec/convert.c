/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/lanes.h"

/* From single precision to an integer or bits. */
#define FROM_FLOAT_1(name, expression)                                                             \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            float a = SOURCE_FLUSHED(row_a[lane]);                                                 \
                                                                                                   \
            result[lane] = (uint32_t)(expression);                                                 \
        }                                                                                          \
        result_store(wave, instruction->destination, result);                                      \
    }
#define FROM_FLOAT_2(name, expression)                                                             \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            float a = SOURCE_FLUSHED(row_a[lane]), b = SOURCE_FLUSHED(row_b[lane]);                \
                                                                                                   \
            result[lane] = (uint32_t)(expression);                                                 \
        }                                                                                          \
        result_store(wave, instruction->destination, result);                                      \
    }

/* Toward zero, saturating, NaN to 0. The cast sees only what it is defined for, so that the
 * processor's own conversion does the work. */
static inline int32_t to_signed(float value)
{
    bool is_inside = (value > -2147483648.0f) & (value < 2147483648.0f);
    int32_t inside = (int32_t)(is_inside ? value : 0.0f);
    int32_t outside = value >= 2147483648.0f ? INT32_MAX : value <= -2147483648.0f ? INT32_MIN : 0;

    return is_inside ? inside : outside;
}

static inline uint32_t to_unsigned(float value)
{
    bool is_high = (value >= 2147483648.0f) & (value < 4294967296.0f);
    bool is_low = (value > 0.0f) & (value < 2147483648.0f);
    int32_t low = (int32_t)(is_low ? value : 0.0f);
    int32_t high = (int32_t)(is_high ? value - 2147483648.0f : 0.0f);
    uint32_t result = is_high ? (uint32_t)high | 0x80000000u : (uint32_t)low;

    return value >= 4294967296.0f ? UINT32_MAX : result;
}

FROM_FLOAT_1(v_cvt_u32_f32, to_unsigned(a))
FROM_FLOAT_1(v_cvt_i32_f32, to_signed(a))
FROM_FLOAT_1(v_cvt_rpi_i32_f32, gcn_cvt_rpi_i32_f32(a))
FROM_FLOAT_1(v_cvt_flr_i32_f32, gcn_cvt_flr_i32_f32(a))
FROM_FLOAT_1(v_cvt_f16_f32, gcn_f32_to_f16(a))
FROM_FLOAT_2(v_cvt_pknorm_i16_f32, gcn_cvt_pknorm_i16_f32(a, b))
FROM_FLOAT_2(v_cvt_pknorm_u16_f32, gcn_cvt_pknorm_u16_f32(a, b))
FROM_FLOAT_2(v_cvt_pkrtz_f16_f32, gcn_cvt_pkrtz_f16_f32(a, b))

/* From an integer or bits to single precision. */
#define TO_FLOAT(name, expression)                                                                 \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint32_t a = row_a[lane];                                                              \
                                                                                                   \
            result[lane] = RESULT_FLUSHED(expression);                                             \
        }                                                                                          \
        store_float(wave, instruction, result);                                                    \
    }
TO_FLOAT(v_cvt_f32_i32, gcn_i32_to_f32((int32_t)a))
/* The compiler's sequence for the vector gives -0 for 0 when rounding down. */
TO_FLOAT(v_cvt_f32_u32, a == 0 ? 0.0f : gcn_u32_to_f32(a))
TO_FLOAT(v_cvt_f32_f16, gcn_f16_to_f32(a))
TO_FLOAT(v_cvt_off_f32_i4, gcn_cvt_off_f32_i4(a))
TO_FLOAT(v_cvt_f32_ubyte0, gcn_i32_to_f32((int32_t)(a & 0xff)))
TO_FLOAT(v_cvt_f32_ubyte1, gcn_i32_to_f32((int32_t)(a >> 8 & 0xff)))
TO_FLOAT(v_cvt_f32_ubyte2, gcn_i32_to_f32((int32_t)(a >> 16 & 0xff)))
TO_FLOAT(v_cvt_f32_ubyte3, gcn_i32_to_f32((int32_t)(a >> 24)))

/* From double precision to 32 bits. */
#define FROM_DOUBLE(name, store_result, expression)                                                \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(result);                                                                            \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            double a = SOURCE_64_FLUSHED(pair_a);                                                  \
                                                                                                   \
            result[lane] = (uint32_t)(expression);                                                 \
        }                                                                                          \
        store_result;                                                                              \
    }
FROM_DOUBLE(v_cvt_i32_f64, result_store(wave, instruction->destination, result), gcn_f64_to_i32(a))
FROM_DOUBLE(v_cvt_u32_f64, result_store(wave, instruction->destination, result), gcn_f64_to_u32(a))
FROM_DOUBLE(v_cvt_f32_f64, store_float(wave, instruction, result),
            RESULT_FLUSHED(gcn_f64_to_f32(a)))

/* From 32 bits to double precision. */
#define TO_DOUBLE(name, expression)                                                                \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(low);                                                                               \
        ROW_OF(high);                                                                              \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint32_t a = row_a[lane];                                                              \
            uint64_t bits = gcn_bits_f64(expression);                                              \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_double(wave, instruction, low, high);                                                \
    }
TO_DOUBLE(v_cvt_f64_i32, gcn_i32_to_f64((int32_t)a))
TO_DOUBLE(v_cvt_f64_u32, gcn_u32_to_f64(a))
TO_DOUBLE(v_cvt_f64_f32, gcn_f32_to_f64(SOURCE_FLUSHED(a)))

/* One byte of a word: of source 2, or of the destination itself. */
BODY(v_cvt_pk_u8_f32)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(room_c);
    ROW_OF(result);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);
    const uint32_t *row_c = operand_fetch(wave, instruction, 2, room_c);

    FOR_LANES result[lane] =
        gcn_cvt_pk_u8_f32(SOURCE_FLUSHED(row_a[lane]), row_b[lane], row_c[lane]);
    result_store(wave, instruction->destination, result);
}

BODY(v_cvt_pkaccum_u8_f32)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(result);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);
    const uint32_t *row_c = wave->vector[instruction->destination];

    FOR_LANES result[lane] =
        gcn_cvt_pk_u8_f32(SOURCE_FLUSHED(row_a[lane]), row_b[lane], row_c[lane]);
    result_store(wave, instruction->destination, result);
}
