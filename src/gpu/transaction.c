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
#include "gpu/wavefront.h"

void transaction_sleep(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle)
{
    wave->ready_at = cycle;
    wave->transaction_state.awaits_memory = false;
    wavefront_set_state(waves, wave, STATE_TRANSACTION);
}

/* Until a cycle has come, or it is woken. */
static bool wait_until(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle)
{
    transaction_sleep(waves, wave, cycle);
    return false;
}

/* Until its memory instructions are done (wavefront_released). */
static bool wait_for_memory(struct wavefronts *waves, struct wavefront *wave)
{
    transaction_sleep(waves, wave, NEVER);
    wave->transaction_state.awaits_memory = true;
    return false;
}

static bool pass(struct wavefronts *waves, struct wavefront *wave)
{
    wavefront_execute(waves, wave, wavefronts_cycle(waves) + waves->turns.cycles);
    return true;
}

bool transaction_allows(struct wavefronts *waves, struct wavefront *wave, const char *reason)
{
    if (wave->transaction.is_open)
        return transaction_stop(waves, wave, reason);
    return !wave->transaction_state.is_held || wait_until(waves, wave, NEVER);
}

static void lanes_leave(struct wavefronts *waves, struct wavefront *wave, uint64_t lanes)
{
    if (lanes != 0)
        waves->isa->leave(wave->registers, lanes);
}

/* ---- begin ---- */

static void open_transaction(struct wavefronts *waves, struct wavefront *wave)
{
    wave->transaction.is_open = true;
    wave->transaction_state.has_committed = wave->transaction_state.differs = false;
    waves->isa->snapshot(wave->registers, wave->snapshot);
    waves->tm->statistics.transactions++;
}

/* The earlier of two answers: something has changed then. */
static uint64_t sooner(uint64_t a, uint64_t b)
{
    if (a == TM_NOW || b == TM_NOW)
        return a == TM_NOW ? b : a;
    return a < b ? a : b;
}

/* The second is asked when the first has nothing against it: so what both give out, tokens for
 * example, is taken in one order by all. */
static uint64_t ask_begin(struct wavefronts *waves, struct wavefront *wave)
{
    uint64_t wait = TM_NOW;

    for (uint32_t i = 0; wait == TM_NOW && i < waves->tm->set.count; i++)
        if (waves->tm->set.systems[i]->may_begin != NULL)
            wait = waves->tm->set.systems[i]->may_begin(waves->tm->units[i], &wave->transaction);
    return wait;
}

/* The wavefront's own cycles are its hint's. */
static void charge_units(struct wavefronts *waves, struct wavefront *wave,
                         const struct tm_charge *charge)
{
    struct tm_charge units = *charge;

    units.wavefront_cycles = 0;
    transaction_charge(waves, wave, &units);
}

/* Tells the systems. Returns the cycles that the begin takes longer. */
static uint32_t begin_attempt(struct wavefronts *waves, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t wanted = transaction->running;
    struct tm_charge charge = {0};

    transaction->attempts++;
    for (uint32_t i = 0; i < waves->tm->set.count; i++)
        if (waves->tm->set.systems[i]->begin != NULL)
            waves->tm->set.systems[i]->begin(waves->tm->units[i], transaction, &charge);
    transaction->running &= wanted;
    transaction->aborted = wanted & ~transaction->running;
    waves->tm->statistics.attempts++;
    waves->statistics->tm_attempts += count_bits(transaction->running);
    lanes_leave(waves, wave, transaction->aborted);
    transaction_saw_begin(waves, wave);
    wave->transaction_state.must_restart = transaction->aborted != 0 && transaction->running == 0;
    wave->transaction_state.told = wave->transaction_state.failed = 0;
    wave->transaction_state.is_finishing = false;
    charge_units(waves, wave, &charge);
    return charge.wavefront_cycles;
}

