/* SPDX-License-Identifier: MIT */
/* A cache's entries (MSHRs) in time: those of accesses that have ended are free when the answer
 * arrives. How many are usable may change with each window. */
#include "mem/cache.h"

void cache_entries_init(struct cache *cache)
{
    const struct cache_parameters *parameters = &cache->parameters;
    struct controller *controller = &cache->controller;
    const struct limit_policy *policy = limit_policy_find(parameters->mshr_limit);

    controller->lingers = controller->shape.admission->every_access;
    entry_ages_init(&cache->entries.ages, controller->shape.mshr_entries);
    if (policy != NULL && policy->next != NULL)
        entry_limit_init(&cache->entries.limit, policy, controller->shape.mshr_entries,
                         parameters->mshr_window);
    cache->entries.usable.value = controller->shape.mshr_entries;
    cache->entries.has_time = controller->lingers || cache->entries.limit.policy != NULL;
}

void cache_entries_finish(struct cache *cache)
{
    entry_ages_finish(&cache->entries.ages);
}

void cache_entries_begin(struct cache *cache)
{
    struct cache_statistics *statistics = &cache->controller.statistics;
    struct entry_limit *limit = &cache->entries.limit;
    uint64_t cycle = component_cycle(&cache->component);

    if (entry_ages_return(&cache->entries.ages, &cache->controller, cycle))
        component_progress(&cache->component);
    if (limit->policy == NULL || !entry_limit_tick(limit, cycle))
        return;
    component_progress(&cache->component);
    if (limit->limit == cache->entries.usable.value)
        return;
    controller_set_entry_limit(&cache->controller, limit->limit);
    occupancy_change(&cache->entries.usable, &statistics->mshr_limit, cycle, limit->limit);
    statistics->mshr_limit_changes++;
}

/* Once for each cycle. */
static void wake_at(struct cache *cache, uint64_t cycle, uint64_t *latest)
{
    if (cycle == *latest)
        return;
    *latest = cycle;
    component_wake_at(&cache->component, cycle);
}

/* A window in which nothing is answered decides nothing: its end may be slept through. */
void cache_entries_end(struct cache *cache)
{
    struct cache_entries *entries = &cache->entries;

    entry_ages_add(&entries->ages, &cache->controller,
                   component_cycle(&cache->component) + cache->parameters.reply_cycles);
    if (entries->ages.used > 0)
        wake_at(cache, entry_ages_next(&entries->ages), &entries->ages_wake);
    if (entries->limit.answers > 0)
        wake_at(cache, entries->limit.ends, &entries->window_wake);
}

void cache_count_used(struct cache *cache)
{
    struct occupancy *used = &cache->entries.used;
    struct cache_statistics *statistics = &cache->controller.statistics;
    uint64_t cycle = component_cycle(&cache->component);

    if (used->value >= cache->controller.shape.mshr_entries && cycle > used->since)
        statistics->mshr_full_cycles += cycle - used->since;
    occupancy_settle(used, &statistics->mshr_occupancy, cycle);
}

void cache_entries_settle(struct cache *cache)
{
    if (cache->entries.limit.policy != NULL)
        occupancy_settle(&cache->entries.usable, &cache->controller.statistics.mshr_limit,
                         component_cycle(&cache->component));
}
