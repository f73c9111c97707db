/* SPDX-License-Identifier: MIT */
/* clEnqueueNDRangeKernel: checking and choosing sizes, catching the arguments as they are now,
 * running. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/group_fit.h"
#include "opencl/host_pointer.h"

struct launch {
    struct command command;
    cl_kernel kernel; /* used: its program must live */
    unsigned char *segment;
    struct launch_memory {
        cl_mem memory; /* used: a buffer among the arguments */
        bool is_written;
    } * memories;
    uint32_t memory_count;
    struct machine_launch machine_launch;
};

static struct launch *launch_of(struct command *command)
{
    return container_of(command, struct launch, command);
}

/* ---- Running ---- */

static bool is_empty(const struct machine_launch *launch)
{
    for (uint32_t axis = 0; axis < launch->dimensions; axis++)
        if (launch->global_size[axis] == 0)
            return true;
    return false;
}

/* "KERNEL: ..." or "... kernel KERNEL ..." */
static bool names_kernel(const char *message, const char *kernel)
{
    char words[256];

    snprintf(words, sizeof words, "kernel %s", kernel);
    return strncmp(message, kernel, strlen(kernel)) == 0 || strstr(message, words) != NULL;
}

/* What stopped stays stopped: the machine is in the middle of a kernel, so nothing after it would
 * mean anything. */
static cl_int report_failure(cl_command_queue queue, const struct diagnosis *diagnosis,
                             const char *kernel)
{
    if (!names_kernel(diagnosis->message, kernel))
        fprintf(stderr, "wavetank: kernel %s cannot run here:\n", kernel);
    diagnosis_print(diagnosis, stderr);
    queue->error = CL_OUT_OF_RESOURCES;
    return CL_OUT_OF_RESOURCES;
}

static cl_int run_launch(struct command *command)
{
    struct launch *launch = launch_of(command);
    cl_event event = command->event;
    struct machine_launch_result result;
    struct diagnosis diagnosis = {0};
    struct print_job print;
    bool is_run;

    if (is_empty(&launch->machine_launch)) {
        event->ended_ns = event->started_ns;
        return CL_SUCCESS;
    }
    for (uint32_t i = 0; i < launch->memory_count; i++)
        host_pointer_refresh(launch->memories[i].memory, 0, launch->memories[i].memory->bytes);
    print_start(&print, launch->kernel->program->loaded, &launch->machine_launch);
    is_run = session_run(&launch->machine_launch, &result, &diagnosis);
    print_finish(&print, launch->kernel->information->name, &result);
    if (!is_run)
        return report_failure(event->queue, &diagnosis, launch->kernel->information->name);
    for (uint32_t i = 0; i < launch->memory_count; i++)
        if (launch->memories[i].is_written)
            host_pointer_written(launch->memories[i].memory, 0, launch->memories[i].memory->bytes);
    event->started_ns = result.start_ns;
    event->ended_ns = result.end_ns;
    return CL_SUCCESS;
}

static void launch_finish(struct command *command)
{
    struct launch *launch = launch_of(command);

    for (uint32_t i = 0; i < launch->memory_count; i++)
        object_drop(&launch->memories[i].memory->object);
    free(launch->memories);
    free(launch->segment);
    object_drop(&launch->kernel->object);
}

/* ---- Choosing a work-group size ---- */

enum { CHOSEN_MULTIPLE = 64 }; /* whatever the width of wavefronts: runs stay comparable */

/* The lower, the better: idle lanes of a work-group in wavefronts of 64 for each work-item, then
 * small groups, then narrow ones. */
static uint64_t group_cost(const uint32_t group[3])
{
    uint64_t items = (uint64_t)group[0] * group[1] * group[2];
    uint64_t lanes = align_up(items, CHOSEN_MULTIPLE);

    return (lanes - items) * 1000000 / items * 1000000 + (1000 - items) * 1000 + (1000 - group[0]);
}

void launch_choose_group(cl_uint dimensions, const size_t *global, uint32_t max, uint32_t *group)
{
    size_t sizes[3] = {1, 1, 1};
    uint32_t trial[3];
    uint64_t best = UINT64_MAX;

    if (max > MAX_GROUP_SIZE)
        max = MAX_GROUP_SIZE;
    group[0] = group[1] = group[2] = 1;
    for (cl_uint axis = 0; axis < dimensions; axis++)
        sizes[axis] = global[axis];
    for (trial[0] = 1; trial[0] <= max; trial[0]++) {
        if (sizes[0] % trial[0] != 0)
            continue;
        for (trial[1] = 1; trial[0] * trial[1] <= max && trial[1] <= sizes[1]; trial[1]++) {
            if (sizes[1] % trial[1] != 0)
                continue;
            for (trial[2] = 1; trial[0] * trial[1] * trial[2] <= max && trial[2] <= sizes[2];
                 trial[2]++) {
                if (sizes[2] % trial[2] != 0 || group_cost(trial) >= best)
                    continue;
                best = group_cost(trial);
                memcpy(group, trial, sizeof trial);
            }
        }
    }
}

/* ---- Checks ---- */