static bool begin(struct wavefronts *waves, struct wavefront *wave)
{
    struct transaction_state *state = &wave->transaction_state;
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t wait;
    uint32_t cycles;

    if (state->depth > 0 || wave->registers->active == 0) {
        state->depth++;
        return pass(waves, wave);
    }
    if (!transaction->is_open) {
        transaction->lanes = transaction->running = wave->registers->active;
        transaction->aborted = transaction->committed = 0;
        transaction->attempts = 0;
    }
    if (state->phase != PHASE_BEGIN)
        transaction_phase(waves, wave, PHASE_BEGIN);
    if (wave->outstanding > 0)
        return wait_for_memory(waves, wave); /* its loads must not land on restored registers */
    wait = ask_begin(waves, wave);
    if (wait != TM_NOW)
        return wait_until(waves, wave, wait);
    if (!transaction->is_open)
        open_transaction(waves, wave);
    transaction_phase(waves, wave, PHASE_RUN);
    cycles = begin_attempt(waves, wave);
    state->depth = 1;
    wavefront_execute(waves, wave, wavefronts_cycle(waves) + waves->turns.cycles + cycles);
    return true;
}

/* ---- aborts ---- */

static void tell_others(struct wavefronts *waves, struct wavefront *wave, uint64_t lanes,
                        const struct tm_unit *teller)
{
    struct tm_charge charge = {0};

    for (uint32_t i = 0; i < waves->tm->set.count; i++)
        if (waves->tm->units[i] != teller && waves->tm->set.systems[i]->abort != NULL)
            waves->tm->set.systems[i]->abort(waves->tm->units[i], &wave->transaction, lanes,
                                             &charge);
    transaction_charge(waves, wave, &charge);
}

/* A wavefront without running lanes goes back, whatever it waits for; a place in a queue that it
 * was woken for goes to the next. */
static void must_restart(struct wavefronts *waves, struct wavefront *wave)
{
    wave->transaction_state.must_restart = true;
    if (wave->state == STATE_QUEUE)
        waves->queue_waiting[wave->next->unit] &= ~(UINT64_C(1) << wave->slot);
    else if (wave->refused_since != NEVER && wave->state == STATE_RUNNABLE)
        wavefronts_queue_freed(waves, wave->next->unit);
    wave->refused_since = NEVER;
    if (wave->state == STATE_QUEUE || wave->state == STATE_TRANSACTION) {
        wave->ready_at = wavefronts_cycle(waves);
        wavefront_ready(waves, wave, wavefronts_cycle(waves));
    }
}

uint32_t transaction_abort(struct wavefronts *waves, struct wavefront *wave, uint64_t lanes,
                           const struct tm_unit *teller)
{
    struct tm_wavefront *transaction = &wave->transaction;

    lanes &= transaction->running & ~wave->transaction_state.told & ~transaction->sealed;
    if (lanes == 0)
        return 0;
    transaction_account(waves, wave);
    transaction_saw_end(waves, wave, 0, lanes);
    tell_others(waves, wave, lanes, teller);
    transaction->running &= ~lanes;
    transaction->aborted |= lanes;
    waves->statistics->tm_aborts += count_bits(lanes);
    waves->tm->statistics.lane_cycles_wasted += count_bits(lanes) * wave->transaction_state.ran;
    lanes_leave(waves, wave, lanes);
    if (transaction->running == 0)
        must_restart(waves, wave);
    else if (wave->transaction_state.phase == PHASE_COMMIT && wave->state == STATE_TRANSACTION)
        waves->tm->host.wake(&waves->tm->host, wave->slot); /* the others may all be decided */
    return count_bits(lanes);
}

bool transaction_restart(struct wavefronts *waves, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;

    if (wave->outstanding > 0)
        return wait_for_memory(waves, wave);
    if (wave->transaction_state.charged_until > wavefronts_cycle(waves))
        return wait_until(waves, wave, wave->transaction_state.charged_until);
    transaction_phase(waves, wave, PHASE_BEGIN);
    waves->isa->restore(wave->registers, wave->snapshot,
                        debug_breaks(waves->breaks, TM_KEEP_REGISTERS) ? 0 : transaction->aborted);
    waves->isa->rejoin(wave->registers, transaction->aborted);
    transaction->running = transaction->aborted;
    transaction->aborted = 0;
    wave->transaction_state.must_restart = false;
    wave->transaction_state.depth = 0;
    wavefront_redirect(waves, wave, wavefronts_cycle(waves) + waves->turns.cycles);
    return false; /* the begin is issued in a later turn */
}

