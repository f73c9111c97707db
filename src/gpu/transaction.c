/* SPDX-License-Identifier: MIT */
/*
 * Transactions, as tm/tm.h asks for them: hints drive the systems, and the ISA's snapshot, restore,
 * leave and rejoin move lanes.
 *
 *     begin: snapshot ─► attempt with the lanes that may run ─► commit ─► all committed: all rejoin
 *       ▲                                                          │
 *       └───────── restore the aborted; the committed leave ◄──────┘
 *
 * Lanes that abort leave at once; if none is left running, the wavefront returns to its begin
 * without going to the commit. Before a commit or a return all its memory instructions are done.
 * Inner begins and commits only nest. A begin without active lanes (clang does not jump over short
 * code) opens nothing.
 */
#include "gpu/instruction_count.h"
#include "gpu/transaction_private.h"

void transaction_sleep(struct transactions *tm, struct wavefront *wave, uint64_t cycle)
{
    wave->ready_at = cycle;
    wave->tm_flags.awaits_memory = false;
    wavefront_set_state(tm->waves, wave, STATE_TRANSACTION);
}

/* Until a cycle has come, or it is woken. */
static bool transaction_wait_until(struct transactions *tm, struct wavefront *wave, uint64_t cycle)
{
    transaction_sleep(tm, wave, cycle);
    return false;
}

/* Until its memory instructions are done (wavefront_released). */
static bool transaction_wait_for_memory(struct transactions *tm, struct wavefront *wave)
{
    transaction_sleep(tm, wave, NEVER);
    wave->tm_flags.awaits_memory = true;
    return false;
}

static bool hint_pass(struct transactions *tm, struct wavefront *wave)
{
    wavefront_execute(tm->waves, wave, wavefronts_cycle(tm->waves) + tm->waves->turns.cycles);
    return true;
}

bool transactions_allow(struct transactions *tm, struct wavefront *wave, const char *reason)
{
    if (wave->transaction.is_open)
        return transaction_stop(tm, wave, reason);
    return !wave->tm_flags.is_held || transaction_wait_until(tm, wave, NEVER);
}

static void lanes_leave(struct transactions *tm, struct wavefront *wave, uint64_t lanes)
{
    if (lanes != 0)
        tm->waves->isa->leave(wave->registers, lanes);
}

/* ---- begin ---- */

static void transaction_open(struct transactions *tm, struct wavefront *wave)
{
    wave->transaction.is_open = true;
    transaction_state(tm, wave)->has_committed = transaction_state(tm, wave)->differs = false;
    wave->tm_flags.is_watched = tm->uses != NULL;
    tm->waves->isa->snapshot(wave->registers, transaction_state(tm, wave)->snapshot);
    tm->statistics.transactions++;
}

/* The earlier of two answers: something has changed then. */
static uint64_t earlier_answer(uint64_t a, uint64_t b)
{
    if (a == TM_NOW || b == TM_NOW)
        return a == TM_NOW ? b : a;
    return a < b ? a : b;
}

/* The second is asked when the first has nothing against it. So what both grant, tokens for
 * example, is taken in one order by all. */
static uint64_t systems_may_begin(struct transactions *tm, struct wavefront *wave)
{
    uint64_t wait = TM_NOW;

    for (uint32_t i = 0; wait == TM_NOW && i < tm->set.count; i++)
        if (tm->set.systems[i]->may_begin != NULL)
            wait = tm->set.systems[i]->may_begin(tm->units[i], &wave->transaction);
    return wait;
}

/* The wavefront's own cycles are its hint's. */
static void charge_units(struct transactions *tm, struct wavefront *wave,
                         const struct tm_charge *charge)
{
    struct tm_charge units = *charge;

    units.wavefront_cycles = 0;
    transactions_charge(tm, wave, &units);
}

