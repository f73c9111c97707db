/* SPDX-License-Identifier: MIT */
#include "gpu/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void must(bool done, const struct diagnosis *diagnosis)
{
    if (!done)
        fail_msg("%s", diagnosis->message);
}

void kernel_load(struct real_kernel *kernel, struct rig *rig, const char *source, const char *name)
{
    kernel_load_with(kernel, rig, source, name, "");
}

void kernel_load_with(struct real_kernel *kernel, struct rig *rig, const char *source,
                      const char *name, const char *options)
{
    struct diagnosis diagnosis = {0};
    struct text log = {0};
    unsigned char *file;
    size_t bytes;

    memset(kernel, 0, sizeof *kernel);
    if (!program_compile(source, strlen(source), options, NULL, &file, &bytes, &log, &diagnosis))
        fail_msg("%s\n%s", diagnosis.message, text_chars(&log));
    text_finish(&log);
    kernel->program = program_load(file, bytes, &diagnosis);
    must(kernel->program != NULL, &diagnosis);
    free(file);
    kernel->metadata = program_find_kernel(kernel->program, name);
    assert_non_null(kernel->metadata);
    kernel->image = backing_allocate(&rig->backing, kernel->program->image_bytes, 4096, "code");
    program_place(kernel->program, kernel->image, backing_host(&rig->backing, kernel->image));
    kernel->code = rig->isa->decode(
        backing_host(&rig->backing, kernel->image + kernel->program->code_offset),
        (uint32_t)kernel->program->code_bytes, kernel->image + kernel->program->code_offset);
    must(rig->isa->kernel_init(&kernel->kernel, kernel->code, kernel->metadata->descriptor,
                               kernel->image + kernel->metadata->entry_offset, &diagnosis),
         &diagnosis);
    kernel->arguments =
        backing_allocate(&rig->backing, kernel->metadata->kernarg_bytes + 64, 256, "arguments");
}

void kernel_finish(struct real_kernel *kernel, struct rig *rig)
{
    rig->isa->code_destroy(kernel->code);
    program_destroy(kernel->program);
}

static void write_argument(struct rig *rig, const struct real_kernel *kernel,
                           const struct program_argument *argument, uint64_t value)
{
    memcpy(backing_host(&rig->backing, kernel->arguments + argument->offset), &value,
           argument->bytes < 8 ? argument->bytes : 8);
}

void kernel_set(struct real_kernel *kernel, struct rig *rig, uint32_t index, uint64_t value)
{
    assert_true(index < kernel->metadata->visible_argument_count);
    write_argument(rig, kernel, &kernel->metadata->arguments[index], value);
}

/* libclc for amdhsa reads the work dimension and the three global offsets from the first words
 * after the visible arguments, whatever the metadata calls them. Offsets are zero here. */
static void fill_hidden(struct real_kernel *kernel, struct rig *rig)
{
    for (uint32_t i = 0; i < kernel->metadata->argument_count; i++) {
        const struct program_argument *argument = &kernel->metadata->arguments[i];

        if (argument->kind == ARGUMENT_HIDDEN_BLOCK_COUNT_X)
            write_argument(rig, kernel, argument, rig->isa_launch.dimensions);
    }
}

/* The parts of the AQL dispatch packet that kernels read. */
static void fill_packet(struct rig *rig)
{
    const struct isa_launch *launch = &rig->isa_launch;
    unsigned char *packet = backing_host(&rig->backing, launch->dispatch_address);

    for (unsigned i = 0; i < 3; i++) {
        uint16_t group = (uint16_t)launch->group_size[i];

        memcpy(packet + 4 + 2 * i, &group, 2);
        memcpy(packet + 12 + 4 * i, &launch->global_size[i], 4);
    }
}

void kernel_prepare(struct real_kernel *kernel, struct rig *rig, uint32_t global_x,
                    uint32_t global_y, uint32_t local_x, uint32_t local_y)
{
    struct isa_launch *launch = &rig->isa_launch;
    uint64_t slots = (uint64_t)rig->unit_count * compute_unit_slots(&rig->parameters);

    if (launch->dispatch_address == 0) {
        launch->dispatch_address = rig_allocate(rig, 64);
        launch->queue_address = rig_allocate(rig, 256);
    }
    launch->kernarg_address = kernel->arguments;
    rig_set_launch(rig, &kernel->kernel, (global_x + local_x - 1) / local_x, local_x);
    launch->global_size[0] = global_x;
    launch->dimensions = global_y > 1 ? 2 : 1;
    launch->global_size[1] = global_y;
    launch->group_size[1] = local_y;
    launch->group_count[1] = global_y / local_y;
    launch_init(&rig->launch, launch, rig->isa->wave_lanes, kernel->metadata->name, rig->trace);
    if (slots < functional_scratch_slots(rig->device, &rig->launch))
        slots = functional_scratch_slots(rig->device, &rig->launch);
    if (launch->scratch_bytes > 0)
        launch->scratch_address = rig_allocate(rig, slots * rig->isa->scratch_slot_bytes(launch));
    fill_hidden(kernel, rig);
    fill_packet(rig);
}
