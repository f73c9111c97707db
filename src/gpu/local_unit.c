/* SPDX-License-Identifier: MIT */
/* The local data share's queue. Instructions are served in the order of their issue, one at a time.
 * The banks' cycles follow from the addresses, and the data is read or written when service begins.
 * So LGKM_CNT falls in order for local memory. */
#include <stdlib.h>

#include "gpu/local_blocks.h"
#include "gpu/local_memory.h"
#include "gpu/local_unit.h"
#include "gpu/wavefront.h"

void local_init(struct local_unit *local, const struct local_unit_parameters *parameters,
                struct local_unit_statistics *statistics, struct wavefronts *waves, uint64_t bytes)
{
    local->parameters = parameters;
    local->statistics = statistics;
    local->waves = waves;
    local->capacity = (uint32_t)local->parameters->lds_entries;
    local->entries = records_create(local->capacity, sizeof *local->entries, &local->memory);
    local->bytes = allocate(bytes, 1);
}

void local_finish(struct local_unit *local)
{
    free(local->memory);
    free(local->bytes);
}

bool local_has_room(const struct local_unit *local)
{
    return local->count < local->capacity;
}

static struct lds_entry *entry_at(struct local_unit *local, uint32_t position)
{
    uint32_t place = local->head + position;

    return &local->entries[place >= local->capacity ? place - local->capacity : place];
}

static void check_range(struct local_unit *local, struct wavefront *wave, struct lds_entry *entry)
{
    int lane = local_memory_outside(&entry->request, wave->registers->lds_bytes);
    struct fault fault;

    while (lane >= 0 && transactions_faults(local->waves->tm, wave, UINT64_C(1) << lane) == 0) {
        entry->request.lanes &= ~(UINT64_C(1) << lane);
        entry->request.second_lanes &= ~(UINT64_C(1) << lane);
        lane = local_memory_outside(&entry->request, wave->registers->lds_bytes);
    }
    if (lane < 0)
        return;
    fault = wavefront_fault_here(local->waves, wave, FAULT_LOCAL);
    fault.pc = entry->pc;
    fault.access = entry->request.kind;
    fault.lane = (uint32_t)lane;
    fault.address = entry->request.address[lane];
    fault.bytes = entry->request.element_bytes;
    entry->request.lanes = 0;
    wavefront_fault(local->waves, &fault);
}

void local_issue(struct local_unit *local, struct wavefront *wave)
{
    struct lds_entry *entry = entry_at(local, local->count++);

    entry->instruction = wave->next;
    entry->issued_at = wavefronts_cycle(local->waves);
    entry->pc = wave->registers->pc;
    entry->sequence = wave->sequence;
    entry->active_at_issue = wavefront_active(local->waves, wave);
    entry->slot = wave->slot;
    entry->counts_exp = (wave->next->flags & ISA_COUNTS_EXP) != 0;
    local->waves->isa->begin(wave->registers, wave->next, &entry->request);
    if (!wave->transaction.is_open)
        check_range(local, wave, entry);
    if (!request_returns(&entry->request))
        wavefront_trace(local->waves, wave, wave->sequence, wave->next);
}

static bool is_watched_by_oracle(const struct local_unit *local, const struct wavefront *wave)
{
    return local->waves->tm != NULL && transactions_watch_local(local->waves->tm, wave);
}

static struct local_cost cost_of(const struct local_unit *local,
                                 const struct isa_memory_request *request)
{
    const struct local_unit_parameters *parameters = local->parameters;

    if (parameters->lds_block_bytes != 0)
        return local_blocks_cost(request, (unsigned)parameters->lds_block_bytes,
                                 (unsigned)parameters->lds_block_store_cycles);
    return local_memory_cost(request, (unsigned)parameters->lds_banks, local->waves->lanes);
}

/* Lanes that have aborted since the issue access nothing; those that abort now do not either, but
 * have been at the banks. */
static uint32_t serve_in_transaction(struct local_unit *local, struct wavefront *wave,
                                     struct lds_entry *entry, struct local_cost *cost)
{
    uint64_t left = ~wave->transaction.running;