/* No sizes at all are an empty range. */
static size_t global_size(const size_t *global, cl_uint axis)
{
    return global != NULL ? global[axis] : 0;
}

static bool has_required_size(const struct program_kernel *information)
{
    return information->required_group_size[0] != 0;
}

/* Work-groups divide the NDRange: libclc takes their size from the dispatch packet, so a smaller
 * one at the end would not know it. */
static cl_int check_group_axis(const struct program_kernel *kernel, cl_uint axis, size_t size,
                               size_t global)
{
    const uint32_t *required = kernel->required_group_size;

    if (size == 0)
        return refusal(CL_INVALID_WORK_GROUP_SIZE, kernel->name,
                       "the local size is 0 in dimension %u", axis);
    if (size > MAX_GROUP_SIZE)
        return refusal(CL_INVALID_WORK_ITEM_SIZE, kernel->name,
                       "the local size is %zu in dimension %u; a work-group has at most %d "
                       "work-items",
                       size, axis, MAX_GROUP_SIZE);
    if (has_required_size(kernel) && size != required[axis])
        return refusal(CL_INVALID_WORK_GROUP_SIZE, kernel->name,
                       "the local size is %zu in dimension %u; the kernel has "
                       "reqd_work_group_size(%u, %u, %u)",
                       size, axis, required[0], required[1], required[2]);
    if (global % size != 0)
        return refusal(CL_INVALID_WORK_GROUP_SIZE, kernel->name,
                       "the global size %zu of dimension %u is no multiple of the local size %zu; "
                       "the next one is %zu",
                       global, axis, size, (global / size + 1) * size);
    return CL_SUCCESS;
}

static cl_int check_given_group(const struct _cl_kernel *kernel, cl_uint dimensions,
                                const size_t *global, const size_t *local)
{
    const struct program_kernel *information = kernel->information;
    uint64_t items = 1;

    for (cl_uint axis = 0; axis < 3; axis++) {
        bool is_used = axis < dimensions;
        size_t size = is_used ? local[axis] : 1;
        cl_int status =
            check_group_axis(information, axis, size, is_used ? global_size(global, axis) : 1);

        if (status != CL_SUCCESS)
            return status;
        items *= size;
    }
    if (items <= information->max_group_size)
        return CL_SUCCESS;
    return refusal(CL_INVALID_WORK_GROUP_SIZE, information->name,
                   "a work-group of %llu work-items; it may have at most %u "
                   "(CL_KERNEL_WORK_GROUP_SIZE)",
                   (unsigned long long)items, information->max_group_size);
}

static cl_int choose_group(const struct _cl_kernel *kernel, cl_uint dimensions,
                           const size_t *global, const size_t *local, uint32_t group[3])
{
    const struct program_kernel *information = kernel->information;
    uint32_t argument_lds_bytes =
        (uint32_t)(kernel_local_bytes(kernel, NULL) - information->lds_bytes);
    size_t required[3];
    cl_int status;

    if (local == NULL && has_required_size(information)) {
        for (unsigned axis = 0; axis < 3; axis++)
            required[axis] = information->required_group_size[axis];
        local = required;
    }
    if (local == NULL && global == NULL) {
        group[0] = group[1] = group[2] = 1;
    } else if (local == NULL) {
        launch_choose_group(dimensions, global, kernel_group_max(kernel, argument_lds_bytes),
                            group);
    } else {
        for (cl_uint axis = 0; axis < 3; axis++)
            group[axis] = axis < dimensions ? (uint32_t)local[axis] : 1;
        status = check_given_group(kernel, dimensions, global, local);
        if (status != CL_SUCCESS)
            return status;
    }
    return kernel_check_group(kernel, group, argument_lds_bytes);
}

static cl_int check_sizes(const char *kernel, cl_uint dimensions, const size_t *offset,
                          const size_t *global)
{
    if (dimensions < 1 || dimensions > 3)
        return refusal(CL_INVALID_WORK_DIMENSION, kernel, "work_dim is %u; it may be 1, 2 or 3",
                       dimensions);
    for (cl_uint axis = 0; axis < dimensions; axis++) {
        size_t size = global_size(global, axis);

        if (size > UINT32_MAX)
            return refusal(CL_INVALID_GLOBAL_WORK_SIZE, kernel,
                           "the global size is %zu in dimension %u; it may be at most %u", size,
                           axis, UINT32_MAX);
        if (offset != NULL && offset[axis] > SIZE_MAX - size)
            return refusal(CL_INVALID_GLOBAL_OFFSET, kernel,
                           "the global offset %zu of dimension %u and the size %zu exceed 64 bits",
                           offset[axis], axis, size);
    }
    return CL_SUCCESS;
}

static cl_int check_local_memory(const struct _cl_kernel *kernel)
{
    size_t bytes = kernel_local_bytes(kernel, NULL);
    struct device_facts facts;

    if (!session_facts(&facts))
        return CL_OUT_OF_RESOURCES;
    if (bytes <= facts.lds_bytes)
        return CL_SUCCESS;
    return refusal(CL_OUT_OF_RESOURCES, kernel->information->name,
                   "%zu bytes of local memory (%u of the kernel's own, the rest for its __local "
                   "arguments), but a work-group may have %llu (gpu.group_lds_bytes)",
                   bytes, kernel->information->lds_bytes, (unsigned long long)facts.lds_bytes);
}

