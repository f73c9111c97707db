/* SPDX-License-Identifier: MIT */
#include "mem/stall_log.h"

#include <stdlib.h>

#include "base/text.h"

enum { CHANGES_A_MESSAGE = 4, CHANGES_MIN = 16, FEW_CHANGES = 4 };

void stall_log_init(struct stall_log *log, uint32_t messages)
{
    uint32_t size = CHANGES_MIN;

    while (size < messages * CHANGES_A_MESSAGE)
        size *= 2;
    *log = (struct stall_log){.changes = allocate(size, sizeof *log->changes), .mask = size - 1};
}

void stall_log_finish(struct stall_log *log)
{
    free(log->changes);
}

static struct stall_change *change_at(const struct stall_log *log, uint32_t index)
{
    return &log->changes[index & log->mask];
}

void stall_log_note(struct stall_log *log, unsigned cause, uint64_t cycle)
{
    const struct stall_change *latest = change_at(log, log->latest);
    struct stall_change *next;

    if (latest->cycle == cycle) { /* that lasted no time */
        if (change_at(log, log->latest - 1)->cause == cause)
            log->latest--;
        else
            change_at(log, log->latest)->cause = cause;
        return;
    }
    next = change_at(log, ++log->latest);
    *next = *latest;
    next->cycle = cycle;
    next->cause = cause;
    next->spent[latest->cause] += (uint32_t)(cycle - latest->cycle);
}

/* The latest change that is not later than the cycle, or the oldest. Requests come in order, so
 * that it is seldom far from the one of the request before. What lies behind the latest may be one
 * that lasted no time. */
static uint32_t find_change(struct stall_log *log, uint64_t cycle)
{
    uint32_t change = log->arrival, max = log->mask - 1;

    if (log->latest - change > max)
        change = log->latest - max;
    while (change != log->latest - max && change_at(log, change)->cycle > cycle)
        change--;
    while (change != log->latest && change_at(log, change + 1)->cycle <= cycle)
        change++;
    log->arrival = change;
    return change;
}

static void charge_few(const struct stall_log *log, struct journey *journey, unsigned queue,
                       uint32_t change)
{
    for (; change != log->latest; change++)
        journey_until(journey, queue + change_at(log, change)->cause,
                      change_at(log, change + 1)->cycle);
}

static void charge_many(const struct stall_log *log, struct journey *journey, unsigned queue,
                        uint32_t change)
{
    const struct stall_change *first = change_at(log, change), *last = change_at(log, log->latest);
    uint64_t before = journey->since - first->cycle;

    for (unsigned cause = 0; cause < STALL_LOG_CAUSES; cause++) {
        uint32_t cycles = last->spent[cause] - first->spent[cause];

        if (cause == first->cause)
            cycles -= (uint32_t)before;
        if (cycles > 0)
            journey_until(journey, queue + cause, journey->since + cycles);
    }
}

void stall_log_charge_changes(struct stall_log *log, struct journey *journey, unsigned queue)
{
    uint32_t change = find_change(log, journey->since);

    journey_until(journey, queue, change_at(log, change)->cycle); /* older than the log */
    if (log->latest - change <= FEW_CHANGES)
        charge_few(log, journey, queue, change);
    else
        charge_many(log, journey, queue, change);
}
