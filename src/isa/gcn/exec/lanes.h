/* SPDX-License-Identifier: MIT */
/*
 * Loops over the 64 lanes of a wavefront, and how a body gets its operands and puts its result.
 *
 *     fetch      a vector register without modifiers is read where it stands; anything else
 *       │        (a modifier, a scalar, a constant) is first written out as a row of 64
 *       ▼
 *     compute    FOR_LANES: plain C without branches, which the compiler turns into vector
 *       │        instructions; the result goes to a row of its own
 *       ▼
 *     store      all lanes active: a copy; otherwise a blend by EXEC
 *
 * A body is written with one of the macros at the end; in its expression a, b, c are the sources of
 * one lane. Single-precision bodies flush denormal sources and results as MODE says (the masks
 * source_keep_*, result_keep_* of gcn_wave); the _RAW kinds do not.
 */
#ifndef ISA_GCN_EXEC_LANES_H
#define ISA_GCN_EXEC_LANES_H

#include <string.h>

#include "isa/gcn/exec/float_math.h"
#include "isa/gcn/exec/vector_bodies.h"

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define FOR_LANES INDEPENDENT for (unsigned lane = 0; lane < GCN_LANES; lane++)
#define FOR_HALF INDEPENDENT for (unsigned lane = 0; lane < 32; lane++)

#define ROW_OF(name) uint32_t name[GCN_LANES] __attribute__((aligned(64)))

/* A 64-bit operand is two rows. */
struct row_pair {
    const uint32_t *low, *high;
};

static const uint32_t lane_bit[32] __attribute__((aligned(64))) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Of the word that has it: of half precision's 16 bits, of double precision's upper word. */
static inline uint32_t sign_bit(const struct gcn_operand *operand)
{
    return operand->type == GCN_TYPE_F16 ? 0x8000u : 0x80000000u;
}

static inline void modify_row(uint32_t *room, const uint32_t *row,
                              const struct gcn_operand *operand)
{
    uint32_t sign = sign_bit(operand);
    uint32_t kept = operand->absolute != 0 ? ~sign : UINT32_MAX;
    uint32_t flipped = operand->negate != 0 ? sign : 0;

    FOR_LANES room[lane] = (row[lane] & kept) ^ flipped;
}

static __attribute__((noinline, unused)) const uint32_t *
written_row(const struct gcn_wave *wave, const struct gcn_operand *operand, uint32_t *room)
{
    uint32_t value;

    if (operand->kind == GCN_OPERAND_VECTOR) {
        modify_row(room, wave->vector[operand->index], operand);
        return room;
    }
    value = gcn_scalar_value(wave, operand);
    value &= operand->absolute != 0 ? ~sign_bit(operand) : UINT32_MAX;
    value ^= operand->negate != 0 ? sign_bit(operand) : 0;
    FOR_LANES room[lane] = value;
    return room;
}

static inline const uint32_t *operand_fetch(const struct gcn_wave *wave,
                                            const struct gcn_instruction *instruction,
                                            unsigned number, uint32_t *room)
{
    const struct gcn_operand *operand = &instruction->source[number];

    if (__builtin_expect(
            operand->kind == GCN_OPERAND_VECTOR && (operand->absolute | operand->negate) == 0, 1))
        return wave->vector[operand->index];
    return written_row(wave, operand, room);
}

static __attribute__((noinline, unused)) struct row_pair
written_pair(const struct gcn_wave *wave, const struct gcn_operand *operand, uint32_t *low_room,
             uint32_t *high_room)
{
    struct row_pair pair = {low_room, high_room};
    uint64_t value;
    uint32_t low, high;

    if (operand->kind == GCN_OPERAND_VECTOR) {
        pair.low = wave->vector[operand->index];
        modify_row(high_room, wave->vector[operand->index + 1u], operand);
        return pair;
    }
    value = gcn_scalar_value_64(wave, operand);
    value &= operand->absolute != 0 ? ~GCN_SIGN_F64 : UINT64_MAX;
    value ^= operand->negate != 0 ? GCN_SIGN_F64 : 0;
    low = (uint32_t)value;
    high = (uint32_t)(value >> 32);
    FOR_LANES low_room[lane] = low;
    FOR_LANES high_room[lane] = high;
    return pair;
}