/* ---- commit ---- */

static void close_transaction(struct wavefronts *waves, struct wavefront *wave)
{
    waves->isa->rejoin(wave->registers, wave->transaction.committed);
    wave->transaction.is_open = false;
    wave->transaction_state.depth = 0;
    transaction_phase(waves, wave, PHASE_NONE);
}

/* Which of these lanes pass or fail in one of the systems. */
static uint64_t ask_prepare(struct wavefronts *waves, struct wavefront *wave, uint32_t which,
                            uint64_t lanes, uint64_t *passed, uint64_t *failed)
{
    const struct tm_system *system = waves->tm->set.systems[which];
    uint64_t wait = TM_NOW;

    *passed = system->prepare == NULL ? lanes : 0;
    *failed = 0;
    if (system->prepare != NULL)
        wait = system->prepare(waves->tm->units[which], &wave->transaction, passed, failed);
    *failed &= lanes;
    *passed &= lanes & ~*failed;
    return wait;
}

/* What the first of two systems fails aborts at once; what it has passed is sealed when all lanes
 * are decided. Returns when to ask again, TM_NOW: all running lanes are sealed, or none is left. */
static uint64_t seal(struct wavefronts *waves, struct wavefront *wave)
{
    const struct tm_system *first = waves->tm->set.systems[0];
    struct tm_wavefront *transaction = &wave->transaction;
    struct tm_charge charge = {0};
    uint64_t passed, failed, wait;

    if (transaction->sealed != 0)
        return TM_NOW;
    wait = ask_prepare(waves, wave, 0, transaction->running, &passed, &failed);
    if (failed != 0) {
        if (first->finish != NULL)
            first->finish(waves->tm->units[0], transaction, 0, failed, &charge);
        transaction_charge(waves, wave, &charge);
        waves->tm->statistics.aborts_at_commit += count_bits(failed);
        transaction_abort(waves, wave, failed, waves->tm->units[0]);
    }
    if (transaction->running != passed)
        return wait == TM_NOW ? TM_LATER : wait;
    transaction->sealed = passed;
    return TM_NOW;
}

/* Asks which lanes pass; those that all systems have decided are settled. */
static uint64_t prepare(struct wavefronts *waves, struct wavefront *wave, uint64_t *committed,
                        uint64_t *aborted)
{
    const uint64_t open = wave->transaction.running & ~wave->transaction_state.told;

    *committed = *aborted = 0;
    if (open == 0)
        return TM_NOW;
    return ask_prepare(waves, wave, waves->tm->set.count - 1, open, committed, aborted);
}

static uint64_t finish(struct wavefronts *waves, struct wavefront *wave, uint64_t committed,
                       uint64_t aborted)
{
    struct tm_charge charge = {0};
    uint64_t wait = TM_NOW;

    for (uint32_t i = 0; i < waves->tm->set.count; i++)
        if (waves->tm->set.systems[i]->finish != NULL)
            wait = sooner(wait,
                          waves->tm->set.systems[i]->finish(waves->tm->units[i], &wave->transaction,
                                                            committed, aborted, &charge));
    if (charge.wavefront_cycles > 0)
        wait = sooner(wait, wavefronts_cycle(waves) + charge.wavefront_cycles);
    charge_units(waves, wave, &charge);
    return wait;
}

/* What lanes of several attempts leave behind in registers that the wavefront has once. */
static void note_scalars(struct wavefronts *waves, struct wavefront *wave, uint64_t committed)
{
    struct transaction_state *state = &wave->transaction_state;

    if (committed == 0 || waves->isa->attempt_ended == NULL || waves->tm->set.spaces == 0)
        return;
    state->differs =
        waves->isa->attempt_ended(wave->registers, wave->snapshot, !state->has_committed);
    state->has_committed = true;
}

