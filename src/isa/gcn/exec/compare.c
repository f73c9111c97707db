/* SPDX-License-Identifier: MIT */
/* Comparisons. Each predicate is evaluated by one function, which up to four operations share. They
 * are v_cmp, v_cmpx (writes EXEC too), and for floats v_cmps and v_cmpsx (which would signal quiet
 * NaNs as well). */
#include "isa/gcn/exec/lanes.h"

#define PREDICATE_32(name, type, convert, condition)                                               \
    static uint64_t name(const struct gcn_wave *wave, const struct gcn_instruction *instruction)   \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(truth);                                                                             \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            type a = convert(row_a[lane]), b = convert(row_b[lane]);                               \
                                                                                                   \
            truth[lane] = (condition);                                                             \
        }                                                                                          \
        return mask_of(truth) & wave->base.active;                                                 \
    }
#define PREDICATE_64(name, type, convert, condition)                                               \
    static uint64_t name(const struct gcn_wave *wave, const struct gcn_instruction *instruction)   \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(room_2);                                                                            \
        ROW_OF(room_3);                                                                            \
        ROW_OF(truth);                                                                             \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
        struct row_pair pair_b = fetch_pair(wave, instruction, 1, room_2, room_3);                 \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            type a = convert(pair_a), b = convert(pair_b);                                         \
                                                                                                   \
            truth[lane] = (condition);                                                             \
        }                                                                                          \
        return mask_of(truth) & wave->base.active;                                                 \
    }

#define COMPARE(name, predicate)                                                                   \
    BODY(name)                                                                                     \
    {                                                                                              \
        gcn_write_scalar_pair(wave, instruction->mask_destination, predicate(wave, instruction));  \
    }
#define COMPARE_EXEC(name, predicate)                                                              \
    BODY(name)                                                                                     \
    {                                                                                              \
        uint64_t mask = predicate(wave, instruction);                                              \
                                                                                                   \
        gcn_write_scalar_pair(wave, instruction->mask_destination, mask);                          \
        gcn_write_scalar_pair(wave, GCN_EXEC, mask);                                               \
    }

#define INTEGER_COMPARE(name, width, suffix, type, convert, condition)                             \
    PREDICATE_##width(name##_##suffix, type, convert, condition)                                   \
        COMPARE(v_cmp_##name##_##suffix, name##_##suffix)                                          \
            COMPARE_EXEC(v_cmpx_##name##_##suffix, name##_##suffix)

#define BITS_64(pair) halves_join((pair).low[lane], (pair).high[lane])
#define SIGNED_64(pair) (int64_t) BITS_64(pair)
#define ALL_INTEGERS(name, condition)                                                              \
    INTEGER_COMPARE(name, 32, i32, int32_t, (int32_t), condition)                                  \
    INTEGER_COMPARE(name, 32, u32, uint32_t, (uint32_t), condition)                                \
    INTEGER_COMPARE(name, 64, i64, int64_t, SIGNED_64, condition)                                  \
    INTEGER_COMPARE(name, 64, u64, uint64_t, BITS_64, condition)

ALL_INTEGERS(f, ((void)a, (void)b, 0))
ALL_INTEGERS(lt, a < b)
ALL_INTEGERS(eq, a == b)
ALL_INTEGERS(le, a <= b)
ALL_INTEGERS(gt, a > b)
ALL_INTEGERS(ne, a != b)
ALL_INTEGERS(ge, a >= b)
ALL_INTEGERS(t, ((void)a, (void)b, 1))

#define FLOAT_COMPARE(name, width, suffix, type, convert, condition)                               \
    PREDICATE_##width(name##_##suffix, type, convert, condition)                                   \
        COMPARE(v_cmp_##name##_##suffix, name##_##suffix)                                          \
            COMPARE_EXEC(v_cmpx_##name##_##suffix, name##_##suffix)                                \
                COMPARE(v_cmps_##name##_##suffix, name##_##suffix)                                 \
                    COMPARE_EXEC(v_cmpsx_##name##_##suffix, name##_##suffix)
#define ALL_FLOATS(name, condition)                                                                \
    FLOAT_COMPARE(name, 32, f32, float, SOURCE_FLUSHED, condition)                                 \
    FLOAT_COMPARE(name, 64, f64, double, SOURCE_64_FLUSHED, condition)

ALL_FLOATS(f, ((void)a, (void)b, 0))
ALL_FLOATS(lt, a < b)
ALL_FLOATS(eq, a == b)
ALL_FLOATS(le, a <= b)
ALL_FLOATS(gt, a > b)
ALL_FLOATS(lg, (a < b) | (a > b))
ALL_FLOATS(ge, a >= b)
ALL_FLOATS(o, (a == a) & (b == b))
ALL_FLOATS(u, (a != a) | (b != b))
ALL_FLOATS(nge, !(a >= b))
ALL_FLOATS(nlg, !((a < b) | (a > b)))
ALL_FLOATS(ngt, !(a > b))
ALL_FLOATS(nle, !(a <= b))
ALL_FLOATS(neq, !(a == b))
ALL_FLOATS(nlt, !(a < b))
ALL_FLOATS(tru, ((void)a, (void)b, 1))

/* The class of a number is one bit of ten; source 1 has the bits that count as true. Denormals are
 * seen as they are. */
static uint64_t class_f32(const struct gcn_wave *wave, const struct gcn_instruction *instruction)
{
    ROW_OF(room_a);
    ROW_OF(room_b);
    ROW_OF(truth);
    const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);

    FOR_LANES truth[lane] = gcn_class_f32(gcn_float(row_a[lane])) & row_b[lane];
    return mask_of(truth) & wave->base.active;
}

static uint64_t class_f64(const struct gcn_wave *wave, const struct gcn_instruction *instruction)
{
    ROW_OF(room_0);
    ROW_OF(room_1);
    ROW_OF(room_b);
    ROW_OF(truth);
    struct row_pair pair = fetch_pair(wave, instruction, 0, room_0, room_1);
    const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);

    FOR_LANES truth[lane] = gcn_class_f64(SOURCE_64_RAW(pair)) & row_b[lane];
    return mask_of(truth) & wave->base.active;
}

COMPARE(v_cmp_class_f32, class_f32)
COMPARE_EXEC(v_cmpx_class_f32, class_f32)
COMPARE(v_cmp_class_f64, class_f64)
COMPARE_EXEC(v_cmpx_class_f64, class_f64)
