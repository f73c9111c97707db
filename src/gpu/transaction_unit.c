/* SPDX-License-Identifier: MIT */
/* The systems of a compute unit: their life, their work-groups, their part of the tick, and the
 * lane-cycles that are counted for them. */
#include <stdlib.h>
#include <string.h>

#include "gpu/records.h"
#include "gpu/transaction_private.h"

#define STATISTICS_ROW(...) STATISTIC_ROW(struct transaction_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {TRANSACTION_STATISTICS(STATISTICS_ROW)};

/* ---- what systems may ask for ---- */

static struct transactions *transactions_of(struct tm_host *host)
{
    return container_of(host, struct transactions, host);
}

static void wavefront_wake(struct transactions *tm, struct wavefront *wave)
{
    if (wave->state != STATE_TRANSACTION)
        return;
    wave->ready_at = wavefronts_cycle(tm->waves);
    wavefront_ready(tm->waves, wave, wavefronts_cycle(tm->waves));
}

static void host_wake(struct tm_host *host, uint32_t slot)
{
    struct transactions *tm = transactions_of(host);

    wavefront_wake(tm, &tm->waves->list[slot]);
}

static void host_abort(struct tm_host *host, uint32_t slot, uint64_t lanes)
{
    struct transactions *tm = transactions_of(host);
    struct wavefront *wave = &tm->waves->list[slot];

    if (wave->transaction.in_attempt)
        tm->statistics.aborts_from_outside += transaction_abort(tm, wave, lanes, NULL);
}

static const struct tm_wavefront *host_wavefront(struct tm_host *host, uint32_t slot)
{
    return &transactions_of(host)->waves->list[slot].transaction;
}

static void host_hold(struct tm_host *host, uint32_t slot, bool is_held)
{
    transactions_of(host)->waves->list[slot].tm_flags.is_held = is_held;
    if (!is_held)
        host_wake(host, slot);
}

/* ---- work-groups ---- */

static void wavefront_enter(struct transactions *tm, const struct group_launch *launch,
                            uint32_t index)
{
    struct wavefront *wave = &tm->waves->list[launch->wavefronts[index]];
    struct isa_snapshot *snapshot = transaction_state(tm, wave)->snapshot;

    *transaction_state(tm, wave) =
        (struct transaction_state){.snapshot = snapshot, .since = wavefronts_cycle(tm->waves)};
    wave->tm_flags = (struct transaction_flags){0};
    wave->transaction = (struct tm_wavefront){.group = &tm->groups[launch->slot],
                                              .slot = wave->slot,
                                              .index = index,
                                              .first_item = index * tm->waves->lanes};
}

static void group_started(struct wavefront_listener *listener, const struct group_launch *launch)
{
    struct transactions *tm = container_of(listener, struct transactions, listener);
    const struct launch *kernel = launch->launch;
    struct tm_group *group = &tm->groups[launch->slot];

    *group = (struct tm_group){
        .slot = launch->slot,
        .lds_bytes = compute_unit_granted_lds(tm->waves->parameters, kernel->isa->lds_bytes),
        .items =
            kernel->isa->group_size[0] * kernel->isa->group_size[1] * kernel->isa->group_size[2],
        .lds = tm->waves->lds + launch->lds_base,
        .members = tm->waves->groups[launch->slot].members};
    group->tm_bytes =
        compute_unit_granted_lds(tm->waves->parameters, kernel->lds_bytes) - group->lds_bytes;
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        wavefront_enter(tm, launch, i);
    if (!kernel->isa->kernel->has_transactions)
        return;
    if (tm->oracle != NULL)
        oracle_group_start(tm->oracle, group);
    for (uint32_t i = 0; i < tm->set.count; i++)
        if (tm->set.systems[i]->group_start != NULL)
            tm->set.systems[i]->group_start(tm->units[i], group);
}

