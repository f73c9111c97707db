/* SPDX-License-Identifier: MIT */
/* What no transaction can undo or contain. */
#include "gpu/transaction_private.h"

bool transaction_stop(struct transactions *tm, struct wavefront *wave, const char *reason)
{
    struct fault fault = wavefront_fault_here(tm->waves, wave, FAULT_TRANSACTION);

    fault.reason = reason;
    wavefront_fault(tm->waves, &fault);
    return false;
}

void transactions_watch_registers(struct transactions *tm, struct wavefront *wave)
{
    if (wave->transaction.is_open)
        transaction_use_registers(tm, wave);
    else if (tm->waves->isa->reads_differing(wave->next, transaction_state(tm, wave)->snapshot))
        transaction_stop(tm, wave, TM_REASON_DIFFERS);
}

void transactions_check_branch(struct transactions *tm, struct wavefront *wave)
{
    if (tm->waves->isa->lanes_disagree != NULL && tm->set.spaces != 0 &&
        tm->waves->isa->lanes_disagree(wave->registers, wave->next))
        transaction_stop(tm, wave, TM_REASON_UNEVEN);
}
