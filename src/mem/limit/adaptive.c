/* SPDX-License-Identifier: MIT */
/*
 * Hill climbing on a ladder of limits, 1, 2, 4, ... and the number of entries. One window measures
 * the present rung, the next one a neighbour. A neighbour that is better becomes the present rung,
 * and the one after it is tried; else the other direction is. When neither is better it rests, then
 * measures again, since the traffic may be another. Fewer entries need only be as good, more must
 * be better, by a margin that hides the noise of a window.
 */
#include "mem/limit.h"

enum {
    RESTS = 6,  /* windows */
    MARGIN = 64 /* a difference of less than one in so many is a tie */
};

static uint32_t rung_above(uint32_t limit, uint32_t entries)
{
    return limit > entries / 2 ? entries : 2 * limit;
}

/* The largest power of two below. */
static uint32_t rung_below(uint32_t limit)
{
    uint32_t rung = 1;

    while (2 * rung < limit)
        rung *= 2;
    return rung;
}

static bool is_better(const struct limit_memory *memory, uint64_t answers)
{
    uint64_t margin = memory->base / MARGIN;

    return memory->tried > memory->best ? answers > memory->base + margin
                                        : answers + margin >= memory->base;
}

/* The neighbour in the present direction; the other one where there is none. */
static uint32_t next_trial(struct limit_memory *memory, uint32_t entries)
{
    if (memory->is_up && memory->best == entries)
        memory->is_up = false;
    else if (!memory->is_up && memory->best == 1)
        memory->is_up = true;
    memory->tried = memory->is_up ? rung_above(memory->best, entries) : rung_below(memory->best);
    return memory->tried;
}

static uint32_t period_rest(struct limit_memory *memory)
{
    memory->rests = RESTS;
    memory->failed = 0;
    memory->tried = memory->best;
    return memory->best;
}

static uint32_t adaptive_next(struct limit_memory *memory, uint32_t entries, uint64_t answers)
{
    if (memory->best == 0)
        memory->best = memory->tried = entries;
    if (entries == 1)
        return 1;
    if (memory->rests > 0) {
        memory->rests--;
        return memory->best;
    }
    if (memory->tried == memory->best) {
        memory->base = answers;
        return next_trial(memory, entries);
    }
    if (is_better(memory, answers)) {
        memory->best = memory->tried;
        if (answers > memory->base) /* so that ties, one after the other, do not add up */
            memory->base = answers;
        memory->failed = 0;
        return memory->best == 1 || memory->best == entries ? period_rest(memory)
                                                            : next_trial(memory, entries);
    }
    memory->is_up = !memory->is_up;
    if (++memory->failed == 2 || memory->best == 1 || memory->best == entries)
        return period_rest(memory);
    return next_trial(memory, entries);
}

extern const struct limit_policy limit_adaptive;
const struct limit_policy limit_adaptive = {
    .name = "adaptive",
    .help = "hill climbing by accesses completed in a window, ties to fewer entries",
    .next = adaptive_next,
};
