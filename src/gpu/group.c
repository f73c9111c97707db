/* SPDX-License-Identifier: MIT */
/* Work-groups and their wavefronts' lives: start, barriers, end. */
#include <string.h>

#include "gpu/unit.h"

static void set_residents(struct compute_unit *unit, uint64_t count)
{
    account_residents(unit);
    unit->resident.value = count;
}

static void start_wavefront(struct compute_unit *unit, const struct group_launch *launch,
                            uint32_t index)
{
    uint32_t slot = launch->wavefronts[index];
    struct wavefront *wave = &unit->wavefronts[slot];
    struct isa_wave *registers = wave->registers;
    const struct isa_launch *isa_launch = launch->launch->isa;

    check(wave->state == STATE_FREE, "wavefront slot %u is given twice", slot);
    unit->isa->wave_init(registers, isa_launch, &launch->group, index,
                         unit->number * unit->slot_count + slot);
    registers->lds = unit->local.bytes + launch->lds_base;
    registers->lds_bytes = compute_unit_granted_lds(unit->parameters, isa_launch->lds_bytes);
    wave->group = (uint8_t)launch->slot;
    wave->index = (uint8_t)index;
    wave->age = unit->next_age++;
    wave->key = UINT64_C(3) << 60 | wave->age; /* priority 0 */
    wave->refused_since = NEVER;
    wave->ready_at = wave->scalar_ready_at = 0;
    wave->sequence = 0;
    wave->vm_count = wave->exp_count = wave->lgkm_count = wave->releases = 0;
    wave->outstanding = 0;
    wave->first_vmem = wave->last_vmem = NO_ENTRY;
    wave->has_ended = false;
    wave->transaction_state = (struct transaction_state){.since = unit_cycle(unit)};
    wave->transaction = (struct tm_wavefront){
        .group = unit->tm != NULL ? &unit->tm->groups[launch->slot] : NULL,
        .slot = slot,
        .index = index,
        .first_item = index * unit->wave_lanes};
    wavefront_redirect(unit, wave, unit_cycle(unit));
}

/* The NDRange's end may leave wavefronts of its last work-groups without a work-item. */
static void end_empty_wavefronts(struct compute_unit *unit, const struct group_launch *launch)
{
    for (uint32_t i = 0; i < launch->group.wave_count; i++) {
        struct wavefront *wave = &unit->wavefronts[launch->wavefronts[i]];

        if (!wave->registers->ended)
            continue;
        wavefront_end(unit, wave);
        wavefront_released(unit, wave);
    }
}

void group_start(struct compute_unit *unit, const struct group_launch *launch)
{
    struct group *group = &unit->groups[launch->slot];

    check(group->members == 0, "work-group slot %u is given twice", launch->slot);
    *group = (struct group){
        .launch = launch->launch, .isa = launch->group, .lds_base = launch->lds_base};
    memset(unit->local.bytes + launch->lds_base, 0,
           compute_unit_granted_lds(unit->parameters, launch->launch->lds_bytes));
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        group->members |= UINT64_C(1) << launch->wavefronts[i];
    group->running = group->members;
    transactions_group_start(unit, launch);
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        start_wavefront(unit, launch, i);
    set_residents(unit, unit->resident.value + launch->group.wave_count);
    end_empty_wavefronts(unit, launch);
}

static void end_group(struct compute_unit *unit, struct group *group)
{
    uint64_t members = group->members;

    transactions_group_end(unit, group);
    for_each_bit(slot, members) wavefront_set_state(unit, &unit->wavefronts[slot], STATE_FREE);
    unit->statistics.groups++;
    index_ring_put(&unit->completed_groups, (uint16_t)(group - unit->groups), unit_cycle(unit));
    group->members = 0;
}

void wavefront_released(struct compute_unit *unit, struct wavefront *wave)
{
    struct group *group = &unit->groups[wave->group];

    if (wave->outstanding == 0 && wave->state == STATE_TRANSACTION)
        unit->tm->host.wake(&unit->tm->host, wave->slot); /* it waited for that, or asks again */
    if (!wave->has_ended || wave->outstanding != 0)
        return;
    group->done |= UINT64_C(1) << wave->slot;
    set_residents(unit, unit->resident.value - 1);
    if (group->done == group->members)
        end_group(unit, group);
}

void barrier_check(struct compute_unit *unit, struct group *group)
{
    uint64_t waiting = group->at_barrier, cycle = unit_cycle(unit);

    if (waiting == 0 || waiting != group->running)
        return;
    group->at_barrier = 0;
    for_each_bit(slot, waiting) wavefront_ready(unit, &unit->wavefronts[slot], cycle + 1);
}

void wavefront_end(struct compute_unit *unit, struct wavefront *wave)
{
    struct group *group = &unit->groups[wave->group];
    uint64_t bit = UINT64_C(1) << wave->slot;

    wavefront_set_state(unit, wave, STATE_END);
    wave->has_ended = true;
    wave->fetch_number++; /* what is still fetched for it is dropped */
    unit->wants_fetch &= ~bit;
    group->running &= ~bit;
    barrier_check(unit, group);
}

void groups_send_completions(struct compute_unit *unit)
{
    while (unit->completed_groups.count > 0 && port_has_room(unit->ports.completions, 1)) {
        struct group_done *done =
            port_send(unit->ports.completions, (uint32_t)unit->parameters->completion_cycles);

        done->slot = index_ring_take(&unit->completed_groups);
        unit->has_progress = true;
    }
}
