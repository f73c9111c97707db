/* SPDX-License-Identifier: MIT */
/* What is counted of transactions, charged for them, and found of them by the oracle. */
#include <string.h>

#include "gpu/transaction_private.h"

void transactions_report(struct transactions *tm, const struct group *group, uint32_t wavefront)
{
    struct oracle_violation violation = oracle_violation(tm->oracle);
    struct fault fault = {.kind = FAULT_TRANSACTION,
                          .launch = group->launch,
                          .wavefront = wavefront,
                          .pc = violation.pc,
                          .other_pc = violation.other_pc,
                          .reason = violation.text};

    if (violation.text == NULL)
        return;
    memcpy(fault.group, group->isa.id, sizeof fault.group);
    wavefront_fault(tm->waves, &fault);
}

void transaction_account(struct transactions *tm, struct wavefront *wave)
{
    struct transaction_statistics *counts = &tm->statistics;
    struct transaction_state *state = transaction_state(tm, wave);
    uint64_t cycles = wavefronts_cycle(tm->waves) - state->since;
    uint64_t running = count_bits(wave->transaction.running) * cycles;

    state->since = wavefronts_cycle(tm->waves);
    if (state->phase == PHASE_NONE)
        return;
    if (state->phase == PHASE_BEGIN) {
        counts->lane_cycles_waiting += running;
    } else if (state->phase == PHASE_RUN) {
        counts->lane_cycles_running += running;
        state->ran += cycles;
    } else {
        counts->lane_cycles_committing += running;
    }
    counts->lane_cycles_aborted += count_bits(wave->transaction.aborted) * cycles;
    counts->lane_cycles_committed += count_bits(wave->transaction.committed) * cycles;
}

void transaction_phase(struct transactions *tm, struct wavefront *wave,
                       enum transaction_phase phase)
{
    transaction_account(tm, wave);
    if (phase == PHASE_RUN)
        transaction_state(tm, wave)->ran = 0;
    transaction_state(tm, wave)->phase = (uint8_t)phase;
    wave->transaction.in_attempt = phase == PHASE_RUN || phase == PHASE_COMMIT;
}

static void make_busy(uint64_t *free_at, uint64_t now, uint32_t cycles)
{
    if (cycles > 0)
        *free_at = (*free_at > now ? *free_at : now) + cycles;
}

void transactions_charge(struct transactions *tm, struct wavefront *wave,
                         const struct tm_charge *charge)
{
    uint64_t now = wavefronts_cycle(tm->waves);

    make_busy(tm->banks_free_at, now, charge->bank_cycles);
    make_busy(tm->addresses_free_at, now, charge->unit_cycles);
    if (charge->wavefront_cycles == 0)
        return;
    transaction_state(tm, wave)->charged_until = now + charge->wavefront_cycles;
    if (wave->ready_at < now + charge->wavefront_cycles)
        wave->ready_at = now + charge->wavefront_cycles;
}
