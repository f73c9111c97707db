/* SPDX-License-Identifier: MIT */
/* Wavefronts: states, counters, program counters; what stops them and what is traced of them. */
#include "gpu/wavefront.h"

#include <string.h>

#include "gpu/trace.h"

void wavefront_change_state(struct wavefronts *waves, struct wavefront *wave,
                            enum wavefront_state state)
{
    uint64_t bit = UINT64_C(1) << wave->slot;

    account_slots(waves, &waves->simds[wave->simd], wave->simd, wavefronts_cycle(waves));
    waves->in_state[wave->state] &= ~bit;
    waves->in_state[state] |= bit;
    wave->state = (uint8_t)state;
    wavefront_time_change(waves, wave);
}

static void try_from(struct wavefronts *waves, const struct wavefront *wave)
{
    if (wave->ready_at < waves->next_issue[wave->simd])
        waves->next_issue[wave->simd] = turns_from(&waves->turns, wave->simd, wave->ready_at);
}

void wavefront_ready(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle)
{
    if (wave->ready_at < cycle)
        wave->ready_at = cycle;
    wavefront_set_state(waves, wave,
                        instruction_buffer_has(waves, wave) ? STATE_RUNNABLE : STATE_FETCH);
    if (wave->state == STATE_RUNNABLE)
        try_from(waves, wave);
}

static void find_next(struct wavefronts *waves, struct wavefront *wave)
{
    const struct isa_code *code = waves->groups[wave->group].launch->isa->kernel->code;
    const struct isa_instruction *next = isa_code_at(code, wave->registers->pc);

    wave->next = next != NULL && next->bytes != 0 ? next : NULL;
}

/* With serial_fetch_cycles: when the instruction behind wave->next is fetched. Scalar operations
 * and branches end before that, others have but begun. */
static uint64_t fetches_at(const struct wavefronts *waves, const struct wavefront *wave,
                           uint64_t ready_at)
{
    bool ends_before = wave->next->unit == ISA_UNIT_SALU || wave->next->unit == ISA_UNIT_BRANCH;

    return ends_before ? ready_at : wavefronts_cycle(waves);
}

void wavefront_fetched(struct wavefronts *waves, struct wavefront *wave, uint64_t cycle)
{
    bool is_internal = wave->next != NULL && wave->next->unit == ISA_UNIT_INTERNAL;

    wavefront_ready(waves, wave,
                    cycle + waves->parameters->serial_fetch_cycles +
                        (is_internal ? waves->parameters->scalar_cycles : 0));
}

void wavefront_advance(struct wavefronts *waves, struct wavefront *wave, uint64_t old_pc,
                       uint64_t ready_at)
{
    bool is_serial = waves->parameters->serial_fetch_cycles > 0;
    uint64_t fetches = is_serial ? fetches_at(waves, wave, ready_at) : 0;

    if (wave->registers->pc != old_pc + wave->next->bytes) {
        waves->statistics->branches_taken++;
        instruction_buffer_refill(waves, wave);
    } else {
        instruction_buffer_consume(waves, wave);
    }
    find_next(waves, wave);
    wavefront_ready(waves, wave, ready_at);
    if (is_serial)
        wavefront_fetched(waves, wave, fetches);
}

void wavefront_redirect(struct wavefronts *waves, struct wavefront *wave, uint64_t ready_at)
{
    instruction_buffer_refill(waves, wave);
    find_next(waves, wave);
    wavefront_ready(waves, wave, ready_at);
}

void wavefronts_queue_freed(struct wavefronts *waves, enum isa_unit which)
{
    uint64_t waiting = waves->queue_waiting[which];
    struct wavefront *first = NULL;

    for_each_bit(slot, waiting)
    {
        if (first == NULL ||
            wavefront_seniority(waves, &waves->list[slot]) < wavefront_seniority(waves, first))
            first = &waves->list[slot];
    }
    if (first == NULL)
        return;
    waves->queue_waiting[which] &= ~(UINT64_C(1) << first->slot);
    wavefront_ready(waves, first, wavefronts_cycle(waves));
}

bool wavefront_may_pass(const struct wavefronts *waves, const struct wavefront *wave,
                        enum wavefront_state *state)
{
    const struct isa_instruction *wait = wave->next;

    bool is_plain = waves->parameters->wait_for_all == 0;

    if (debug_breaks(waves->breaks, IGNORE_WAITCNT))
        return true;
    if (wave->lgkm_count > (is_plain ? wait->wait_lgkm : 0))
        *state = STATE_LGKM;
    else if (wave->vm_count > (is_plain ? wait->wait_vm : 0))
        *state = STATE_VM;
    else if (wave->exp_count > (is_plain ? wait->wait_exp : 0))
        *state = STATE_EXP;
    else
        return true;
    return false;
}

static bool waits_for_counter(const struct wavefront *wave)
{
    return wave->state == STATE_VM || wave->state == STATE_LGKM || wave->state == STATE_EXP;
}