static inline struct row_pair fetch_pair(const struct gcn_wave *wave,
                                         const struct gcn_instruction *instruction, unsigned number,
                                         uint32_t *low_room, uint32_t *high_room)
{
    const struct gcn_operand *operand = &instruction->source[number];

    if (operand->kind == GCN_OPERAND_VECTOR && (operand->absolute | operand->negate) == 0) {
        struct row_pair pair = {wave->vector[operand->index], wave->vector[operand->index + 1u]};

        return pair;
    }
    return written_pair(wave, operand, low_room, high_room);
}

static inline uint64_t halves_join(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

static inline void blend_half(uint32_t *register_row, const uint32_t *result, uint32_t active)
{
    FOR_HALF register_row[lane] =
        (active & lane_bit[lane]) != 0 ? result[lane] : register_row[lane];
}

static inline void result_store(struct gcn_wave *wave, unsigned index, const uint32_t *result)
{
    uint32_t *row = wave->vector[index];
    uint64_t active = wave->base.active;

    if (__builtin_expect(active == UINT64_MAX, 1)) {
        memmove(row, result, sizeof wave->vector[0]); /* a move may be onto itself */
        return;
    }
    blend_half(row, result, (uint32_t)active);
    blend_half(row + 32, result + 32, (uint32_t)(active >> 32));
}

/* OMOD and CLAMP. OMOD counts only where results are flushed and IEEE is off. */
static __attribute__((noinline, unused)) void
modify_result(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
              uint32_t *result)
{
    static const float factors[4] = {1.0f, 2.0f, 4.0f, 0.5f};
    float factor = factors[instruction->output & GCN_OUTPUT_MULTIPLIER];
    bool nan_to_zero = (wave->mode & GCN_MODE_DX10_CLAMP) != 0;

    if (factor != 1.0f && (wave->mode & (GCN_MODE_RESULT_DENORMALS_32 | GCN_MODE_IEEE)) == 0)
        FOR_LANES
        {
            float value = gcn_float(result[lane]);

            result[lane] = gcn_bits_f32(gcn_flush_f32(gcn_settle_1_f32(value * factor, value)));
        }
    if ((instruction->output & GCN_OUTPUT_CLAMP) != 0)
        FOR_LANES result[lane] = gcn_bits_f32(gcn_clamp_f32(gcn_float(result[lane]), nan_to_zero));
}

static __attribute__((noinline, unused)) void
modify_result_pair(const struct gcn_wave *wave, const struct gcn_instruction *instruction,
                   uint32_t *low, uint32_t *high)
{
    static const double factors[4] = {1.0, 2.0, 4.0, 0.5};
    double factor = factors[instruction->output & GCN_OUTPUT_MULTIPLIER];
    bool multiplies =
        factor != 1.0 && (wave->mode & (GCN_MODE_RESULT_DENORMALS_64 | GCN_MODE_IEEE)) == 0;
    bool nan_to_zero = (wave->mode & GCN_MODE_DX10_CLAMP) != 0;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        double value = gcn_double(halves_join(low[lane], high[lane]));
        uint64_t bits;

        if (multiplies)
            value = gcn_flush_f64(gcn_settle_1_f64(value * factor, value));
        if ((instruction->output & GCN_OUTPUT_CLAMP) != 0)
            value = gcn_clamp_f64(value, nan_to_zero);
        bits = gcn_bits_f64(value);
        low[lane] = (uint32_t)bits;
        high[lane] = (uint32_t)(bits >> 32);
    }
}

