/* SPDX-License-Identifier: MIT */
/*
 * Issue: one SIMD's turn. Every wavefront that could go on, and that the order of issue admits,
 * shows its next instruction; of each kind the first by that order gets the unit, and at most
 * issue_width kinds go. Internal instructions are consumed beside that.
 */
#include "gpu/instruction_count.h"
#include "gpu/unit.h"

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
    struct wavefront *chosen[KIND_COUNT];
    uint64_t went; /* slots of wavefronts that took an instruction */
    uint64_t next; /* earliest cycle at which one left behind could issue */
    bool internal; /* an internal instruction was consumed */
    bool is_over;  /* a fault */
};

/* The smallest issues first. */
static uint64_t rank_of(const struct compute_unit *unit, const struct wavefront *wave)
{
    uint64_t seniority = wavefront_seniority(&unit->waves, wave);

    if (unit->is_by_key || unit->order->rank == NULL || seniority != wave->key)
        return seniority;
    return unit->order->rank(wave->key, wave->slot, unit->waves.simds[wave->simd].last);
}

static void no_earlier(struct turn *turn, uint64_t cycle)
{
    if (cycle < turn->next)
        turn->next = cycle;
}

/* A counter that the instruction raises is at its largest value. */
static bool counters_full(struct compute_unit *unit, struct wavefront *wave)
{
    const struct compute_unit_parameters *parameters = unit->parameters;
    unsigned flags = wave->next->flags;

    if ((flags & ISA_COUNTS_VM) != 0 && wave->vm_count >= parameters->vm_count_max)
        wavefront_set_state(&unit->waves, wave, STATE_VM);
    else if ((flags & ISA_COUNTS_EXP) != 0 && wave->exp_count >= parameters->exp_count_max)
        wavefront_set_state(&unit->waves, wave, STATE_EXP);
    else if ((flags & ISA_COUNTS_LGKM) != 0 &&
             wave->lgkm_count + wave->next->lgkm > parameters->lgkm_count_max)
        wavefront_set_state(&unit->waves, wave, STATE_LGKM);
    else
        return false;
    return true;
}

static uint64_t queue_or(struct compute_unit *unit, struct wavefront *wave, bool has_room,
                         uint64_t cycle)
{
    if (counters_full(unit, wave))
        return NEVER;
    if (has_room)
        return cycle;
    if (wave->refused_since == NEVER)
        wave->refused_since = unit_cycle(unit);
    unit->waves.queue_waiting[wave->next->unit] |= UINT64_C(1) << wave->slot;
    wavefront_set_state(&unit->waves, wave, STATE_QUEUE);
    return NEVER;
}

/* A release fence where no store stays in the L1: the wait for VM_CNT behind it does all. */
static bool is_void(const struct compute_unit *unit, const struct isa_instruction *instruction)
{
    return instruction->control == ISA_CONTROL_RELEASE && !unit->sends_releases;
}

/* An access that follows a release must not be seen before what precedes it. */
static uint64_t vmem_free_at(struct compute_unit *unit, struct wavefront *wave)
{
    if (wave->releases > 0) {
        wavefront_set_state(&unit->waves, wave, STATE_VM);
        return NEVER;
    }
    return is_void(unit, wave->next) ? 0 : queue_or(unit, wave, vmem_has_room(&unit->vmem), 0);
}

static bool is_memory(const struct isa_instruction *instruction)
{
    return instruction->unit == ISA_UNIT_VMEM || instruction->unit == ISA_UNIT_LDS ||
           instruction->unit == ISA_UNIT_SMEM;
}

/* From which cycle on the instruction's unit can take it. NEVER: something must happen first, and
 * the state says what. */
static uint64_t unit_free_at(struct compute_unit *unit, struct wavefront *wave)
{
    const struct simd *simd = &unit->waves.simds[wave->simd];

    if ((wave->next->flags & ISA_READS_SCALAR) != 0 && wave->scalar_ready_at > unit_cycle(unit))
        return wave->scalar_ready_at;
    if (__builtin_expect(wave->transaction.is_open, 0) && is_memory(wave->next)) {
        uint64_t cycle = transaction_may_issue(&unit->waves, wave);

        if (cycle > unit_cycle(unit))
            return cycle;
    }
    if (__builtin_expect(wave->transaction_state.is_held, 0) && !wave->transaction.is_open &&
        is_memory(wave->next)) {
        transaction_sleep(&unit->waves, wave, NEVER);
        return NEVER;
    }
    switch (wave->next->unit) {
    case ISA_UNIT_VALU:
        return simd->valu_free_at;
    case ISA_UNIT_VMEM:
        return vmem_free_at(unit, wave);
    case ISA_UNIT_LDS:
        return queue_or(unit, wave, local_has_room(&unit->local), 0);
    case ISA_UNIT_SMEM:
        return queue_or(unit, wave, smem_has_room(&unit->smem), unit->smem.free_at);
    default:
        return 0;
    }
}

