/* SPDX-License-Identifier: MIT */
/* Work-groups and their wavefronts' lives: start, barriers, end. */
#include <string.h>

#include "gpu/wavefront.h"

static void set_residents(struct wavefronts *waves, uint64_t count)
{
    account_residents(waves);
    waves->resident.value = count;
}

static void start_wavefront(struct wavefronts *waves, const struct group_launch *launch,
                            uint32_t index)
{
    uint32_t slot = launch->wavefronts[index];
    struct wavefront *wave = &waves->list[slot];
    struct isa_wave *registers = wave->registers;
    const struct isa_launch *isa_launch = launch->launch->isa;

    check(wave->state == STATE_FREE, "wavefront slot %u is given twice", slot);
    waves->isa->wave_init(registers, isa_launch, &launch->group, index,
                          waves->number * waves->slot_count + slot);
    registers->lds = waves->lds + launch->lds_base;
    registers->lds_bytes = compute_unit_granted_lds(waves->parameters, isa_launch->lds_bytes);
    wave->group = (uint8_t)launch->slot;
    wave->index = (uint8_t)index;
    wave->age = waves->next_age++;
    wave->key = UINT64_C(3) << 60 | wave->age; /* priority 0 */
    wave->refused_since = NEVER;
    wave->ready_at = wave->scalar_ready_at = 0;
    wave->sequence = 0;
    wave->vm_count = wave->exp_count = wave->lgkm_count = wave->releases = 0;
    wave->outstanding = wave->unawaited = wave->lds_outstanding = 0;
    wave->has_ended = false;
    wavefront_redirect(waves, wave, wavefronts_cycle(waves));
}

/* The NDRange's end may leave wavefronts of its last work-groups without a work-item. */
static void end_empty_wavefronts(struct wavefronts *waves, const struct group_launch *launch)
{
    for (uint32_t i = 0; i < launch->group.wave_count; i++) {
        struct wavefront *wave = &waves->list[launch->wavefronts[i]];

        if (!wave->registers->ended)
            continue;
        wavefront_end(waves, wave);
        wavefront_released(waves, wave);
    }
}

void group_start(struct wavefronts *waves, const struct group_launch *launch)
{
    struct group *group = &waves->groups[launch->slot];

    check(group->members == 0, "work-group slot %u is given twice", launch->slot);
    *group = (struct group){
        .launch = launch->launch, .isa = launch->group, .lds_base = launch->lds_base};
    memset(waves->lds + launch->lds_base, 0,
           compute_unit_granted_lds(waves->parameters, launch->launch->lds_bytes));
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        group->members |= UINT64_C(1) << launch->wavefronts[i];
    group->running = group->members;
    waves->profile = launch->launch->profile;
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        start_wavefront(waves, launch, i);
    if (waves->listener != NULL)
        waves->listener->group_started(waves->listener, launch);
    set_residents(waves, waves->resident.value + launch->group.wave_count);
    end_empty_wavefronts(waves, launch);
}

static void end_group(struct wavefronts *waves, struct group *group)
{
    uint64_t members = group->members;

    if (waves->listener != NULL)
        waves->listener->group_ended(waves->listener, group);
    for_each_bit(slot, members) wavefront_set_state(waves, &waves->list[slot], STATE_FREE);
    waves->statistics->groups++;
    index_ring_put(&waves->completed_groups, (uint16_t)(group - waves->groups),
                   wavefronts_cycle(waves));
    group->members = 0;
}

void wavefront_released(struct wavefronts *waves, struct wavefront *wave)
{
    struct group *group = &waves->groups[wave->group];

    if (wave->outstanding == wave->unawaited && wave->state == STATE_TRANSACTION &&
        wave->tm_flags.awaits_memory)
        waves->listener->memory_over(waves->listener, wave);
    if (!wave->has_ended || wave->outstanding != 0)
        return;
    group->done |= UINT64_C(1) << wave->slot;
    wavefront_time_change(waves, wave);
    set_residents(waves, waves->resident.value - 1);
    if (group->done == group->members)
        end_group(waves, group);
}

void barrier_check(struct wavefronts *waves, struct group *group)
{
    uint64_t waiting = group->at_barrier, cycle = wavefronts_cycle(waves);

    if (waiting == 0 || waiting != group->running)
        return;
    group->at_barrier = 0;
    for_each_bit(slot, waiting)
    {
        wavefront_ready(waves, &waves->list[slot], cycle + 1);
        if (waves->parameters->serial_fetch_cycles > 0)
            wavefront_fetched(waves, &waves->list[slot], cycle);
    }
}

void wavefront_end(struct wavefronts *waves, struct wavefront *wave)
{
    struct group *group = &waves->groups[wave->group];
    uint64_t bit = UINT64_C(1) << wave->slot;

    wavefront_set_state(waves, wave, STATE_END);
    wave->has_ended = true;
    wave->fetch_number++; /* what is still fetched for it is dropped */
    waves->wants_fetch &= ~bit;
    group->running &= ~bit;
    barrier_check(waves, group);
}

void groups_send_completions(struct wavefronts *waves, struct port *completions)
{
    while (waves->completed_groups.count > 0 && port_has_room(completions, 1)) {
        struct group_done *done =
            port_reserve(completions, (uint32_t)waves->parameters->completion_cycles);

        done->slot = index_ring_take(&waves->completed_groups);
        waves->has_progress = true;
    }
}
