/* SPDX-License-Identifier: MIT */
/*
 * Issue: one SIMD's turn. Every wavefront that could go on, and that the order of issue admits,
 * shows its next instruction. Of each kind the first by that order gets the unit, and at most
 * issue_width kinds go. Internal instructions are consumed beside that.
 */
#include "gpu/issue.h"

#include "base/bits.h"
#include "base/check.h"
#include "gpu/instruction_count.h"
#include "gpu/issue_order.h"
#include "gpu/local_unit.h"
#include "gpu/scalar_memory.h"
#include "gpu/transactions.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

/* Kinds that exclude each other in a cycle. */
enum issue_kind {
    KIND_VALU,
    KIND_SCALAR,
    KIND_VMEM,
    KIND_LDS,
    KIND_EXPORT,
    KIND_BRANCH,
    KIND_COUNT
};

static const uint8_t kind_of_unit[ISA_UNIT_COUNT] = {
    [ISA_UNIT_VALU] = KIND_VALU,     [ISA_UNIT_SALU] = KIND_SCALAR, [ISA_UNIT_SMEM] = KIND_SCALAR,
    [ISA_UNIT_VMEM] = KIND_VMEM,     [ISA_UNIT_LDS] = KIND_LDS,     [ISA_UNIT_EXPORT] = KIND_EXPORT,
    [ISA_UNIT_BRANCH] = KIND_BRANCH,
};

/* The choice of one turn. */
struct turn {
    const struct simd *simd;
    uint64_t now;
    uint64_t went;  /* slots of wavefronts that took an instruction */
    uint64_t next;  /* earliest cycle at which one left behind could issue */
    uint64_t kinds; /* of which a wavefront was chosen */
    uint32_t kind_count;
    bool internal;                        /* an internal instruction was consumed */
    bool is_over;                         /* a fault */
    struct wavefront *chosen[KIND_COUNT]; /* by kind, and their ranks */
    uint64_t ranks[KIND_COUNT];
};

/* The smallest issues first. */
static uint64_t rank_of(const struct issue *issue, const struct wavefront *wave,
                        const struct turn *turn)
{
    uint64_t seniority = wavefront_seniority(issue->waves, wave);

    if (issue->is_by_key || issue->order->rank == NULL || seniority != wave->key)
        return seniority;
    return issue->order->rank(wave->key, wave->slot, turn->simd->last);
}

static void no_earlier(struct turn *turn, uint64_t cycle)
{
    if (cycle < turn->next)
        turn->next = cycle;
}

/* A counter that the instruction raises is at its largest value. */
static bool counters_full(struct issue *issue, struct wavefront *wave)
{
    const struct issue_parameters *parameters = issue->parameters;
    unsigned flags = wave->next->flags;

    if ((flags & ISA_COUNTS_VM) != 0 && wave->vm_count >= parameters->vm_count_max)
        wavefront_set_state(issue->waves, wave, STATE_VM);
    else if ((flags & ISA_COUNTS_EXP) != 0 && wave->exp_count >= parameters->exp_count_max)
        wavefront_set_state(issue->waves, wave, STATE_EXP);
    else if ((flags & ISA_COUNTS_LGKM) != 0 &&
             wave->lgkm_count + wave->next->lgkm > parameters->lgkm_count_max)
        wavefront_set_state(issue->waves, wave, STATE_LGKM);
    else
        return false;
    return true;
}

static uint64_t queue_or(struct issue *issue, struct wavefront *wave, bool has_room, uint64_t cycle)
{
    if (counters_full(issue, wave))
        return NEVER;
    if (has_room)
        return cycle;
    if (wave->refused_since == NEVER)
        wave->refused_since = wavefronts_cycle(issue->waves);
    issue->waves->queue_waiting[wave->next->unit] |= UINT64_C(1) << wave->slot;
    wavefront_set_state(issue->waves, wave, STATE_QUEUE);
    return NEVER;
}

/* A release fence where no store stays in the L1: the wait for VM_CNT behind it does all. */
static bool is_void(const struct issue *issue, const struct isa_instruction *instruction)
{
    return instruction->control == ISA_CONTROL_RELEASE && !issue->sends_releases;
}

/* An access that follows a release must not be seen before what precedes it. */
static uint64_t vmem_free_at(struct issue *issue, struct wavefront *wave)
{
    if (wave->releases > 0) {
        wavefront_set_state(issue->waves, wave, STATE_VM);
        return NEVER;
    }
    return is_void(issue, wave->next) ? 0 : queue_or(issue, wave, vmem_has_room(issue->vmem), 0);
}

