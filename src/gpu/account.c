/* SPDX-License-Identifier: MIT */
/* What the compute unit counts. Slots in which nothing happened are counted afterwards, from the
 * cycle number: between two ticks no wavefront changes its state, so all of them have one cause. */
#include "gpu/unit.h"

/* The cause nearest to progress wins: what the first wavefront that could go on is waiting for. */
static uint64_t *stall_counter(struct compute_unit *unit, uint64_t slots)
{
    struct compute_unit_statistics *statistics = &unit->statistics;
    const struct {
        enum wavefront_state state;
        uint64_t *counter;
    } causes[] = {
        {STATE_RUNNABLE, &statistics->stall_busy},
        {STATE_QUEUE, &statistics->stall_queue},
        {STATE_FETCH, &statistics->stall_fetch},
        {STATE_LGKM, &statistics->stall_lgkm},
        {STATE_VM, &statistics->stall_vm},
        {STATE_EXP, &statistics->stall_exp},
        {STATE_BARRIER, &statistics->stall_barrier},
        {STATE_PAUSED, &statistics->stall_sleep},
        {STATE_TRANSACTION, &statistics->stall_transaction},
        {STATE_END, &statistics->stall_end},
    };

    for (unsigned i = 0; i < ARRAY_COUNT(causes); i++)
        if ((unit->in_state[causes[i].state] & slots) != 0)
            return causes[i].counter;
    return &statistics->stall_empty;
}

void account_slots(struct compute_unit *unit, struct simd *simd, unsigned number, uint64_t cycle)
{
    uint64_t first;

    if (simd->counted_until >= cycle)
        return;
    first = turns_from(&unit->turns, number, simd->counted_until);
    if (first < cycle)
        *stall_counter(unit, simd->slots) += turns_count(&unit->turns, first, cycle);
    simd->counted_until = cycle;
}

void account_slot(struct compute_unit *unit, unsigned number, bool issued, bool internal)
{
    if (!issued && !internal)
        return; /* counted with those that follow, by account_slots */
    if (issued)
        unit->statistics.slots_issued++;
    else
        unit->statistics.slots_internal++;
    unit->simds[number].counted_until = unit_cycle(unit) + 1;
}

void account_residents(struct compute_unit *unit)
{
    uint64_t cycle = unit_cycle(unit);

    if (unit->resident.value > 0)
        unit->statistics.busy_cycles += cycle - unit->resident.since;
    occupancy_settle(&unit->resident, &unit->statistics.wavefronts, cycle);
}
