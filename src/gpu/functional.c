/* SPDX-License-Identifier: MIT */
#include "gpu/functional.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "gpu/functional_memory.h"
#include "gpu/functional_transaction.h"
#include "gpu/instruction_count.h"
#include "gpu/residency.h"
#include "gpu/standing.h"
#include "gpu/trace.h"
#include "sim/debug.h"

const struct parameter functional_parameters[] = {FUNCTIONAL_PARAMETERS(FUNCTIONAL_PARAMETER_ROW)};
const uint32_t functional_parameter_count = ARRAY_COUNT(functional_parameters);

#define STATISTICS_ROW(...) STATISTIC_ROW(struct functional_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {FUNCTIONAL_STATISTICS(STATISTICS_ROW)};

struct functional_wave {
    struct isa_wave *registers;
    uint32_t sequence;
    uint32_t begins; /* of transactions that a commit must still answer */
    bool at_barrier, has_ended, turn_is_over;
};

/* A work-group taking its turns. */
struct functional_group {
    struct isa_group isa;
    struct functional_wave waves[GPU_MAX_GROUP_WAVES];
    unsigned char *local;
    uint32_t running;    /* wavefronts that have not ended */
    uint32_t at_barrier; /* of those */
    bool is_resident;
};

struct functional_device {
    struct functional_statistics statistics;
    struct functional_options options;
    const struct isa *isa; /* of the options, as are: */
    struct bounds bounds;
    struct functional_group *groups;
    uint32_t group_count, group_capacity;
    unsigned char *wave_memory, *local_memory; /* of the present launch's resident groups */
    size_t wave_capacity, local_capacity;
    uint32_t local_bytes; /* of a work-group, in whole granules */
    const struct launch *launch;
    bool is_watched;     /* each instruction is traced, or its place noted */
    uint64_t next_group; /* linear number of the next work-group to start */
    struct functional_progress progress;
    struct fault fault;
    struct outside outside;
    struct isa_memory_request request;
    struct functional_transaction transaction;
    uint64_t limit; /* instructions of a launch; 0: none */
};

void functional_defaults(struct functional_parameters *parameters)
{
    for (uint32_t i = 0; i < functional_parameter_count; i++)
        memcpy((char *)parameters + functional_parameters[i].offset,
               &functional_parameters[i].initial, sizeof(uint64_t));
}

/* As many work-groups as the compute units hold at a time. */
static uint32_t resident_groups(const struct functional_device *device, const struct launch *launch)
{
    uint64_t count = device->options.parameters->groups;

    if (count == 0)
        count = (uint64_t)residency_groups(device->options.compute_unit, launch) *
                device->options.compute_unit_count;
    if (count > launch->group_count)
        count = launch->group_count;
    return count == 0 ? 1 : (uint32_t)count;
}

uint32_t functional_scratch_slots(const struct functional_device *device,
                                  const struct launch *launch)
{
    return resident_groups(device, launch) * launch->wave_count;
}

/* ---- instructions ---- */

/* Completes a fault with the wavefront and its place. Returns false. */
static bool stop_at(struct functional_device *device, const struct functional_group *group,
                    uint32_t index, uint64_t pc)
{
    struct fault *fault = &device->fault;

    fault->launch = device->launch;
    fault->wavefront = index;
    fault->pc = pc;
    memcpy(fault->group, group->isa.id, sizeof fault->group);
    return false;
}

static bool stop_without_code(struct functional_device *device,
                              const struct functional_group *group, uint32_t index)
{
    fault_of_no_instruction(group->waves[index].registers, &device->fault);
    return stop_at(device, group, index, device->fault.pc);
}

static void note_outside(struct functional_device *device, uint32_t lanes)
{
    if (device->outside.accesses == 0)
        device->outside.first = device->fault;
    device->outside.accesses += lanes;
    device->statistics.out_of_bounds += lanes;
    device->fault = (struct fault){.kind = FAULT_NONE};
}

/* After the instruction at `pc`. */
static void device_watch(struct functional_device *device, const struct functional_group *group,
                         uint32_t index, const struct isa_instruction *instruction, uint64_t pc)
{
    const struct functional_wave *wave = &group->waves[index];

    if (device->options.touched != NULL)
        touched_add(device->options.touched, pc, instruction->bytes);
    if (trace_selects(device->launch, group->isa.id, index))
        trace_write(device->launch, device->isa, group->isa.id, index, wave->sequence,
                    wave->registers, instruction, TRACE_NO_CYCLE);
}

