/* SPDX-License-Identifier: MIT */
/* Wavefronts and their work-groups: states, start and end. */
#include "gpu/unit.h"

#include <string.h>

#include "gpu/trace.h"

void wavefront_set_state(struct compute_unit *unit, struct wavefront *wave,
                         enum wavefront_state state)
{
    uint64_t bit = UINT64_C(1) << wave->slot;

    if (wave->state == state)
        return;
    account_slots(unit, &unit->simds[wave->simd], wave->simd, unit_cycle(unit));
    unit->in_state[wave->state] &= ~bit;
    unit->in_state[state] |= bit;
    wave->state = (uint8_t)state;
}

static void try_from(struct compute_unit *unit, const struct wavefront *wave)
{
    struct simd *simd = &unit->simds[wave->simd];

    if (wave->ready_at < simd->next_issue)
        simd->next_issue = wave->ready_at;
}

void wavefront_ready(struct compute_unit *unit, struct wavefront *wave, uint64_t cycle)
{
    if (wave->ready_at < cycle)
        wave->ready_at = cycle;
    wavefront_set_state(unit, wave, front_end_has(unit, wave) ? STATE_RUNNABLE : STATE_FETCH);
    if (wave->state == STATE_RUNNABLE)
        try_from(unit, wave);
}

static void find_next(struct compute_unit *unit, struct wavefront *wave)
{
    const struct isa_code *code = unit->groups[wave->group].launch->isa->kernel->code;
    const struct isa_instruction *next = isa_code_at(code, wave->registers->pc);

    wave->next = next != NULL && next->bytes != 0 ? next : NULL;
}

void wavefront_advance(struct compute_unit *unit, struct wavefront *wave, uint64_t old_pc,
                       uint64_t ready_at)
{
    if (wave->registers->pc != old_pc + wave->next->bytes) {
        unit->statistics.branches_taken++;
        wavefront_redirect(unit, wave, ready_at);
        return;
    }
    front_end_consume(unit, wave);
    find_next(unit, wave);
    wavefront_ready(unit, wave, ready_at);
}

void wavefront_redirect(struct compute_unit *unit, struct wavefront *wave, uint64_t ready_at)
{
    front_end_refill(unit, wave);
    find_next(unit, wave);
    wavefront_ready(unit, wave, ready_at);
}

void wavefronts_queue_freed(struct compute_unit *unit, enum isa_unit which)
{
    uint64_t waiting = unit->queue_waiting[which];
    struct wavefront *first = NULL;

    for_each_bit(slot, waiting)
    {
        if (first == NULL ||
            wavefront_seniority(unit, &unit->wavefronts[slot]) < wavefront_seniority(unit, first))
            first = &unit->wavefronts[slot];
    }
    if (first == NULL)
        return;
    unit->queue_waiting[which] &= ~(UINT64_C(1) << first->slot);
    wavefront_ready(unit, first, unit_cycle(unit));
}

void wavefront_counter_fell(struct compute_unit *unit, struct wavefront *wave)
{
    enum wavefront_state state;

    if (wave->state != STATE_VM && wave->state != STATE_LGKM && wave->state != STATE_EXP)
        return;
    if (wave->next->control == ISA_CONTROL_WAIT && !control_may_pass(unit, wave, &state))
        wavefront_set_state(unit, wave, state);
    else
        wavefront_ready(unit, wave, unit_cycle(unit));
}

bool request_returns(const struct isa_memory_request *request)
{
    return request->kind == ISA_MEMORY_LOAD || request->kind == ISA_MEMORY_SCALAR_LOAD ||
           (request->kind == ISA_MEMORY_ATOMIC && request->returns);
}

void wavefront_trace(struct compute_unit *unit, const struct wavefront *wave, uint32_t sequence,
                     const struct isa_instruction *instruction)
{
    const struct group *group = &unit->groups[wave->group];

    if (__builtin_expect(group->launch->trace == NULL, 1))
        return;
    if (trace_selects(group->launch, group->isa.id, wave->index))
        trace_write(group->launch, unit->isa, group->isa.id, wave->index, sequence, wave->registers,
                    instruction);
}

