/* SPDX-License-Identifier: MIT */
#include "gpu/tape.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "tm/tm.h"

void tape_init(struct tape *tape)
{
    memset(tape, 0, sizeof *tape);
    tape->code.address = TAPE_ADDRESS;
    tape->code.stride = sizeof tape->instructions[0];
    tape->code.decoded = (unsigned char *)tape->instructions;
    tape->kernel.code = &tape->code;
    tape->kernel.entry = TAPE_ADDRESS;
    tape->kernel.vector_registers = 8;
    tape->kernel.scalar_registers = 16;
}

static struct tape_instruction *append(struct tape *tape, enum isa_unit unit,
                                       enum isa_latency latency)
{
    struct tape_instruction *instruction = &tape->instructions[tape->count];

    check(tape->count < TAPE_MAX, "the tape is full");
    instruction->base.unit = unit;
    instruction->base.latency = latency;
    instruction->base.bytes = 4;
    instruction->base.offset = tape->count * 4;
    tape->count++;
    tape->code.bytes = tape->count * 4;
    return instruction;
}

struct tape_instruction *tape_vector(struct tape *tape, enum isa_latency latency,
                                     enum tape_operation operation, unsigned target, uint64_t value)
{
    struct tape_instruction *instruction = append(tape, ISA_UNIT_VALU, latency);

    instruction->operation = operation;
    instruction->target = (uint8_t)target;
    instruction->value = value;
    return instruction;
}

struct tape_instruction *tape_scalar(struct tape *tape)
{
    return append(tape, ISA_UNIT_SALU, ISA_LATENCY_SCALAR);
}

struct tape_instruction *tape_loop(struct tape *tape, uint32_t to)
{
    struct tape_instruction *instruction = append(tape, ISA_UNIT_BRANCH, ISA_LATENCY_BRANCH);

    instruction->operation = TAPE_LOOP;
    instruction->value = to;
    return instruction;
}

static struct tape_instruction *memory(struct tape *tape, enum isa_unit unit,
                                       enum tape_operation operation, unsigned target,
                                       unsigned source, uint64_t base, unsigned bytes)
{
    struct tape_instruction *instruction = append(tape, unit, ISA_LATENCY_MEMORY);

    instruction->operation = operation;
    instruction->target = (uint8_t)target;
    instruction->source = (uint8_t)source;
    instruction->value = base;
    instruction->local = unit == ISA_UNIT_LDS;
    instruction->base.data_bytes = (uint8_t)bytes;
    instruction->base.flags = unit == ISA_UNIT_VMEM ? ISA_COUNTS_VM : ISA_COUNTS_LGKM;
    instruction->base.lgkm = unit != ISA_UNIT_VMEM;
    return instruction;
}

struct tape_instruction *tape_load(struct tape *tape, unsigned target, unsigned source,
                                   uint64_t base, unsigned bytes)
{
    struct tape_instruction *instruction =
        memory(tape, ISA_UNIT_VMEM, TAPE_LOAD, target, source, base, bytes);

    return instruction;
}

struct tape_instruction *tape_store(struct tape *tape, unsigned target, unsigned source,
                                    uint64_t base, unsigned bytes)
{
    struct tape_instruction *instruction =
        memory(tape, ISA_UNIT_VMEM, TAPE_STORE, target, source, base, bytes);

    instruction->base.flags |= ISA_WRITES_MEMORY | ISA_COUNTS_EXP;
    return instruction;
}

struct tape_instruction *tape_local_load(struct tape *tape, unsigned target, unsigned source,
                                         unsigned bytes)
{
    return memory(tape, ISA_UNIT_LDS, TAPE_LOAD, target, source, 0, bytes);
}

struct tape_instruction *tape_local_store(struct tape *tape, unsigned target, unsigned source,
                                          unsigned bytes)
{
    return memory(tape, ISA_UNIT_LDS, TAPE_STORE, target, source, 0, bytes);
}

struct tape_instruction *tape_atomic(struct tape *tape, unsigned target, unsigned source,
                                     uint64_t base, bool returns)
{
    struct tape_instruction *instruction =
        memory(tape, ISA_UNIT_VMEM, TAPE_ATOMIC, target, source, base, 4);

    instruction->base.flags |= ISA_WRITES_MEMORY | ISA_IS_ATOMIC;
    instruction->returns = returns;
    return instruction;
}

struct tape_instruction *tape_scalar_load(struct tape *tape, uint64_t address, unsigned bytes)
{
    struct tape_instruction *instruction =
        memory(tape, ISA_UNIT_SMEM, TAPE_SCALAR, 0, 0, address, bytes);