static inline void store_float(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                               uint32_t *result)
{
    if (__builtin_expect(instruction->output != 0, 0))
        modify_result(wave, instruction, result);
    result_store(wave, instruction->destination, result);
}

static inline void store_pair(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                              const uint32_t *low, const uint32_t *high)
{
    result_store(wave, instruction->destination, low);
    result_store(wave, instruction->destination + 1u, high);
}

static inline void store_double(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                                uint32_t *low, uint32_t *high)
{
    if (__builtin_expect(instruction->output != 0, 0))
        modify_result_pair(wave, instruction, low, high);
    store_pair(wave, instruction, low, high);
}

/* Lanes whose row entry is not 0, as a mask. */
static inline uint64_t mask_of(const uint32_t *truth)
{
    uint32_t low = 0, high = 0;

    for (unsigned lane = 0; lane < 32; lane++)
        low |= truth[lane] != 0 ? lane_bit[lane] : 0;
    for (unsigned lane = 0; lane < 32; lane++)
        high |= truth[lane + 32] != 0 ? lane_bit[lane] : 0;
    return halves_join(low, high);
}

/* The other way: 1 in the row where the mask has a bit. */
static inline void row_of_mask(uint32_t *row, uint64_t mask)
{
    uint32_t low = (uint32_t)mask, high = (uint32_t)(mask >> 32);

    FOR_HALF row[lane] = (low & lane_bit[lane]) != 0;
    FOR_HALF row[lane + 32] = (high & lane_bit[lane]) != 0;
}

/* Bits of inactive lanes become 0. */
static inline void store_mask(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                              const uint32_t *truth)
{
    gcn_write_scalar_pair(wave, instruction->mask_destination, mask_of(truth) & wave->base.active);
}

static inline float flush_to(uint32_t bits, uint32_t keep)
{
    return gcn_float((bits & GCN_INFINITY_F32) != 0 ? bits : bits & keep);
}

static inline double flush_to_64(uint64_t bits, uint64_t keep)
{
    return gcn_double((bits & GCN_INFINITY_F64) != 0 ? bits : bits & keep);
}

/* 32-bit integers and bits. */
#define INTEGER_1(name, expression)                                                                \
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
            result[lane] = (uint32_t)(expression);                                                 \
        }                                                                                          \
        result_store(wave, instruction->destination, result);                                      \
    }
#define INTEGER_2(name, expression)                                                                \
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
            uint32_t a = row_a[lane], b = row_b[lane];                                             \
                                                                                                   \
            result[lane] = (uint32_t)(expression);                                                 \
        }                                                                                          \
        result_store(wave, instruction->destination, result);                                      \
    }
#define INTEGER_3(name, expression)                                                                \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(room_c);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
        const uint32_t *row_c = operand_fetch(wave, instruction, 2, room_c);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            uint32_t a = row_a[lane], b = row_b[lane], c = row_c[lane];                            \
                                                                                                   \
            result[lane] = (uint32_t)(expression);                                                 \
        }                                                                                          \
        result_store(wave, instruction->destination, result);                                      \
    }

/* Single precision. SOURCE and RESULT say what happens to denormals: FLUSHED by MODE, RAW. */
#define SOURCE_FLUSHED(bits) flush_to(bits, wave->source_keep_32)
#define SOURCE_RAW(bits) gcn_float(bits)
#define RESULT_FLUSHED(value) gcn_bits_f32(flush_to(gcn_bits_f32(value), wave->result_keep_32))
#define RESULT_RAW(value) gcn_bits_f32(value)
#define FLOAT_1(name, flush, expression)                                                           \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            float a = SOURCE_##flush(row_a[lane]);                                                 \
                                                                                                   \
            result[lane] = RESULT_##flush(expression);                                             \
        }                                                                                          \
        store_float(wave, instruction, result);                                                    \
    }
#define FLOAT_2(name, flush, expression)                                                           \
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
            float a = SOURCE_##flush(row_a[lane]), b = SOURCE_##flush(row_b[lane]);                \
                                                                                                   \
            result[lane] = RESULT_##flush(expression);                                             \
        }                                                                                          \
        store_float(wave, instruction, result);                                                    \
    }
