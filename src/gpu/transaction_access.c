/* SPDX-License-Identifier: MIT */
/* Accesses of wavefronts in transactions. The systems see them when they are served. Lanes that
 * have aborted meanwhile are taken out, and what no system could undo is refused. */
#include "gpu/transaction_private.h"

uint64_t transactions_room_at(struct transactions *tm, struct wavefront *wave)
{
    uint64_t latest = TM_NOW;

    if (!wave->transaction.is_open) { /* it is held */
        transaction_sleep(tm, wave, NEVER);
        return NEVER;
    }
    for (uint32_t i = 0; i < tm->set.count; i++) {
        const struct tm_system *system = tm->set.systems[i];
        uint64_t wait = system->may_issue == NULL
                            ? TM_NOW
                            : system->may_issue(tm->units[i], &wave->transaction, wave->next);

        if (wait > latest)
            latest = wait;
    }
    if (latest == TM_LATER)
        transaction_sleep(tm, wave, NEVER);
    return latest;
}

static void request_take_out(struct isa_memory_request *request, uint64_t lanes)
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

static void access_refuse(struct transactions *tm, struct wavefront *wave, uint64_t pc,
                          const char *reason, struct isa_memory_request *request)
{
    struct fault fault = wavefront_fault_here(tm->waves, wave, FAULT_TRANSACTION);

    fault.pc = pc;
    fault.reason = reason;
    wavefront_fault(tm->waves, &fault);
    request_take_out(request, UINT64_MAX);
}

/* Private memory has no versions: a lane that starts again would find what it stored. */
static bool stores_to_private(const struct transactions *tm,
                              const struct isa_memory_request *request)
{
    return request->space == ISA_SPACE_SCRATCH && request->kind != ISA_MEMORY_LOAD &&
           tm->set.spaces != 0;
}

static void count_unwatched(struct transactions *tm, const struct isa_memory_request *request)
{
    if (request->space != ISA_SPACE_SCRATCH && request->kind != ISA_MEMORY_INVALIDATE &&
        (space_of(request) & tm->set.spaces) == 0)
        tm->statistics.unwatched += count_bits(request->lanes);
}

static void systems_access(struct transactions *tm, struct wavefront *wave,
                           struct isa_memory_request *request, struct tm_charge *charge)
{
    for (uint32_t i = 0; i < tm->set.count; i++) {
        const struct tm_system *system = tm->set.systems[i];
        uint64_t aborted;

        if (system->access == NULL)
            continue;
        aborted = system->access(tm->units[i], &wave->transaction, request, charge) &
                  wave->transaction.running;
        tm->statistics.aborts_at_access += count_bits(aborted);
        request_take_out(request, aborted);
        transaction_abort(tm, wave, aborted, tm->units[i]);
    }
}

uint32_t transactions_serve(struct transactions *tm, struct wavefront *wave, uint64_t pc,
                            struct isa_memory_request *request)
{
    struct tm_charge charge = {0};
    uint32_t bank_cycles;

    request_take_out(request, ~wave->transaction.running);
    if (stores_to_private(tm, request)) {
        access_refuse(tm, wave, pc, TM_REASON_PRIVATE, request);
        return 0;
    }
    count_unwatched(tm, request);
    transaction_saw_store(tm, wave, pc, request);
    systems_access(tm, wave, request, &charge);
    if (charge.refusal != NULL)
        access_refuse(tm, wave, pc, charge.refusal, request);
    bank_cycles = charge.bank_cycles;
    charge.bank_cycles = 0; /* the caller's */
    transactions_charge(tm, wave, &charge);
    return bank_cycles;
}

void transactions_loaded(struct transactions *tm, struct wavefront *wave,
                         struct isa_memory_request *request)
{
    for (uint32_t i = 0; i < tm->set.count; i++) {
        const struct tm_system *system = tm->set.systems[i];
        uint64_t aborted;

        if (system->loaded == NULL)
            continue;
        request_take_out(request, ~wave->transaction.running);
        aborted =
            system->loaded(tm->units[i], &wave->transaction, request) & wave->transaction.running;
        tm->statistics.aborts_at_access += count_bits(aborted);
        request_take_out(request, aborted);
        transaction_abort(tm, wave, aborted, tm->units[i]);
    }
}

uint64_t transactions_faults(struct transactions *tm, struct wavefront *wave, uint64_t lanes)
{
    for (uint32_t i = 0; wave->transaction.is_open && i < tm->set.count; i++) {
        const struct tm_system *system = tm->set.systems[i];
        uint64_t aborted;

        if (system->fault == NULL || lanes == 0)
            continue;
        aborted = system->fault(tm->units[i], &wave->transaction, lanes) & lanes;
        lanes &= ~aborted;
        tm->statistics.aborts_at_access += count_bits(aborted);
        transaction_abort(tm, wave, aborted, tm->units[i]);
    }
    return lanes;
}
