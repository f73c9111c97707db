/* SPDX-License-Identifier: MIT */
#include "mem/journey.h"

#include <stddef.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

_Static_assert((int)PART_COUNT <= (int)JOURNEY_MAX_LEGS && PART_COUNT <= 32, "a leg for each part");

const char *const journey_part_names[PART_COUNT] = {
#define NAME(PART, name, help) [PART_##PART] = #name,
    JOURNEY_PARTS(NAME)
#undef NAME
};

enum { CYCLES_MAX = (1 << JOURNEY_CYCLE_BITS) - 1 };

/* Legs of one part become one, at the place of the first. */
static void legs_compact(struct journey *journey)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < journey->leg_count; i++) {
        uint32_t leg = journey->legs[i], j = 0;

        while (
            j < count &&
            (journey_leg_part(journey->legs[j]) != journey_leg_part(leg) ||
             (uint64_t)journey_leg_cycles(journey->legs[j]) + journey_leg_cycles(leg) > CYCLES_MAX))
            j++;
        if (j == count)
            journey->legs[count++] = leg;
        else
            journey->legs[j] += journey_leg_cycles(leg);
    }
    journey->leg_count = (uint16_t)count;
}

void journey_add_compact(struct journey *journey, unsigned part, uint64_t cycles)
{
    while (cycles > 0) {
        uint32_t now = cycles > CYCLES_MAX ? (uint32_t)CYCLES_MAX : (uint32_t)cycles;

        if (journey->leg_count == JOURNEY_MAX_LEGS)
            legs_compact(journey);
        check(journey->leg_count < JOURNEY_MAX_LEGS, "a request has been under way for ever");
        journey->legs[journey->leg_count++] = (uint32_t)part << JOURNEY_CYCLE_BITS | now;
        cycles -= now;
    }
}

void journey_join(struct journey *journey, const struct journey *other, unsigned rest)
{
    uint64_t left;
    uint32_t i = other->leg_count, count;

    /* The miss that the load itself began has looked into L2 for it. */
    if (journey->found[JOURNEY_L1] == FOUND_MISS && journey->found[JOURNEY_L2] == FOUND_NOTHING)
        journey->found[JOURNEY_L2] = other->found[JOURNEY_L2];
    if (other->since <= journey->since)
        return;
    left = other->since - journey->since;
    while (i > 0 && left > journey_leg_cycles(other->legs[i - 1]))
        left -= journey_leg_cycles(other->legs[--i]);
    /* Of the leg before, if there is one, the last of its cycles. */
    if (left > 0)
        journey_add(journey, i > 0 ? journey_leg_part(other->legs[i - 1]) : rest, left);
    count = other->leg_count - i;
    journey->since = other->since;
    if (journey->leg_count + count <= JOURNEY_MAX_LEGS) {
        memcpy(journey->legs + journey->leg_count, other->legs + i, count * sizeof *journey->legs);
        journey->leg_count = (uint16_t)(journey->leg_count + count);
        return;
    }
    for (; i < other->leg_count; i++)
        journey_add(journey, journey_leg_part(other->legs[i]), journey_leg_cycles(other->legs[i]));
}

uint64_t journey_cycles(const struct journey *journey)
{
    uint64_t cycles = 0;

    for (uint32_t i = 0; i < journey->leg_count; i++)
        cycles += journey_leg_cycles(journey->legs[i]);
    return cycles;
}

/* ---- Statistics ---- */

#define ROW(PART, name, help)                                                                      \
    {#name, "cycles", help, STATISTIC_COUNTER,                                                     \
     (uint32_t)(offsetof(struct latency_stack, parts) + PART_##PART * sizeof(uint64_t))},
const struct statistic latency_stack_statistics[] = {
    {"instructions", "instructions",
     "vector memory instructions that have ended: the parts are those of the last access of each",
     STATISTIC_COUNTER, offsetof(struct latency_stack, instructions)},
    {"cycles", "cycles",
     "from the start of address processing to the registers, all parts together", STATISTIC_COUNTER,
     offsetof(struct latency_stack, cycles)},
    JOURNEY_PARTS(ROW)};
const uint32_t latency_stack_statistic_count = ARRAY_COUNT(latency_stack_statistics);

void latency_stack_add(struct latency_stack *stack, const struct journey *journey)
{
    stack->instructions++;
    for (uint32_t i = 0; i < journey->leg_count; i++) {
        uint32_t cycles = journey_leg_cycles(journey->legs[i]);

        stack->parts[journey_leg_part(journey->legs[i])] += cycles;
        stack->cycles += cycles;
    }
}
