/* SPDX-License-Identifier: MIT */
/* The systems of a compute unit: their life, their work-groups, their part of the tick, and the
 * lane-cycles that are counted for them. */
#include <stdlib.h>
#include <string.h>

#include "gpu/wavefront.h"

#define STATISTICS_ROW(...) STATISTIC_ROW(struct transaction_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {TRANSACTION_STATISTICS(STATISTICS_ROW)};

/* ---- what systems may ask for ---- */

static struct wavefronts *waves_of(struct tm_host *host)
{
    return container_of(host, struct transactions, host)->waves;
}

static void host_wake(struct tm_host *host, uint32_t slot)
{
    struct wavefronts *waves = waves_of(host);
    struct wavefront *wave = &waves->list[slot];

    if (wave->state != STATE_TRANSACTION)
        return;
    wave->ready_at = wavefronts_cycle(waves);
    wavefront_ready(waves, wave, wavefronts_cycle(waves));
}

static void host_abort(struct tm_host *host, uint32_t slot, uint64_t lanes)
{
    struct wavefronts *waves = waves_of(host);
    struct wavefront *wave = &waves->list[slot];

    if (wave->transaction.in_attempt)
        waves->tm->statistics.aborts_from_outside += transaction_abort(waves, wave, lanes, NULL);
}

static const struct tm_wavefront *host_wavefront(struct tm_host *host, uint32_t slot)
{
    return &waves_of(host)->list[slot].transaction;
}

static void host_hold(struct tm_host *host, uint32_t slot, bool is_held)
{
    waves_of(host)->list[slot].transaction_state.is_held = is_held;
    if (!is_held)
        host_wake(host, slot);
}

/* ---- life ---- */

void transactions_init(struct wavefronts *waves, const struct compute_unit_options *options,
                       struct component *component)
{
    struct tm_options tm_options = {.parameters = options->tm_parameters,
                                    .facts = options->tm_facts,
                                    .registry = options->registry,
                                    .path = options->path,
                                    .clock = options->clock,
                                    .breaks = options->breaks};
    struct transactions *tm;
    char path[64];

    if (options->tm == NULL)
        return;
    tm = waves->tm = allocate(1, sizeof *tm);
    tm->waves = waves;
    tm->host = (struct tm_host){host_wake, host_abort, host_wavefront, host_hold};
    tm->set = *options->tm;
    waves->tm_is_global = (tm->set.spaces & TM_SPACE_GLOBAL) != 0;
    if (tm->set.spaces != 0) {
        snprintf(path, sizeof path, "%s.tm", options->path);
        registry_add(options->registry, path, "transactions", statistics, ARRAY_COUNT(statistics),
                     &tm->statistics, sizeof tm->statistics);
    }
    if (options->checks_transactions && tm->set.spaces != TM_SPACE_GLOBAL)
        tm->oracle = oracle_create(tm_promise_of(&tm->set, TM_SPACE_LOCAL) == TM_PROMISES_OPACITY);
    tm->global_oracle = options->global_oracle;
    tm->words = tm->set.spaces != 0 ? options->scalar_words : NULL;
    for (uint32_t i = 0; i < tm->set.count; i++) {
        tm->units[i] = tm->set.systems[i]->create(tm->set.systems[i], &tm_options);
        tm->units[i]->system = tm->set.systems[i];
        tm->units[i]->host = &tm->host;
        tm->units[i]->compute_unit = component;
        tm->units[i]->number = waves->number;
        tm->units[i]->is_first = i + 1 < tm->set.count;
        waves->tm_acts |= tm->set.systems[i]->next_cycle != NULL ||
                          tm->set.systems[i]->create_centre != NULL ||
                          tm->set.systems[i]->uses_network;
    }
}

void transactions_finish(struct wavefronts *waves)
{
    for (uint32_t i = 0; waves->tm != NULL && i < waves->tm->set.count; i++)
        waves->tm->set.systems[i]->destroy(waves->tm->units[i]);
    if (waves->tm == NULL)
        return;
    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++)
        free(waves->tm->stores[i].items);
    oracle_destroy(waves->tm->oracle);
    free(waves->tm);
}

/* ---- work-groups ---- */

