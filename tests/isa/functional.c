/* SPDX-License-Identifier: MIT */
#include "functional.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"

#define MAX_WAVES 16
#define LDS_BYTES 32768

static void stop(const struct diagnosis *diagnosis)
{
    diagnosis_print(diagnosis, stderr);
    exit(1);
}

void functional_init(struct functional *functional, const struct isa *isa, const char *source,
                     const char *options)
{
    struct diagnosis diagnosis;
    struct text log = {0};
    unsigned char *file = NULL;
    size_t bytes = 0;

    memset(functional, 0, sizeof *functional);
    functional->isa = isa;
    functional->memory = allocate(1, FUNCTIONAL_BYTES);
    if (!program_compile(source, strlen(source), options, NULL, &file, &bytes, &log, &diagnosis)) {
        fputs(text_chars(&log), stderr);
        stop(&diagnosis);
    }
    functional->program = program_load(file, bytes, &diagnosis);
    if (functional->program == NULL)
        stop(&diagnosis);
    free(file);
    text_finish(&log);
    functional->image_address = functional_allocate(functional, functional->program->image_bytes);
    program_place(functional->program, functional->image_address,
                  functional_host(functional, functional->image_address));
    functional->code = isa->decode(
        functional_host(functional, functional->image_address + functional->program->code_offset),
        (uint32_t)functional->program->code_bytes,
        functional->image_address + functional->program->code_offset);
}

void functional_finish(struct functional *functional)
{
    functional->isa->code_destroy(functional->code);
    program_destroy(functional->program);
    free(functional->memory);
}

uint64_t functional_allocate(struct functional *functional, uint64_t bytes)
{
    uint64_t address = FUNCTIONAL_BASE + functional->used;

    functional->used = align_up(functional->used + bytes, 4096);
    check(functional->used <= FUNCTIONAL_BYTES, "the test's memory is too small");
    return address;
}

void *functional_host(const struct functional *functional, uint64_t address)
{
    check(address >= FUNCTIONAL_BASE && address - FUNCTIONAL_BASE < FUNCTIONAL_BYTES - 64,
          "a kernel accesses address 0x%llx", (unsigned long long)address);
    return functional->memory + (address - FUNCTIONAL_BASE);
}

static void serve_atomic(struct isa_memory_request *request, unsigned lane, unsigned char *place)
{
    uint64_t old = 0, operand = request->data[0][lane], compare = request->compare[0][lane];

    memcpy(&old, place, request->element_bytes);
    if (request->element_bytes == 4) {
        uint32_t word = rmw_apply_32((enum rmw_op)request->rmw, (uint32_t)old, (uint32_t)operand,
                                     (uint32_t)compare);

        memcpy(place, &word, 4);
    } else {
        operand |= (uint64_t)request->data[1][lane] << 32;
        compare |= (uint64_t)request->compare[1][lane] << 32;
        operand = rmw_apply_64((enum rmw_op)request->rmw, old, operand, compare);
        memcpy(place, &operand, 8);
    }
    if (request->returns) {
        request->data[0][lane] = (uint32_t)old;
        if (request->element_bytes == 8)
            request->data[1][lane] = (uint32_t)(old >> 32);
    }
}

/* One lane's element, whose dwords start at data[first]. */
static void serve_element(struct isa_memory_request *request, unsigned lane, unsigned char *place,
                          unsigned first)
{
    unsigned dwords = request->element_bytes <= 4 ? 1 : request->element_bytes / 4u;

    if (request->kind == ISA_MEMORY_ATOMIC) {
        serve_atomic(request, lane, place);
        return;
    }
    for (unsigned i = 0; i < dwords; i++) {
        unsigned bytes = request->element_bytes < 4 ? request->element_bytes : 4;

        if (request->kind == ISA_MEMORY_STORE) {
            memcpy(place + 4 * (size_t)i, &request->data[first + i][lane], bytes);
            continue;
        }
        request->data[first + i][lane] = 0;
        memcpy(&request->data[first + i][lane], place + 4 * (size_t)i, bytes);
    }
}

static void serve(struct functional *functional, struct isa_memory_request *request,
                  unsigned char *lds)
{
    unsigned dwords = request->element_bytes <= 4 ? 1 : request->element_bytes / 4u;
    uint64_t lanes = request->lanes;
    uint64_t second = request->second_delta != 0 ? request->second_lanes : 0;

    if (request->kind == ISA_MEMORY_SCALAR_LOAD) {
        if (lanes != 0)
            memcpy(request->scalar, functional_host(functional, request->address[0]),
                   request->element_bytes);
        return;
    }
    lanes |= second;
    for_each_bit(lane, lanes)
    {
        uint64_t address = request->address[lane];
        unsigned char *place = request->space == ISA_SPACE_LOCAL
                                   ? lds + address
                                   : functional_host(functional, address);

        if ((request->lanes >> lane & 1) != 0)
            serve_element(request, lane, place, 0);
        if ((second >> lane & 1) != 0)
            serve_element(request, lane, place + request->second_delta, dwords);
    }
}

/* Runs one wavefront until it ends (false) or waits at a barrier (true). */
static bool run_wave(struct functional *functional, struct isa_wave *wave, unsigned char *lds)
{
    static struct isa_memory_request request;
    const struct isa *isa = functional->isa;

    while (!wave->ended) {
        const struct isa_instruction *instruction = isa_code_at(functional->code, wave->pc);

        check(instruction != NULL && instruction->bytes != 0, "a kernel left its code");
        check(instruction->control != ISA_CONTROL_REFUSED, "%s is refused",
              isa->name_of(instruction->op));
        functional->instructions++;
        if (instruction->latency == ISA_LATENCY_MEMORY) {
            isa->begin(wave, instruction, &request);
            if ((instruction->flags & ISA_COUNTS_EXP) != 0)
                isa->store_data(wave, instruction, &request);
            serve(functional, &request, lds);
            if (request.returns)
                isa->finish(wave, instruction, &request);
            continue;
        }
        isa->execute(wave, instruction);
        if (instruction->control == ISA_CONTROL_BARRIER)
            return true;
    }
    return false;
}

