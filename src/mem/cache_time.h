/* SPDX-License-Identifier: MIT */
/* Where a cache's requests wait, for its statistics (stall_*) and for their journeys. A part of
 * mem/cache.c. */
#ifndef MEM_CACHE_TIME_H
#define MEM_CACHE_TIME_H

#include "mem/cache.h"

/* Where a step's message has stood until now: a link above, in its lane of requests, or these. */
enum { CACHE_FROM_BELOW = -1, CACHE_FROM_REPLAYS = -2, CACHE_FROM_LANE = -3 };

void cache_time_init(struct cache *cache);
void cache_time_finish(struct cache *cache);

/* A request that is refused in cycle c and taken in cycle d has waited d - c cycles. */
void cache_note_stall(struct cache *cache, uint32_t above, enum stall_cause cause);

static inline const struct lanes *lanes_below(const struct cache *cache, uint64_t addr)
{
    return &cache->below[cache->below_count == 1 ? 0 : address_place(cache->map, addr).port];
}

/* The message leaves where it has stood. */
void cache_stamp(struct cache *cache, const struct step *step, const struct controller_plan *plan,
                 int from);

/* The step has begun a miss. If its message waits here for it, what was sent below for it has the
 * miss's journey. */
void cache_begin_miss(struct cache *cache, struct step *step);

/* The journey of what is answered goes up with the answer, and with nothing that is sent
 * besides. */
void cache_leave_to_answer(struct step *step);

/* A message goes up: the answer of a lookup in this cycle, or of one that has waited for its
 * turn. */
static inline void cache_stamp_above(const struct cache *cache, const struct message *message,
                                     bool has_waited)
{
    struct journey *journey = message_journey(message);
    uint64_t cycle = component_cycle(&cache->component);

    if (journey == NULL)
        return;
    if (has_waited)
        journey_until(journey, PART_RETURN_QUEUE, cycle);
    journey_until(journey, has_waited ? PART_RETURN : controller_part_lookup(&cache->controller),
                  cycle + cache->parameters.reply_cycles);
}

static inline void cache_stamp_below(const struct cache *cache, const struct message *message)
{
    message_stamp(message, controller_part_lookup(&cache->controller),
                  component_cycle(&cache->component) + cache->parameters.forward_cycles);
}

/* ---- cache_ideal.c ---- */
/* Whether it is a load that hits though its line is not here. */
bool cache_hits_ideally(const struct cache *cache, const struct message *message);
/* Its reply, counted; false: its link has no room now. */
bool cache_answer_ideally(struct cache *cache, uint32_t above, const struct message *message,
                          struct message *reply);
/* controller.present of a slice. */
void cache_present(const struct controller *controller, uint64_t addr, unsigned char *data);

/* ---- cache_parameters.c ---- */
/* The set of message kinds whose answers carry data. */
uint64_t cache_kinds_answered_with_data(const struct protocol *protocol);

#endif
