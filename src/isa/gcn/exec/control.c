/* SPDX-License-Identifier: MIT */
/* SOPK, branches, and the operations that the wavefront scheduler acts on. The program counter
 * already stands at the next instruction when a body runs. */
#include "isa/gcn/scalar_bodies.h"

#include "base/bits.h"

#define BODY(name) void gcn_##name(struct gcn_wave *wave, const struct gcn_instruction *instruction)

#define COMPARE(name, type, immediate_type, op)                                                    \
    BODY(name)                                                                                     \
    {                                                                                              \
        wave->scc =                                                                                \
            (type)wave->scalar[instruction->destination] op(type)(immediate_type)                  \
                instruction->immediate;                                                            \
    }
COMPARE(s_cmpk_eq_i32, int32_t, int16_t, ==)
COMPARE(s_cmpk_lg_i32, int32_t, int16_t, !=)
COMPARE(s_cmpk_gt_i32, int32_t, int16_t, >)
COMPARE(s_cmpk_ge_i32, int32_t, int16_t, >=)
COMPARE(s_cmpk_lt_i32, int32_t, int16_t, <)
COMPARE(s_cmpk_le_i32, int32_t, int16_t, <=)
COMPARE(s_cmpk_eq_u32, uint32_t, uint16_t, ==)
COMPARE(s_cmpk_lg_u32, uint32_t, uint16_t, !=)
COMPARE(s_cmpk_gt_u32, uint32_t, uint16_t, >)
COMPARE(s_cmpk_ge_u32, uint32_t, uint16_t, >=)
COMPARE(s_cmpk_lt_u32, uint32_t, uint16_t, <)
COMPARE(s_cmpk_le_u32, uint32_t, uint16_t, <=)

BODY(s_movk_i32)
{
    gcn_write_scalar(wave, instruction->destination, (uint32_t)instruction->immediate);
}

BODY(s_cmovk_i32)
{
    if (wave->scc != 0)
        gcn_write_scalar(wave, instruction->destination, (uint32_t)instruction->immediate);
}

BODY(s_addk_i32)
{
    uint32_t a = wave->scalar[instruction->destination], b = (uint32_t)instruction->immediate;
    uint32_t r = a + b;

    wave->scc = ((a ^ r) & (b ^ r)) >> 31;
    gcn_write_scalar(wave, instruction->destination, r);
}

BODY(s_mulk_i32)
{
    gcn_write_scalar(wave, instruction->destination,
                     wave->scalar[instruction->destination] * (uint32_t)instruction->immediate);
}

/* SIMM16 of s_getreg and s_setreg: | SIZE - 1: 5 | OFFSET 5 | REGISTER 6 |; decode lets MODE
 * through only. */
static unsigned field_first(const struct gcn_instruction *instruction)
{
    return (uint32_t)instruction->immediate >> 6 & 31;
}

static uint32_t field_mask(const struct gcn_instruction *instruction)
{
    return (uint32_t)low_mask(((uint32_t)instruction->immediate >> 11 & 31) + 1);
}

static void set_mode_field(struct gcn_wave *wave, const struct gcn_instruction *instruction,
                           uint32_t value)
{
    uint32_t mask = field_mask(instruction) << field_first(instruction);

    gcn_set_mode(wave, (wave->mode & ~mask) | (value << field_first(instruction) & mask));
}

BODY(s_getreg_b32)
{
    gcn_write_scalar(wave, instruction->destination,
                     wave->mode >> field_first(instruction) & field_mask(instruction));
}

BODY(s_setreg_b32)
{
    set_mode_field(wave, instruction, wave->scalar[instruction->destination]);
}

BODY(s_setreg_imm32_b32)
{
    set_mode_field(wave, instruction, instruction->word[1]);
}

BODY(s_getpc_b64)
{
    gcn_write_scalar_pair(wave, instruction->destination, wave->base.pc);
}

BODY(s_setpc_b64)
{
    wave->base.pc = gcn_scalar_value_64(wave, &instruction->source[0]);
}

BODY(s_swappc_b64)
{
    uint64_t target = gcn_scalar_value_64(wave, &instruction->source[0]);

    gcn_write_scalar_pair(wave, instruction->destination, wave->base.pc);
    wave->base.pc = target;
}

#define BRANCH(name, condition)                                                                    \
    BODY(name)                                                                                     \
    {                                                                                              \
        if (condition)                                                                             \
            wave->base.pc += (uint64_t)((int64_t)instruction->immediate * 4);                      \
    }
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, wave->scc == 0)
BRANCH(s_cbranch_scc1, wave->scc != 0)
BRANCH(s_cbranch_vccz, gcn_scalar_pair(wave, GCN_VCC) == 0)
BRANCH(s_cbranch_vccnz, gcn_scalar_pair(wave, GCN_VCC) != 0)
BRANCH(s_cbranch_execz, wave->base.active == 0)
BRANCH(s_cbranch_execnz, wave->base.active != 0)

BODY(s_endpgm)
{
    wave->base.ended = true;
}

BODY(s_nop)
{
    gcn_note_hint(wave, instruction->base.hint);
}

/* These change no register: what they mean to the wavefront is in isa_instruction.control. */
#define SCHEDULER_ONLY(name)                                                                       \
    BODY(name) {}
SCHEDULER_ONLY(s_barrier)
SCHEDULER_ONLY(s_waitcnt)
SCHEDULER_ONLY(s_sleep)
SCHEDULER_ONLY(s_setprio)

gcn_body *const gcn_scalar_bodies[GCN_OP_COUNT] = {
#define ROW(opcode, name, ...) [GCN_OP_##name] = gcn_##name,
#define REFUSED(opcode, name)
#include "isa/gcn/sop1.def"
#include "isa/gcn/sop2.def"
#include "isa/gcn/sopc.def"
#include "isa/gcn/sopk.def"
#include "isa/gcn/sopp.def"
#undef ROW
#undef REFUSED
};
