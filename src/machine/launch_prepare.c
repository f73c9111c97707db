/* SPDX-License-Identifier: MIT */
/*
 * From an NDRange to what the hardware is given: kernel arguments with the hidden ones, the AQL
 * dispatch packet, scratch. Source: LLVM, "User Guide for AMDGPU Backend", code object v5 metadata
 * (hidden arguments); HSA Platform System Architecture Specification, kernel dispatch packet.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "machine/machine_private.h"

enum { PACKET_BYTES = 64, QUEUE_BYTES = 256 };

static void packet_put(unsigned char *bytes, uint64_t value, uint32_t count)
{
    memcpy(bytes, &value, count); /* host and device are both little-endian */
}

/* Of a hidden argument the value; false: one that stays zero. */
static bool hidden_value(const struct machine *machine, const struct isa_launch *launch,
                         const struct machine_launch *request, enum argument_kind kind,
                         uint64_t *value)
{
    unsigned axis = kind >= ARGUMENT_HIDDEN_BLOCK_COUNT_X && kind <= ARGUMENT_HIDDEN_GLOBAL_OFFSET_Z
                        ? (unsigned)(kind - ARGUMENT_HIDDEN_BLOCK_COUNT_X) % 3
                        : 0;

    switch (kind) {
    case ARGUMENT_HIDDEN_BLOCK_COUNT_X:
    case ARGUMENT_HIDDEN_BLOCK_COUNT_Y:
    case ARGUMENT_HIDDEN_BLOCK_COUNT_Z: /* whole groups only */
        *value = launch->global_size[axis] / launch->group_size[axis];
        return true;
    case ARGUMENT_HIDDEN_GROUP_SIZE_X:
    case ARGUMENT_HIDDEN_GROUP_SIZE_Y:
    case ARGUMENT_HIDDEN_GROUP_SIZE_Z:
        *value = launch->group_size[axis];
        return true;
    case ARGUMENT_HIDDEN_REMAINDER_X:
    case ARGUMENT_HIDDEN_REMAINDER_Y:
    case ARGUMENT_HIDDEN_REMAINDER_Z:
        *value = launch->global_size[axis] % launch->group_size[axis];
        return true;
    case ARGUMENT_HIDDEN_GLOBAL_OFFSET_X:
    case ARGUMENT_HIDDEN_GLOBAL_OFFSET_Y:
    case ARGUMENT_HIDDEN_GLOBAL_OFFSET_Z:
        *value = launch->global_offset[axis];
        return true;
    case ARGUMENT_HIDDEN_GRID_DIMS:
        *value = launch->dimensions;
        return true;
    case ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE:
        *value = request->dynamic_lds_bytes;
        return true;
    case ARGUMENT_HIDDEN_PRINTF_BUFFER:
        *value = machine->launch_memory.print;
        return true;
    default:
        return false;
    }
}

/* At the implicit argument pointer, libclc's get_work_dim and get_global_offset read an older
 * layout than the code object's metadata declares. It has the work dimensions, then the offsets, 32
 * bits each (libclc 22, amdgcn-amd-amdhsa.bc). They stand where the metadata has block counts and
 * the first group sizes, which nothing in libclc reads: sizes come from the dispatch packet. So
 * libclc's layout wins; see docs/decisions/0002-implicit-arguments.md. */
static void write_libclc_arguments(const struct isa_launch *launch,
                                   const struct program_kernel *kernel, unsigned char *bytes)
{
    uint32_t first = kernel->kernarg_bytes;

    for (uint32_t i = kernel->visible_argument_count; i < kernel->argument_count; i++)
        if (kernel->arguments[i].offset < first)
            first = kernel->arguments[i].offset;
    if (first + 16 > kernel->kernarg_bytes)
        return;
    packet_put(bytes + first, launch->dimensions, 4);
    for (unsigned axis = 0; axis < 3; axis++)
        packet_put(bytes + first + 4 + 4 * axis, launch->global_offset[axis], 4);
}

