/* SPDX-License-Identifier: MIT */
/* What no transaction can undo or contain. */
#include "gpu/wavefront.h"

bool transaction_stop(struct wavefronts *waves, struct wavefront *wave, const char *reason)
{
    struct fault fault = wavefront_fault_here(waves, wave, FAULT_TRANSACTION);

    fault.reason = reason;
    wavefront_fault(waves, &fault);
    return false;
}

void transaction_check_scalars(struct wavefronts *waves, struct wavefront *wave)
{
    if (!wave->transaction.is_open && waves->isa->reads_differing(wave->next, wave->snapshot))
        transaction_stop(waves, wave, TM_REASON_DIFFERS);
}

void transaction_check_branch(struct wavefronts *waves, struct wavefront *wave)
{
    if (waves->isa->lanes_disagree != NULL && waves->tm->set.spaces != 0 &&
        waves->isa->lanes_disagree(wave->registers, wave->next))
        transaction_stop(waves, wave, TM_REASON_UNEVEN);
}
