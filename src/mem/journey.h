/* SPDX-License-Identifier: MIT */
/*
 * A journey: where a request has spent its time so far. Each place that lets the request's message
 * go says until when it was there, and what the time since the place before is called. That is one
 * stamp (message_stamp), and one leg. So the legs of a journey are in the order of time, without
 * gaps, and their sum is its age exactly.
 *
 *     address unit ─► L1: queue, lookup ─► network ─► L2: queue, lookup ─► DRAM: queue, data
 *          ▲                                                                       │
 *     registers ◄─ in the order of the wavefront's instructions ◄──── return ◄─────┘
 *
 * The journey lies with who asked: the compute unit's access, or the MSHR of a cache's miss, which
 * begins with the miss. Messages carry a reference to it, and who holds the message writes it. A
 * message may outlive its journey, such as a copy that is not waited for. Its number is then of an
 * older journey, and it leaves no stamp. A request that waits for an outstanding miss takes over
 * the miss's legs from the instant at which it began to wait (journey_join).
 *
 * The queue in front of a cache is charged to what its head waits for. A request behind one that
 * lacks an MSHR waits for an MSHR. What the compute unit's address unit waits because that queue is
 * full counts as time in the queue.
 *
 * Times are cycles of the core clock; a part of a cycle, where memory's clock is another, counts to
 * the DRAM. A part is an enumerator: to add one, a row in JOURNEY_PARTS and a stamp. Source: none;
 * the design is ours.
 */
#ifndef MEM_JOURNEY_H
#define MEM_JOURNEY_H

#include <stdint.h>

#include "sim/declare.h"

/* In front of a cache, by enum stall_cause of the request at the head (mem/controller.h). */
#define JOURNEY_CACHE_PARTS(X, LEVEL, level, name)                                                 \
    X(LEVEL##_QUEUE, level##_queue, "queue of the " name ", which was busy with older requests")   \
    X(LEVEL##_MSHR, level##_mshr, "queue of the " name ": its head had no MSHR")                   \
    X(LEVEL##_SET, level##_set, "queue of the " name ": fills held every way of its head's set")   \
    X(LEVEL##_WAITING, level##_waiting, "queue of the " name ": its head had no waiting slot")     \
    X(LEVEL##_ORDER, level##_order,                                                                \
      "queue of the " name ": replayed requests or a walk went first")                             \
    X(LEVEL##_EVICTION, level##_eviction,                                                          \
      "queue of the " name ": the write-back buffer had no room for its head's victim")            \
    X(LEVEL##_OUTPUT, level##_output, "queue of the " name ": an output of its head had no room")  \
    X(LEVEL##_LOOKUP, level##_lookup, "the " name ", from the lookup on")                          \
    X(LEVEL##_OTHER, level##_other, "the " name ": other steps of the line's transaction")

#define JOURNEY_PARTS(X)                                                                           \
    X(ADDRESS, address, "address unit, and on to the L1")                                          \
    JOURNEY_CACHE_PARTS(X, L1, l1, "L1")                                                           \
    X(NETWORK_QUEUE, network_queue, "network, in front of a link")                                 \
    X(NETWORK, network, "network, on the way to L2")                                               \
    JOURNEY_CACHE_PARTS(X, L2, l2, "L2")                                                           \
    X(PROBES, probes, "L2, until the caches that were asked had answered")                         \
    X(DRAM_QUEUE, dram_queue, "memory channel, before the first command for the request")          \
    X(DRAM, dram, "memory channel, from the first command to the data")                            \
    X(RETURN_QUEUE, return_queue, "answer, in front of a link")                                    \
    X(RETURN, return, "answer, on the way to the registers")                                       \
    X(IN_ORDER, in_order, "answer, behind the wavefront's older memory instructions")

enum journey_part {
#define JOURNEY_ENUM(NAME, name, help) PART_##NAME,
    JOURNEY_PARTS(JOURNEY_ENUM)
#undef JOURNEY_ENUM
        PART_COUNT
};

enum { JOURNEY_MAX_LEGS = 28 };

/* What a load's lookup found in a level: of the request that this journey is of, not of a miss that
 * it joined. */
enum journey_found { FOUND_NOTHING, FOUND_HIT, FOUND_MISS, FOUND_MERGE };
enum journey_level { JOURNEY_L1, JOURNEY_L2, JOURNEY_LEVELS };

struct journey {
    uint64_t since;  /* cycle up to which its legs go */
    uint32_t number; /* of those that have lain here: messages of older ones leave no stamp */
    uint16_t leg_count;
    uint8_t found[JOURNEY_LEVELS];   /* enum journey_found */
    uint32_t legs[JOURNEY_MAX_LEGS]; /* part and cycles: journey_leg_part, journey_leg_cycles */
};

/* One name for the part, as in statistics: "l1_set". */
extern const char *const journey_part_names[PART_COUNT];

enum { JOURNEY_CYCLE_BITS = 27 };
static inline uint32_t journey_leg_cycles(uint32_t leg)
{
    return leg & ((UINT32_C(1) << JOURNEY_CYCLE_BITS) - 1);
}
static inline unsigned journey_leg_part(uint32_t leg)
{
    return leg >> JOURNEY_CYCLE_BITS;
}

/* A new journey, from the cycle on. */
static inline void journey_begin(struct journey *journey, uint64_t cycle)
{
    journey->since = cycle;
    journey->number++;
    journey->leg_count = 0;
    journey->found[JOURNEY_L1] = journey->found[JOURNEY_L2] = FOUND_NOTHING;
}

/* The leg does not fit: legs of one part become one. */
void journey_add_compact(struct journey *journey, unsigned part, uint64_t cycles);

static inline void journey_add(struct journey *journey, unsigned part, uint64_t cycles)
{
    if (journey->leg_count < JOURNEY_MAX_LEGS && cycles >> JOURNEY_CYCLE_BITS == 0)
        journey->legs[journey->leg_count++] =
            (uint32_t)part << JOURNEY_CYCLE_BITS | (uint32_t)cycles;
    else
        journey_add_compact(journey, part, cycles);
}

/* From where its legs end until `cycle`, which may lie ahead, it was `part`. */
static inline void journey_until(struct journey *journey, unsigned part, uint64_t cycle)
{
    if (cycle <= journey->since)
        return;
    journey_add(journey, part, cycle - journey->since);
    journey->since = cycle;
}

/* From where its legs end it waited for the end of `other`: it takes over that one's legs from then
 * on. What `other` does not cover, since it began later, was `rest`. */
void journey_join(struct journey *journey, const struct journey *other, unsigned rest);

/* Cycles of all legs. */
uint64_t journey_cycles(const struct journey *journey);

/* What instructions of one kind spent, added up. Each is the journey of its last access, from the
 * start of address processing to the registers. */
struct latency_stack {
    uint64_t instructions;
    uint64_t cycles; /* of all parts */
    uint64_t parts[PART_COUNT];
};
extern const struct statistic latency_stack_statistics[];
extern const uint32_t latency_stack_statistic_count;

/* The journey of one more instruction. */
void latency_stack_add(struct latency_stack *stack, const struct journey *journey);

#endif
