/* SPDX-License-Identifier: MIT */
#include "isa/gcn/exec/vector_bodies.h"

#include "base/check.h"

/* MODE's rounding field in the processor's terms (MXCSR bits 13 and 14): nearest, up, down, zero.
 */
static unsigned processor_rounding(uint32_t field)
{
    static const unsigned rounding[4] = {0u << 13, 2u << 13, 1u << 13, 3u << 13};

    return rounding[field & 3];
}

/* Another rounding than to nearest: rare, so it costs only those who ask for it. */
static __attribute__((noinline, cold)) void execute_rounded(struct gcn_wave *wave,
                                                            const struct gcn_instruction *record)
{
    bool wide = record->destination_type == GCN_TYPE_F64;
    uint32_t field = wide ? (wave->mode & GCN_MODE_ROUND_64) >> 2 : wave->mode & GCN_MODE_ROUND_32;
    unsigned control = __builtin_ia32_stmxcsr();
    enum gcn_op op = (enum gcn_op)record->base.op;

    if (field != 0 &&
        (op == GCN_OP_v_fma_f32 || op == GCN_OP_v_div_fmas_f32 || op == GCN_OP_v_div_fmas_f64)) {
        gcn_refuse(wave, record, "another rounding mode than to nearest is not modelled for it");
        return;
    }
    __builtin_ia32_ldmxcsr((control & ~0x6000u) | processor_rounding(field));
    record->body(wave, record);
    __builtin_ia32_ldmxcsr(control);
}

static void gcn_execute(struct isa_wave *base, const struct isa_instruction *instruction)
{
    const struct gcn_instruction *record = gcn_of(instruction);
    struct gcn_wave *wave = gcn_wave_of(base);

    check(record->body != NULL, "%s cannot be executed", gcn_operations[instruction->op].name);
    base->pc += instruction->bytes;
    if (__builtin_expect(
            record->rounds && (wave->mode & (GCN_MODE_ROUND_32 | GCN_MODE_ROUND_64)) != 0, 0)) {
        execute_rounded(wave, record);
        return;
    }
    record->body(wave, record);
}

static const char *name_of(uint16_t op)
{
    return gcn_operations[op < GCN_OP_COUNT ? op : GCN_OP_UNKNOWN].name;
}

#define VARIANT(variant, bodies)                                                                   \
    static struct isa_code *decode_##variant(const void *code, uint32_t bytes, uint64_t address)   \
    {                                                                                              \
        return gcn_decode(code, bytes, address, bodies);                                           \
    }                                                                                              \
    static const struct isa isa_##variant = {                                                      \
        .name = "gcn1",                                                                            \
        .wave_lanes = GCN_LANES,                                                                   \
        .dependence = ISA_DEPENDENCE_COUNTERS,                                                     \
        .wave_bytes = sizeof(struct gcn_wave),                                                     \
        .snapshot_bytes = sizeof(struct gcn_snapshot),                                             \
        .decode = decode_##variant,                                                                \
        .code_destroy = gcn_code_destroy,                                                          \
        .fence_releases = gcn_fence_releases,                                                      \
        .kernel_init = gcn_kernel_init,                                                            \
        .wave_init = gcn_wave_init,                                                                \
        .scratch_slot_bytes = gcn_scratch_slot_bytes,                                              \
        .execute = gcn_execute,                                                                    \
        .begin = gcn_begin,                                                                        \
        .store_data = gcn_store_data,                                                              \
        .finish = gcn_finish,                                                                      \
        .snapshot = gcn_snapshot,                                                                  \
        .restore = gcn_restore,                                                                    \
        .leave = gcn_leave,                                                                        \
        .rejoin = gcn_rejoin,                                                                      \
        .attempt_ended = gcn_attempt_ended,                                                        \
        .reads_differing = gcn_reads_differing,                                                    \
        .lanes_disagree = gcn_lanes_disagree,                                                      \
        .registers = gcn_registers,                                                                \
        .name_of = name_of,                                                                        \
        .disassemble = gcn_disassemble,                                                            \
        .trace = gcn_trace,                                                                        \
        .refusal = gcn_refusal,                                                                    \
    };
VARIANT(generic, gcn_vector_bodies_generic)
VARIANT(avx2, gcn_vector_bodies_avx2)
VARIANT(avx512, gcn_vector_bodies_avx512)

const struct isa *gcn_isa_variant(enum gcn_variant variant)
{
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");

    switch (variant) {
    case GCN_VARIANT_GENERIC:
        return &isa_generic;
    case GCN_VARIANT_AVX2:
        return has_avx2 ? &isa_avx2 : NULL;
    case GCN_VARIANT_AVX512:
        return has_avx512 ? &isa_avx512 : NULL;
    case GCN_VARIANT_COUNT:
        break;
    }
    return NULL;
}

const struct isa *isa_gcn(bool generic)
{
    const struct isa *isa = NULL;

    for (int variant = generic ? GCN_VARIANT_GENERIC : GCN_VARIANT_AVX512; isa == NULL; variant--)
        isa = gcn_isa_variant((enum gcn_variant)variant);
    return isa;
}
