/* SPDX-License-Identifier: MIT */
#include "reference_sequences.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference_assembler.h"
#include "reference_bits.h"

/* The kernel's MODE: binary32 denormals flushed, the others kept, IEEE, DX10_CLAMP. */
#define KERNEL_MODE 0x3c0u

static uint64_t settle(uint64_t bits, char type)
{
    if (type == 'f' && is_nan_float(bits))
        return 0x7fc00000;
    if (type == 'd' && is_nan_double(bits))
        return 0x7ff8000000000000ull;
    return bits;
}

static uint64_t quotient_float(uint64_t left, uint64_t right)
{
    float n = to_float(reference_flush(left, 'f')), d = to_float(reference_flush(right, 'f'));

    return reference_flush(from_float(n / d), 'f');
}

static uint64_t quotient_double(uint64_t left, uint64_t right)
{
    return from_double(to_double(left) / to_double(right));
}

static uint64_t root_float(uint64_t value, uint64_t unused)
{
    return reference_flush(from_float(sqrtf(to_float(reference_flush(value, 'f')))), 'f');
}

static uint64_t root_double(uint64_t value, uint64_t unused)
{
    return from_double(sqrt(to_double(value)));
}

static const struct sequence list[] = {
    {"binary32 division",
     'f',
     2,
     quotient_float,
     {"v_div_scale_f32 v4, s[2:3], v3, v3, v2", "v_rcp_f32_e32 v5, v4",
      "v_div_scale_f32 v6, vcc, v2, v3, v2", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3",
      "v_fma_f32 v7, -v4, v5, 1.0", "v_fma_f32 v5, v7, v5, v5", "v_mul_f32_e32 v7, v6, v5",
      "v_fma_f32 v8, -v4, v7, v6", "v_fma_f32 v7, v8, v5, v7", "v_fma_f32 v4, -v4, v7, v6",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0", "v_div_fmas_f32 v4, v4, v5, v7",
      "v_div_fixup_f32 v20, v4, v3, v2"}},
    /* VCC by comparison: the flag of v_div_scale_f64 does not work on Southern Islands. */
    {"binary64 division",
     'd',
     2,
     quotient_double,
     {"v_div_scale_f64 v[6:7], s[0:1], v[4:5], v[4:5], v[2:3]", "v_rcp_f64_e32 v[8:9], v[6:7]",
      "v_cmp_eq_u32_e32 vcc, v5, v7", "v_fma_f64 v[10:11], -v[6:7], v[8:9], 1.0",
      "v_fma_f64 v[8:9], v[8:9], v[10:11], v[8:9]",
      "v_div_scale_f64 v[10:11], s[0:1], v[2:3], v[4:5], v[2:3]",
      "v_fma_f64 v[12:13], -v[6:7], v[8:9], 1.0", "v_fma_f64 v[8:9], v[8:9], v[12:13], v[8:9]",
      "v_cmp_eq_u32_e64 s[0:1], v3, v11", "v_mul_f64 v[12:13], v[10:11], v[8:9]",
      "s_xor_b64 vcc, s[0:1], vcc", "v_fma_f64 v[6:7], -v[6:7], v[12:13], v[10:11]",
      "v_div_fmas_f64 v[6:7], v[6:7], v[8:9], v[12:13]",
      "v_div_fixup_f64 v[20:21], v[6:7], v[4:5], v[2:3]"}},
    {"binary32 square root",
     'f',
     1,
     root_float,
     {"s_mov_b32 s2, 0xf800000", "v_mov_b32_e32 v4, 0x260", "v_mul_f32_e32 v3, 0x4f800000, v2",
      "v_cmp_gt_f32_e32 vcc, s2, v2", "v_cndmask_b32_e32 v2, v2, v3, vcc", "v_rsq_f32_e32 v3, v2",
      "v_mul_f32_e32 v5, v2, v3", "v_mul_f32_e32 v3, 0.5, v3", "v_fma_f32 v6, -v3, v5, 0.5",
      "v_fma_f32 v5, v5, v6, v5", "v_fma_f32 v3, v3, v6, v3", "v_fma_f32 v6, -v5, v5, v2",
      "v_fma_f32 v3, v6, v3, v5", "v_mul_f32_e32 v5, 0x37800000, v3",
      "v_cndmask_b32_e32 v3, v3, v5, vcc", "v_cmp_class_f32_e32 vcc, v2, v4",
      "v_cndmask_b32_e32 v20, v3, v2, vcc"}},
    {"binary64 square root",
     'd',
     1,
     root_double,
     {"s_mov_b32 s2, 0",
      "s_mov_b32 s3, 0x10000000",
      "v_mov_b32_e32 v4, 0x100",
      "v_mov_b32_e32 v10, 0xffffff80",
      "v_mov_b32_e32 v11, 0x260",
      "v_cmp_gt_f64_e32 vcc, s[2:3], v[2:3]",
      "v_cndmask_b32_e32 v4, 0, v4, vcc",
      "v_ldexp_f64 v[2:3], v[2:3], v4",
      "v_rsq_f64_e32 v[4:5], v[2:3]",
      "v_mul_f64 v[6:7], v[2:3], v[4:5]",
      "v_mul_f64 v[4:5], v[4:5], 0.5",
      "v_fma_f64 v[8:9], -v[4:5], v[6:7], 0.5",
      "v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]",
      "v_fma_f64 v[4:5], v[4:5], v[8:9], v[4:5]",
      "v_fma_f64 v[8:9], -v[6:7], v[6:7], v[2:3]",
      "v_fma_f64 v[6:7], v[8:9], v[4:5], v[6:7]",
      "v_fma_f64 v[8:9], -v[6:7], v[6:7], v[2:3]",
      "v_fma_f64 v[4:5], v[8:9], v[4:5], v[6:7]",
      "v_cndmask_b32_e32 v6, 0, v10, vcc",
      "v_ldexp_f64 v[4:5], v[4:5], v6",
      "v_cmp_class_f64_e32 vcc, v[2:3], v11",
      "v_cndmask_b32_e32 v21, v5, v3, vcc",
      "v_cndmask_b32_e32 v20, v4, v2, vcc"}},
};

