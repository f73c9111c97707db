/* SPDX-License-Identifier: MIT */
/* The local data share's queue: instructions are served in the order of their issue, one at a time;
 * the banks' cycles follow from the addresses, and the data is read or written when service begins.
 * So LGKM_CNT falls in order for local memory. */
#include <stdlib.h>

#include "gpu/local_memory.h"
#include "gpu/unit.h"

void local_init(struct compute_unit *unit)
{
    struct local_unit *local = &unit->local;

    local->capacity = (uint32_t)unit->parameters->lds_entries;
    local->entries = records_create(local->capacity, sizeof *local->entries, &local->memory);
    local->bytes = allocate(unit->parameters->lds_bytes, 1);
}

void local_finish(struct compute_unit *unit)
{
    free(unit->local.memory);
    free(unit->local.bytes);
}

bool local_has_room(const struct compute_unit *unit)
{
    return unit->local.count < unit->local.capacity;
}

static struct lds_entry *entry_at(struct local_unit *local, uint32_t position)
{
    uint32_t place = local->head + position;

    return &local->entries[place >= local->capacity ? place - local->capacity : place];
}

static void check_range(struct compute_unit *unit, struct wavefront *wave, struct lds_entry *entry)
{
    int lane = local_memory_outside(&entry->request, wave->registers->lds_bytes);
    struct fault fault;

    while (lane >= 0 && transaction_faults(&unit->waves, wave, UINT64_C(1) << lane) == 0) {
        entry->request.lanes &= ~(UINT64_C(1) << lane);
        entry->request.second_lanes &= ~(UINT64_C(1) << lane);
        lane = local_memory_outside(&entry->request, wave->registers->lds_bytes);
    }
    if (lane < 0)
        return;
    fault = wavefront_fault_here(&unit->waves, wave, FAULT_LOCAL);
    fault.pc = entry->pc;
    fault.access = entry->request.kind;
    fault.lane = (uint32_t)lane;
    fault.address = entry->request.address[lane];
    fault.bytes = entry->request.element_bytes;
    entry->request.lanes = 0;
    wavefront_fault(&unit->waves, &fault);
}

void local_issue(struct compute_unit *unit, struct wavefront *wave)
{
    struct lds_entry *entry = entry_at(&unit->local, unit->local.count++);

    entry->instruction = wave->next;
    entry->issued_at = unit_cycle(unit);
    entry->pc = wave->registers->pc;
    entry->sequence = wave->sequence;
    entry->slot = wave->slot;
    entry->counts_exp = (wave->next->flags & ISA_COUNTS_EXP) != 0;
    unit->waves.isa->begin(wave->registers, wave->next, &entry->request);
    if (!wave->transaction.is_open)
        check_range(unit, wave, entry);
    if (!request_returns(&entry->request))
        wavefront_trace(&unit->waves, wave, wave->sequence, wave->next);
}

static bool is_watched_by_oracle(const struct compute_unit *unit, const struct wavefront *wave)
{
    return unit->waves.tm != NULL && unit->waves.tm->oracle != NULL &&
           unit->waves.groups[wave->group].launch->isa->kernel->has_transactions;
}

/* Lanes that have aborted since the issue access nothing; those that abort now do not either, but
 * have been at the banks. */
static uint32_t serve_in_transaction(struct compute_unit *unit, struct wavefront *wave,
                                     struct lds_entry *entry, struct local_cost *cost)
{
    uint64_t left = ~wave->transaction.running;

    entry->request.lanes &= ~left;
    entry->request.second_lanes &= ~left;
    *cost = local_memory_cost(&entry->request, (unsigned)unit->parameters->lds_banks,
                              unit->waves.lanes);
    check_range(unit, wave, entry);
    if (is_watched_by_oracle(unit, wave))
        oracle_before(unit->waves.tm->oracle, &wave->transaction, &entry->request);
    return transaction_serve(&unit->waves, wave, entry->pc, &entry->request);
}

static void serve(struct compute_unit *unit, struct lds_entry *entry)
{
    struct local_unit *local = &unit->local;
    struct wavefront *wave = &unit->waves.list[entry->slot];
    struct local_cost cost;
    uint64_t now = unit_cycle(unit);
    bool is_watched = is_watched_by_oracle(unit, wave);

    if (entry->counts_exp)
        unit->waves.isa->store_data(wave->registers, entry->instruction, &entry->request);
    if (__builtin_expect(wave->transaction.is_open, 0)) {
        uint32_t more = serve_in_transaction(unit, wave, entry, &cost);

        cost.cycles += more;
    } else {
        if (__builtin_expect(is_watched, 0))
            oracle_before(unit->waves.tm->oracle, &wave->transaction, &entry->request);
        cost = local_memory_cost(&entry->request, (unsigned)unit->parameters->lds_banks,
                              unit->waves.lanes);
    }
    if (entry->request.kind != ISA_MEMORY_LOAD)
        cost.cycles += (uint32_t)unit->parameters->lds_write_cycles;
    if (__builtin_expect(is_watched, 0))
        transaction_watched_access(&unit->waves, wave, entry->pc, &entry->request);
    else
        local_memory_access(wave->registers->lds, &entry->request);
    local->free_at = (local->free_at > now ? local->free_at : now) + cost.cycles;
    entry->due_at = local->free_at + unit->parameters->lds_latency_cycles;
    unit->statistics.lds_lanes += count_bits(entry->request.lanes);
    unit->statistics.lds_cycles += cost.cycles;
    unit->statistics.lds_conflict_cycles += cost.conflict;
    if (entry->counts_exp) {
        wave->exp_count--;
        wavefront_counter_fell(&unit->waves, wave);
    }
    unit->waves.has_progress = true;
}

void local_serve(struct compute_unit *unit)
{
    struct local_unit *local = &unit->local;

    while (local->served < local->count && local->free_at <= unit_cycle(unit) &&
           entry_at(local, local->served)->issued_at < unit_cycle(unit))
        serve(unit, entry_at(local, local->served++));
}

void local_return(struct compute_unit *unit)
{
    struct local_unit *local = &unit->local;

    while (local->served > 0 && entry_at(local, 0)->due_at <= unit_cycle(unit)) {
        struct lds_entry *entry = entry_at(local, 0);
        struct wavefront *wave = &unit->waves.list[entry->slot];

        if (request_returns(&entry->request)) {
            if (__builtin_expect(wave->transaction.is_open, 0))
                transaction_loaded(&unit->waves, wave, &entry->request);
            unit->waves.isa->finish(wave->registers, entry->instruction, &entry->request);
            wavefront_trace_loaded(&unit->waves, wave, entry->sequence, entry->instruction,
                                   entry->request.written);
        }
        if ((entry->instruction->flags & ISA_COUNTS_LGKM) != 0)
            wave->lgkm_count = (uint8_t)(wave->lgkm_count - entry->instruction->lgkm);
        wave->outstanding--;
        local->head = local->head + 1 == local->capacity ? 0 : local->head + 1;
        local->count--;
        local->served--;
        wavefront_counter_fell(&unit->waves, wave);
        wavefronts_queue_freed(&unit->waves, ISA_UNIT_LDS);
        wavefront_released(&unit->waves, wave);
        unit->waves.has_progress = true;
    }
}

uint64_t local_next(const struct compute_unit *unit)
{
    const struct local_unit *local = &unit->local;
    uint64_t next = NEVER;

    if (local->served < local->count)
        next = local->free_at > unit_cycle(unit) ? local->free_at : unit_cycle(unit) + 1;
    if (local->served > 0 && local->entries[local->head].due_at < next)
        next = local->entries[local->head].due_at;
    return next;
}
