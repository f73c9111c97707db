/* SPDX-License-Identifier: MIT */
/* What the compute unit counts. Slots in which nothing happened are counted afterwards, from the
 * cycle number. Between two ticks no wavefront changes its state, so all of them have one cause. */
#include "gpu/wavefront.h"

/* The cause nearest to progress wins: what the first wavefront that could go on is waiting for. */
static uint64_t *stall_counter(struct wavefronts *waves, uint64_t slots)
{
    struct compute_unit_statistics *statistics = waves->statistics;
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
        if ((waves->in_state[causes[i].state] & slots) != 0)
            return causes[i].counter;
    return &statistics->stall_empty;
}

void account_stalls(struct wavefronts *waves, struct simd *simd, unsigned number, uint64_t cycle)
{
    uint64_t first = turns_from(&waves->turns, number, simd->counted_until);

    if (first < cycle)
        *stall_counter(waves, simd->slots) += turns_count(&waves->turns, first, cycle);
    simd->counted_until = cycle;
}

void account_slot(struct wavefronts *waves, unsigned number, bool issued, bool internal)
{
    if (!issued && !internal)
        return; /* counted with those that follow, by account_slots */
    if (issued)
        waves->statistics->slots_issued++;
    else
        waves->statistics->slots_internal++;
    waves->simds[number].counted_until = wavefronts_cycle(waves) + 1;
}

void account_residents(struct wavefronts *waves)
{
    uint64_t cycle = wavefronts_cycle(waves);

    if (waves->resident.value > 0)
        waves->statistics->busy_cycles += cycle - waves->resident.since;
    occupancy_settle(&waves->resident, &waves->statistics->wavefronts, cycle);
}