static void consider_internal(struct compute_unit *unit, struct wavefront *wave, struct turn *turn)
{
    bool consumed = control_consume(unit, wave);

    turn->internal |= consumed;
    turn->went |= (uint64_t)consumed << wave->slot;
    unit->waves.has_progress |= consumed;
    if (wave->state == STATE_RUNNABLE || wave->state == STATE_PAUSED ||
        wave->state == STATE_TRANSACTION)
        no_earlier(turn, wave->ready_at);
}

static void stop_at(struct compute_unit *unit, struct wavefront *wave, struct turn *turn)
{
    struct fault fault = wavefront_fault_here(&unit->waves, wave, FAULT_REFUSED);

    if (wave->next == NULL)
        fault_of_no_instruction(wave->registers, &fault);
    wavefront_fault(&unit->waves, &fault);
    turn->is_over = true;
}

static void turn_consider(struct compute_unit *unit, struct wavefront *wave, struct turn *turn)
{
    uint64_t cycle = unit_cycle(unit), free_at;
    struct wavefront **chosen;

    if (wave->ready_at > cycle) {
        no_earlier(turn, wave->ready_at);
        return;
    }
    if (wave->transaction_state.must_restart && !transaction_restart(&unit->waves, wave)) {
        if (wave->ready_at != NEVER)
            no_earlier(turn, wave->ready_at);
        return;
    }
    if (wave->next == NULL || wave->next->control == ISA_CONTROL_REFUSED) {
        stop_at(unit, wave, turn);
        return;
    }
    if (wave->next->unit == ISA_UNIT_INTERNAL) {
        consider_internal(unit, wave, turn);
        return;
    }
    free_at = unit_free_at(unit, wave);
    if (free_at > cycle) {
        no_earlier(turn, free_at);
        return;
    }
    chosen = &turn->chosen[kind_of_unit[wave->next->unit]];
    if (*chosen != NULL)
        no_earlier(turn, cycle + unit->waves.turns.cycles); /* one of the two must wait */
    if (*chosen == NULL || rank_of(unit, wave) < rank_of(unit, *chosen))
        *chosen = wave;
}

/* Leaves the last by rank behind while there are more kinds than the issue is wide. */
static void limit_width(struct compute_unit *unit, struct turn *turn)
{
    for (;;) {
        unsigned count = 0, last = KIND_COUNT;

        for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
            if (turn->chosen[kind] == NULL)
                continue;
            count++;
            if (last == KIND_COUNT ||
                rank_of(unit, turn->chosen[kind]) > rank_of(unit, turn->chosen[last]))
                last = kind;
        }
        if (count <= unit->parameters->issue_width)
            return;
        turn->chosen[last] = NULL;
        no_earlier(turn, unit_cycle(unit) + unit->waves.turns.cycles);
    }
}

/* Executes an instruction without memory; `cycles` until the wavefront's next one. */
static void issue_execute(struct compute_unit *unit, struct wavefront *wave, uint64_t cycles)
{
    wavefront_execute(&unit->waves, wave, unit_cycle(unit) + cycles);
}

static void issue_vector(struct compute_unit *unit, struct wavefront *wave)
{
    uint64_t cycles = unit->valu_cycles[wave->next->latency], cycle = unit_cycle(unit);

    unit->waves.simds[wave->simd].valu_free_at = cycle + cycles;
    unit->statistics.valu_cycles += cycles;
    if ((wave->next->flags & ISA_WRITES_SCALAR_FROM_VECTOR) != 0)
        wave->scalar_ready_at = cycle + cycles + unit->parameters->vector_to_scalar_cycles;
    issue_execute(unit, wave, cycles);
}