static bool is_memory(const struct isa_instruction *instruction)
{
    return instruction->unit == ISA_UNIT_VMEM || instruction->unit == ISA_UNIT_LDS ||
           instruction->unit == ISA_UNIT_SMEM;
}

/* The same of a memory unit. */
static uint64_t memory_free_at(struct issue *issue, struct wavefront *wave, uint64_t now)
{
    if (__builtin_expect(wave->transaction.is_open | wave->tm_flags.is_held, 0)) {
        uint64_t cycle = transactions_room_at(issue->waves->tm, wave);

        if (cycle > now)
            return cycle;
    }
    switch (wave->next->unit) {
    case ISA_UNIT_VMEM:
        return vmem_free_at(issue, wave);
    case ISA_UNIT_LDS:
        return queue_or(issue, wave, local_has_room(issue->local), 0);
    default:
        return queue_or(issue, wave, smem_has_room(issue->smem), issue->smem->free_at);
    }
}

/* From which cycle on the instruction's unit can take it. NEVER: something must happen first, and
 * the state says what. */
static inline uint64_t unit_free_at(struct issue *issue, struct wavefront *wave,
                                    const struct turn *turn)
{
    const struct isa_instruction *next = wave->next;

    if ((next->flags & ISA_READS_SCALAR) != 0 && wave->scalar_ready_at > turn->now)
        return wave->scalar_ready_at;
    if (next->unit == ISA_UNIT_VALU)
        return turn->simd->valu_free_at;
    return is_memory(next) ? memory_free_at(issue, wave, turn->now) : 0;
}

static void consider_internal(struct issue *issue, struct wavefront *wave, struct turn *turn)
{
    bool consumed = control_consume(issue, wave);

    turn->internal |= consumed;
    turn->went |= (uint64_t)consumed << wave->slot;
    issue->waves->has_progress |= consumed;
    if (wave->state == STATE_RUNNABLE || wave->state == STATE_PAUSED ||
        wave->state == STATE_TRANSACTION)
        no_earlier(turn, wave->ready_at);
}

static void stop_at(struct issue *issue, struct wavefront *wave, struct turn *turn)
{
    struct fault fault = wavefront_fault_here(issue->waves, wave, FAULT_REFUSED);

    if (wave->next == NULL)
        fault_of_no_instruction(wave->registers, &fault);
    wavefront_fault(issue->waves, &fault);
    turn->is_over = true;
}

/* One more for its kind, of which the first by rank goes. */
static inline void turn_choose(struct issue *issue, struct wavefront *wave, struct turn *turn)
{
    unsigned kind = kind_of_unit[wave->next->unit];
    uint64_t rank = rank_of(issue, wave, turn);

    if ((turn->kinds >> kind & 1) != 0) {
        no_earlier(turn, turn->now + issue->waves->turns.cycles); /* one of the two must wait */
        if (rank >= turn->ranks[kind])
            return;
    } else {
        turn->kinds |= UINT64_C(1) << kind;
        turn->kind_count++;
    }
    turn->chosen[kind] = wave;
    turn->ranks[kind] = rank;
}

/* Where instructions are fetched one by one, one of local memory ends before the next is. */
static bool is_held_by_local(const struct issue *issue, const struct wavefront *wave)
{
    return issue->parameters->serial_fetch_cycles > 0 && wave->lds_outstanding > 0;
}

static inline void turn_consider(struct issue *issue, struct wavefront *wave, struct turn *turn)
{
    uint64_t free_at;

    if (wave->ready_at > turn->now) {
        no_earlier(turn, wave->ready_at);
        return;
    }
    if (wave->tm_flags.must_restart && !transactions_restart(issue->waves->tm, wave)) {
        if (wave->ready_at != NEVER)
            no_earlier(turn, wave->ready_at);
        return;
    }
    if (wave->next == NULL || wave->next->control == ISA_CONTROL_REFUSED) {
        stop_at(issue, wave, turn);
        return;
    }
    if (is_held_by_local(issue, wave)) {
        wavefront_set_state(issue->waves, wave, STATE_LGKM);
        return;
    }
    if (wave->next->unit == ISA_UNIT_INTERNAL) {
        consider_internal(issue, wave, turn);
        return;
    }
    free_at = unit_free_at(issue, wave, turn);
    if (free_at > turn->now)
        no_earlier(turn, free_at);
    else
        turn_choose(issue, wave, turn);
}