/* Tells the systems. Returns the cycles that the begin takes longer. */
static uint32_t attempt_begin(struct transactions *tm, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t wanted = transaction->running;
    struct tm_charge charge = {0};

    transaction->attempts++;
    for (uint32_t i = 0; i < tm->set.count; i++)
        if (tm->set.systems[i]->begin != NULL)
            tm->set.systems[i]->begin(tm->units[i], transaction, &charge);
    transaction->running &= wanted;
    transaction->aborted = wanted & ~transaction->running;
    tm->statistics.attempts++;
    tm->counts->tm_attempts += count_bits(transaction->running);
    lanes_leave(tm, wave, transaction->aborted);
    transaction_saw_begin(tm, wave);
    wave->tm_flags.must_restart = transaction->aborted != 0 && transaction->running == 0;
    transaction_state(tm, wave)->told = transaction_state(tm, wave)->failed = 0;
    transaction_state(tm, wave)->is_finishing = false;
    charge_units(tm, wave, &charge);
    return charge.wavefront_cycles;
}

static bool hint_begin(struct transactions *tm, struct wavefront *wave)
{
    struct transaction_state *state = transaction_state(tm, wave);
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t wait;
    uint32_t cycles;

    if (state->depth > 0 || wave->registers->active == 0) {
        state->depth++;
        return hint_pass(tm, wave);
    }
    if (!transaction->is_open) {
        transaction->lanes = transaction->running = wave->registers->active;
        transaction->aborted = transaction->committed = 0;
        transaction->attempts = 0;
    }
    if (state->phase != PHASE_BEGIN)
        transaction_phase(tm, wave, PHASE_BEGIN);
    if (wave->outstanding > wave->unawaited)
        return transaction_wait_for_memory(
            tm, wave); /* its loads must not land on restored registers */
    wait = systems_may_begin(tm, wave);
    if (wait != TM_NOW)
        return transaction_wait_until(tm, wave, wait);
    if (!transaction->is_open)
        transaction_open(tm, wave);
    transaction_phase(tm, wave, PHASE_RUN);
    cycles = attempt_begin(tm, wave);
    state->depth = 1;
    wavefront_execute(tm->waves, wave,
                      wavefronts_cycle(tm->waves) + tm->waves->turns.cycles + cycles);
    return true;
}

/* ---- aborts ---- */

static void systems_abort(struct transactions *tm, struct wavefront *wave, uint64_t lanes,
                          const struct tm_unit *teller)
{
    struct tm_charge charge = {0};

    for (uint32_t i = 0; i < tm->set.count; i++)
        if (tm->units[i] != teller && tm->set.systems[i]->abort != NULL)
            tm->set.systems[i]->abort(tm->units[i], &wave->transaction, lanes, &charge);
    transactions_charge(tm, wave, &charge);
}

/* A wavefront without running lanes goes back, whatever it waits for; a place in a queue that it
 * was woken for goes to the next. */
static void wavefront_must_restart(struct transactions *tm, struct wavefront *wave)
{
    wave->tm_flags.must_restart = true;
    if (wave->state == STATE_QUEUE)
        tm->waves->queue_waiting[wave->next->unit] &= ~(UINT64_C(1) << wave->slot);
    else if (wave->refused_since != NEVER && wave->state == STATE_RUNNABLE)
        wavefronts_queue_freed(tm->waves, wave->next->unit);
    wave->refused_since = NEVER;
    if (wave->state == STATE_QUEUE || wave->state == STATE_TRANSACTION) {
        wave->ready_at = wavefronts_cycle(tm->waves);
        wavefront_ready(tm->waves, wave, wavefronts_cycle(tm->waves));
    }
}

uint32_t transaction_abort(struct transactions *tm, struct wavefront *wave, uint64_t lanes,
                           const struct tm_unit *teller)
{
    struct tm_wavefront *transaction = &wave->transaction;

    lanes &= transaction->running & ~transaction_state(tm, wave)->told & ~transaction->sealed;
    if (lanes == 0)
        return 0;
    transaction_account(tm, wave);
    transaction_saw_end(tm, wave, 0, lanes);
    systems_abort(tm, wave, lanes, teller);
    transaction->running &= ~lanes;
    transaction->aborted |= lanes;
    tm->counts->tm_aborts += count_bits(lanes);
    tm->statistics.lane_cycles_wasted += count_bits(lanes) * transaction_state(tm, wave)->ran;
    lanes_leave(tm, wave, lanes);
    if (transaction->running == 0)
        wavefront_must_restart(tm, wave);
    else if (transaction_state(tm, wave)->phase == PHASE_COMMIT && wave->state == STATE_TRANSACTION)
        tm->host.wake(&tm->host, wave->slot); /* the others may all be decided */
    return count_bits(lanes);
}