    instruction->base.lgkm = bytes > 4 ? 2 : 1;
    return instruction;
}

struct tape_instruction *tape_release(struct tape *tape)
{
    struct tape_instruction *instruction = append(tape, ISA_UNIT_VMEM, ISA_LATENCY_MEMORY);

    instruction->base.control = ISA_CONTROL_RELEASE;
    instruction->base.flags = ISA_COUNTS_VM;
    instruction->operation = TAPE_RELEASE;
    return instruction;
}

struct tape_instruction *tape_wait(struct tape *tape, unsigned vm, unsigned exp, unsigned lgkm)
{
    struct tape_instruction *instruction = tape_control(tape, ISA_CONTROL_WAIT, 0);

    instruction->base.wait_vm = (uint8_t)vm;
    instruction->base.wait_exp = (uint8_t)exp;
    instruction->base.wait_lgkm = (uint8_t)lgkm;
    return instruction;
}

struct tape_instruction *tape_control(struct tape *tape, enum isa_control control,
                                      unsigned argument)
{
    struct tape_instruction *instruction = append(tape, ISA_UNIT_INTERNAL, ISA_LATENCY_NONE);

    instruction->base.control = control;
    instruction->base.argument = (uint8_t)argument;
    return instruction;
}

struct tape_instruction *tape_hint(struct tape *tape, unsigned hint)
{
    struct tape_instruction *instruction = tape_control(tape, ISA_CONTROL_HINT, 0);

    instruction->base.hint = (uint16_t)hint;
    tape->kernel.has_transactions |= hint == TM_HINT_BEGIN;
    return instruction;
}

void tape_end(struct tape *tape)
{
    tape_control(tape, ISA_CONTROL_END, 0);
}

/* ---- the ISA ---- */

static struct tape_wave *wave_of(struct isa_wave *wave)
{
    return (struct tape_wave *)(void *)wave;
}

static const struct tape_instruction *instruction_of(const struct isa_instruction *instruction)
{
    return (const struct tape_instruction *)(const void *)instruction;
}

static void update_active(struct tape_wave *wave)
{
    wave->base.active = wave->exec & ~wave->left;
}

static void wave_init(struct isa_wave *base, const struct isa_launch *launch,
                      const struct isa_group *group, uint32_t index, uint32_t slot_index)
{
    struct tape_wave *wave = wave_of(base);
    uint32_t first = group->id[0] * launch->group_size[0] + index * launch->wave_lanes;

    memset(wave, 0, sizeof *wave);
    wave->base.pc = launch->kernel->entry;
    wave->base.launch = launch;
    for (unsigned lane = 0; lane < launch->wave_lanes; lane++) {
        wave->vector[0][lane] = first + lane;
        if (index * launch->wave_lanes + lane < launch->group_size[0])
            wave->exec |= UINT64_C(1) << lane;
    }
    update_active(wave);
}

static void vector_operation(struct tape_wave *wave, const struct tape_instruction *instruction)
{
    uint32_t *target = wave->vector[instruction->target], value = (uint32_t)instruction->value;
    const uint32_t *source = wave->vector[instruction->source];
    uint64_t lanes = wave->base.active;

    for_each_bit(lane, lanes)
    {
        switch (instruction->operation) {
        case TAPE_SET:
            target[lane] = value;
            break;
        case TAPE_ADD:
            target[lane] += value;
            break;
        case TAPE_MULTIPLY:
            target[lane] *= value;
            break;
        case TAPE_AND:
            target[lane] &= value;
            break;
        case TAPE_SUM:
            target[lane] += source[lane];
            break;
        default:
            break;
        }
    }
}

static void execute(struct isa_wave *base, const struct isa_instruction *instruction)
{
    struct tape_wave *wave = wave_of(base);
    const struct tape_instruction *tape = instruction_of(instruction);

    base->pc += instruction->bytes;
    switch (tape->operation) {
    case TAPE_LANES:
        wave->exec = tape->value;
        update_active(wave);
        break;
    case TAPE_COUNTER:
        wave->counter = tape->value;
        break;
    case TAPE_LOOP:
        if (--wave->counter != 0)
            base->pc = TAPE_ADDRESS + 4 * tape->value;
        break;
    default:
        vector_operation(wave, tape);
        break;
    }
    if (instruction->control == ISA_CONTROL_END)
        base->ended = true;
}

static uint8_t kind_of(const struct tape_instruction *instruction)
{
    switch (instruction->operation) {
    case TAPE_LOAD:
        return ISA_MEMORY_LOAD;
    case TAPE_STORE:
        return ISA_MEMORY_STORE;
    case TAPE_ATOMIC:
        return ISA_MEMORY_ATOMIC;
    case TAPE_SCALAR:
        return ISA_MEMORY_SCALAR_LOAD;
    case TAPE_RELEASE:
        return ISA_MEMORY_FLUSH;
    default:
        return ISA_MEMORY_INVALIDATE;
    }
}