static void group_ended(struct wavefront_listener *listener, const struct group *group)
{
    struct transactions *tm = container_of(listener, struct transactions, listener);
    const struct tm_group *ended = &tm->groups[group - tm->waves->groups];

    if (!group->launch->isa->kernel->has_transactions)
        return;
    if (tm->oracle != NULL) {
        oracle_group_end(tm->oracle, ended);
        transactions_report(tm, group, 0);
    }
    for (uint32_t i = 0; i < tm->set.count; i++)
        if (tm->set.systems[i]->group_end != NULL)
            tm->set.systems[i]->group_end(tm->units[i], ended);
}

static void memory_over(struct wavefront_listener *listener, struct wavefront *wave)
{
    wavefront_wake(container_of(listener, struct transactions, listener), wave);
}

static void registers_used(struct wavefront_listener *listener, struct wavefront *wave)
{
    transactions_watch_registers(container_of(listener, struct transactions, listener), wave);
}

/* ---- life ---- */

static void snapshots_create(struct transactions *tm)
{
    size_t bytes = (size_t)align_up(tm->waves->isa->snapshot_bytes, 64);
    unsigned char *snapshots = records_create(tm->waves->slot_count, bytes, &tm->snapshot_memory);

    for (uint32_t i = 0; i < tm->waves->slot_count; i++)
        tm->states[i].snapshot = (void *)(snapshots + i * bytes);
}

static void statistics_register(struct transactions *tm, const struct tm_options *options)
{
    char path[64];

    snprintf(path, sizeof path, "%s.tm", options->path);
    registry_add(options->registry, path, "transactions", statistics, ARRAY_COUNT(statistics),
                 &tm->statistics, sizeof tm->statistics);
}

static void system_create(struct transactions *tm, uint32_t which,
                          const struct transactions_options *options)
{
    const struct tm_system *system = tm->set.systems[which];
    struct tm_unit *part = system->create(system, &options->systems);

    part->system = system;
    part->host = &tm->host;
    part->compute_unit = options->component;
    part->number = tm->waves->number;
    part->is_first = which + 1 < tm->set.count;
    tm->units[which] = part;
    tm->acts |= system->next_cycle != NULL || system->create_centre != NULL || system->uses_network;
}

struct transactions *transactions_create(struct wavefronts *waves,
                                         const struct transactions_options *options)
{
    struct transactions *tm = allocate(1, sizeof *tm);

    tm->waves = waves;
    tm->counts = options->counts;
    tm->host = (struct tm_host){host_wake, host_abort, host_wavefront, host_hold};
    tm->listener =
        (struct wavefront_listener){group_started, group_ended, memory_over, registers_used};
    waves->listener = &tm->listener;
    tm->set = *options->set;
    snapshots_create(tm);
    if (tm->set.spaces != 0)
        statistics_register(tm, &options->systems);
    if (options->checks_local && tm->set.spaces != TM_SPACE_GLOBAL)
        tm->oracle = oracle_create(tm_promise_of(&tm->set, TM_SPACE_LOCAL) == TM_PROMISES_OPACITY);
    tm->global_oracle = options->global_oracle;
    if ((tm->oracle != NULL || tm->global_oracle != NULL) && waves->isa->registers != NULL)
        tm->uses = allocate(waves->slot_count, sizeof *tm->uses);
    tm->words = tm->set.spaces != 0 ? options->scalar_words : NULL;
    for (uint32_t i = 0; i < tm->set.count; i++)
        system_create(tm, i, options);
    return tm;
}

void transactions_destroy(struct transactions *tm)
{
    if (tm == NULL)
        return;
    for (uint32_t i = 0; i < tm->set.count; i++)
        tm->set.systems[i]->destroy(tm->units[i]);
    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++)
        free(tm->stores[i].items);
    oracle_destroy(tm->oracle);
    free(tm->uses);
    free(tm->snapshot_memory);
    free(tm);
}

void transactions_connect_units(struct transactions *tm, uint64_t *banks_free_at,
                                uint64_t *addresses_free_at)
{
    tm->banks_free_at = banks_free_at;
    tm->addresses_free_at = addresses_free_at;
}

void transactions_connect_centre(struct transactions *tm, uint32_t system, struct port *to_centre,
                                 struct port *from_centre)
{
    tm->units[system]->to_centre = to_centre;
    tm->units[system]->from_centre = from_centre;
}