/* Leaves the last by rank behind while there are more kinds than the issue is wide. */
static void limit_width(struct issue *issue, struct turn *turn)
{
    for (; turn->kind_count > issue->parameters->issue_width; turn->kind_count--) {
        uint64_t kinds = turn->kinds;
        unsigned last = lowest_bit(kinds);

        for_each_bit(kind, kinds)
        {
            if (turn->ranks[kind] > turn->ranks[last])
                last = kind;
        }
        turn->kinds &= ~(UINT64_C(1) << last);
        no_earlier(turn, turn->now + issue->waves->turns.cycles);
    }
}

/* Executes an instruction without memory; `cycles` until the wavefront's next one. */
static void issue_execute(struct issue *issue, struct wavefront *wave, uint64_t cycles)
{
    wavefront_execute(issue->waves, wave, wavefronts_cycle(issue->waves) + cycles);
}

static void issue_vector(struct issue *issue, struct wavefront *wave)
{
    uint64_t cycles = issue->valu_cycles[wave->next->latency],
             cycle = wavefronts_cycle(issue->waves);

    issue->waves->simds[wave->simd].valu_free_at = cycle + cycles;
    issue->waves->statistics->valu_cycles += cycles;
    if ((wave->next->flags & ISA_WRITES_SCALAR_FROM_VECTOR) != 0)
        wave->scalar_ready_at = cycle + cycles + issue->parameters->vector_to_scalar_cycles;
    issue_execute(issue, wave, cycles);
}

static void issue_memory(struct issue *issue, struct wavefront *wave, enum issue_kind kind)
{
    const struct isa_instruction *instruction = wave->next;
    uint64_t old_pc = wave->registers->pc;

    if (__builtin_expect(wave->tm_flags.is_watched, 0))
        transactions_watch_registers(issue->waves->tm, wave);
    COUNT_INSTRUCTION(issue->waves->statistics, instruction, wave->registers->active);
    if (__builtin_expect(issue->waves->profile != NULL, 0))
        wavefront_profile(issue->waves, wave);
    wave->refused_since = NEVER;
    wave->outstanding++;
    wave->lds_outstanding += kind == KIND_LDS;
    wave->vm_count += (instruction->flags & ISA_COUNTS_VM) != 0;
    wave->releases += instruction->control == ISA_CONTROL_RELEASE;
    wave->exp_count += (instruction->flags & ISA_COUNTS_EXP) != 0;
    if ((instruction->flags & ISA_COUNTS_LGKM) != 0)
        wave->lgkm_count = (uint8_t)(wave->lgkm_count + instruction->lgkm);
    if (kind == KIND_VMEM)
        vmem_issue(issue->vmem, wave);
    else if (kind == KIND_LDS)
        local_issue(issue->local, wave);
    else
        smem_issue(issue->smem, wave);
    wave->sequence++;
    wavefront_advance(issue->waves, wave, old_pc,
                      wavefronts_cycle(issue->waves) + issue->waves->turns.cycles);
}

static void issue_instruction(struct issue *issue, struct wavefront *wave, enum issue_kind kind)
{
    const struct issue_parameters *parameters = issue->parameters;

    switch (wave->next->unit) {
    case ISA_UNIT_VALU:
        issue_vector(issue, wave);
        return;
    case ISA_UNIT_SALU:
        issue_execute(issue, wave,
                      wave->next->latency == ISA_LATENCY_SCALAR_LONG
                          ? parameters->scalar_long_cycles
                          : parameters->scalar_cycles);
        return;
    case ISA_UNIT_BRANCH:
        if (__builtin_expect(
                issue->waves->groups[wave->group].launch->isa->kernel->has_transactions, 0) &&
            issue->waves->tm != NULL)
            transactions_check_branch(issue->waves->tm, wave);
        issue_execute(issue, wave, parameters->branch_cycles);
        return;
    case ISA_UNIT_EXPORT:
        check(false, "an export was not refused");
        return;
    default:
        if (is_void(issue, wave->next))
            issue_execute(issue, wave, issue->waves->turns.cycles);
        else
            issue_memory(issue, wave, kind);
        return;
    }
}

/* Those that may issue in this turn, and in *in_order those of them that the order admitted. */
static uint64_t candidates_of(const struct issue *issue, const struct simd *simd,
                              uint64_t *in_order)
{
    uint64_t able =
        (issue->waves->in_state[STATE_RUNNABLE] | issue->waves->in_state[STATE_PAUSED]) &
        simd->slots;

    if (!issue->is_by_key && issue->order->admit != NULL && able != 0)
        able = issue->order->admit(able, simd->last);
    *in_order = able;
    return able | (issue->waves->in_state[STATE_TRANSACTION] & simd->slots);
}

