/* SPDX-License-Identifier: MIT */
/* Miss status holding registers: a free list, and a hash table by address. */
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

static uint32_t mshr_hash(const struct controller *controller, uint64_t addr)
{
    uint64_t line = addr / LINE_BYTES;

    return (uint32_t)(line ^ line >> 9) & controller->mshr_mask;
}

struct mshr *controller_find_mshr(const struct controller *controller, uint64_t addr)
{
    uint16_t index = controller->mshr_heads[mshr_hash(controller, addr)];

    while (index != NO_INDEX && controller->mshrs[index].addr != addr)
        index = controller->mshr_next[index];
    return index == NO_INDEX ? NULL : &controller->mshrs[index];
}

static struct mshr *take_entry(struct controller *controller, uint64_t addr, uint16_t *free)
{
    struct controller_state *state = controller->state;
    uint16_t index = *free;
    struct mshr *mshr = &controller->mshrs[index];
    uint16_t *head = &controller->mshr_heads[mshr_hash(controller, addr)];

    check(index != NO_INDEX, "%s: no entry is free", controller->name);
    *free = controller->mshr_next[index];
    memset(mshr, 0, sizeof *mshr);
    mshr->addr = addr;
    mshr->epoch = state->epoch;
    mshr->line = NO_INDEX;
    mshr->first_target = mshr->last_target = NO_INDEX;
    mshr->first_stalled = mshr->last_stalled = NO_INDEX;
    mshr->in_use = true;
    data_clear(&controller->role->mshr_data, controller->mshr_data, index);
    controller->mshr_next[index] = *head;
    *head = index;
    return mshr;
}

struct mshr *mshr_take(struct controller *controller, uint64_t addr)
{
    struct mshr *mshr = take_entry(controller, addr, &controller->state->free_mshr);

    controller->state->mshrs_used++;
    mshr->has_entry = true;
    if (controller->carries)
        controller->carries = false;
    else
        controller->state->entries_used++;
    return mshr;
}

struct mshr *mshr_take_eviction(struct controller *controller, uint64_t addr)
{
    struct mshr *mshr;

    controller->state->evictions_used++;
    mshr = take_entry(controller, addr, &controller->state->free_eviction);
    mshr->is_eviction = true;
    return mshr;
}

void mshr_release(struct controller *controller, struct mshr *mshr)
{
    struct controller_state *state = controller->state;
    uint16_t index = (uint16_t)(mshr - controller->mshrs);
    uint16_t *link = &controller->mshr_heads[mshr_hash(controller, mshr->addr)];

    check(mshr->in_use && mshr->first_target == NO_INDEX && node_set_is_empty(&mshr->probes),
          "%s: MSHR %u released with targets or probes", controller->name, index);
    while (*link != index)
        link = &controller->mshr_next[*link];
    *link = controller->mshr_next[index];
    if (mshr->line != NO_INDEX)
        controller->lines[mshr->line].mshr = NO_INDEX;
    if (mshr->first_stalled != NO_INDEX) {
        /* To the front: what is in the queue of this line, if anything, came after these. */
        for (uint16_t i = mshr->first_stalled; i != NO_INDEX; i = controller->waiting[i].next)
            controller_join_miss(controller, &controller->waiting[i].message, index);
        controller->waiting[mshr->last_stalled].next = state->first_replay;
        if (state->first_replay == NO_INDEX)
            state->last_replay = mshr->last_stalled;
        state->first_replay = mshr->first_stalled;
    }
    if (mshr->has_entry)
        entry_end(controller);
    controller->mshr_next[index] = mshr->is_eviction ? state->free_eviction : state->free_mshr;
    if (mshr->is_eviction) {
        state->free_eviction = index;
        state->evictions_used--;
    } else {
        state->free_mshr = index;
        state->mshrs_used--;
    }
    memset(mshr, 0, sizeof *mshr);
}
