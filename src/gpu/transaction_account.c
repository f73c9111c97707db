/* SPDX-License-Identifier: MIT */
/* What is counted of transactions, charged for them, and found of them by the oracle. */
#include <string.h>

#include "gpu/wavefront.h"

void transactions_report(struct wavefronts *waves, const struct group *group, uint32_t wavefront)
{
    struct oracle_violation violation = oracle_violation(waves->tm->oracle);
    struct fault fault = {.kind = FAULT_TRANSACTION,
                          .launch = group->launch,
                          .wavefront = wavefront,
                          .pc = violation.pc,
                          .other_pc = violation.other_pc,
                          .reason = violation.text};

    if (violation.text == NULL)
        return;
    memcpy(fault.group, group->isa.id, sizeof fault.group);
    wavefront_fault(waves, &fault);
}

void transaction_account(struct wavefronts *waves, struct wavefront *wave)
{
    struct transaction_statistics *counts = &waves->tm->statistics;
    struct transaction_state *state = &wave->transaction_state;
    uint64_t cycles = wavefronts_cycle(waves) - state->since;
    uint64_t running = count_bits(wave->transaction.running) * cycles;

    state->since = wavefronts_cycle(waves);
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

void transaction_phase(struct wavefronts *waves, struct wavefront *wave,
                       enum transaction_phase phase)
{
    transaction_account(waves, wave);
    if (phase == PHASE_RUN)
        wave->transaction_state.ran = 0;
    wave->transaction_state.phase = (uint8_t)phase;
    wave->transaction.in_attempt = phase == PHASE_RUN || phase == PHASE_COMMIT;
}

static void make_busy(uint64_t *free_at, uint64_t now, uint32_t cycles)
{
    if (cycles > 0)
        *free_at = (*free_at > now ? *free_at : now) + cycles;
}

void transaction_charge(struct wavefronts *waves, struct wavefront *wave,
                        const struct tm_charge *charge)
{
    uint64_t now = wavefronts_cycle(waves);

    make_busy(waves->tm->banks_free_at, now, charge->bank_cycles);
    make_busy(waves->tm->addresses_free_at, now, charge->unit_cycles);
    if (charge->wavefront_cycles == 0)
        return;
    wave->transaction_state.charged_until = now + charge->wavefront_cycles;
    if (wave->ready_at < now + charge->wavefront_cycles)
        wave->ready_at = now + charge->wavefront_cycles;
}