/* A wait may be over. */
static void counter_fell(struct wavefronts *waves, struct wavefront *wave)
{
    enum wavefront_state state;

    if (!waits_for_counter(wave))
        return;
    if (wave->next->control == ISA_CONTROL_WAIT && !wavefront_may_pass(waves, wave, &state))
        wavefront_set_state(waves, wave, state);
    else
        wavefront_ready(waves, wave, wavefronts_cycle(waves));
}

void wavefront_data_read(struct wavefronts *waves, struct wavefront *wave)
{
    wave->exp_count--;
    counter_fell(waves, wave);
}

void wavefront_retired(struct wavefronts *waves, struct wavefront *wave, uint64_t active_at_issue,
                       const struct isa_instruction *instruction)
{
    bool is_serial = waves->parameters->serial_fetch_cycles > 0;
    bool waited = waits_for_counter(wave);

    wave->outstanding--;
    wave->lds_outstanding -= instruction->unit == ISA_UNIT_LDS;
    if ((instruction->flags & ISA_COUNTS_VM) != 0)
        wave->vm_count--;
    if ((instruction->flags & ISA_COUNTS_LGKM) != 0)
        wave->lgkm_count = (uint8_t)(wave->lgkm_count - instruction->lgkm);
    wave->releases -= instruction->control == ISA_CONTROL_RELEASE;
    counter_fell(waves, wave);
    if (is_serial && instruction->unit == ISA_UNIT_LDS && wave->state == STATE_RUNNABLE)
        wavefront_fetched(waves, wave, wavefronts_cycle(waves));
    if (waited && !waits_for_counter(wave))
        wavefront_time_hidden(waves, wave, instruction, active_at_issue);
}

void wavefront_trace_line(struct wavefronts *waves, const struct wavefront *wave, uint32_t sequence,
                          const struct isa_instruction *instruction)
{
    const struct group *group = &waves->groups[wave->group];

    if (trace_selects(group->launch, group->isa.id, wave->index))
        trace_write(group->launch, waves->isa, group->isa.id, wave->index, sequence,
                    wave->registers, instruction, wavefronts_cycle(waves));
}

/* The lanes traced are those that were active when the instruction was issued. */
void wavefront_loaded(struct wavefronts *waves, struct wavefront *wave, uint32_t sequence,
                      const struct isa_instruction *instruction, struct isa_memory_request *request)
{
    uint64_t active = wave->registers->active;

    waves->isa->finish(wave->registers, instruction, request);
    wave->registers->active = request->written;
    wavefront_trace(waves, wave, sequence, instruction);
    wave->registers->active = active;
}

struct fault wavefront_fault_here(const struct wavefronts *waves, const struct wavefront *wave,
                                  enum fault_kind kind)
{
    const struct group *group = &waves->groups[wave->group];
    struct fault fault = {
        .kind = kind, .launch = group->launch, .wavefront = wave->index, .pc = wave->registers->pc};

    memcpy(fault.group, group->isa.id, sizeof fault.group);
    return fault;
}

static void drop_outside(struct wavefronts *waves, struct isa_memory_request *request,
                         uint64_t lanes, const struct fault *fault)
{
    struct outside *outside = &waves->outside;

    if (outside->accesses == 0) {
        outside->first = *fault;
        outside->cycle = wavefronts_cycle(waves);
    }
    outside->accesses += count_bits(lanes);
    waves->statistics->out_of_bounds += count_bits(lanes);
    bounds_drop(request, lanes);
}

/* The lanes outside are dropped where that is asked for; else, and for an atomic that remains and
 * is not aligned, the launch stops. */
static bool handle_outside(struct wavefronts *waves, const struct wavefront *wave, uint64_t pc,
                           struct isa_memory_request *request, uint64_t outside)
{
    struct fault fault = wavefront_fault_here(waves, wave, FAULT_NONE);
    bool is_stopped = outside != 0 && !waves->bounds.drops;

    fault.pc = pc;
    if (outside != 0)
        bounds_describe(request, outside, FAULT_UNMAPPED, &fault);
    if (outside != 0 && !is_stopped)
        drop_outside(waves, request, outside, &fault);
    if (!is_stopped && bounds_misaligned(request) != 0) {
        bounds_describe(request, bounds_misaligned(request), FAULT_MISALIGNED, &fault);
        is_stopped = true;
    }
    if (!is_stopped)
        return true;
    request->lanes = 0;
    wavefront_fault(waves, &fault);
    return false;
}

bool wavefront_check_bounds(struct wavefronts *waves, const struct wavefront *wave, uint64_t pc,
                            struct isa_memory_request *request)
{
    uint64_t outside = bounds_outside(&waves->bounds, request);

    if (__builtin_expect(outside == 0 && bounds_misaligned(request) == 0, 1))
        return true;
    return handle_outside(waves, wave, pc, request, outside);
}

void wavefront_fault(struct wavefronts *waves, const struct fault *fault)
{
    if (waves->fault.kind != FAULT_NONE)
        return;
    waves->fault = *fault;
    engine_stop(waves->clock->engine);
}
