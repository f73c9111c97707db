/* SPDX-License-Identifier: MIT */
/* Instructions that are consumed in the instruction buffer: waits, barriers, ends, pauses,
 * priorities. They go to no unit, and take the wavefront one issue slot. */
#include "gpu/instruction_count.h"
#include "gpu/unit.h"

static bool come_to_barrier(struct compute_unit *unit, struct wavefront *wave)
{
    struct group *group = &unit->waves.groups[wave->group];

    if (wave->releases > 0) { /* others may store behind it what says that this is done */
        wavefront_set_state(&unit->waves, wave, STATE_VM);
        return false;
    }
    wavefront_execute(&unit->waves, wave, unit_cycle(unit) + unit->waves.turns.cycles);
    if (debug_breaks(unit->waves.breaks, IGNORE_BARRIER))
        return true;
    wavefront_set_state(&unit->waves, wave, STATE_BARRIER);
    group->at_barrier |= UINT64_C(1) << wave->slot;
    unit->statistics.barrier_waits += group->at_barrier != group->running;
    barrier_check(&unit->waves, group);
    return true;
}

static void pause_wavefront(struct compute_unit *unit, struct wavefront *wave, uint64_t cycles)
{
    wavefront_execute(&unit->waves, wave, unit_cycle(unit) + cycles);
    if (cycles > unit->waves.turns.cycles && wave->state == STATE_RUNNABLE)
        wavefront_set_state(&unit->waves, wave, STATE_PAUSED);
}

static bool wait_for_counters(struct compute_unit *unit, struct wavefront *wave)
{
    enum wavefront_state state;

    if (!wavefront_may_pass(&unit->waves, wave, &state)) {
        wavefront_set_state(&unit->waves, wave, state);
        return false;
    }
    wavefront_execute(&unit->waves, wave, unit_cycle(unit) + unit->waves.turns.cycles);
    return true;
}

bool control_consume(struct compute_unit *unit, struct wavefront *wave)
{
    const struct isa_instruction *instruction = wave->next;
    uint64_t next_slot = unit_cycle(unit) + unit->waves.turns.cycles;
    uint64_t argument = instruction->argument;

    switch (instruction->control) {
    case ISA_CONTROL_WAIT:
        return wait_for_counters(unit, wave);
    case ISA_CONTROL_BARRIER:
        return transaction_allows(&unit->waves, wave, TM_REASON_BARRIER) &&
               come_to_barrier(unit, wave);
    case ISA_CONTROL_END:
        if (!transaction_allows(&unit->waves, wave, TM_REASON_END))
            return false;
        wavefront_execute(&unit->waves, wave, next_slot);
        wavefront_end(&unit->waves, wave);
        if (debug_breaks(unit->waves.breaks, END_WITHOUT_STORES))
            vmem_orphan(&unit->vmem, wave);
        wavefront_released(&unit->waves, wave);
        return true;
    case ISA_CONTROL_SLEEP:
        pause_wavefront(unit, wave, argument == 0 ? unit->waves.turns.cycles : 64 * argument);
        return true;
    case ISA_CONTROL_NOP:
        pause_wavefront(unit, wave, unit->waves.turns.cycles * (argument + 1));
        return true;
    case ISA_CONTROL_PRIORITY:
        wave->key = (3 - (argument & 3)) << 60 | wave->age;
        wavefront_execute(&unit->waves, wave, next_slot);
        return true;
    case ISA_CONTROL_HINT:
        return transaction_hint(&unit->waves, wave);
    default:
        wavefront_execute(&unit->waves, wave, next_slot);
        return true;
    }
}
