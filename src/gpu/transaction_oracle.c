/* SPDX-License-Identifier: MIT */
/* What the oracles of local and of global memory are told. */
#include <string.h>

#include "gpu/local_memory.h"
#include "gpu/transaction_private.h"

void transaction_saw_begin(struct transactions *tm, struct wavefront *wave)
{
    const struct tm_wavefront *transaction = &wave->transaction;
    struct oracle_place place = {.wavefront = wave->index};

    if (tm->uses != NULL)
        transaction_forget_registers(tm, wave, transaction->running);
    if (tm->oracle != NULL)
        oracle_begin(tm->oracle, transaction, transaction->running);
    if (tm->global_oracle == NULL)
        return;
    memcpy(place.group, tm->waves->groups[wave->group].isa.id, sizeof place.group);
    global_oracle_begin(tm->global_oracle, tm->waves->number, wave->slot, transaction->running,
                        wavefronts_cycle(tm->waves), &place);
}

void transaction_saw_commit(struct transactions *tm, const struct wavefront *wave)
{
    if (tm->global_oracle != NULL)
        global_oracle_stop(tm->global_oracle, tm->waves->number, wave->slot,
                           wave->transaction.running, wavefronts_cycle(tm->waves));
}

/* The place that the system for global memory claims for the lane. */
static uint64_t order_of(struct transactions *tm, const struct wavefront *wave, unsigned lane)
{
    for (uint32_t i = 0; i < tm->set.count; i++) {
        const struct tm_system *system = tm->set.systems[i];

        if ((system->spaces & TM_SPACE_GLOBAL) != 0 && system->order != NULL)
            return system->order(tm->units[i], &wave->transaction, lane);
    }
    return UINT64_MAX;
}

void transaction_saw_end(struct transactions *tm, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted)
{
    uint64_t lanes = committed;

    if (tm->uses != NULL)
        transaction_count_registers(tm, wave, committed);
    if (tm->stores[wave->slot].count > 0)
        transaction_stores_end(tm, wave, committed, aborted);
    if (tm->global_oracle != NULL) {
        for_each_bit(lane, lanes)
            global_oracle_commit(tm->global_oracle, tm->waves->number, wave->slot, lane,
                                 order_of(tm, wave, lane), wavefronts_cycle(tm->waves));
        global_oracle_abort(tm->global_oracle, tm->waves->number, wave->slot, aborted,
                            wavefronts_cycle(tm->waves));
    }
    if (tm->oracle == NULL)
        return;
    oracle_commit(tm->oracle, &wave->transaction, committed);
    oracle_abort(tm->oracle, &wave->transaction, aborted);
    transactions_report(tm, &tm->waves->groups[wave->group], wave->index);
}

void transactions_watch_access(struct transactions *tm, const struct wavefront *wave,
                               const struct isa_memory_request *request)
{
    oracle_before(tm->oracle, &wave->transaction, request);
}

void transactions_watched_access(struct transactions *tm, struct wavefront *wave, uint64_t pc,
                                 struct isa_memory_request *request)
{
    uint64_t served = wave->transaction.is_open ? wave->transaction.running : UINT64_MAX;

    local_memory_access(wave->registers->lds, request);
    oracle_after(tm->oracle, &wave->transaction, pc, request, served);
    transactions_report(tm, &tm->waves->groups[wave->group], wave->index);
}

void transactions_saw_access(struct transactions *tm, const struct launch *launch,
                             const struct wavefront *wave, uint16_t tag, uint64_t pc,
                             const struct isa_memory_request *request)
{
    if (!launch->isa->kernel->has_transactions)
        return;
    if (wave != NULL && wave->transaction.is_open)
        global_oracle_served(tm->global_oracle, tm->waves->number, wave->slot, tag, pc, request);
    else
        global_oracle_plain(tm->global_oracle, tm->waves->number, request);
}

void transactions_saw_loaded(struct transactions *tm, const struct wavefront *wave, uint16_t tag,
                             const struct isa_memory_request *request)
{
    if (tm->global_oracle != NULL)
        global_oracle_landed(tm->global_oracle, tm->waves->number, wave->slot, tag, request,
                             wave->transaction.running, wavefronts_cycle(tm->waves));
}