    entry->request.lanes &= ~left;
    entry->request.second_lanes &= ~left;
    *cost = cost_of(local, &entry->request);
    check_range(local, wave, entry);
    if (is_watched_by_oracle(local, wave))
        transactions_watch_access(local->waves->tm, wave, &entry->request);
    return transactions_serve(local->waves->tm, wave, entry->pc, &entry->request);
}

static void profile_local(const struct profile *profile, const struct lds_entry *entry,
                          const struct local_cost *cost)
{
    uint64_t *row = profile_row(profile, entry->pc);

    row[PROFILE_LDS_LANES] += count_bits(entry->request.lanes);
    row[PROFILE_LDS_CYCLES] += cost->cycles;
    row[PROFILE_LDS_CONFLICT_CYCLES] += cost->conflict;
}

static void entry_serve(struct local_unit *local, struct lds_entry *entry)
{
    struct wavefront *wave = &local->waves->list[entry->slot];
    struct local_cost cost;
    uint64_t now = wavefronts_cycle(local->waves);
    bool is_watched = is_watched_by_oracle(local, wave);

    if (entry->counts_exp)
        local->waves->isa->store_data(wave->registers, entry->instruction, &entry->request);
    if (__builtin_expect(wave->transaction.is_open, 0)) {
        uint32_t more = serve_in_transaction(local, wave, entry, &cost);

        cost.cycles += more;
    } else {
        if (__builtin_expect(is_watched, 0))
            transactions_watch_access(local->waves->tm, wave, &entry->request);
        cost = cost_of(local, &entry->request);
    }
    if (entry->request.kind != ISA_MEMORY_LOAD)
        cost.cycles += (uint32_t)local->parameters->lds_write_cycles;
    if (__builtin_expect(is_watched, 0))
        transactions_watched_access(local->waves->tm, wave, entry->pc, &entry->request);
    else
        local_memory_access(wave->registers->lds, &entry->request);
    local->free_at = (local->free_at > now ? local->free_at : now) + cost.cycles;
    entry->due_at = local->free_at + local->parameters->lds_latency_cycles;
    local->statistics->lds_lanes += count_bits(entry->request.lanes);
    local->statistics->lds_cycles += cost.cycles;
    local->statistics->lds_conflict_cycles += cost.conflict;
    if (__builtin_expect(local->waves->profile != NULL, 0))
        profile_local(local->waves->profile, entry, &cost);
    if (entry->counts_exp)
        wavefront_data_read(local->waves, wave);
    local->waves->has_progress = true;
}

void local_serve_queue(struct local_unit *local)
{
    while (local->served < local->count && local->free_at <= wavefronts_cycle(local->waves) &&
           entry_at(local, local->served)->issued_at < wavefronts_cycle(local->waves))
        entry_serve(local, entry_at(local, local->served++));
}

void local_retire_served(struct local_unit *local)
{
    while (local->served > 0 && entry_at(local, 0)->due_at <= wavefronts_cycle(local->waves)) {
        struct lds_entry *entry = entry_at(local, 0);
        struct wavefront *wave = &local->waves->list[entry->slot];

        if (request_returns(&entry->request)) {
            if (__builtin_expect(wave->transaction.is_open, 0))
                transactions_loaded(local->waves->tm, wave, &entry->request);
            wavefront_loaded(local->waves, wave, entry->sequence, entry->instruction,
                             &entry->request);
        }
        histogram_add(&local->statistics->lds_latency,
                      wavefronts_cycle(local->waves) - entry->issued_at, 1);
        local->head = local->head + 1 == local->capacity ? 0 : local->head + 1;
        local->count--;
        local->served--;
        wavefront_retired(local->waves, wave, entry->active_at_issue, entry->instruction);
        wavefronts_queue_freed(local->waves, ISA_UNIT_LDS);
        wavefront_released(local->waves, wave);
        local->waves->has_progress = true;
    }
}

uint64_t local_next(const struct local_unit *local)
{
    uint64_t next = NEVER;

    if (local->served < local->count)
        next = local->free_at > wavefronts_cycle(local->waves) ? local->free_at
                                                               : wavefronts_cycle(local->waves) + 1;
    if (local->served > 0 && local->entries[local->head].due_at < next)
        next = local->entries[local->head].due_at;
    return next;
}