static void request_begin(struct functional_device *device, struct isa_wave *wave,
                          const struct isa_instruction *instruction)
{
    uint64_t active = wave->active;

    if (debug_breaks(device->options.breaks, STORE_ALL_LANES) &&
        instruction->unit == ISA_UNIT_VMEM &&
        (instruction->flags & (ISA_WRITES_MEMORY | ISA_IS_ATOMIC)) == ISA_WRITES_MEMORY)
        wave->active = low_mask(device->launch->wave_lanes);
    device->isa->begin(wave, instruction, &device->request);
    if ((instruction->flags & ISA_COUNTS_EXP) != 0)
        device->isa->store_data(wave, instruction, &device->request);
    wave->active = active;
}

static bool access_memory(struct functional_device *device, struct functional_group *group,
                          uint32_t index, const struct isa_instruction *instruction)
{
    struct isa_wave *wave = group->waves[index].registers;
    enum functional_access access;
    uint64_t pc = wave->pc;
    uint32_t outside;

    request_begin(device, wave, instruction);
    access = functional_serve(&device->bounds, group->local, wave->lds_bytes, &device->request,
                              &device->fault, &outside);
    if (__builtin_expect(access != FUNCTIONAL_SERVED, 0)) {
        stop_at(device, group, index, pc);
        if (access == FUNCTIONAL_STOPPED)
            return false;
        note_outside(device, outside);
    }
    if (__builtin_expect(device->options.touched != NULL, 0))
        touched_note(device->options.touched, &device->request);
    if (__builtin_expect(device->launch->isa->kernel->has_transactions, 0))
        functional_transaction_saw(&device->transaction, &group->isa, index, pc, &device->request);
    if (request_returns(&device->request))
        device->isa->finish(wave, instruction, &device->request);
    return true;
}

static void come_to_barrier(struct functional_device *device, struct functional_group *group,
                            struct functional_wave *wave)
{
    if (debug_breaks(device->options.breaks, IGNORE_BARRIER))
        return;
    wave->at_barrier = wave->turn_is_over = true;
    group->at_barrier++;
}

static void open_barrier(struct functional_group *group)
{
    if (group->at_barrier == 0 || group->at_barrier != group->running)
        return;
    group->at_barrier = 0;
    for (uint32_t i = 0; i < group->isa.wave_count; i++)
        group->waves[i].at_barrier = false;
}

static bool stop_in_transaction(struct functional_device *device,
                                const struct functional_group *group, uint32_t index, uint64_t pc,
                                const char *reason)
{
    device->fault = (struct fault){.kind = FAULT_TRANSACTION, .reason = reason};
    return stop_at(device, group, index, pc);
}

/* What the scheduler must do for an instruction; execute has had its effect on the registers. */
static void wave_control(struct functional_device *device, struct functional_group *group,
                         struct functional_wave *wave, const struct isa_instruction *instruction)
{
    if (instruction->control == ISA_CONTROL_BARRIER) {
        come_to_barrier(device, group, wave);
        open_barrier(group);
    } else if (instruction->control == ISA_CONTROL_END) {
        wave->has_ended = true;
        group->running--;
        open_barrier(group);
    }
}

static bool is_memory(const struct isa_instruction *instruction)
{
    return instruction->unit == ISA_UNIT_VMEM || instruction->unit == ISA_UNIT_LDS ||
           instruction->unit == ISA_UNIT_SMEM;
}

/* Runs one instruction; false: a fault. */
static inline bool wave_step(struct functional_device *device, struct functional_group *group,
                             uint32_t index)
{
    struct functional_wave *wave = &group->waves[index];
    struct isa_wave *registers = wave->registers;
    uint64_t pc = registers->pc;
    const struct isa_instruction *instruction = isa_code_at(device->launch->isa->kernel->code, pc);
    const char *refusal = NULL;

    if (instruction == NULL || instruction->bytes == 0)
        return stop_without_code(device, group, index);
    if (instruction->control == ISA_CONTROL_REFUSED) {
        device->fault.kind = FAULT_REFUSED;
        return stop_at(device, group, index, pc);
    }
    if (instruction->control != ISA_CONTROL_NONE)
        refusal = functional_transaction_before(&device->transaction, &wave->begins, device->isa,
                                                registers, instruction);
    if (__builtin_expect(refusal != NULL, 0))
        return stop_in_transaction(device, group, index, pc, refusal);
    COUNT_INSTRUCTION(&device->statistics, instruction, registers->active);
    if (is_memory(instruction)) {
        if (!access_memory(device, group, index, instruction))
            return false;
    } else {
        device->isa->execute(registers, instruction);
        device->statistics.branches_taken += registers->pc != pc + instruction->bytes;
    }
    if (__builtin_expect(device->is_watched, 0))
        device_watch(device, group, index, instruction, pc);
    wave->sequence++;
    if (instruction->control == ISA_CONTROL_NONE)
        return true;
    wave_control(device, group, wave, instruction);
    refusal = functional_transaction_after(&device->transaction, &wave->begins, device->isa,
                                           registers, instruction);
    return refusal == NULL || stop_in_transaction(device, group, index, pc, refusal);
}