const struct sequence *sequences(size_t *count)
{
    *count = sizeof list / sizeof list[0];
    return list;
}

/* All of the code in one piece, one instruction after the other. */
static uint32_t lay_out(const struct sequence *sequence, uint8_t *code)
{
    struct reference_encoding encodings[SEQUENCE_LINES];
    size_t lines = 0;
    uint32_t bytes = 0;

    while (lines < SEQUENCE_LINES && sequence->lines[lines])
        lines++;
    if (!reference_assemble(sequence->lines, lines, encodings))
        return 0;
    for (size_t i = 0; i < lines; i++) {
        memcpy(code + bytes, encodings[i].bytes, encodings[i].count);
        bytes += encodings[i].count;
    }
    return bytes;
}

static void fill(struct harness *harness, const struct sequence *sequence)
{
    struct gcn_wave *wave = harness->start;

    case_write_scalar(wave, GCN_EXEC, 'l', ~0ull);
    gcn_set_mode(wave, KERNEL_MODE);
    wave->base.pc = HARNESS_ADDRESS;
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        unsigned second = sequence->type == 'f' ? 3 : 4;

        case_write_vector(wave, 2, sequence->type, lane, harness_value(harness, sequence->type));
        case_write_vector(wave, second, sequence->type, lane,
                          harness_value(harness, sequence->type));
    }
}

static uint64_t vector_value(const struct gcn_wave *wave, unsigned index, char type, unsigned lane)
{
    struct case_operand operand = {.kind = CASE_VECTOR, .index = index, .type = type};

    return case_read(wave, &operand, lane);
}

static size_t count_wrong(const struct harness *harness, const struct sequence *sequence)
{
    char type = sequence->type;
    size_t wrong = 0;

    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        uint64_t left = vector_value(harness->start, 2, type, lane);
        uint64_t right = vector_value(harness->start, type == 'f' ? 3 : 4, type, lane);
        uint64_t got = vector_value(harness->after, 20, type, lane);
        uint64_t expected = sequence->expected(left, right);

        if (settle(got, type) == settle(expected, type))
            continue;
        if (wrong++ == 0)
            fprintf(stderr, "%s of %llx and %llx: %llx, expected %llx\n", sequence->name,
                    (unsigned long long)left, (unsigned long long)right, (unsigned long long)got,
                    (unsigned long long)expected);
    }
    return wrong;
}

size_t sequence_run(struct harness *harness, const struct sequence *sequence, unsigned rounds,
                    bool *assembled)
{
    uint8_t code[SEQUENCE_LINES * 12];
    uint32_t bytes = lay_out(sequence, code);
    size_t wrong = 0;

    *assembled = bytes > 0;
    for (int variant = 0; *assembled && variant < HARNESS_VARIANTS; variant++) {
        const struct isa *isa = harness->isa[variant];
        struct isa_code *decoded = isa->decode(code, bytes, HARNESS_ADDRESS);

        for (unsigned round = 0; round < rounds; round++) {
            fill(harness, sequence);
            *harness->after = *harness->start;
            while (harness->after->base.pc < HARNESS_ADDRESS + bytes)
                isa->execute(&harness->after->base, isa_code_at(decoded, harness->after->base.pc));
            wrong += count_wrong(harness, sequence);
        }
        isa->code_destroy(decoded);
    }
    return wrong;
}