void transactions_group_start(struct wavefronts *waves, const struct group_launch *launch)
{
    const struct launch *kernel = launch->launch;
    struct tm_group *group;

    if (waves->tm == NULL)
        return;
    group = &waves->tm->groups[launch->slot];
    *group = (struct tm_group){
        .slot = launch->slot,
        .lds_bytes = compute_unit_granted_lds(waves->parameters, kernel->isa->lds_bytes),
        .items =
            kernel->isa->group_size[0] * kernel->isa->group_size[1] * kernel->isa->group_size[2],
        .lds = waves->lds + launch->lds_base,
        .members = waves->groups[launch->slot].members};
    group->tm_bytes =
        compute_unit_granted_lds(waves->parameters, kernel->lds_bytes) - group->lds_bytes;
    if (waves->tm->oracle != NULL && kernel->isa->kernel->has_transactions)
        oracle_group_start(waves->tm->oracle, group);
    for (uint32_t i = 0; kernel->isa->kernel->has_transactions && i < waves->tm->set.count; i++)
        if (waves->tm->set.systems[i]->group_start != NULL)
            waves->tm->set.systems[i]->group_start(waves->tm->units[i], group);
}

void transactions_group_end(struct wavefronts *waves, const struct group *group)
{
    const struct tm_group *ended;

    if (waves->tm == NULL || !group->launch->isa->kernel->has_transactions)
        return;
    ended = &waves->tm->groups[group - waves->groups];
    if (waves->tm->oracle != NULL) {
        oracle_group_end(waves->tm->oracle, ended);
        transactions_report(waves, group, 0);
    }
    for (uint32_t i = 0; i < waves->tm->set.count; i++)
        if (waves->tm->set.systems[i]->group_end != NULL)
            waves->tm->set.systems[i]->group_end(waves->tm->units[i], ended);
}

/* ---- the tick ---- */

static void take_packets(struct wavefronts *waves, struct tm_unit *part)
{
    const struct tm_packet *packet;

    while (part->from_centre != NULL && (packet = port_peek(part->from_centre)) != NULL) {
        part->system->packet(part, packet);
        port_take(part->from_centre);
        waves->has_progress = true;
    }
}

static void take_messages(struct wavefronts *waves, struct tm_unit *part)
{
    const struct message *message;

    while (part->from_network != NULL && (message = port_peek(part->from_network)) != NULL) {
        part->system->message(part, message);
        port_take(part->from_network);
        waves->has_progress = true;
    }
}

void transactions_tick(struct wavefronts *waves)
{
    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        struct tm_unit *part = waves->tm->units[i];

        take_packets(waves, part);
        take_messages(waves, part);
        if (part->system->tick != NULL && part->system->next_cycle(part) <= wavefronts_cycle(waves))
            part->system->tick(part);
    }
}

void transactions_send(struct wavefronts *waves, struct port *requests, bool may_send)
{
    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        struct tm_unit *part = waves->tm->units[i];
        struct message message;

        if (part->system->send == NULL ||
            part->system->next_cycle(part) > wavefronts_cycle(waves) || !may_send ||
            !port_has_room(requests, 1))
            continue;
        memset(&message, 0, sizeof message);
        if (!part->system->send(part, &message))
            continue;
        memcpy(port_reserve(requests, (uint32_t)waves->parameters->vmem_request_cycles), &message,
               sizeof message);
        waves->has_progress = true;
        may_send = false;
    }
}

/* By the first system that receives any: requester.entry is its own to tell them apart. */
void transactions_receive(struct wavefronts *waves, const struct message *message)
{
    for (uint32_t i = 0; waves->tm != NULL && i < waves->tm->set.count; i++) {
        if (waves->tm->set.systems[i]->receive == NULL)
            continue;
        waves->tm->set.systems[i]->receive(waves->tm->units[i], message);
        return;
    }
}

uint64_t transactions_next(const struct wavefronts *waves)
{
    uint64_t next = NEVER;

    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        const struct tm_system *system = waves->tm->set.systems[i];
        uint64_t cycle =
            system->next_cycle != NULL ? system->next_cycle(waves->tm->units[i]) : NEVER;

        if (cycle != NEVER && cycle <= wavefronts_cycle(waves))
            cycle = wavefronts_cycle(waves) + 1;
        if (cycle < next)
            next = cycle;
    }
    return next;
}

/* ---- counting ---- */

void transactions_settle(struct wavefronts *waves)
{
    for (uint32_t i = 0; waves->tm != NULL && i < waves->slot_count; i++)
        if (waves->list[i].transaction_state.phase != PHASE_NONE)
            transaction_account(waves, &waves->list[i]);
}

void transactions_explain(const struct wavefronts *waves, struct text *text)
{
    for (uint32_t i = 0; waves->tm != NULL && i < waves->tm->set.count; i++)
        if (waves->tm->set.systems[i]->explain != NULL)
            waves->tm->set.systems[i]->explain(waves->tm->units[i], text);
}
