/* SPDX-License-Identifier: MIT */
/* A wavefront's instruction buffer: blocks of fetch_bytes from the one with the program counter
 * on, as far as they were asked for and have arrived. */
#include "gpu/wavefront.h"

static uint32_t buffer_blocks(const struct wavefronts *waves)
{
    return (uint32_t)(waves->parameters->buffer_bytes >> waves->fetch_shift);
}

static const struct isa_code *code_of(const struct wavefronts *waves, const struct wavefront *wave)
{
    return waves->groups[wave->group].launch->isa->kernel->code;
}

/* Whether there is room for a block more, and code to put there: none outside, wherever a program
 * may have jumped. */
void instruction_buffer_wants(struct wavefronts *waves, const struct wavefront *wave)
{
    const struct isa_code *code = code_of(waves, wave);
    uint64_t next = wave->block + wave->requested * waves->parameters->fetch_bytes;
    uint64_t bit = UINT64_C(1) << wave->slot;

    if (wave->requested < buffer_blocks(waves) && next < code->address + code->bytes &&
        wave->registers->pc - code->address < code->bytes)
        waves->wants_fetch |= bit;
    else
        waves->wants_fetch &= ~bit;
}

void instruction_buffer_refill(struct wavefronts *waves, struct wavefront *wave)
{
    wave->fetch_number++;
    wave->block = wave->registers->pc & ~(waves->parameters->fetch_bytes - 1);
    wave->arrived = 0;
    wave->requested = 0;
    wave->consumed = 0;
    instruction_buffer_wants(waves, wave);
}

void instruction_buffer_consume(struct wavefronts *waves, struct wavefront *wave)
{
    uint32_t passed = (uint32_t)((wave->registers->pc - wave->block) >> waves->fetch_shift);

    if (passed == 0)
        return;
    wave->block += passed * waves->parameters->fetch_bytes;
    wave->arrived >>= passed;
    wave->requested -= passed;
    wave->consumed += passed;
    instruction_buffer_wants(waves, wave);
}