static void issue_memory(struct compute_unit *unit, struct wavefront *wave, enum issue_kind kind)
{
    const struct isa_instruction *instruction = wave->next;
    uint64_t old_pc = wave->registers->pc;

    if (__builtin_expect(wave->transaction_state.differs, 0))
        transaction_check_scalars(&unit->waves, wave);
    COUNT_INSTRUCTION(&unit->statistics, instruction, wave->registers->active);
    if (__builtin_expect(unit->waves.profile != NULL, 0))
        wavefront_profile(&unit->waves, wave);
    wave->refused_since = NEVER;
    wave->outstanding++;
    wave->lds_outstanding += kind == KIND_LDS;
    wave->vm_count += (instruction->flags & ISA_COUNTS_VM) != 0;
    wave->releases += instruction->control == ISA_CONTROL_RELEASE;
    wave->exp_count += (instruction->flags & ISA_COUNTS_EXP) != 0;
    if ((instruction->flags & ISA_COUNTS_LGKM) != 0)
        wave->lgkm_count = (uint8_t)(wave->lgkm_count + instruction->lgkm);
    if (kind == KIND_VMEM)
        vmem_issue(&unit->vmem, wave);
    else if (kind == KIND_LDS)
        local_issue(&unit->local, wave);
    else
        smem_issue(&unit->smem, wave);
    wave->sequence++;
    wavefront_advance(&unit->waves, wave, old_pc, unit_cycle(unit) + unit->waves.turns.cycles);
}

static void issue_instruction(struct compute_unit *unit, struct wavefront *wave,
                              enum issue_kind kind)
{
    const struct compute_unit_parameters *parameters = unit->parameters;

    switch (wave->next->unit) {
    case ISA_UNIT_VALU:
        issue_vector(unit, wave);
        return;
    case ISA_UNIT_SALU:
        issue_execute(unit, wave,
                      wave->next->latency == ISA_LATENCY_SCALAR_LONG
                          ? parameters->scalar_long_cycles
                          : parameters->scalar_cycles);
        return;
    case ISA_UNIT_BRANCH:
        if (__builtin_expect(unit->waves.groups[wave->group].launch->isa->kernel->has_transactions,
                             0) &&
            unit->waves.tm != NULL)
            transaction_check_branch(&unit->waves, wave);
        issue_execute(unit, wave, parameters->branch_cycles);
        return;
    case ISA_UNIT_EXPORT:
        check(false, "an export was not refused");
        return;
    default:
        if (is_void(unit, wave->next))
            issue_execute(unit, wave, unit->waves.turns.cycles);
        else
            issue_memory(unit, wave, kind);
        return;
    }
}

/* Those that may issue in this turn, and in *in_order those of them that the order admitted. */
static uint64_t candidates_of(const struct compute_unit *unit, const struct simd *simd,
                              uint64_t *in_order)
{
    uint64_t able =
        (unit->waves.in_state[STATE_RUNNABLE] | unit->waves.in_state[STATE_PAUSED]) & simd->slots;

    if (!unit->is_by_key && unit->order->admit != NULL && able != 0)
        able = unit->order->admit(able, simd->last);
    *in_order = able;
    return able | (unit->waves.in_state[STATE_TRANSACTION] & simd->slots);
}

/* The turn is over: where the order admitted a part only, the next turn may be another's. */
static void end_turn(struct compute_unit *unit, struct simd *simd, uint64_t admitted,
                     struct turn *turn)
{
    uint64_t next;

    if ((turn->went & admitted) != 0)
        simd->last = issue_order_first(turn->went & admitted, simd->last);
    if (unit->order->admit == NULL)
        return;
    candidates_of(unit, simd, &next);
    if ((next & ~admitted) != 0)
        no_earlier(turn, unit_cycle(unit) + unit->waves.turns.cycles);
}

void issue_simd(struct compute_unit *unit, unsigned number)
{
    struct simd *simd = &unit->waves.simds[number];
    struct turn turn = {.next = NEVER};
    bool issued = false;
    uint64_t admitted, candidates = candidates_of(unit, simd, &admitted);

    account_slots(&unit->waves, simd, number, unit_cycle(unit));
    simd->next_issue = NEVER;
    for_each_bit(slot, candidates)
    {
        turn_consider(unit, &unit->waves.list[slot], &turn);
        if (turn.is_over)
            return;
    }
    limit_width(unit, &turn);
    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        if (turn.chosen[kind] == NULL)
            continue;
        turn.went |= UINT64_C(1) << turn.chosen[kind]->slot;
        issue_instruction(unit, turn.chosen[kind], kind);
        issued = true;
    }
    if (!unit->is_by_key)
        end_turn(unit, simd, admitted, &turn);
    unit->waves.has_progress |= issued;
    account_slot(&unit->waves, number, issued, turn.internal);
    if (turn.next < simd->next_issue)
        simd->next_issue = turn.next;
}
