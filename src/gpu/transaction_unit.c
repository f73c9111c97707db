/* SPDX-License-Identifier: MIT */
/* The systems of a compute unit: their life, their work-groups, their part of the tick, and the
 * lane-cycles that are counted for them. */
#include <stdlib.h>
#include <string.h>

#include "gpu/unit.h"

#define STATISTICS_ROW(...) STATISTIC_ROW(struct transaction_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {TRANSACTION_STATISTICS(STATISTICS_ROW)};

/* ---- what systems may ask for ---- */

static struct compute_unit *unit_of(struct tm_host *host)
{
    return container_of(host, struct transactions, host)->owner;
}

static void host_wake(struct tm_host *host, uint32_t slot)
{
    struct compute_unit *unit = unit_of(host);
    struct wavefront *wave = &unit->wavefronts[slot];

    if (wave->state != STATE_TRANSACTION)
        return;
    wave->ready_at = unit_cycle(unit);
    wavefront_ready(unit, wave, unit_cycle(unit));
}

static void host_abort(struct tm_host *host, uint32_t slot, uint64_t lanes)
{
    struct compute_unit *unit = unit_of(host);
    struct wavefront *wave = &unit->wavefronts[slot];

    lanes &= wave->transaction.running & ~wave->transaction_state.told;
    if (!wave->transaction.in_attempt || lanes == 0)
        return;
    unit->tm->statistics.aborts_from_outside += count_bits(lanes);
    transaction_abort(unit, wave, lanes, NULL);
}

static const struct tm_wavefront *host_wavefront(struct tm_host *host, uint32_t slot)
{
    return &unit_of(host)->wavefronts[slot].transaction;
}

static void host_hold(struct tm_host *host, uint32_t slot, bool is_held)
{
    unit_of(host)->wavefronts[slot].transaction_state.is_held = is_held;
    if (!is_held)
        host_wake(host, slot);
}

/* ---- life ---- */

void transactions_init(struct compute_unit *unit, const struct compute_unit_options *options)
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
    tm = unit->tm = allocate(1, sizeof *tm);
    tm->owner = unit;
    tm->host = (struct tm_host){host_wake, host_abort, host_wavefront, host_hold};
    tm->set = *options->tm;
    unit->tm_is_global = (tm->set.spaces & TM_SPACE_GLOBAL) != 0;
    if (tm->set.spaces != 0) {
        snprintf(path, sizeof path, "%s.tm", options->path);
        registry_add(options->registry, path, "transactions", statistics, ARRAY_COUNT(statistics),
                     &tm->statistics, sizeof tm->statistics);
    }
    if (options->checks_transactions && tm->set.spaces != TM_SPACE_GLOBAL)
        tm->oracle =
            oracle_create(tm_promise_of(&tm->set, TM_SPACE_LOCAL) == TM_PROMISES_OPACITY);
    tm->global_oracle = options->global_oracle;
    for (uint32_t i = 0; i < tm->set.count; i++) {
        tm->units[i] = tm->set.systems[i]->create(tm->set.systems[i], &tm_options);
        tm->units[i]->system = tm->set.systems[i];
        tm->units[i]->host = &tm->host;
        tm->units[i]->compute_unit = &unit->component;
        tm->units[i]->number = unit->number;
        unit->tm_acts |= tm->set.systems[i]->next_cycle != NULL ||
                         tm->set.systems[i]->create_centre != NULL ||
                         tm->set.systems[i]->uses_network;
    }
}

void transactions_finish(struct compute_unit *unit)
{
    for (uint32_t i = 0; unit->tm != NULL && i < unit->tm->set.count; i++)
        unit->tm->set.systems[i]->destroy(unit->tm->units[i]);
    if (unit->tm != NULL)
        oracle_destroy(unit->tm->oracle);
    free(unit->tm);
}

void compute_unit_connect_centre(struct compute_unit *unit, uint32_t system, struct port *to_centre,
                                 struct port *from_centre)
{
    unit->tm->units[system]->to_centre = to_centre;
    unit->tm->units[system]->from_centre = from_centre;
}

void compute_unit_connect_network(struct compute_unit *unit, uint32_t system,
                                  struct port *to_network, struct port *from_network)
{
    unit->tm->units[system]->to_network = to_network;
    unit->tm->units[system]->from_network = from_network;
}

/* ---- work-groups ---- */