static void write_arguments(struct machine *machine, const struct isa_launch *launch,
                            const struct machine_launch *request)
{
    const struct program_kernel *kernel = request->kernel;
    unsigned char *bytes;

    if (kernel->kernarg_bytes == 0)
        return;
    bytes = allocate(kernel->kernarg_bytes, 1);
    memcpy(bytes, request->arguments, kernel->kernarg_bytes);
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct program_argument *argument = &kernel->arguments[i];
        uint64_t value;

        check(argument->offset + argument->bytes <= kernel->kernarg_bytes,
              "argument %u of %s lies outside the argument segment", i, kernel->name);
        if (hidden_value(machine, launch, request, argument->kind, &value))
            packet_put(bytes + argument->offset, value, argument->bytes);
    }
    write_libclc_arguments(launch, kernel, bytes);
    memory_write(machine, launch->kernarg_address, bytes, kernel->kernarg_bytes);
    free(bytes);
}

static void write_packet(struct machine *machine, const struct isa_launch *launch)
{
    unsigned char packet[PACKET_BYTES] = {0};

    packet_put(packet + 0, 2, 2); /* header: kernel dispatch */
    packet_put(packet + 2, launch->dimensions, 2);
    for (unsigned axis = 0; axis < 3; axis++) {
        packet_put(packet + 4 + 2 * axis, launch->group_size[axis], 2);
        packet_put(packet + 12 + 4 * axis, launch->global_size[axis], 4);
    }
    packet_put(packet + 24, launch->scratch_bytes, 4);
    packet_put(packet + 28, launch->lds_bytes, 4);
    packet_put(packet + 32, launch->kernel->entry, 8);
    packet_put(packet + 40, launch->kernarg_address, 8);
    memory_write(machine, launch->dispatch_address, packet, sizeof packet);
}

static uint64_t memory_need(struct machine *machine, uint64_t *addr, uint64_t *bytes,
                            uint64_t wanted, uint8_t rights, const char *name)
{
    if (*bytes >= wanted)
        return *addr;
    if (*addr != 0)
        memory_release(machine, *addr);
    *addr = backing_allocate(&machine->backing, wanted, BACKING_PAGE_BYTES, name);
    *bytes = *addr != 0 ? wanted : 0;
    if (*addr != 0)
        backing_hide(&machine->backing, *addr, rights);
    return *addr;
}

/* Where the dispatch packet, the queue record and the arguments are. */
static bool place_arguments(struct machine *machine, const struct machine_launch *request,
                            struct isa_launch *launch, struct diagnosis *diagnosis)
{
    struct launch_memory *memory = &machine->launch_memory;

    launch->dispatch_address =
        memory_need(machine, &memory->packet, &memory->packet_bytes, PACKET_BYTES + QUEUE_BYTES,
                    BACKING_MAY_LOAD, "dispatch packet");
    launch->queue_address = launch->dispatch_address + PACKET_BYTES;
    launch->kernarg_address =
        memory_need(machine, &memory->arguments, &memory->argument_bytes,
                    request->kernel->kernarg_bytes + 64, BACKING_MAY_LOAD, "kernel arguments");
    if (launch->dispatch_address != 0 && launch->kernarg_address != 0)
        return true;
    diagnose(diagnosis, "%s: device memory is full: there is no room for its arguments",
             request->kernel->name);
    return diagnose_hint(diagnosis, "enlarge gpu.memory_mb, or release buffers");
}

static bool launch_place(struct machine *machine, const struct machine_launch *request,
                         struct isa_launch *launch, struct diagnosis *diagnosis)
{
    struct launch_memory *memory = &machine->launch_memory;
    uint32_t slots = machine->model->operations->wavefront_slots(machine->model, launch);
    uint64_t scratch = machine->isa->scratch_slot_bytes(launch) * slots;

    if (!place_arguments(machine, request, launch, diagnosis))
        return false;
    if (scratch == 0)
        return true;
    if (scratch > UINT32_MAX) {
        diagnose(diagnosis,
                 "%s: %llu bytes of private memory for all wavefronts: the hardware's offset into "
                 "it has 32 bits",
                 request->kernel->name, (unsigned long long)scratch);
        return diagnose_hint(diagnosis, "use smaller private arrays");
    }
    launch->scratch_address = memory_need(machine, &memory->scratch, &memory->scratch_bytes,
                                          scratch, BACKING_MAY_SCRATCH, "scratch");
    if (launch->scratch_address != 0)
        return true;
    diagnose(diagnosis, "%s: %llu bytes of private memory for all wavefronts do not fit",
             request->kernel->name, (unsigned long long)scratch);
    return diagnose_hint(diagnosis, "enlarge gpu.memory_mb");
}

