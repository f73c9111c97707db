/* SPDX-License-Identifier: MIT */
/*
 * Transactions, as tm/tm.h asks for them: hints drive the system, and the ISA's snapshot, restore,
 * leave and rejoin move lanes.
 *
 *     begin: snapshot ─► attempt with the lanes that may run ─► commit ─► all committed: all rejoin
 *       ▲                                                          │
 *       └───────── restore the aborted; the committed leave ◄──────┘
 *
 * Lanes that abort at an access leave at once; if nobody is left running, the wavefront returns to
 * its begin without going to the commit. Before a commit or a return all its memory instructions
 * are done. Inner begins and commits only nest.
 */
#include "gpu/instruction_count.h"
#include "gpu/unit.h"

static bool wait_in_transaction(struct compute_unit *unit, struct wavefront *wave)
{
    wave->ready_at = unit_cycle(unit) + GPU_SIMDS;
    wavefront_set_state(unit, wave, STATE_TRANSACTION);
    return false;
}

static bool take(struct compute_unit *unit, struct wavefront *wave)
{
    control_take(unit, wave, unit_cycle(unit) + GPU_SIMDS);
    return true;
}

static void lanes_leave(struct compute_unit *unit, struct wavefront *wave, uint64_t lanes)
{
    if (lanes != 0)
        unit->isa->leave(wave->registers, lanes);
}

static void open_transaction(struct compute_unit *unit, struct wavefront *wave)
{
    wave->transaction.is_open = true;
    unit->isa->snapshot(wave->registers, wave->snapshot);
}

static bool begin(struct compute_unit *unit, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t wanted;

    if (wave->transaction_depth > 0) {
        wave->transaction_depth++;
        return take(unit, wave);
    }
    if (!transaction->is_open)
        *transaction = (struct tm_wavefront){.lanes = wave->registers->active,
                                             .running = wave->registers->active,
                                             .group = wave->group};
    if (wave->outstanding > 0)
        return wait_in_transaction(unit, wave); /* its loads must not land on restored registers */
    if (unit->tm->may_begin != NULL &&
        unit->tm->may_begin(unit->tm_unit, wave->slot, transaction) == TM_WAIT)
        return wait_in_transaction(unit, wave);
    if (!transaction->is_open)
        open_transaction(unit, wave);
    wanted = transaction->running;
    transaction->attempts++;
    if (unit->tm->begin != NULL)
        unit->tm->begin(unit->tm_unit, wave->slot, transaction);
    transaction->running &= wanted;
    unit->statistics.tm_attempts += count_bits(transaction->running);
    wave->aborted = wanted & ~transaction->running;
    lanes_leave(unit, wave, wave->aborted);
    wave->must_restart = wave->aborted != 0 && transaction->running == 0;
    wave->transaction_depth = 1;
    return take(unit, wave);
}

bool transaction_restart(struct compute_unit *unit, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;

    if (wave->outstanding > 0)
        return false;
    unit->isa->restore(wave->registers, wave->snapshot, wave->aborted);
    unit->isa->rejoin(wave->registers, wave->aborted);
    transaction->running = wave->aborted;
    wave->aborted = 0;
    wave->must_restart = false;
    wave->transaction_depth = 0;
    wavefront_redirect(unit, wave, unit_cycle(unit) + GPU_SIMDS);
    return false; /* the begin is issued in a later turn */
}

static void close_transaction(struct compute_unit *unit, struct wavefront *wave)
{
    unit->isa->rejoin(wave->registers, wave->transaction.committed);
    wave->transaction.is_open = false;
    wave->transaction_depth = 0;
}

static bool commit(struct compute_unit *unit, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t aborted = 0, committed;

    if (wave->transaction_depth != 1) {
        wave->transaction_depth -= wave->transaction_depth > 1;
        return take(unit, wave);
    }
    if (wave->outstanding > 0)
        return wait_in_transaction(unit, wave);
    if (unit->tm->commit != NULL &&
        unit->tm->commit(unit->tm_unit, wave->slot, transaction, &aborted) == TM_WAIT)
        return wait_in_transaction(unit, wave);
    aborted &= transaction->running;
    committed = transaction->running & ~aborted;
    unit->statistics.tm_commits += count_bits(committed);
    unit->statistics.tm_aborts += count_bits(aborted);
    transaction->committed |= committed;
    wave->aborted |= aborted;
    if (wave->aborted == 0) {
        close_transaction(unit, wave);
        return take(unit, wave);
    }
    take(unit, wave);
    lanes_leave(unit, wave, committed);
    transaction_restart(unit, wave);
    return true;
}

bool transaction_hint(struct compute_unit *unit, struct wavefront *wave)
{
    if (unit->tm != NULL && wave->next->hint == TM_HINT_BEGIN)
        return begin(unit, wave);
    if (unit->tm != NULL && wave->next->hint == TM_HINT_COMMIT)
        return commit(unit, wave);
    return take(unit, wave);
}

void transaction_access(struct compute_unit *unit, struct wavefront *wave,
                        struct isa_memory_request *request)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t aborted;

    if (!transaction->is_open || unit->tm->access == NULL)
        return;
    aborted =
        unit->tm->access(unit->tm_unit, wave->slot, transaction, request) & transaction->running;
    if (aborted == 0)
        return;
    request->lanes &= ~aborted;
    request->written &= ~aborted;
    transaction->running &= ~aborted;
    wave->aborted |= aborted;
    wave->must_restart = transaction->running == 0;
    unit->statistics.tm_aborts += count_bits(aborted);
    lanes_leave(unit, wave, aborted);
}