/* ---- turns ---- */

/* In a transaction a turn goes on, unless the whole run is to stop. */
static bool wave_stays(const struct functional_device *device, uint64_t count)
{
    return device->transaction.is_open &&
           (device->options.interrupt == NULL || *device->options.interrupt == 0) &&
           (device->limit == 0 || device->progress.instructions + count < device->limit);
}

/* The turn ends at a barrier also for the last wavefront that comes there. */
static bool run_wave(struct functional_device *device, struct functional_group *group,
                     uint32_t index)
{
    struct functional_wave *wave = &group->waves[index];
    uint64_t quantum = device->options.parameters->quantum, count = 0;
    bool runs = true;

    wave->turn_is_over = false;
    while (runs && (count < quantum || wave_stays(device, count)) && !wave->has_ended &&
           !wave->at_barrier && !wave->turn_is_over) {
        runs = wave_step(device, group, index);
        count += runs;
    }
    device->progress.instructions += count;
    return runs;
}

static void start_group(struct functional_device *device, struct functional_group *group)
{
    const struct launch *launch = device->launch;
    uint32_t place = (uint32_t)(group - device->groups);

    group->isa = launch_group(launch, device->next_group++);
    group->running = group->isa.wave_count;
    group->at_barrier = 0;
    group->is_resident = true;
    if (device->local_bytes > 0)
        memset(group->local, 0, device->local_bytes);
    for (uint32_t i = 0; i < group->isa.wave_count; i++) {
        struct functional_wave *wave = &group->waves[i];

        wave->sequence = wave->begins = 0;
        wave->at_barrier = false;
        device->isa->wave_init(wave->registers, launch->isa, &group->isa, i,
                               place * launch->wave_count + i);
        wave->registers->lds = group->local;
        wave->registers->lds_bytes = device->local_bytes;
        wave->has_ended = wave->registers->ended; /* it has no work-item */
        group->running -= wave->has_ended;
    }
}

static void end_group(struct functional_device *device, struct functional_group *group)
{
    group->is_resident = false;
    device->progress.groups_done++;
    device->statistics.groups++;
}

/* One turn of a resident work-group. */
static bool run_turn(struct functional_device *device, struct functional_group *group)
{
    for (uint64_t done = 0; done < device->options.parameters->group_quantum && group->running > 0;
         done += device->options.parameters->quantum)
        for (uint32_t i = 0; i < group->isa.wave_count; i++)
            if (!run_wave(device, group, i))
                return false;
    if (group->running == 0)
        end_group(device, group);
    return true;
}

/* Work-groups that end within their turn make room at once for the next, which finds its registers
 * in the host's caches. After so many it is the other resident ones' turn. */
enum { SHORT_GROUPS = 16 };

/* One turn of a resident work-group, or of new ones in its place. */
static bool run_group(struct functional_device *device, struct functional_group *group)
{
    for (unsigned i = 0; i < SHORT_GROUPS; i++) {
        if (!group->is_resident) {
            if (device->next_group == device->progress.groups_total)
                return true;
            start_group(device, group);
        }
        if (!run_turn(device, group))
            return false;
        if (group->is_resident)
            return true;
    }
    return true;
}

/* ---- launches ---- */

static unsigned char *device_grow(unsigned char *memory, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity)
        return memory;
    free(memory);
    *capacity = bytes;
    return allocate(bytes, 1);
}

static void make_groups(struct functional_device *device, uint32_t count)
{
    device->group_count = count;
    if (count <= device->group_capacity)
        return;
    free(device->groups);
    device->groups = allocate(count, sizeof *device->groups);
    device->group_capacity = count;
}