/* All lanes of the attempt are decided, and what the systems do for it is done. */
static bool conclude(struct wavefronts *waves, struct wavefront *wave)
{
    struct tm_wavefront *transaction = &wave->transaction;
    uint64_t committed = wave->transaction_state.told & ~wave->transaction_state.failed;

    transaction_account(waves, wave);
    note_scalars(waves, wave, committed);
    transaction->committed |= committed;
    transaction->aborted |= wave->transaction_state.failed;
    transaction->running = transaction->sealed = 0;
    wave->transaction_state.told = 0;
    if (transaction->aborted == 0) {
        close_transaction(waves, wave);
        return pass(waves, wave);
    }
    pass(waves, wave);
    lanes_leave(waves, wave, committed);
    wave->transaction_state.must_restart = true;
    transaction_restart(waves, wave);
    return true;
}

static void settle_lanes(struct wavefronts *waves, struct wavefront *wave, uint64_t committed,
                         uint64_t aborted)
{
    transaction_saw_end(waves, wave, committed, aborted);
    wave->transaction_state.told |= committed | aborted;
    wave->transaction_state.failed |= aborted;
    waves->statistics->tm_commits += count_bits(committed);
    waves->tm->statistics.lane_cycles_useful += count_bits(committed) * wave->transaction_state.ran;
    waves->tm->statistics.lane_cycles_wasted += count_bits(aborted) * wave->transaction_state.ran;
    waves->statistics->tm_aborts += count_bits(aborted);
    waves->tm->statistics.aborts_at_commit += count_bits(aborted);
}

static bool commit(struct wavefronts *waves, struct wavefront *wave)
{
    struct transaction_state *state = &wave->transaction_state;
    uint64_t committed, aborted, wait, finished;

    if (state->depth == 0)
        return transaction_stop(waves, wave, TM_REASON_NO_BEGIN);
    if (state->depth == 1 && !wave->transaction.is_open && wave->registers->active != 0)
        return transaction_stop(waves, wave, TM_REASON_OTHERS);
    if (state->depth > 1 || !wave->transaction.is_open) {
        state->depth--;
        return pass(waves, wave);
    }
    if (wave->registers->active != wave->transaction.running)
        return transaction_stop(waves, wave, TM_REASON_PART);
    if (state->phase != PHASE_COMMIT) {
        transaction_phase(waves, wave, PHASE_COMMIT);
        transaction_saw_commit(waves, wave);
    }
    if (wave->outstanding > 0)
        return wait_for_memory(waves, wave);
    if (state->charged_until > wavefronts_cycle(waves))
        return wait_until(waves, wave, state->charged_until);
    if (waves->tm->set.count > 1) {
        wait = seal(waves, wave);
        if (wait != TM_NOW)
            return wait_until(waves, wave, wait);
        if (wave->transaction.running == 0)
            return transaction_restart(waves, wave); /* all have failed */
    }
    wait = prepare(waves, wave, &committed, &aborted);
    if ((committed | aborted) != 0 || state->is_finishing) {
        settle_lanes(waves, wave, committed, aborted);
        finished = finish(waves, wave, committed, aborted);
        state->is_finishing = finished != TM_NOW;
        wait = sooner(wait, finished);
    }
    if (state->told != wave->transaction.running || state->is_finishing)
        return wait_until(waves, wave, wait == TM_NOW ? NEVER : wait);
    return conclude(waves, wave);
}

bool transaction_hint(struct wavefronts *waves, struct wavefront *wave)
{
    if (waves->tm != NULL && wave->next->hint == TM_HINT_BEGIN)
        return begin(waves, wave);
    if (waves->tm != NULL && wave->next->hint == TM_HINT_COMMIT)
        return commit(waves, wave);
    return pass(waves, wave);
}