void transactions_connect_network(struct transactions *tm, uint32_t system, struct port *to_network,
                                  struct port *from_network)
{
    tm->units[system]->to_network = to_network;
    tm->units[system]->from_network = from_network;
}

bool transactions_act(const struct transactions *tm)
{
    return tm->acts;
}

bool transactions_isolate_global(const struct transactions *tm)
{
    return (tm->set.spaces & TM_SPACE_GLOBAL) != 0;
}

bool transactions_watch_global(const struct transactions *tm)
{
    return tm->global_oracle != NULL;
}

bool transactions_watch_local(const struct transactions *tm, const struct wavefront *wave)
{
    return tm->oracle != NULL &&
           tm->waves->groups[wave->group].launch->isa->kernel->has_transactions;
}

/* ---- the tick ---- */

static void take_packets(struct transactions *tm, struct tm_unit *part)
{
    const struct tm_packet *packet;

    while (part->from_centre != NULL && (packet = port_peek(part->from_centre)) != NULL) {
        part->system->packet(part, packet);
        port_take(part->from_centre);
        tm->waves->has_progress = true;
    }
}

static void take_messages(struct transactions *tm, struct tm_unit *part)
{
    const struct message *message;

    while (part->from_network != NULL && (message = port_peek(part->from_network)) != NULL) {
        part->system->message(part, message);
        port_take(part->from_network);
        tm->waves->has_progress = true;
    }
}

void transactions_receive(struct transactions *tm)
{
    for (uint32_t i = 0; i < tm->set.count; i++) {
        struct tm_unit *part = tm->units[i];

        take_packets(tm, part);
        take_messages(tm, part);
        if (part->system->tick != NULL &&
            part->system->next_cycle(part) <= wavefronts_cycle(tm->waves))
            part->system->tick(part);
    }
}

void transactions_send(struct transactions *tm, struct port *requests, bool may_send)
{
    for (uint32_t i = 0; i < tm->set.count; i++) {
        struct tm_unit *part = tm->units[i];
        struct message message;

        if (part->system->send == NULL ||
            part->system->next_cycle(part) > wavefronts_cycle(tm->waves) || !may_send ||
            !port_has_room(requests, 1))
            continue;
        memset(&message, 0, sizeof message);
        if (!part->system->send(part, &message))
            continue;
        memcpy(port_reserve(requests, (uint32_t)tm->waves->parameters->vmem_request_cycles),
               &message, sizeof message);
        tm->waves->has_progress = true;
        may_send = false;
    }
}

/* By the first system that receives any: requester.entry is its own to tell them apart. */
void transactions_answer(struct transactions *tm, const struct message *message)
{
    for (uint32_t i = 0; i < tm->set.count; i++) {
        if (tm->set.systems[i]->receive == NULL)
            continue;
        tm->set.systems[i]->receive(tm->units[i], message);
        return;
    }
}

uint64_t transactions_next(const struct transactions *tm)
{
    uint64_t next = NEVER;

    for (uint32_t i = 0; i < tm->set.count; i++) {
        const struct tm_system *system = tm->set.systems[i];
        uint64_t cycle = system->next_cycle != NULL ? system->next_cycle(tm->units[i]) : NEVER;

        if (cycle != NEVER && cycle <= wavefronts_cycle(tm->waves))
            cycle = wavefronts_cycle(tm->waves) + 1;
        if (cycle < next)
            next = cycle;
    }
    return next;
}

/* ---- counting ---- */

void transactions_settle(struct transactions *tm)
{
    for (uint32_t i = 0; i < tm->waves->slot_count; i++)
        if (tm->states[i].phase != PHASE_NONE)
            transaction_account(tm, &tm->waves->list[i]);
}

void transactions_explain(const struct transactions *tm, struct text *text)
{
    for (uint32_t i = 0; i < tm->set.count; i++)
        if (tm->set.systems[i]->explain != NULL)
            tm->set.systems[i]->explain(tm->units[i], text);
}