void wavefront_trace_loaded(struct compute_unit *unit, struct wavefront *wave, uint32_t sequence,
                            const struct isa_instruction *instruction, uint64_t written)
{
    uint64_t active = wave->registers->active;

    wave->registers->active = written;
    wavefront_trace(unit, wave, sequence, instruction);
    wave->registers->active = active;
}

struct fault wavefront_fault_here(const struct compute_unit *unit, const struct wavefront *wave,
                                  enum fault_kind kind)
{
    const struct group *group = &unit->groups[wave->group];
    struct fault fault = {
        .kind = kind, .launch = group->launch, .wavefront = wave->index, .pc = wave->registers->pc};

    memcpy(fault.group, group->isa.id, sizeof fault.group);
    return fault;
}

static void drop_outside(struct compute_unit *unit, struct isa_memory_request *request,
                         uint64_t lanes, const struct fault *fault)
{
    struct outside *outside = &unit->outside;

    if (outside->accesses == 0) {
        outside->first = *fault;
        outside->cycle = unit_cycle(unit);
    }
    outside->accesses += count_bits(lanes);
    unit->statistics.out_of_bounds += count_bits(lanes);
    bounds_drop(request, lanes);
}

/* The lanes outside are dropped where that is asked for; else, and for an atomic that remains and is
 * not aligned, the launch stops. */
static bool handle_outside(struct compute_unit *unit, const struct wavefront *wave, uint64_t pc,
                           struct isa_memory_request *request, uint64_t outside)
{
    struct fault fault = wavefront_fault_here(unit, wave, FAULT_NONE);
    bool is_stopped = outside != 0 && !unit->bounds.drops;

    fault.pc = pc;
    if (outside != 0)
        bounds_describe(request, outside, FAULT_UNMAPPED, &fault);
    if (outside != 0 && !is_stopped)
        drop_outside(unit, request, outside, &fault);
    if (!is_stopped && bounds_misaligned(request) != 0) {
        bounds_describe(request, bounds_misaligned(request), FAULT_MISALIGNED, &fault);
        is_stopped = true;
    }
    if (!is_stopped)
        return true;
    request->lanes = 0;
    wavefront_fault(unit, &fault);
    return false;
}

bool wavefront_check_bounds(struct compute_unit *unit, const struct wavefront *wave, uint64_t pc,
                            struct isa_memory_request *request)
{
    uint64_t outside = bounds_outside(&unit->bounds, request);

    if (__builtin_expect(outside == 0 && bounds_misaligned(request) == 0, 1))
        return true;
    return handle_outside(unit, wave, pc, request, outside);
}

void wavefront_fault(struct compute_unit *unit, const struct fault *fault)
{
    if (unit->fault.kind != FAULT_NONE)
        return;
    unit->fault = *fault;
    engine_stop(unit->component.clock->engine);
}

static void set_residents(struct compute_unit *unit, uint64_t count)
{
    account_residents(unit);
    unit->resident.value = count;
}

static void start_wavefront(struct compute_unit *unit, const struct group_launch *launch,
                            uint32_t index)
{
    uint32_t slot = launch->wavefronts[index];
    struct wavefront *wave = &unit->wavefronts[slot];
    struct isa_wave *registers = wave->registers;
    const struct isa_launch *isa_launch = launch->launch->isa;

    check(wave->state == STATE_FREE, "wavefront slot %u is given twice", slot);
    unit->isa->wave_init(registers, isa_launch, &launch->group, index,
                         unit->number * unit->slot_count + slot);
    registers->lds = unit->local.bytes + launch->lds_base;
    registers->lds_bytes = compute_unit_granted_lds(unit->parameters, isa_launch->lds_bytes);
    wave->group = (uint8_t)launch->slot;
    wave->index = (uint8_t)index;
    wave->age = unit->next_age++;
    wave->key = UINT64_C(3) << 60 | wave->age; /* priority 0 */
    wave->refused_since = NEVER;
    wave->ready_at = wave->scalar_ready_at = 0;
    wave->sequence = 0;
    wave->vm_count = wave->exp_count = wave->lgkm_count = wave->releases = 0;
    wave->outstanding = 0;
    wave->first_vmem = wave->last_vmem = NO_ENTRY;
    wave->has_ended = false;
    wave->transaction_state = (struct transaction_state){.since = unit_cycle(unit)};
    wave->transaction = (struct tm_wavefront){
        .group = unit->tm != NULL ? &unit->tm->groups[launch->slot] : NULL,
        .slot = slot,
        .index = index,
        .first_item = index * unit->wave_lanes};
    wavefront_redirect(unit, wave, unit_cycle(unit));
}