bool transactions_restart(struct transactions *tm, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;

    if (wave->outstanding > wave->unawaited)
        return transaction_wait_for_memory(tm, wave);
    if (transaction_state(tm, wave)->charged_until > wavefronts_cycle(tm->waves))
        return transaction_wait_until(tm, wave, transaction_state(tm, wave)->charged_until);
    transaction_phase(tm, wave, PHASE_BEGIN);
    tm->waves->isa->restore(
        wave->registers, transaction_state(tm, wave)->snapshot,
        debug_breaks(tm->waves->breaks, TM_KEEP_REGISTERS) ? 0 : transaction->aborted);
    tm->waves->isa->rejoin(wave->registers, transaction->aborted);
    transaction->running = transaction->aborted;
    transaction->aborted = 0;
    wave->tm_flags.must_restart = false;
    transaction_state(tm, wave)->depth = 0;
    wavefront_redirect(tm->waves, wave, wavefronts_cycle(tm->waves) + tm->waves->turns.cycles);
    return false; /* the begin is issued in a later turn */
}

/* ---- commit ---- */

static void transaction_close(struct transactions *tm, struct wavefront *wave)
{
    tm->waves->isa->rejoin(wave->registers, wave->transaction.committed);
    wave->transaction.is_open = false;
    wave->tm_flags.is_watched = transaction_state(tm, wave)->differs;
    transaction_state(tm, wave)->depth = 0;
    transaction_phase(tm, wave, PHASE_NONE);
}

/* Which of these lanes pass or fail in one of the systems. */
static uint64_t system_prepare(struct transactions *tm, struct wavefront *wave, uint32_t which,
                               uint64_t lanes, uint64_t *passed, uint64_t *failed)
{
    const struct tm_system *system = tm->set.systems[which];
    uint64_t wait = TM_NOW;

    *passed = system->prepare == NULL ? lanes : 0;
    *failed = 0;
    if (system->prepare != NULL)
        wait = system->prepare(tm->units[which], &wave->transaction, passed, failed);
    *failed &= lanes;
    *passed &= lanes & ~*failed;
    return wait;
}

/* What the first of two systems fails aborts at once; what it has passed is sealed when all lanes
 * are decided. Returns when to ask again, TM_NOW: all running lanes are sealed, or none is left. */
static uint64_t systems_seal(struct transactions *tm, struct wavefront *wave)
{
    const struct tm_system *first = tm->set.systems[0];
    struct tm_wavefront *transaction = &wave->transaction;
    struct tm_charge charge = {0};
    uint64_t passed, failed, wait;

    if (transaction->sealed != 0)
        return TM_NOW;
    wait = system_prepare(tm, wave, 0, transaction->running, &passed, &failed);
    if (failed != 0) {
        if (first->finish != NULL)
            first->finish(tm->units[0], transaction, 0, failed, &charge);
        transactions_charge(tm, wave, &charge);
        tm->statistics.aborts_at_commit += count_bits(failed);
        transaction_abort(tm, wave, failed, tm->units[0]);
    }
    if (transaction->running != passed)
        return wait == TM_NOW ? TM_LATER : wait;
    transaction->sealed = passed;
    return TM_NOW;
}

/* Asks which lanes pass; those that all systems have decided are settled. */
static uint64_t systems_prepare(struct transactions *tm, struct wavefront *wave,
                                uint64_t *committed, uint64_t *aborted)
{
    const uint64_t open = wave->transaction.running & ~transaction_state(tm, wave)->told;

    *committed = *aborted = 0;
    if (open == 0)
        return TM_NOW;
    return system_prepare(tm, wave, tm->set.count - 1, open, committed, aborted);
}

static uint64_t systems_finish(struct transactions *tm, struct wavefront *wave, uint64_t committed,
                               uint64_t aborted)
{
    struct tm_charge charge = {0};
    uint64_t wait = TM_NOW;

    for (uint32_t i = 0; i < tm->set.count; i++)
        if (tm->set.systems[i]->finish != NULL)
            wait = earlier_answer(wait, tm->set.systems[i]->finish(tm->units[i], &wave->transaction,
                                                                   committed, aborted, &charge));
    if (charge.wavefront_cycles > 0)
        wait = earlier_answer(wait, wavefronts_cycle(tm->waves) + charge.wavefront_cycles);
    charge_units(tm, wave, &charge);
    return wait;
}