static cl_int check_kernel(cl_command_queue queue, cl_kernel kernel)
{
    char argument[ARGUMENT_TEXT_BYTES];

    if (!object_is(kernel, OBJECT_KERNEL))
        return refusal(CL_INVALID_KERNEL, NULL, "the kernel is none, or was released");
    if (kernel->program->context != queue->context)
        return refusal(CL_INVALID_CONTEXT, kernel->information->name,
                       "kernel and queue are of different contexts");
    if (kernel->program->code == NULL)
        return refusal(CL_INVALID_PROGRAM_EXECUTABLE, kernel->information->name,
                       "its program is not built");
    for (uint32_t i = 0; i < kernel->information->visible_argument_count; i++)
        if (!kernel->arguments[i].is_set)
            return refusal(CL_INVALID_KERNEL_ARGS, kernel->information->name, "%s was never set",
                           kernel_argument_text(kernel, i, argument));
    return check_local_memory(kernel);
}

/* ---- Enqueueing ---- */

static bool may_write(const struct program_argument *argument)
{
    if (argument->kind == ARGUMENT_IMAGE)
        return !argument->is_read_only;
    return !argument->is_const && argument->address_space != ADDRESS_SPACE_CONSTANT;
}

static void catch_arguments(struct launch *launch, cl_kernel kernel)
{
    const struct program_kernel *information = kernel->information;

    launch->segment = allocate(information->kernarg_bytes, 1);
    memcpy(launch->segment, kernel->segment, information->kernarg_bytes);
    launch->memories = allocate(information->visible_argument_count, sizeof *launch->memories);
    for (uint32_t i = 0; i < information->visible_argument_count; i++) {
        cl_mem memory = kernel->arguments[i].memory;

        if (memory == NULL)
            continue;
        object_use(&memory->object);
        launch->memories[launch->memory_count++] =
            (struct launch_memory){memory, may_write(&information->arguments[i])};
    }
    launch->machine_launch.dynamic_lds_bytes =
        (uint32_t)(kernel_local_bytes(kernel, launch->segment) - information->lds_bytes);
    launch->machine_launch.arguments = launch->segment;
}

static struct launch *launch_create(cl_command_queue queue, cl_command_type type, cl_kernel kernel,
                                    struct wait_list waits)
{
    struct launch *launch = command_create(sizeof *launch, queue, type, waits);

    launch->command.run = run_launch;
    launch->command.finish = launch_finish;
    launch->command.keeps_its_times = true;
    launch->kernel = kernel;
    object_use(&kernel->object);
    launch->machine_launch.code = kernel->program->code;
    launch->machine_launch.first_compute_unit = queue->device->first_unit;
    launch->machine_launch.compute_unit_count = queue->device->unit_count;
    launch->machine_launch.kernel = kernel->information;
    catch_arguments(launch, kernel);
    return launch;
}

struct range {
    cl_uint dimensions;
    const size_t *offset, *global, *local;
};

static cl_int enqueue_launch(cl_command_queue queue, cl_command_type type, cl_kernel kernel,
                             const struct range *range, struct wait_list waits, cl_event *event)
{
    uint32_t group[3];
    struct machine_launch *launch;
    struct launch *command;
    cl_int status = command_check(queue, waits);

    if (status == CL_SUCCESS)
        status = check_kernel(queue, kernel);
    if (status == CL_SUCCESS)
        status =
            check_sizes(kernel->information->name, range->dimensions, range->offset, range->global);
    if (status == CL_SUCCESS)
        status = choose_group(kernel, range->dimensions, range->global, range->local, group);
    if (status != CL_SUCCESS)
        return status;
    command = launch_create(queue, type, kernel, waits);
    launch = &command->machine_launch;
    launch->dimensions = range->dimensions;
    for (cl_uint axis = 0; axis < 3; axis++) {
        bool is_used = axis < range->dimensions;

        launch->global_size[axis] = is_used ? global_size(range->global, axis) : 1;
        launch->global_offset[axis] = is_used && range->offset != NULL ? range->offset[axis] : 0;
        launch->group_size[axis] = group[axis];
    }
    return command_submit(&command->command, false, event);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                          cl_uint dimensions, const size_t *offset,
                                          const size_t *global, const size_t *local, cl_uint count,
                                          const cl_event *events, cl_event *event)
{
    struct range range = {dimensions, offset, global, local};

    driver_enter();
    return driver_return(enqueue_launch(queue, CL_COMMAND_NDRANGE_KERNEL, kernel, &range,
                                        (struct wait_list){count, events}, event));
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                 const cl_event *events, cl_event *event)
{
    static const size_t one = 1;
    struct range range = {1, NULL, &one, &one};

    driver_enter();
    return driver_return(enqueue_launch(queue, CL_COMMAND_TASK, kernel, &range,
                                        (struct wait_list){count, events}, event));
}
