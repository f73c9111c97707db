/* SPDX-License-Identifier: MIT */
/* An instruction without memory has its effect. */
#include "gpu/instruction_count.h"
#include "gpu/wavefront.h"

void wavefront_execute(struct wavefronts *waves, struct wavefront *wave, uint64_t ready_at)
{
    const struct isa_instruction *instruction = wave->next;
    uint64_t old_pc = wave->registers->pc;

    if (__builtin_expect(wave->tm_flags.is_watched, 0))
        waves->listener->registers_used(waves->listener, wave);
    COUNT_INSTRUCTION(waves->statistics, instruction, wave->registers->active);
    if (__builtin_expect(waves->profile != NULL, 0))
        wavefront_profile(waves, wave);
    waves->isa->execute(wave->registers, instruction);
    wavefront_trace(waves, wave, wave->sequence++, instruction);
    wavefront_advance(waves, wave, old_pc, ready_at);
}
