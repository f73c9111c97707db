/* SPDX-License-Identifier: MIT */
/* What no transaction can undo or contain. */
#include "gpu/unit.h"

bool transaction_stop(struct compute_unit *unit, struct wavefront *wave, const char *reason)
{
    struct fault fault = wavefront_fault_here(unit, wave, FAULT_TRANSACTION);

    fault.reason = reason;
    wavefront_fault(unit, &fault);
    return false;
}

void transaction_check_scalars(struct compute_unit *unit, struct wavefront *wave)
{
    if (!wave->transaction.is_open &&
        unit->isa->reads_differing(wave->next, wave->snapshot))
        transaction_stop(unit, wave, TM_REASON_DIFFERS);
}

void transaction_check_branch(struct compute_unit *unit, struct wavefront *wave)
{
    if (unit->isa->lanes_disagree != NULL && unit->tm->set.spaces != 0 &&
        unit->isa->lanes_disagree(wave->registers, wave->next))
        transaction_stop(unit, wave, TM_REASON_UNEVEN);
}
