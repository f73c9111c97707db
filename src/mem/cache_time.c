/* SPDX-License-Identifier: MIT */
#include "mem/cache_time.h"

#include <stdlib.h>

#include "base/text.h"

enum { HOST_LINE = 64 }; /* bytes: a journey's first legs lie in one */

void cache_time_init(struct cache *cache)
{
    const struct controller_shape *shape = &cache->controller.shape;
    uint32_t entries = shape->mshr_entries + shape->eviction_entries;
    unsigned char *memory = allocate(entries * sizeof *cache->journeys + HOST_LINE, 1);

    cache->missed_at = allocate(entries, sizeof *cache->missed_at);
    cache->journey_memory = memory;
    cache->journeys = (void *)(memory + (HOST_LINE - (uintptr_t)memory % HOST_LINE) % HOST_LINE);
    cache->controller.journeys = cache->journeys;
}

void cache_time_finish(struct cache *cache)
{
    for (uint32_t i = 0; i < cache->above_count; i++)
        stall_log_finish(&cache->stalls[i].log);
    free(cache->missed_at);
    free(cache->journey_memory);
}

/* ---- Stalls ---- */

static uint64_t *stall_counter(struct cache *cache, enum stall_cause cause)
{
    struct cache_statistics *statistics = &cache->controller.statistics;

    switch (cause) {
    case STALL_MSHR:
        return &statistics->stall_mshr_cycles;
    case STALL_SET:
        return &statistics->stall_set_cycles;
    case STALL_WAITING:
        return &statistics->stall_waiting_cycles;
    case STALL_ORDER:
        return &statistics->stall_order_cycles;
    case STALL_EVICTION:
        return &statistics->stall_eviction_cycles;
    default:
        return &statistics->stall_output_cycles;
    }
}

void cache_note_stall(struct cache *cache, uint32_t above, enum stall_cause cause)
{
    uint64_t cycle = component_cycle(&cache->component);

    if (cache->stalls[above].cause != STALL_NONE)
        *stall_counter(cache, cache->stalls[above].cause) += cycle - cache->stalls[above].since;
    if (cache->stalls[above].cause != cause)
        stall_log_note(&cache->stalls[above].log, cause, cycle);
    cache->stalls[above].cause = cause;
    cache->stalls[above].since = cycle;
}

/* ---- Journeys ---- */

/* An answer, whose journey may be the miss's own, brings the miss of its line to the present. */
static void stamp_miss(struct cache *cache, const struct step *step, const struct journey *journey,
                       bool is_from_below)
{
    struct journey *miss = &cache->journeys[step->mshr - cache->controller.mshrs];
    unsigned rest = is_from_below ? controller_part_other(&cache->controller) : PART_PROBES;

    if (journey == miss)
        return;
    if (journey != NULL)
        journey_join(miss, journey, rest);
    journey_until(miss, rest, component_cycle(&cache->component));
}

void cache_stamp(struct cache *cache, const struct step *step, const struct controller_plan *plan,
                 int from)
{
    const struct controller *controller = &cache->controller;
    struct journey *journey = message_journey(step->message);
    uint64_t cycle = component_cycle(&cache->component);
    unsigned queue = controller_part_queue(controller);

    if (journey != NULL) {
        if (from >= 0)
            stall_log_charge(&cache->stalls[from].log, journey, queue, cycle);
        else if (from == CACHE_FROM_BELOW)
            journey_until(journey,
                          controller->kind_channels[step->message->kind] == CHANNEL_PROBE
                              ? PART_PROBES
                              : PART_RETURN_QUEUE,
                          cycle);
        else if (from == CACHE_FROM_REPLAYS)
            journey_until(journey, queue + (plan->is_applicant ? STALL_MSHR : STALL_ORDER), cycle);
        else
            journey_until(journey, queue, cycle);
    }
    if (step->mshr != NULL && !plan->row->passes &&
        controller->kind_channels[step->message->kind] == CHANNEL_RESPONSE)
        stamp_miss(cache, step, journey, from == CACHE_FROM_BELOW);
}

void cache_begin_miss(struct cache *cache, struct step *step)
{
    uint32_t index = (uint32_t)(step->mshr - cache->controller.mshrs);
    uint64_t cycle = component_cycle(&cache->component);

    cache->missed_at[index] = cycle;
    journey_begin(&cache->journeys[index], cycle);
    if ((step->facts & (FACT_MERGED | FACT_WAITS)) == 0)
        return;
    for (uint32_t i = 0; i < step->output_count; i++)
        if (step->outputs[i].side == OUTPUT_DOWN && step->outputs[i].message.addr == step->addr)
            message_set_journey(&step->outputs[i].message, &cache->journeys[index]);
}

void cache_leave_to_answer(struct step *step)
{
    const struct journey *answered = NULL;

    for (uint32_t i = 0; i < step->output_count; i++)
        if (step->outputs[i].side == OUTPUT_UP)
            answered = step->outputs[i].message.journey;
    for (uint32_t i = 0; i < step->output_count && answered != NULL; i++)
        if (step->outputs[i].side == OUTPUT_DOWN && step->outputs[i].message.journey == answered)
            message_set_journey(&step->outputs[i].message, NULL);
}