/* The turn is over: where the order admitted a part only, the next turn may be another's. */
static void end_turn(struct issue *issue, struct simd *simd, uint64_t admitted, struct turn *turn)
{
    uint64_t next;

    if ((turn->went & admitted) != 0)
        simd->last = issue_order_first(turn->went & admitted, simd->last);
    if (issue->order->admit == NULL)
        return;
    candidates_of(issue, simd, &next);
    if ((next & ~admitted) != 0)
        no_earlier(turn, wavefronts_cycle(issue->waves) + issue->waves->turns.cycles);
}

NOT_INLINE static void issue_simd(struct issue *issue, unsigned number)
{
    struct simd *simd = &issue->waves->simds[number];
    uint64_t admitted, kinds, candidates = candidates_of(issue, simd, &admitted);
    struct turn turn;

    turn.simd = simd;
    turn.now = wavefronts_cycle(issue->waves);
    turn.next = NEVER;
    turn.went = turn.kinds = 0; /* chosen and ranks are those of kinds */
    turn.kind_count = 0;
    turn.internal = turn.is_over = false;
    account_slots(issue->waves, simd, number, turn.now);
    issue->waves->next_issue[number] = NEVER;
    for_each_bit(slot, candidates)
    {
        turn_consider(issue, &issue->waves->list[slot], &turn);
        if (turn.is_over)
            return;
    }
    limit_width(issue, &turn);
    kinds = turn.kinds;
    for_each_bit(kind, kinds)
    {
        turn.went |= UINT64_C(1) << turn.chosen[kind]->slot;
        issue_instruction(issue, turn.chosen[kind], kind);
    }
    if (!issue->is_by_key)
        end_turn(issue, simd, admitted, &turn);
    issue->waves->has_progress |= turn.kinds != 0;
    account_slot(issue->waves, number, turn.kinds != 0, turn.internal);
    if (turn.next < issue->waves->next_issue[number])
        issue->waves->next_issue[number] = turns_from(&issue->waves->turns, number, turn.next);
}

void issue_send(struct issue *issue)
{
    const struct turns *turns = &issue->waves->turns;
    uint64_t now = wavefronts_cycle(issue->waves);

    for (uint32_t i = turns_simd(turns, now); i < turns->simds; i += (uint32_t)turns->cycles)
        if (issue->waves->next_issue[i] <= now)
            issue_simd(issue, i);
}

uint64_t issue_next(const struct issue *issue)
{
    const struct turns *turns = &issue->waves->turns;
    uint64_t now = wavefronts_cycle(issue->waves), next = NEVER;

    for (uint32_t i = 0; i < turns->simds; i++) {
        uint64_t cycle = issue->waves->next_issue[i];

        if (cycle <= now) /* since its turn in this cycle was over */
            cycle = turns_from(turns, i, now + 1);
        next = cycle < next ? cycle : next;
    }
    return next;
}

void issue_settle(struct issue *issue)
{
    for (uint32_t i = 0; i < issue->waves->turns.simds; i++)
        account_slots(issue->waves, &issue->waves->simds[i], i, wavefronts_cycle(issue->waves) + 1);
}

/* ---- life ---- */

/* The parameters' cycles are for wavefronts of so many lanes, on SIMDs of so many. */
enum { DECLARED_WAVE = 64, DECLARED_SIMD = 16 };

static void set_cycles(struct issue *issue)
{
    const struct issue_parameters *parameters = issue->parameters;
    const uint64_t whole = DECLARED_WAVE * parameters->simd_lanes;

    issue->valu_cycles[ISA_LATENCY_FULL] = parameters->full_cycles;
    issue->valu_cycles[ISA_LATENCY_QUARTER] = parameters->quarter_cycles;
    issue->valu_cycles[ISA_LATENCY_CONVERT] = parameters->convert_cycles;
    issue->valu_cycles[ISA_LATENCY_DOUBLE_ADD] = parameters->double_add_cycles;
    issue->valu_cycles[ISA_LATENCY_DOUBLE_MULTIPLY] = parameters->double_multiply_cycles;
    for (unsigned i = 0; i < ISA_LATENCY_COUNT; i++) {
        if (issue->valu_cycles[i] == 0)
            issue->valu_cycles[i] = parameters->full_cycles;
        issue->valu_cycles[i] =
            (issue->valu_cycles[i] * DECLARED_SIMD * issue->waves->lanes + whole - 1) / whole;
    }
}

void issue_init(struct issue *issue, uint64_t simds)
{
    issue->waves->turns = turns_of(simds, issue->parameters->turn_cycles);
    issue->order = issue_order_find(issue->parameters->issue_order);
    check(issue->order != NULL, "no order of issue '%s'", issue->parameters->issue_order);
    issue->is_by_key = issue->order->admit == NULL && issue->order->rank == NULL;
    set_cycles(issue);
}