static void run_group(struct functional *functional, const struct isa_launch *launch,
                      struct isa_group *group, struct isa_wave **waves)
{
    static unsigned char lds[LDS_BYTES];
    bool waiting = true;

    memset(lds, 0xcd, sizeof lds);
    for (uint32_t i = 0; i < group->wave_count; i++) {
        waves[i]->lds = lds;
        waves[i]->lds_bytes = launch->lds_bytes;
        functional->isa->wave_init(waves[i], launch, group, i, i);
    }
    while (waiting) {
        waiting = false;
        for (uint32_t i = 0; i < group->wave_count; i++)
            waiting |= run_wave(functional, waves[i], lds);
    }
}

/* The hidden arguments as libclc reads them, whatever the code object's metadata calls them: the
 * number of dimensions, then the global offset in each. */
static void fill_hidden(unsigned char *target, const struct isa_launch *launch)
{
    memcpy(target, &launch->dimensions, 4);
    for (unsigned d = 0; d < 3; d++) {
        uint32_t offset = (uint32_t)launch->global_offset[d];

        memcpy(target + 4 + 4 * (size_t)d, &offset, 4);
    }
}

static void fill_arguments(unsigned char *target, const struct program_kernel *kernel,
                           struct isa_launch *launch, const struct functional_argument *arguments,
                           unsigned count)
{
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct program_argument *argument = &kernel->arguments[i];

        if (i >= kernel->visible_argument_count) {
            fill_hidden(target + argument->offset, launch);
            return;
        }
        check(i < count, "too few arguments");
        if (arguments[i].value == NULL) {
            launch->lds_bytes = (uint32_t)align_up(launch->lds_bytes, 16);
            memcpy(target + argument->offset, &launch->lds_bytes, 4);
            launch->lds_bytes += arguments[i].bytes;
        } else {
            memcpy(target + argument->offset, arguments[i].value, arguments[i].bytes);
        }
    }
}

/* The parts of an AQL dispatch packet that kernels read. */
static void fill_packet(unsigned char *packet, const struct isa_launch *launch)
{
    for (unsigned d = 0; d < 3; d++) {
        uint16_t local = (uint16_t)launch->group_size[d];

        memcpy(packet + 4 + 2 * (size_t)d, &local, 2);
        memcpy(packet + 12 + 4 * (size_t)d, &launch->global_size[d], 4);
    }
}

static void run_groups(struct functional *functional, const struct isa_launch *launch)
{
    struct isa_wave *waves[MAX_WAVES];
    struct isa_group group;
    uint64_t items =
        (uint64_t)launch->group_size[0] * launch->group_size[1] * launch->group_size[2];

    group.wave_count = (uint32_t)((items + 63) / 64);
    check(group.wave_count <= MAX_WAVES, "the work-group is too large");
    for (unsigned i = 0; i < group.wave_count; i++)
        waves[i] = aligned_alloc(64, align_up(functional->isa->wave_bytes, 64));
    for (uint32_t z = 0; z < launch->group_count[2]; z++)
        for (uint32_t y = 0; y < launch->group_count[1]; y++)
            for (uint32_t x = 0; x < launch->group_count[0]; x++) {
                group.id[0] = x;
                group.id[1] = y;
                group.id[2] = z;
                run_group(functional, launch, &group, waves);
            }
    for (unsigned i = 0; i < group.wave_count; i++)
        free(waves[i]);
}

void functional_run(struct functional *functional, const char *name,
                    const struct functional_size *size, const struct functional_argument *arguments,
                    unsigned count)
{
    const struct program_kernel *found = program_find_kernel(functional->program, name);
    struct isa_launch launch = {.dimensions = size->dimensions};
    struct isa_kernel kernel;
    struct diagnosis diagnosis;
    uint64_t mark = functional->used;

    check(found != NULL, "no kernel %s", name);
    if (!functional->isa->kernel_init(&kernel, functional->code, found->descriptor,
                                      functional->image_address + found->entry_offset, &diagnosis))
        stop(&diagnosis);
    launch.kernel = &kernel;
    launch.lds_bytes = kernel.lds_bytes;
    launch.scratch_bytes = (uint32_t)align_up(kernel.scratch_bytes, 4);
    for (unsigned d = 0; d < 3; d++) {
        launch.global_size[d] = d < size->dimensions ? size->global[d] : 1;
        launch.group_size[d] = d < size->dimensions ? size->local[d] : 1;
        launch.group_count[d] =
            (launch.global_size[d] + launch.group_size[d] - 1) / launch.group_size[d];
    }
    launch.kernarg_address = functional_allocate(functional, 4096);
    launch.dispatch_address = functional_allocate(functional, 64);
    launch.queue_address = functional_allocate(functional, 256);
    launch.scratch_address =
        functional_allocate(functional, MAX_WAVES * functional->isa->scratch_slot_bytes(&launch));
    fill_arguments(functional_host(functional, launch.kernarg_address), found, &launch, arguments,
                   count);
    fill_packet(functional_host(functional, launch.dispatch_address), &launch);
    run_groups(functional, &launch);
    memset(functional->memory + mark, 0, functional->used - mark);
    functional->used = mark;
}