/* The NDRange's end may leave wavefronts of its last work-groups without a work-item. */
static void end_empty_wavefronts(struct compute_unit *unit, const struct group_launch *launch)
{
    for (uint32_t i = 0; i < launch->group.wave_count; i++) {
        struct wavefront *wave = &unit->wavefronts[launch->wavefronts[i]];

        if (wave->registers->ended)
            wavefront_end(unit, wave);
    }
}

void group_start(struct compute_unit *unit, const struct group_launch *launch)
{
    struct group *group = &unit->groups[launch->slot];

    check(group->members == 0, "work-group slot %u is given twice", launch->slot);
    *group = (struct group){
        .launch = launch->launch, .isa = launch->group, .lds_base = launch->lds_base};
    memset(unit->local.bytes + launch->lds_base, 0,
           compute_unit_granted_lds(unit->parameters, launch->launch->lds_bytes));
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        group->members |= UINT64_C(1) << launch->wavefronts[i];
    group->running = group->members;
    transactions_group_start(unit, launch);
    for (uint32_t i = 0; i < launch->group.wave_count; i++)
        start_wavefront(unit, launch, i);
    set_residents(unit, unit->resident.value + launch->group.wave_count);
    end_empty_wavefronts(unit, launch);
}

static void end_group(struct compute_unit *unit, struct group *group)
{
    uint64_t members = group->members;

    transactions_group_end(unit, group);
    for_each_bit(slot, members) wavefront_set_state(unit, &unit->wavefronts[slot], STATE_FREE);
    unit->statistics.groups++;
    index_ring_put(&unit->completed_groups, (uint16_t)(group - unit->groups), unit_cycle(unit));
    group->members = 0;
}

void wavefront_released(struct compute_unit *unit, struct wavefront *wave)
{
    struct group *group = &unit->groups[wave->group];

    if (wave->outstanding == 0 && wave->state == STATE_TRANSACTION)
        unit->tm->host.wake(&unit->tm->host, wave->slot); /* it waited for that, or asks again */
    if (!wave->has_ended || wave->outstanding != 0)
        return;
    group->done |= UINT64_C(1) << wave->slot;
    set_residents(unit, unit->resident.value - 1);
    if (group->done == group->members)
        end_group(unit, group);
}

void wavefront_end(struct compute_unit *unit, struct wavefront *wave)
{
    struct group *group = &unit->groups[wave->group];
    uint64_t bit = UINT64_C(1) << wave->slot;

    wavefront_set_state(unit, wave, STATE_END);
    wave->has_ended = true;
    wave->fetch_number++; /* what is still fetched for it is dropped */
    unit->wants_fetch &= ~bit;
    group->running &= ~bit;
    barrier_check(unit, group);
    if (debug_breaks(unit->breaks, END_WITHOUT_STORES))
        vmem_orphan(unit, wave);
    wavefront_released(unit, wave);
}

void groups_send_completions(struct compute_unit *unit)
{
    while (unit->completed_groups.count > 0 && port_has_room(unit->ports.completions, 1)) {
        struct group_done *done =
            port_send(unit->ports.completions, (uint32_t)unit->parameters->completion_cycles);

        done->slot = index_ring_take(&unit->completed_groups);
        unit->has_progress = true;
    }
}
