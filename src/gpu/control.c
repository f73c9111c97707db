/* SPDX-License-Identifier: MIT */
/* Instructions that are consumed in the instruction buffer: waits, barriers, ends, pauses,
 * priorities. They go to no unit, and take the wavefront one issue slot. */
#include "gpu/instruction_count.h"
#include "gpu/issue.h"
#include "gpu/transactions.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

static bool come_to_barrier(struct wavefronts *waves, struct wavefront *wave)
{
    struct group *group = &waves->groups[wave->group];

    if (wave->releases > 0) { /* others may store behind it what says that this is done */
        wavefront_set_state(waves, wave, STATE_VM);
        return false;
    }
    wavefront_execute(waves, wave, wavefronts_cycle(waves) + waves->turns.cycles);
    if (debug_breaks(waves->breaks, IGNORE_BARRIER))
        return true;
    wavefront_set_state(waves, wave, STATE_BARRIER);
    group->at_barrier |= UINT64_C(1) << wave->slot;
    waves->statistics->barrier_waits += group->at_barrier != group->running;
    barrier_check(waves, group);
    return true;
}

static void pause_wavefront(struct wavefronts *waves, struct wavefront *wave, uint64_t cycles)
{
    wavefront_execute(waves, wave, wavefronts_cycle(waves) + cycles);
    if (cycles > waves->turns.cycles && wave->state == STATE_RUNNABLE)
        wavefront_set_state(waves, wave, STATE_PAUSED);
}

static bool wait_for_counters(struct wavefronts *waves, struct wavefront *wave)
{
    enum wavefront_state state;

    if (!wavefront_may_pass(waves, wave, &state)) {
        wavefront_set_state(waves, wave, state);
        return false;
    }
    wavefront_execute(waves, wave, wavefronts_cycle(waves) + waves->turns.cycles);
    return true;
}

/* False: a transaction is open, which is a fault, or the wavefront is held. */
static bool may_contain(struct wavefronts *waves, struct wavefront *wave, const char *reason)
{
    return !(wave->transaction.is_open || wave->tm_flags.is_held) ||
           transactions_allow(waves->tm, wave, reason);
}

static bool consume_hint(struct wavefronts *waves, struct wavefront *wave)
{
    if (waves->tm != NULL)
        return transactions_issue(waves->tm, wave);
    wavefront_execute(waves, wave, wavefronts_cycle(waves) + waves->turns.cycles);
    return true;
}

bool control_consume(struct issue *issue, struct wavefront *wave)
{
    const struct isa_instruction *instruction = wave->next;
    struct wavefronts *waves = issue->waves;
    uint64_t next_slot = wavefronts_cycle(waves) + waves->turns.cycles;
    uint64_t argument = instruction->argument;

    switch (instruction->control) {
    case ISA_CONTROL_WAIT:
        return wait_for_counters(waves, wave);
    case ISA_CONTROL_BARRIER:
        return may_contain(waves, wave, TM_REASON_BARRIER) && come_to_barrier(waves, wave);
    case ISA_CONTROL_END:
        if (!may_contain(waves, wave, TM_REASON_END))
            return false;
        wavefront_execute(waves, wave, next_slot);
        wavefront_end(waves, wave);
        if (debug_breaks(waves->breaks, END_WITHOUT_STORES))
            vmem_orphan(issue->vmem, wave);
        wavefront_released(waves, wave);
        return true;
    case ISA_CONTROL_SLEEP:
        pause_wavefront(waves, wave, argument == 0 ? waves->turns.cycles : 64 * argument);
        return true;
    case ISA_CONTROL_NOP:
        pause_wavefront(waves, wave, waves->turns.cycles * (argument + 1));
        return true;
    case ISA_CONTROL_PRIORITY:
        wave->key = (3 - (argument & 3)) << 60 | wave->age;
        wavefront_execute(waves, wave, next_slot);
        return true;
    case ISA_CONTROL_HINT:
        return consume_hint(waves, wave);
    default:
        wavefront_execute(waves, wave, next_slot);
        return true;
    }
}