/* Registers and local memory for every resident work-group. */
static void lay_out(struct functional_device *device)
{
    const struct launch *launch = device->launch;
    size_t stride = (size_t)align_up(device->isa->wave_bytes, 64);
    size_t local;
    unsigned char *waves;

    device->local_bytes =
        compute_unit_granted_lds(device->options.compute_unit, launch->isa->lds_bytes);
    local = (size_t)align_up(device->local_bytes, 64);
    make_groups(device, resident_groups(device, launch));
    device->wave_memory =
        device_grow(device->wave_memory, &device->wave_capacity,
                    (size_t)device->group_count * launch->wave_count * stride + 64);
    device->local_memory = device_grow(device->local_memory, &device->local_capacity,
                                       (size_t)device->group_count * local + 1);
    waves = device->wave_memory + (64 - (uintptr_t)device->wave_memory % 64) % 64;
    for (uint32_t i = 0; i < device->group_count; i++) {
        device->groups[i].is_resident = false;
        device->groups[i].local = device->local_memory + i * local;
        for (uint32_t j = 0; j < launch->wave_count; j++)
            device->groups[i].waves[j].registers =
                (void *)(waves + ((size_t)i * launch->wave_count + j) * stride);
    }
}

static enum functional_outcome run_rounds(struct functional_device *device, uint64_t limit)
{
    while (device->progress.groups_done < device->progress.groups_total) {
        for (uint32_t i = 0; i < device->group_count; i++)
            if (!run_group(device, &device->groups[i]))
                return FUNCTIONAL_FAULT;
        if (device->options.interrupt != NULL && *device->options.interrupt != 0)
            return FUNCTIONAL_INTERRUPTED;
        if (limit != 0 && device->progress.instructions >= limit)
            return FUNCTIONAL_LIMIT;
        if (device->options.beat != NULL)
            device->options.beat(device->options.beat_context);
    }
    return FUNCTIONAL_DONE;
}

enum functional_outcome functional_run(struct functional_device *device,
                                       const struct launch *launch, uint64_t limit)
{
    enum functional_outcome outcome;

    check(launch->wave_count <= GPU_MAX_GROUP_WAVES, "a work-group of %u wavefronts",
          launch->wave_count);
    device->launch = launch;
    device->limit = limit;
    functional_transaction_start(&device->transaction);
    device->next_group = 0;
    device->is_watched = launch->trace != NULL || device->options.touched != NULL;
    device->progress = (struct functional_progress){.groups_total = launch->group_count};
    device->fault = (struct fault){.kind = FAULT_NONE};
    device->outside = (struct outside){.accesses = 0};
    lay_out(device);
    outcome = run_rounds(device, limit);
    if (outcome != FUNCTIONAL_FAULT &&
        functional_transaction_judge(&device->transaction, launch, &device->fault))
        outcome = FUNCTIONAL_FAULT;
    device->launch = NULL;
    return outcome;
}

/* ---- life ---- */

struct functional_device *functional_create(const struct functional_options *options)
{
    struct functional_device *device =
        aligned_alloc(64, (size_t)align_up(sizeof *device, 64)); /* the request is aligned */

    check(device != NULL, "no memory for the functional device");
    memset(device, 0, sizeof *device);
    device->options = *options;
    device->isa = options->isa;
    device->bounds = options->bounds;
    registry_add(options->registry, options->path, "functional", statistics,
                 ARRAY_COUNT(statistics), &device->statistics, sizeof device->statistics);
    return device;
}

void functional_destroy(struct functional_device *device)
{
    if (device == NULL)
        return;
    functional_transaction_finish(&device->transaction);
    free(device->groups);
    free(device->wave_memory);
    free(device->local_memory);
    free(device);
}

struct functional_progress functional_progress(const struct functional_device *device)
{
    struct functional_progress progress = device->progress;

    progress.groups_started = device->next_group;
    return progress;
}

const struct fault *functional_fault(const struct functional_device *device)
{
    return &device->fault;
}

void functional_visit(const struct functional_device *device, standing_visit *visit, void *context)
{
    for (uint32_t i = 0; i < device->group_count; i++) {
        const struct functional_group *group = &device->groups[i];

        for (uint32_t j = 0; group->is_resident && j < group->isa.wave_count; j++)
            if (!group->waves[j].has_ended)
                visit(context, group->waves[j].registers->pc,
                      group->waves[j].at_barrier ? "waiting at a barrier" : "running");
    }
}

const struct outside *functional_outside(const struct functional_device *device)
{
    return &device->outside;
}