static bool sizes_fit(const struct machine_launch *request, struct diagnosis *diagnosis)
{
    uint64_t group = 1;

    for (unsigned axis = 0; axis < request->dimensions; axis++) {
        if (request->group_size[axis] == 0 || request->global_size[axis] == 0)
            return diagnose(diagnosis, "%s: a size of zero", request->kernel->name);
        if (request->global_size[axis] > UINT32_MAX)
            return diagnose(diagnosis, "%s: more than 2^32 - 1 work-items in a dimension",
                            request->kernel->name);
        group *= request->group_size[axis];
    }
    if (group <= request->kernel->max_group_size)
        return true;
    diagnose(diagnosis, "%s: %llu work-items a work-group, but it was compiled for %u at most",
             request->kernel->name, (unsigned long long)group, request->kernel->max_group_size);
    return diagnose_hint(diagnosis, "use __attribute__((reqd_work_group_size(x, y, z)))");
}

/* The compiler takes barriers for nothing where a work-group is one wavefront of the hardware's. */
static bool barriers_stand(const struct machine *machine, const struct machine_launch *request,
                           struct diagnosis *diagnosis)
{
    uint64_t lanes = machine->parameters->gpu.wavefront_lanes, items = 1;

    for (unsigned axis = 0; axis < request->dimensions; axis++)
        items *= request->group_size[axis];
    if (!request->kernel->lost_barriers || items <= lanes)
        return true;
    diagnose(diagnosis,
             "%s: its barriers are not in the code: with work-groups of %u work-items at most the "
             "compiler relies on wavefronts of 64 lanes, and this GPU's have %llu "
             "(gpu.wavefront_lanes)",
             request->kernel->name, request->kernel->max_group_size, (unsigned long long)lanes);
    return diagnose_hint(diagnosis,
                         "let its work-groups be larger than 64, or %llu at most, or "
                         "compile without optimisation (-cl-opt-disable)",
                         (unsigned long long)lanes);
}

/* All of the launch but where its memory lies. */
static bool launch_describe(const struct machine *machine, const struct machine_launch *request,
                            struct isa_kernel *kernel, struct isa_launch *launch,
                            struct diagnosis *diagnosis)
{
    uint64_t local;

    if (!sizes_fit(request, diagnosis) || !barriers_stand(machine, request, diagnosis) ||
        !machine_kernel(request->code, request->kernel->name, kernel, diagnosis))
        return false;
    memset(launch, 0, sizeof *launch);
    launch->kernel = kernel;
    launch->dimensions = request->dimensions;
    launch->wave_lanes = (uint32_t)machine->parameters->gpu.wavefront_lanes;
    for (unsigned axis = 0; axis < 3; axis++) {
        bool is_used = axis < request->dimensions;

        launch->global_size[axis] = is_used ? (uint32_t)request->global_size[axis] : 1;
        launch->group_size[axis] = is_used ? request->group_size[axis] : 1;
        launch->global_offset[axis] = is_used ? request->global_offset[axis] : 0;
        launch->group_count[axis] = (launch->global_size[axis] - 1) / launch->group_size[axis] + 1;
    }
    local = (uint64_t)kernel->lds_bytes + request->dynamic_lds_bytes;
    launch->lds_bytes = (uint32_t)local;
    launch->scratch_bytes = request->kernel->scratch_bytes;
    launch->dispatch_id = machine->launch_count;
    if (local <= machine->parameters->gpu.group_lds_bytes)
        return true;
    return diagnose(diagnosis, "%s: %llu bytes of local memory, but a work-group may have %llu",
                    request->kernel->name, (unsigned long long)local,
                    (unsigned long long)machine->parameters->gpu.group_lds_bytes);
}

bool machine_fits(const struct machine *machine, const struct machine_launch *launch,
                  struct diagnosis *diagnosis)
{
    struct isa_kernel kernel;
    struct isa_launch isa_launch;

    return launch_describe(machine, launch, &kernel, &isa_launch, diagnosis) &&
           machine->model->operations->fits(machine->model, &isa_launch, launch, diagnosis);
}

bool launch_prepare(struct machine *machine, const struct machine_launch *request,
                    struct isa_kernel *kernel, struct isa_launch *launch,
                    struct diagnosis *diagnosis)
{
    if (!launch_describe(machine, request, kernel, launch, diagnosis))
        return false;
    if (!launch_place(machine, request, launch, diagnosis))
        return false;
    if (print_buffer_is_used(request) && !print_buffer_prepare(machine, diagnosis))
        return false;
    write_arguments(machine, launch, request);
    write_packet(machine, launch);
    return true;
}
