/* SPDX-License-Identifier: MIT */
/* Instructions that are consumed in the instruction buffer: waits, barriers, ends, pauses,
 * priorities. They go to no unit, and take the wavefront one issue slot. */
#include "gpu/instruction_count.h"
#include "gpu/unit.h"

bool control_may_pass(const struct compute_unit *unit, const struct wavefront *wave,
                      enum wavefront_state *state)
{
    const struct isa_instruction *wait = wave->next;

    bool is_plain = unit->parameters->wait_for_all == 0;

    if (debug_breaks(unit->breaks, IGNORE_WAITCNT))
        return true;
    if (wave->lgkm_count > (is_plain ? wait->wait_lgkm : 0))
        *state = STATE_LGKM;
    else if (wave->vm_count > (is_plain ? wait->wait_vm : 0))
        *state = STATE_VM;
    else if (wave->exp_count > (is_plain ? wait->wait_exp : 0))
        *state = STATE_EXP;
    else
        return true;
    return false;
}

void control_take(struct compute_unit *unit, struct wavefront *wave, uint64_t ready_at)
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

void barrier_check(struct compute_unit *unit, struct group *group)
{
    uint64_t waiting = group->at_barrier, cycle = unit_cycle(unit);

    if (waiting == 0 || waiting != group->running)
        return;
    group->at_barrier = 0;
    for_each_bit(slot, waiting) wavefront_ready(unit, &unit->wavefronts[slot], cycle + 1);
}

static bool come_to_barrier(struct compute_unit *unit, struct wavefront *wave)
{
    struct group *group = &unit->groups[wave->group];

    if (wave->releases > 0) { /* others may store behind it what says that this is done */
        wavefront_set_state(unit, wave, STATE_VM);
        return false;
    }
    control_take(unit, wave, unit_cycle(unit) + unit->turns.cycles);
    if (debug_breaks(unit->breaks, IGNORE_BARRIER))
        return true;
    wavefront_set_state(unit, wave, STATE_BARRIER);
    group->at_barrier |= UINT64_C(1) << wave->slot;
    unit->statistics.barrier_waits += group->at_barrier != group->running;
    barrier_check(unit, group);
    return true;
}

static void pause_wavefront(struct compute_unit *unit, struct wavefront *wave, uint64_t cycles)
{
    control_take(unit, wave, unit_cycle(unit) + cycles);
    if (cycles > unit->turns.cycles && wave->state == STATE_RUNNABLE)
        wavefront_set_state(unit, wave, STATE_PAUSED);
}

static bool wait_for_counters(struct compute_unit *unit, struct wavefront *wave)
{
    enum wavefront_state state;

    if (!control_may_pass(unit, wave, &state)) {
        wavefront_set_state(unit, wave, state);
        return false;
    }
    control_take(unit, wave, unit_cycle(unit) + unit->turns.cycles);
    return true;
}

bool control_consume(struct compute_unit *unit, struct wavefront *wave)
{
    const struct isa_instruction *instruction = wave->next;
    uint64_t next_slot = unit_cycle(unit) + unit->turns.cycles;
    uint64_t argument = instruction->argument;

    switch (instruction->control) {
    case ISA_CONTROL_WAIT:
        return wait_for_counters(unit, wave);
    case ISA_CONTROL_BARRIER:
        return transaction_allows(unit, wave, TM_REASON_BARRIER) &&
               come_to_barrier(unit, wave);
    case ISA_CONTROL_END:
        if (!transaction_allows(unit, wave, TM_REASON_END))
            return false;
        control_take(unit, wave, next_slot);
        wavefront_end(unit, wave);
        return true;
    case ISA_CONTROL_SLEEP:
        pause_wavefront(unit, wave, argument == 0 ? unit->turns.cycles : 64 * argument);
        return true;
    case ISA_CONTROL_NOP:
        pause_wavefront(unit, wave, unit->turns.cycles * (argument + 1));
        return true;
    case ISA_CONTROL_PRIORITY:
        wave->key = (3 - (argument & 3)) << 60 | wave->age;
        control_take(unit, wave, next_slot);
        return true;
    case ISA_CONTROL_HINT:
        return transaction_hint(unit, wave);
    default:
        control_take(unit, wave, next_slot);
        return true;
    }
}
