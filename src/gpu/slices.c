/* SPDX-License-Identifier: MIT */
#include "gpu/slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

/* NULL: the wavefront is not chosen. */
static struct slice *slices_add(struct slices *slices, const struct wavefronts *waves,
                                const struct wavefront *wave, enum slice_kind kind)
{
    const struct group *group = &waves->groups[wave->group];
    struct slice *slice;

    if (!trace_choice_selects(&slices->choice, group->launch->kernel, waves->number, group->isa.id,
                              wave->index))
        return NULL;
    if (slices->count == slices->room) {
        slices->room = slices->room * 2 + 64;
        slices->list = reallocate(slices->list, slices->room, sizeof *slices->list);
    }
    slice = &slices->list[slices->count++];
    *slice = (struct slice){.end = wavefronts_cycle(waves),
                            .begin = wavefronts_cycle(waves),
                            .unit = waves->number,
                            .slot = wave->slot,
                            .wavefront = wave->index,
                            .kind = (uint8_t)kind};
    memcpy(slice->group, group->isa.id, sizeof slice->group);
    return slice;
}

void slices_time(struct slices *slices, const struct wavefronts *waves,
                 const struct wavefront *wave, uint64_t pc, bool is_behind, uint64_t cycles)
{
    struct slice *slice = cycles > 0 ? slices_add(slices, waves, wave, SLICE_TIME) : NULL;

    if (slice == NULL)
        return;
    slice->begin -= cycles;
    slice->pc = pc;
    slice->what = wave->time;
    slice->is_behind = is_behind;
}

void slices_issue(struct slices *slices, const struct wavefronts *waves,
                  const struct wavefront *wave)
{
    struct slice *slice = slices_add(slices, waves, wave, SLICE_ISSUE);

    if (slice != NULL)
        slice->pc = wave->registers->pc;
}

static struct slice_access *slices_add_access(struct slices *slices)
{
    if (slices->access_count == slices->access_room) {
        slices->access_room = slices->access_room * 2 + 16;
        slices->accesses =
            reallocate(slices->accesses, slices->access_room, sizeof *slices->accesses);
    }
    return &slices->accesses[slices->access_count++];
}

static void slices_access(struct slices *slices, const struct vector_memory *vmem,
                          const struct vmem_entry *entry, unsigned part,
                          const struct access *access)
{
    const struct wavefronts *waves = vmem->waves;
    const struct journey *journey = vmem_journey(vmem, entry, part);
    struct slice_access *added;
    struct slice *slice;

    if (!trace_choice_holds(&slices->choice, access->line))
        return;
    slice = slices_add(slices, waves, &waves->list[entry->slot], SLICE_ACCESS);
    if (slice == NULL)
        return;
    slice->access = slices->access_count;
    slice->pc = entry->pc;
    slice->what = entry->request.kind;
    slice->begin = slice->end = entry->started_at;
    added = slices_add_access(slices);
    *added = (struct slice_access){.line = access->line,
                                   .bytes = (uint32_t)count_bits(access->mask),
                                   .is_last = part == entry->latest_part,
                                   .leg_count = journey->leg_count};
    memcpy(added->legs, journey->legs, journey->leg_count * sizeof *journey->legs);
    for (uint32_t i = 0; i < journey->leg_count; i++)
        slice->end += journey_leg_cycles(journey->legs[i]);
}

void slices_accesses(struct slices *slices, const struct vector_memory *vmem,
                     const struct vmem_entry *entry)
{
    unsigned part = 0;

    if (entry->slot == NO_SLOT)
        return;
    for (unsigned run = 0; run < vmem->runs; run++) {
        struct access_list list = {0};

        coalescer_add(&entry->request, vmem_run_lanes(vmem, run), &list);
        for (uint32_t i = 0; i < list.count; i++)
            slices_access(slices, vmem, entry, part++, &list.accesses[i]);
    }
}

void slices_clear(struct slices *slices)
{
    slices->count = slices->access_count = 0;
}

void slices_finish(struct slices *slices)
{
    free(slices->list);
    free(slices->accesses);
    *slices = (struct slices){0};
}
