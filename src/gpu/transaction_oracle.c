/* SPDX-License-Identifier: MIT */
/* What the oracles of local and of global memory are told. */
#include <string.h>

#include "gpu/unit.h"

void transaction_saw_begin(struct compute_unit *unit, struct wavefront *wave)
{
    const struct tm_wavefront *transaction = &wave->transaction;
    struct oracle_place place = {.wavefront = wave->index};

    if (unit->tm->oracle != NULL)
        oracle_begin(unit->tm->oracle, transaction, transaction->running);
    if (unit->tm->global_oracle == NULL)
        return;
    memcpy(place.group, unit->groups[wave->group].isa.id, sizeof place.group);
    global_oracle_begin(unit->tm->global_oracle, unit->number, wave->slot, transaction->running,
                        unit_cycle(unit), &place);
}

/* The place that the system for global memory claims for the lane. */
static uint64_t order_of(struct compute_unit *unit, const struct wavefront *wave, unsigned lane)
{
    for (uint32_t i = 0; i < unit->tm->set.count; i++) {
        const struct tm_system *system = unit->tm->set.systems[i];

        if ((system->spaces & TM_SPACE_GLOBAL) != 0 && system->order != NULL)
            return system->order(unit->tm->units[i], &wave->transaction, lane);
    }
    return UINT64_MAX;
}

void transaction_saw_end(struct compute_unit *unit, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted)
{
    uint64_t lanes = committed;

    if (unit->tm->global_oracle != NULL) {
        for_each_bit(lane, lanes)
            global_oracle_commit(unit->tm->global_oracle, unit->number, wave->slot, lane,
                                 order_of(unit, wave, lane), unit_cycle(unit));
        global_oracle_abort(unit->tm->global_oracle, unit->number, wave->slot, aborted,
                            unit_cycle(unit));
    }
    if (unit->tm->oracle == NULL)
        return;
    oracle_commit(unit->tm->oracle, &wave->transaction, committed);
    oracle_abort(unit->tm->oracle, &wave->transaction, aborted);
    transactions_report(unit, &unit->groups[wave->group], wave->index);
}

static uint16_t tag_of(const struct compute_unit *unit, const struct vmem_entry *entry)
{
    return (uint16_t)(entry - unit->vmem.entries);
}

void transaction_saw_access(struct compute_unit *unit, const struct vmem_entry *entry)
{
    if (!entry->launch->isa->kernel->has_transactions)
        return;
    if (entry->slot != NO_SLOT && unit->wavefronts[entry->slot].transaction.is_open)
        global_oracle_served(unit->tm->global_oracle, unit->number, entry->slot,
                             tag_of(unit, entry), entry->pc, &entry->request);
    else
        global_oracle_plain(unit->tm->global_oracle, unit->number, &entry->request);
}

void transaction_saw_loaded(struct compute_unit *unit, const struct vmem_entry *entry)
{
    if (unit->tm->global_oracle != NULL)
        global_oracle_landed(unit->tm->global_oracle, unit->number, entry->slot,
                             tag_of(unit, entry), &entry->request,
                             unit->wavefronts[entry->slot].transaction.running);
}
