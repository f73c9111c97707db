/* SPDX-License-Identifier: MIT */
/* An instruction without memory has its effect. */
#include "gpu/instruction_count.h"
#include "gpu/unit.h"

void wavefront_execute(struct compute_unit *unit, struct wavefront *wave, uint64_t ready_at)
{
    const struct isa_instruction *instruction = wave->next;
    uint64_t old_pc = wave->registers->pc;

    if (__builtin_expect(wave->transaction_state.differs, 0))
        transaction_check_scalars(unit, wave);
    COUNT_INSTRUCTION(&unit->statistics, instruction, wave->registers->active);
    unit->isa->execute(wave->registers, instruction);
    wavefront_trace(unit, wave, wave->sequence++, instruction);
    wavefront_advance(unit, wave, old_pc, ready_at);
}