#define FLOAT_3(name, flush, expression)                                                           \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_a);                                                                            \
        ROW_OF(room_b);                                                                            \
        ROW_OF(room_c);                                                                            \
        ROW_OF(result);                                                                            \
        const uint32_t *row_a = operand_fetch(wave, instruction, 0, room_a);                       \
        const uint32_t *row_b = operand_fetch(wave, instruction, 1, room_b);                       \
        const uint32_t *row_c = operand_fetch(wave, instruction, 2, room_c);                       \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            float a = SOURCE_##flush(row_a[lane]), b = SOURCE_##flush(row_b[lane]);                \
            float c = SOURCE_##flush(row_c[lane]);                                                 \
                                                                                                   \
            result[lane] = RESULT_##flush(expression);                                             \
        }                                                                                          \
        store_float(wave, instruction, result);                                                    \
    }

/* Double precision. */
#define SOURCE_64_FLUSHED(pair)                                                                    \
    flush_to_64(halves_join((pair).low[lane], (pair).high[lane]), wave->source_keep_64)
#define SOURCE_64_RAW(pair) gcn_double(halves_join((pair).low[lane], (pair).high[lane]))
#define RESULT_64_FLUSHED(value)                                                                   \
    gcn_bits_f64(flush_to_64(gcn_bits_f64(value), wave->result_keep_64))
#define RESULT_64_RAW(value) gcn_bits_f64(value)
#define SPLIT(bits)                                                                                \
    low[lane] = (uint32_t)(bits);                                                                  \
    high[lane] = (uint32_t)((bits) >> 32)
#define DOUBLE_1(name, flush, expression)                                                          \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(low);                                                                               \
        ROW_OF(high);                                                                              \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            double a = SOURCE_64_##flush(pair_a);                                                  \
            uint64_t bits = RESULT_64_##flush(expression);                                         \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_double(wave, instruction, low, high);                                                \
    }
#define DOUBLE_2(name, flush, expression)                                                          \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(room_2);                                                                            \
        ROW_OF(room_3);                                                                            \
        ROW_OF(low);                                                                               \
        ROW_OF(high);                                                                              \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
        struct row_pair pair_b = fetch_pair(wave, instruction, 1, room_2, room_3);                 \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            double a = SOURCE_64_##flush(pair_a), b = SOURCE_64_##flush(pair_b);                   \
            uint64_t bits = RESULT_64_##flush(expression);                                         \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_double(wave, instruction, low, high);                                                \
    }
#define DOUBLE_3(name, flush, expression)                                                          \
    BODY(name)                                                                                     \
    {                                                                                              \
        ROW_OF(room_0);                                                                            \
        ROW_OF(room_1);                                                                            \
        ROW_OF(room_2);                                                                            \
        ROW_OF(room_3);                                                                            \
        ROW_OF(room_4);                                                                            \
        ROW_OF(room_5);                                                                            \
        ROW_OF(low);                                                                               \
        ROW_OF(high);                                                                              \
        struct row_pair pair_a = fetch_pair(wave, instruction, 0, room_0, room_1);                 \
        struct row_pair pair_b = fetch_pair(wave, instruction, 1, room_2, room_3);                 \
        struct row_pair pair_c = fetch_pair(wave, instruction, 2, room_4, room_5);                 \
                                                                                                   \
        FOR_LANES                                                                                  \
        {                                                                                          \
            double a = SOURCE_64_##flush(pair_a), b = SOURCE_64_##flush(pair_b);                   \
            double c = SOURCE_64_##flush(pair_c);                                                  \
            uint64_t bits = RESULT_64_##flush(expression);                                         \
                                                                                                   \
            SPLIT(bits);                                                                           \
        }                                                                                          \
        store_double(wave, instruction, low, high);                                                \
    }

#endif