void transactions_group_start(struct compute_unit *unit, const struct group_launch *launch)
{
    const struct launch *kernel = launch->launch;
    struct tm_group *group;

    if (unit->tm == NULL)
        return;
    group = &unit->tm->groups[launch->slot];
    *group = (struct tm_group){
        .slot = launch->slot,
        .lds_bytes = compute_unit_granted_lds(unit->parameters, kernel->isa->lds_bytes),
        .items = kernel->isa->group_size[0] * kernel->isa->group_size[1] *
                 kernel->isa->group_size[2],
        .lds = unit->local.bytes + launch->lds_base,
        .members = unit->groups[launch->slot].members};
    group->tm_bytes =
        compute_unit_granted_lds(unit->parameters, kernel->lds_bytes) - group->lds_bytes;
    if (unit->tm->oracle != NULL && kernel->isa->kernel->has_transactions)
        oracle_group_start(unit->tm->oracle, group);
    for (uint32_t i = 0; kernel->isa->kernel->has_transactions && i < unit->tm->set.count; i++)
        if (unit->tm->set.systems[i]->group_start != NULL)
            unit->tm->set.systems[i]->group_start(unit->tm->units[i], group);
}

void transactions_group_end(struct compute_unit *unit, const struct group *group)
{
    const struct tm_group *ended;

    if (unit->tm == NULL || !group->launch->isa->kernel->has_transactions)
        return;
    ended = &unit->tm->groups[group - unit->groups];
    if (unit->tm->oracle != NULL) {
        oracle_group_end(unit->tm->oracle, ended);
        transactions_report(unit, group, 0);
    }
    for (uint32_t i = 0; i < unit->tm->set.count; i++)
        if (unit->tm->set.systems[i]->group_end != NULL)
            unit->tm->set.systems[i]->group_end(unit->tm->units[i], ended);
}

/* ---- the tick ---- */

static void take_packets(struct compute_unit *unit, struct tm_unit *part)
{
    const struct tm_packet *packet;

    while (part->from_centre != NULL && (packet = port_peek(part->from_centre)) != NULL) {
        part->system->packet(part, packet);
        port_take(part->from_centre);
        unit->has_progress = true;
    }
}

static void take_messages(struct compute_unit *unit, struct tm_unit *part)
{
    const struct message *message;

    while (part->from_network != NULL && (message = port_peek(part->from_network)) != NULL) {
        part->system->message(part, message);
        port_take(part->from_network);
        unit->has_progress = true;
    }
}

void transactions_tick(struct compute_unit *unit)
{
    for (uint32_t i = 0; i < unit->tm->set.count; i++) {
        struct tm_unit *part = unit->tm->units[i];

        take_packets(unit, part);
        take_messages(unit, part);
        if (part->system->tick != NULL && part->system->next_cycle(part) <= unit_cycle(unit))
            part->system->tick(part);
    }
}

void transactions_send(struct compute_unit *unit, bool may_send)
{
    for (uint32_t i = 0; i < unit->tm->set.count; i++) {
        struct tm_unit *part = unit->tm->units[i];
        struct message message;

        if (part->system->send == NULL || part->system->next_cycle(part) > unit_cycle(unit) ||
            !may_send || !port_has_room(unit->ports.requests, 1))
            continue;
        memset(&message, 0, sizeof message);
        if (!part->system->send(part, &message))
            continue;
        memcpy(port_send(unit->ports.requests, (uint32_t)unit->parameters->vmem_request_cycles),
               &message, sizeof message);
        unit->has_progress = true;
        may_send = false;
    }
}

/* By the first system that receives any: requester.entry is its own to tell them apart. */
void transactions_receive(struct compute_unit *unit, const struct message *message)
{
    for (uint32_t i = 0; unit->tm != NULL && i < unit->tm->set.count; i++) {
        if (unit->tm->set.systems[i]->receive == NULL)
            continue;
        unit->tm->set.systems[i]->receive(unit->tm->units[i], message);
        return;
    }
}

uint64_t transactions_next(const struct compute_unit *unit)
{
    uint64_t next = NEVER;

    for (uint32_t i = 0; i < unit->tm->set.count; i++) {
        const struct tm_system *system = unit->tm->set.systems[i];
        uint64_t cycle =
            system->next_cycle != NULL ? system->next_cycle(unit->tm->units[i]) : NEVER;

        if (cycle != NEVER && cycle <= unit_cycle(unit))
            cycle = unit_cycle(unit) + 1;
        if (cycle < next)
            next = cycle;
    }
    return next;
}

/* ---- counting ---- */

void transactions_settle(struct compute_unit *unit)
{
    for (uint32_t i = 0; unit->tm != NULL && i < unit->slot_count; i++)
        if (unit->wavefronts[i].transaction_state.phase != PHASE_NONE)
            transaction_account(unit, &unit->wavefronts[i]);
}

void transactions_explain(const struct compute_unit *unit, struct text *text)
{
    for (uint32_t i = 0; unit->tm != NULL && i < unit->tm->set.count; i++)
        if (unit->tm->set.systems[i]->explain != NULL)
            unit->tm->set.systems[i]->explain(unit->tm->units[i], text);
}