static void store_data(const struct isa_wave *base, const struct isa_instruction *instruction,
                       struct isa_memory_request *request)
{
    const struct tape_wave *wave = (const struct tape_wave *)(const void *)base;

    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
        for (unsigned i = 0; i < 4; i++)
            request->data[i][lane] = wave->vector[instruction_of(instruction)->target][lane] + i;
}

static void begin(struct isa_wave *base, const struct isa_instruction *instruction,
                  struct isa_memory_request *request)
{
    struct tape_wave *wave = wave_of(base);
    const struct tape_instruction *tape = instruction_of(instruction);

    base->pc += instruction->bytes;
    memset(request, 0, sizeof *request);
    request->kind = kind_of(tape);
    request->space = tape->local ? ISA_SPACE_LOCAL : ISA_SPACE_GLOBAL;
    request->element_bytes = instruction->data_bytes;
    request->rmw = RMW_ADD;
    request->returns = tape->returns;
    request->second_delta = tape->second_delta;
    request->lanes = request->second_lanes = request->written = base->active;
    for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++) {
        request->address[lane] = tape->value + wave->vector[tape->source][lane];
    }
    if (tape->operation != TAPE_LOAD && (instruction->flags & ISA_COUNTS_EXP) == 0)
        store_data(base, instruction, request);
    if (tape->operation != TAPE_SCALAR)
        return;
    request->address[0] = tape->value;
    request->lanes = 1;
}

static void finish(struct isa_wave *base, const struct isa_instruction *instruction,
                   const struct isa_memory_request *request)
{
    struct tape_wave *wave = wave_of(base);
    const struct tape_instruction *tape = instruction_of(instruction);
    uint64_t lanes = request->written;

    if (tape->operation == TAPE_SCALAR) {
        wave->counter = request->scalar[0];
        return;
    }
    for_each_bit(lane, lanes) wave->vector[tape->target][lane] = request->data[0][lane];
}

static void snapshot(const struct isa_wave *wave, struct isa_snapshot *saved)
{
    memcpy(saved, wave, sizeof(struct tape_wave));
}

static void restore(struct isa_wave *base, const struct isa_snapshot *snapshot, uint64_t lanes)
{
    const struct tape_wave *saved = (const struct tape_wave *)(const void *)snapshot;
    struct tape_wave *wave = wave_of(base);

    base->pc = saved->base.pc;
    wave->exec = saved->exec;
    wave->counter = saved->counter;
    update_active(wave);
    for (unsigned i = 0; i < TAPE_REGISTERS; i++)
        for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
            if ((lanes >> lane & 1) != 0)
                wave->vector[i][lane] = saved->vector[i][lane];
}

static void leave(struct isa_wave *base, uint64_t lanes)
{
    wave_of(base)->left |= lanes;
    update_active(wave_of(base));
}

static void rejoin(struct isa_wave *base, uint64_t lanes)
{
    wave_of(base)->left &= ~lanes;
    update_active(wave_of(base));
}

static const char *name_of(uint16_t op)
{
    return "tape";
}

static void disassemble(const struct isa_code *code, const struct isa_instruction *instruction,
                        struct text *text)
{
    const struct tape_instruction *tape = instruction_of(instruction);

    text_add(text, "tape.%u v%u, v%u", tape->operation, tape->target, tape->source);
}

static void trace(const struct isa_wave *base, const struct isa_instruction *instruction,
                  struct text *text)
{
    const struct tape_instruction *tape = instruction_of(instruction);
    const struct tape_wave *wave = (const struct tape_wave *)(const void *)base;

    text_add(text, " v%u=%08x", tape->target, wave->vector[tape->target][0]);
}

static void refusal(const struct isa_instruction *instruction, struct text *text)
{
    text_add(text, "it is not on the tape");
}

const struct isa tape_isa = {
    .name = "tape",
    .wave_lanes = ISA_MAX_LANES,
    .dependence = ISA_DEPENDENCE_COUNTERS,
    .wave_bytes = sizeof(struct tape_wave),
    .snapshot_bytes = sizeof(struct tape_wave),
    .wave_init = wave_init,
    .execute = execute,
    .begin = begin,
    .store_data = store_data,
    .finish = finish,
    .snapshot = snapshot,
    .restore = restore,
    .leave = leave,
    .rejoin = rejoin,
    .name_of = name_of,
    .disassemble = disassemble,
    .trace = trace,
    .refusal = refusal,
};