/* What lanes of several attempts leave behind in registers that the wavefront has once. */
static void note_scalars(struct transactions *tm, struct wavefront *wave, uint64_t committed)
{
    struct transaction_state *state = transaction_state(tm, wave);

    if (committed == 0 || tm->waves->isa->attempt_ended == NULL || tm->set.spaces == 0)
        return;
    state->differs =
        tm->waves->isa->attempt_ended(wave->registers, state->snapshot, !state->has_committed);
    state->has_committed = true;
}

/* All lanes of the attempt are decided, and what the systems do for it is done. */
static bool attempt_conclude(struct transactions *tm, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t committed = transaction_state(tm, wave)->told & ~transaction_state(tm, wave)->failed;

    transaction_account(tm, wave);
    note_scalars(tm, wave, committed);
    transaction->committed |= committed;
    transaction->aborted |= transaction_state(tm, wave)->failed;
    transaction->running = transaction->sealed = 0;
    transaction_state(tm, wave)->told = 0;
    if (transaction->aborted == 0) {
        transaction_close(tm, wave);
        return hint_pass(tm, wave);
    }
    hint_pass(tm, wave);
    lanes_leave(tm, wave, committed);
    wave->tm_flags.must_restart = true;
    transactions_restart(tm, wave);
    return true;
}

static void settle_lanes(struct transactions *tm, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted)
{
    transaction_saw_end(tm, wave, committed, aborted);
    transaction_state(tm, wave)->told |= committed | aborted;
    transaction_state(tm, wave)->failed |= aborted;
    tm->counts->tm_commits += count_bits(committed);
    tm->statistics.lane_cycles_useful += count_bits(committed) * transaction_state(tm, wave)->ran;
    tm->statistics.lane_cycles_wasted += count_bits(aborted) * transaction_state(tm, wave)->ran;
    tm->counts->tm_aborts += count_bits(aborted);
    tm->statistics.aborts_at_commit += count_bits(aborted);
}

static bool hint_commit(struct transactions *tm, struct wavefront *wave)
{
    struct transaction_state *state = transaction_state(tm, wave);
    uint64_t committed, aborted, wait, finished;

    if (state->depth == 0)
        return transaction_stop(tm, wave, TM_REASON_NO_BEGIN);
    if (state->depth == 1 && !wave->transaction.is_open && wave->registers->active != 0)
        return transaction_stop(tm, wave, TM_REASON_OTHERS);
    if (state->depth > 1 || !wave->transaction.is_open) {
        state->depth--;
        return hint_pass(tm, wave);
    }
    if (wave->registers->active != wave->transaction.running)
        return transaction_stop(tm, wave, TM_REASON_PART);
    if (state->phase != PHASE_COMMIT) {
        transaction_phase(tm, wave, PHASE_COMMIT);
        transaction_saw_commit(tm, wave);
    }
    if (wave->outstanding > wave->unawaited)
        return transaction_wait_for_memory(tm, wave);
    if (state->charged_until > wavefronts_cycle(tm->waves))
        return transaction_wait_until(tm, wave, state->charged_until);
    if (tm->set.count > 1) {
        wait = systems_seal(tm, wave);
        if (wait != TM_NOW)
            return transaction_wait_until(tm, wave, wait);
        if (wave->transaction.running == 0)
            return transactions_restart(tm, wave); /* all have failed */
    }
    wait = systems_prepare(tm, wave, &committed, &aborted);
    if ((committed | aborted) != 0 || state->is_finishing) {
        settle_lanes(tm, wave, committed, aborted);
        finished = systems_finish(tm, wave, committed, aborted);
        state->is_finishing = finished != TM_NOW;
        wait = earlier_answer(wait, finished);
    }
    if (state->told != wave->transaction.running || state->is_finishing)
        return transaction_wait_until(tm, wave, wait == TM_NOW ? NEVER : wait);
    return attempt_conclude(tm, wave);
}

bool transactions_issue(struct transactions *tm, struct wavefront *wave)
{
    if (wave->next->hint == TM_HINT_BEGIN)
        return hint_begin(tm, wave);
    if (wave->next->hint == TM_HINT_COMMIT)
        return hint_commit(tm, wave);
    return hint_pass(tm, wave);
}
