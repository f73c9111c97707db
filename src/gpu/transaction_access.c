/* SPDX-License-Identifier: MIT */
/* Accesses of wavefronts in transactions: the systems see them when they are served, lanes that
 * have aborted meanwhile are taken out, and what no system could undo is refused. */
#include "gpu/local_memory.h"
#include "gpu/wavefront.h"

uint64_t transaction_may_issue(struct wavefronts *waves, struct wavefront *wave)
{
    uint64_t latest = TM_NOW;

    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        const struct tm_system *system = waves->tm->set.systems[i];
        uint64_t wait =
            system->may_issue == NULL
                ? TM_NOW
                : system->may_issue(waves->tm->units[i], &wave->transaction, wave->next);

        if (wait > latest)
            latest = wait;
    }
    if (latest == TM_LATER)
        transaction_sleep(waves, wave, NEVER);
    return latest;
}

static void take_out(struct isa_memory_request *request, uint64_t lanes)
{
    request->lanes &= ~lanes;
    request->second_lanes &= ~lanes;
    request->written &= ~lanes;
}

static unsigned space_of(const struct isa_memory_request *request)
{
    switch (request->space) {
    case ISA_SPACE_LOCAL:
        return TM_SPACE_LOCAL;
    case ISA_SPACE_GLOBAL:
        return TM_SPACE_GLOBAL;
    default:
        return 0;
    }
}

static void refuse(struct wavefronts *waves, struct wavefront *wave, uint64_t pc,
                   const char *reason, struct isa_memory_request *request)
{
    struct fault fault = wavefront_fault_here(waves, wave, FAULT_TRANSACTION);

    fault.pc = pc;
    fault.reason = reason;
    wavefront_fault(waves, &fault);
    take_out(request, UINT64_MAX);
}

/* Private memory has no versions: a lane that starts again would find what it stored. */
static bool stores_to_private(const struct wavefronts *waves,
                              const struct isa_memory_request *request)
{
    return request->space == ISA_SPACE_SCRATCH && request->kind != ISA_MEMORY_LOAD &&
           waves->tm->set.spaces != 0;
}

static void count_unwatched(struct wavefronts *waves, const struct isa_memory_request *request)
{
    if (request->space != ISA_SPACE_SCRATCH && request->kind != ISA_MEMORY_INVALIDATE &&
        (space_of(request) & waves->tm->set.spaces) == 0)
        waves->tm->statistics.unwatched += count_bits(request->lanes);
}

static void ask(struct wavefronts *waves, struct wavefront *wave,
                struct isa_memory_request *request, struct tm_charge *charge)
{
    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        const struct tm_system *system = waves->tm->set.systems[i];
        uint64_t aborted;

        if (system->access == NULL)
            continue;
        aborted = system->access(waves->tm->units[i], &wave->transaction, request, charge) &
                  wave->transaction.running;
        waves->tm->statistics.aborts_at_access += count_bits(aborted);
        take_out(request, aborted);
        transaction_abort(waves, wave, aborted, waves->tm->units[i]);
    }
}

uint32_t transaction_serve(struct wavefronts *waves, struct wavefront *wave, uint64_t pc,
                           struct isa_memory_request *request)
{
    struct tm_charge charge = {0};
    uint32_t bank_cycles;

    take_out(request, ~wave->transaction.running);
    if (stores_to_private(waves, request)) {
        refuse(waves, wave, pc, TM_REASON_PRIVATE, request);
        return 0;
    }
    count_unwatched(waves, request);
    transaction_saw_store(waves, wave, pc, request);
    ask(waves, wave, request, &charge);
    if (charge.refusal != NULL)
        refuse(waves, wave, pc, charge.refusal, request);
    bank_cycles = charge.bank_cycles;
    charge.bank_cycles = 0; /* the caller's */
    transaction_charge(waves, wave, &charge);
    return bank_cycles;
}

void transaction_watched_access(struct wavefronts *waves, struct wavefront *wave, uint64_t pc,
                                struct isa_memory_request *request)
{
    uint64_t served = wave->transaction.is_open ? wave->transaction.running : UINT64_MAX;

    local_memory_access(wave->registers->lds, request);
    oracle_after(waves->tm->oracle, &wave->transaction, pc, request, served);
    transactions_report(waves, &waves->groups[wave->group], wave->index);
}

void transaction_loaded(struct wavefronts *waves, struct wavefront *wave,
                        struct isa_memory_request *request)
{
    for (uint32_t i = 0; i < waves->tm->set.count; i++) {
        const struct tm_system *system = waves->tm->set.systems[i];
        uint64_t aborted;

        if (system->loaded == NULL)
            continue;
        take_out(request, ~wave->transaction.running);
        aborted = system->loaded(waves->tm->units[i], &wave->transaction, request) &
                  wave->transaction.running;
        waves->tm->statistics.aborts_at_access += count_bits(aborted);
        take_out(request, aborted);
        transaction_abort(waves, wave, aborted, waves->tm->units[i]);
    }
}

uint64_t transaction_faults(struct wavefronts *waves, struct wavefront *wave, uint64_t lanes)
{
    for (uint32_t i = 0; wave->transaction.is_open && i < waves->tm->set.count; i++) {
        const struct tm_system *system = waves->tm->set.systems[i];
        uint64_t aborted;

        if (system->fault == NULL || lanes == 0)
            continue;
        aborted = system->fault(waves->tm->units[i], &wave->transaction, lanes) & lanes;
        lanes &= ~aborted;
        waves->tm->statistics.aborts_at_access += count_bits(aborted);
        transaction_abort(waves, wave, aborted, waves->tm->units[i]);
    }
    return lanes;
}
