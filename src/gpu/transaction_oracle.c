/* SPDX-License-Identifier: MIT */
/* What the oracles of local and of global memory are told. */
#include <string.h>

#include "gpu/wavefront.h"

void transaction_saw_begin(struct wavefronts *waves, struct wavefront *wave)
{
    const struct tm_wavefront *transaction = &wave->transaction;
    struct oracle_place place = {.wavefront = wave->index};

    if (waves->tm->oracle != NULL)
        oracle_begin(waves->tm->oracle, transaction, transaction->running);
    if (waves->tm->global_oracle == NULL)
        return;
    memcpy(place.group, waves->groups[wave->group].isa.id, sizeof place.group);
    global_oracle_begin(waves->tm->global_oracle, waves->number, wave->slot, transaction->running,
                        wavefronts_cycle(waves), &place);
}

void transaction_saw_commit(struct wavefronts *waves, const struct wavefront *wave)
{
    if (waves->tm->global_oracle != NULL)
        global_oracle_stop(waves->tm->global_oracle, waves->number, wave->slot,
                           wave->transaction.running, wavefronts_cycle(waves));
}

/* The place that the system for global memory claims for the lane. */
static uint64_t order_of(struct wavefronts *waves, const struct wavefront *wave, unsigned lane)
{
    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        const struct tm_system *system = waves->tm->set.systems[i];

        if ((system->spaces & TM_SPACE_GLOBAL) != 0 && system->order != NULL)
            return system->order(waves->tm->units[i], &wave->transaction, lane);
    }
    return UINT64_MAX;
}

void transaction_saw_end(struct wavefronts *waves, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted)
{
    uint64_t lanes = committed;

    if (waves->tm->stores[wave->slot].count > 0)
        transaction_stores_end(waves, wave, committed, aborted);
    if (waves->tm->global_oracle != NULL) {
        for_each_bit(lane, lanes)
            global_oracle_commit(waves->tm->global_oracle, waves->number, wave->slot, lane,
                                 order_of(waves, wave, lane), wavefronts_cycle(waves));
        global_oracle_abort(waves->tm->global_oracle, waves->number, wave->slot, aborted,
                            wavefronts_cycle(waves));
    }
    if (waves->tm->oracle == NULL)
        return;
    oracle_commit(waves->tm->oracle, &wave->transaction, committed);
    oracle_abort(waves->tm->oracle, &wave->transaction, aborted);
    transactions_report(waves, &waves->groups[wave->group], wave->index);
}

void transaction_saw_access(struct wavefronts *waves, const struct launch *launch,
                            const struct wavefront *wave, uint16_t tag, uint64_t pc,
                            const struct isa_memory_request *request)
{
    if (!launch->isa->kernel->has_transactions)
        return;
    if (wave != NULL && wave->transaction.is_open)
        global_oracle_served(waves->tm->global_oracle, waves->number, wave->slot, tag, pc, request);
    else
        global_oracle_plain(waves->tm->global_oracle, waves->number, request);
}

void transaction_saw_loaded(struct wavefronts *waves, const struct wavefront *wave, uint16_t tag,
                            const struct isa_memory_request *request)
{
    if (waves->tm->global_oracle != NULL)
        global_oracle_landed(waves->tm->global_oracle, waves->number, wave->slot, tag, request,
                             wave->transaction.running, wavefronts_cycle(waves));
}
