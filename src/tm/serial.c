/* SPDX-License-Identifier: MIT */
/*
 * One transaction at a time in a work-group. The lane that holds the group's token runs alone, from
 * its begin to its commit, and cannot abort. The token goes to the wavefront that has waited
 * longest; its lanes go one after the other, the lowest first.
 *
 * Isolated is local memory. Left out: a queue of finite length, and the messages of a token that
 * goes from wavefront to wavefront (handover_cycles stands for them).
 */
#include "tm/serial.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "sim/debug.h"
#include "tm/parameters.h"
#include "tm/systems.h"

#define SERIAL_PARAMETER_ROW(...) PARAMETER_ROW(struct serial_parameters, __VA_ARGS__)
const struct parameter serial_parameters[] = {SERIAL_PARAMETERS(SERIAL_PARAMETER_ROW)};
const uint32_t serial_parameter_count = ARRAY_COUNT(serial_parameters);

#define SERIAL_STATISTICS(X)                                                                       \
    X(COUNTER, transactions, "lanes", "lanes that ran alone")                                      \
    X(COUNTER, waits, "wavefronts", "times that a wavefront had to wait for its turn")

struct serial_statistics {
    SERIAL_STATISTICS(STATISTIC_FIELD)
};
#define STATISTICS_ROW(...) STATISTIC_ROW(struct serial_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {SERIAL_STATISTICS(STATISTICS_ROW)};

enum { NO_HOLDER = TM_MAX_WAVEFRONTS };

/* A work-group's token, and who waits for it in which order. */
struct serial_token {
    uint32_t holder; /* wavefront slot, or NO_HOLDER */
    uint64_t free_at;
    uint32_t waiting[TM_GROUP_WAVEFRONTS];
    uint32_t count;
};

struct serial_unit {
    struct tm_unit unit;
    struct serial_statistics statistics;
    const struct serial_parameters *parameters;
    uint64_t breaks;
    struct serial_token tokens[TM_MAX_WAVEFRONTS]; /* by work-group slot */
};

static struct serial_unit *serial_of(struct tm_unit *unit)
{
    return container_of(unit, struct serial_unit, unit);
}

static struct tm_unit *serial_create(const struct tm_system *system,
                                     const struct tm_options *options)
{
    struct serial_unit *serial = allocate(1, sizeof *serial);
    char path[64];

    serial->parameters = &options->parameters->serial;
    serial->breaks = options->breaks;
    snprintf(path, sizeof path, "%s.serial", options->path);
    registry_add(options->registry, path, "serial", statistics, ARRAY_COUNT(statistics),
                 &serial->statistics, sizeof serial->statistics);
    return &serial->unit;
}

static void serial_destroy(struct tm_unit *unit)
{
    free(serial_of(unit));
}

static void serial_group_start(struct tm_unit *unit, const struct tm_group *group)
{
    serial_of(unit)->tokens[group->slot] = (struct serial_token){.holder = NO_HOLDER};
}

static bool is_waiting(const struct serial_token *token, uint32_t slot)
{
    for (uint32_t i = 0; i < token->count; i++)
        if (token->waiting[i] == slot)
            return true;
    return false;
}

static void take_token(struct serial_token *token, uint32_t slot)
{
    if (token->count > 0)
        memmove(token->waiting, token->waiting + 1, --token->count * sizeof token->waiting[0]);
    token->holder = slot;
}

static uint64_t serial_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    struct serial_unit *serial = serial_of(unit);
    struct serial_token *token = &serial->tokens[wavefront->group->slot];

    if (token->holder == wavefront->slot || debug_breaks(serial->breaks, TM_SHARE_TOKEN))
        return TM_NOW;
    if (!is_waiting(token, wavefront->slot)) {
        token->waiting[token->count++] = wavefront->slot;
        serial->statistics.waits += token->holder != NO_HOLDER || token->count > 1;
    }
    if (token->holder != NO_HOLDER || token->waiting[0] != wavefront->slot)
        return TM_LATER;
    if (token->free_at > component_cycle(unit->compute_unit))
        return token->free_at;
    take_token(token, wavefront->slot);
    return TM_NOW;
}

static void serial_begin(struct tm_unit *unit, struct tm_wavefront *wavefront,
                         struct tm_charge *charge)
{
    wavefront->running &= -wavefront->running; /* the lowest lane */
    serial_of(unit)->statistics.transactions++;
}

/* The wavefront keeps the token while it has lanes left: they would queue behind each other
 * only. */
static uint64_t serial_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                              uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    struct serial_unit *serial = serial_of(unit);
    struct serial_token *token = &serial->tokens[wavefront->group->slot];

    if (committed == 0 || wavefront->aborted != 0)
        return TM_NOW;
    token->holder = NO_HOLDER;
    token->free_at = component_cycle(unit->compute_unit) + serial->parameters->handover_cycles;
    if (token->count > 0)
        unit->host->wake(unit->host, token->waiting[0]);
    return TM_NOW;
}

static void serial_explain(const struct tm_unit *unit, struct text *text)
{
    const struct serial_unit *serial = serial_of((struct tm_unit *)(uintptr_t)unit);

    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++)
        if (serial->tokens[i].count > 0)
            text_add(text, "; work-group slot %u: %u wavefronts wait for the token of slot %u", i,
                     serial->tokens[i].count, serial->tokens[i].holder);
}

const struct tm_system tm_serial = {
    .name = "serial",
    .help = "one transaction at a time in a work-group, on local memory: a baseline",
    .spaces = TM_SPACE_LOCAL,
    .promise = TM_PROMISES_OPACITY,
    .never_aborts = true,
    .create = serial_create,
    .destroy = serial_destroy,
    .group_start = serial_group_start,
    .may_begin = serial_may_begin,
    .begin = serial_begin,
    .finish = serial_finish,
    .explain = serial_explain,
};
