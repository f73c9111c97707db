/* SPDX-License-Identifier: MIT */
/*
 * Commands on rectangles: boxes of region[2] slices of region[1] rows of region[0] bytes, in a
 * buffer or in host memory. One command is one transfer: its rows are moved untimed, and the whole
 * is charged once.
 */
#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"

#include <stdlib.h>

/* Where a box lies in linear memory. */
struct box {
    size_t origin[3];
    size_t row_pitch, slice_pitch; /* 0 on the way in: as tight as the region allows */
};

struct rectangle {
    struct command command;
    cl_mem buffer, source; /* source: of a copy; NULL */
    struct box box, other; /* in `buffer`; in `source` or host memory */
    size_t region[3];
    unsigned char *target_pointer;       /* of a read */
    const unsigned char *source_pointer; /* of a write */
};

static struct rectangle *rectangle_of(struct command *command)
{
    return container_of(command, struct rectangle, command);
}

static size_t box_offset(const struct box *box, size_t row, size_t slice)
{
    return box->origin[0] + (box->origin[1] + row) * box->row_pitch +
           (box->origin[2] + slice) * box->slice_pitch;
}

static cl_int fill_pitches(struct box *box, const size_t region[3])
{
    if (box->row_pitch == 0)
        box->row_pitch = region[0];
    if (box->row_pitch < region[0])
        return CL_INVALID_VALUE;
    if (box->slice_pitch == 0)
        box->slice_pitch = region[1] * box->row_pitch;
    if (box->slice_pitch < region[1] * box->row_pitch || box->slice_pitch % box->row_pitch != 0)
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static bool fill_box(struct box *box, const size_t *origin, size_t row_pitch, size_t slice_pitch)
{
    if (origin == NULL)
        return false;
    *box = (struct box){{origin[0], origin[1], origin[2]}, row_pitch, slice_pitch};
    return true;
}

/* sum += (origin + extent) * pitch; false when it does not fit. */
static bool add_extent(size_t *sum, size_t origin, size_t extent, size_t pitch)
{
    size_t steps, bytes;

    return !__builtin_add_overflow(origin, extent, &steps) &&
           !__builtin_mul_overflow(steps, pitch, &bytes) &&
           !__builtin_add_overflow(*sum, bytes, sum);
}

/* Whether the last byte of the box lies in the buffer. */
static bool box_fits(const struct box *box, const size_t region[3], size_t bytes)
{
    size_t end = 0;

    return add_extent(&end, box->origin[2], region[2] - 1, box->slice_pitch) &&
           add_extent(&end, box->origin[1], region[1] - 1, box->row_pitch) &&
           add_extent(&end, box->origin[0], region[0], 1) && end <= bytes;
}

/* From the first byte of a box to its last. */
static size_t box_span(const struct box *box, const size_t region[3])
{
    return box_offset(box, region[1] - 1, region[2] - 1) + region[0] - box_offset(box, 0, 0);
}

/* A box in host memory. */
static void settle_box(const unsigned char *pointer, const struct box *box, const size_t region[3])
{
    host_pointer_settle(pointer + box_offset(box, 0, 0), box_span(box, region));
}

static void refresh_box(cl_mem memory, const struct box *box, const size_t region[3])
{
    host_pointer_refresh(memory, box_offset(box, 0, 0), box_span(box, region));
}

static cl_int check_fits(const struct box *box, const size_t region[3], size_t bytes)
{
    if (box_fits(box, region, bytes))
        return CL_SUCCESS;
    return refusal(CL_INVALID_VALUE, NULL,
                   "a region of %zu bytes, %zu rows and %zu slices at (%zu, %zu, %zu) with pitches "
                   "of %zu and %zu bytes ends outside the buffer of %zu",
                   region[0], region[1], region[2], box->origin[0], box->origin[1], box->origin[2],
                   box->row_pitch, box->slice_pitch, bytes);
}

static uint64_t region_bytes(const size_t region[3])
{
    return (uint64_t)region[0] * region[1] * region[2];
}

static void rectangle_finish(struct command *command)
{
    struct rectangle *rectangle = rectangle_of(command);

    object_drop(&rectangle->buffer->object);
    if (rectangle->source != NULL)
        object_drop(&rectangle->source->object);
}

static cl_int run_read(struct command *command)
{
    struct rectangle *r = rectangle_of(command);
    struct machine *machine = session_machine();

    settle_box(r->target_pointer, &r->other, r->region);
    refresh_box(r->buffer, &r->box, r->region);
    for (size_t slice = 0; slice < r->region[2]; slice++)
        for (size_t row = 0; row < r->region[1]; row++)
            machine_read(machine, r->buffer->addr + box_offset(&r->box, row, slice),
                         r->target_pointer + box_offset(&r->other, row, slice), r->region[0],
                         TRANSFER_UNTIMED);
    machine_charge_transfer(machine, region_bytes(r->region),
                            host_memory_transfer(r->target_pointer, 1));
    return CL_SUCCESS;
}

static cl_int run_write(struct command *command)
{
    struct rectangle *r = rectangle_of(command);
    struct machine *machine = session_machine();

    settle_box(r->source_pointer, &r->other, r->region);
    refresh_box(r->buffer, &r->box, r->region);
    for (size_t slice = 0; slice < r->region[2]; slice++)
        for (size_t row = 0; row < r->region[1]; row++)
            machine_write(machine, r->buffer->addr + box_offset(&r->box, row, slice),
                          r->source_pointer + box_offset(&r->other, row, slice), r->region[0],
                          TRANSFER_UNTIMED);
    machine_charge_transfer(machine, region_bytes(r->region),
                            host_memory_transfer(r->source_pointer, 1));
    host_pointer_written(r->buffer, box_offset(&r->box, 0, 0), box_span(&r->box, r->region));
    return CL_SUCCESS;
}

static cl_int run_copy(struct command *command)
{
    struct rectangle *r = rectangle_of(command);
    struct machine *machine = session_machine();
    unsigned char *bytes = allocate(r->region[0], 1);

    refresh_box(r->source, &r->other, r->region);
    refresh_box(r->buffer, &r->box, r->region);
    for (size_t slice = 0; slice < r->region[2]; slice++)
        for (size_t row = 0; row < r->region[1]; row++) {
            machine_read(machine, r->source->addr + box_offset(&r->other, row, slice), bytes,
                         r->region[0], TRANSFER_UNTIMED);
            machine_write(machine, r->buffer->addr + box_offset(&r->box, row, slice), bytes,
                          r->region[0], TRANSFER_UNTIMED);
        }
    free(bytes);
    host_pointer_written(r->buffer, box_offset(&r->box, 0, 0), box_span(&r->box, r->region));
    machine_charge_transfer(machine, 2 * region_bytes(r->region), TRANSFER_ON_DEVICE);
    return CL_SUCCESS;
}

/* What the entry points take, gathered. */
struct request {
    cl_command_type type;
    cl_mem buffer, source;
    const size_t *origin, *other_origin, *region;
    size_t row_pitch, slice_pitch, other_row_pitch, other_slice_pitch;
    struct wait_list waits;
};

static cl_int check_request(cl_command_queue queue, const struct request *request, struct box *box,
                            struct box *other)
{
    const size_t *region = request->region;
    cl_int status = command_check(queue, request->waits);

    if (status == CL_SUCCESS)
        status = buffer_check(queue, request->buffer);
    if (status == CL_SUCCESS && request->type == CL_COMMAND_COPY_BUFFER_RECT)
        status = buffer_check(queue, request->source);
    if (status != CL_SUCCESS)
        return status;
    if (region == NULL || region[0] == 0 || region[1] == 0 || region[2] == 0)
        return refusal(CL_INVALID_VALUE, NULL, "the region is NULL or empty");
    if (!fill_box(box, request->origin, request->row_pitch, request->slice_pitch) ||
        !fill_box(other, request->other_origin, request->other_row_pitch,
                  request->other_slice_pitch))
        return CL_INVALID_VALUE;
    if (fill_pitches(box, region) != CL_SUCCESS || fill_pitches(other, region) != CL_SUCCESS)
        return refusal(CL_INVALID_VALUE, NULL,
                       "a row pitch is at least the region's %zu bytes, a slice pitch at least its "
                       "%zu rows and a multiple of the row pitch",
                       region[0], region[1]);
    return check_fits(box, region, request->buffer->bytes);
}

static struct rectangle *rectangle_create(cl_command_queue queue, const struct request *request,
                                          const struct box *box, const struct box *other)
{
    struct rectangle *rectangle =
        command_create(sizeof *rectangle, queue, request->type, request->waits);

    rectangle->command.finish = rectangle_finish;
    rectangle->buffer = request->buffer;
    object_use(&request->buffer->object);
    rectangle->source = request->source;
    if (request->source != NULL)
        object_use(&request->source->object);
    rectangle->box = *box;
    rectangle->other = *other;
    for (unsigned i = 0; i < 3; i++)
        rectangle->region[i] = request->region[i];
    return rectangle;
}

static cl_int enqueue_read(cl_command_queue queue, const struct request *request, bool is_blocking,
                           void *pointer, cl_event *event)
{
    struct rectangle *rectangle;
    struct box box, other;
    cl_int status = check_request(queue, request, &box, &other);

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(request->buffer, FORBIDS_READING);
    if (status != CL_SUCCESS)
        return status;
    rectangle = rectangle_create(queue, request, &box, &other);
    rectangle->target_pointer = pointer;
    rectangle->command.run = run_read;
    return command_submit(&rectangle->command, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer,
                                           cl_bool is_blocking, const size_t *origin,
                                           const size_t *host_origin, const size_t *region,
                                           size_t row_pitch, size_t slice_pitch,
                                           size_t host_row_pitch, size_t host_slice_pitch,
                                           void *pointer, cl_uint count, const cl_event *events,
                                           cl_event *event)
{
    struct request request = {CL_COMMAND_READ_BUFFER_RECT,
                              buffer,
                              NULL,
                              origin,
                              host_origin,
                              region,
                              row_pitch,
                              slice_pitch,
                              host_row_pitch,
                              host_slice_pitch,
                              {count, events}};

    driver_enter();
    return driver_return(enqueue_read(queue, &request, is_blocking != CL_FALSE, pointer, event));
}

static cl_int enqueue_write(cl_command_queue queue, const struct request *request, bool is_blocking,
                            const void *pointer, cl_event *event)
{
    struct rectangle *rectangle;
    struct box box, other;
    cl_int status = check_request(queue, request, &box, &other);

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(request->buffer, FORBIDS_WRITING);
    if (status != CL_SUCCESS)
        return status;
    rectangle = rectangle_create(queue, request, &box, &other);
    rectangle->source_pointer = pointer;
    rectangle->command.run = run_write;
    return command_submit(&rectangle->command, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer,
                                            cl_bool is_blocking, const size_t *origin,
                                            const size_t *host_origin, const size_t *region,
                                            size_t row_pitch, size_t slice_pitch,
                                            size_t host_row_pitch, size_t host_slice_pitch,
                                            const void *pointer, cl_uint count,
                                            const cl_event *events, cl_event *event)
{
    struct request request = {CL_COMMAND_WRITE_BUFFER_RECT,
                              buffer,
                              NULL,
                              origin,
                              host_origin,
                              region,
                              row_pitch,
                              slice_pitch,
                              host_row_pitch,
                              host_slice_pitch,
                              {count, events}};

    driver_enter();
    return driver_return(enqueue_write(queue, &request, is_blocking != CL_FALSE, pointer, event));
}

/* Whether two boxes of one size and pitch, `distance` bytes apart, share a byte. Rows start at
 * multiples of the pitch from each other, so for each difference of slices only the two nearest
 * differences of rows can meet. */
static bool boxes_overlap(int64_t distance, const size_t region[3], const struct box *box)
{
    int64_t width = (int64_t)region[0], rows = (int64_t)region[1], slices = (int64_t)region[2];
    int64_t row_pitch = (int64_t)box->row_pitch, slice_pitch = (int64_t)box->slice_pitch;

    for (int64_t slice = 1 - slices; slice < slices; slice++) {
        int64_t left = distance - slice * slice_pitch;
        int64_t nearest = left / row_pitch;

        for (int64_t row = nearest - 1; row <= nearest + 1; row++)
            if (row > -rows && row < rows && left - row * row_pitch < width &&
                left - row * row_pitch > -width)
                return true;
    }
    return false;
}

static cl_int check_copy(const struct request *request, const struct box *box,
                         const struct box *other)
{
    const struct _cl_mem *target = request->buffer, *source = request->source;

    cl_int status = check_fits(other, request->region, source->bytes);

    if (status != CL_SUCCESS)
        return status;
    if (source == target &&
        (box->row_pitch != other->row_pitch || box->slice_pitch != other->slice_pitch))
        return refusal(CL_INVALID_VALUE, NULL, "within a buffer both pitches are the same");
    /* Sub-buffers of one buffer with unlike pitches are not examined: the specification asks for
     * the same buffer only. */
    if (box->row_pitch != other->row_pitch || box->slice_pitch != other->slice_pitch)
        return CL_SUCCESS;
    return boxes_overlap((int64_t)(target->addr + box_offset(box, 0, 0)) -
                             (int64_t)(source->addr + box_offset(other, 0, 0)),
                         request->region, box)
               ? refusal(CL_MEM_COPY_OVERLAP, NULL, "the regions overlap")
               : CL_SUCCESS;
}

static cl_int enqueue_copy(cl_command_queue queue, const struct request *request, cl_event *event)
{
    struct rectangle *rectangle;
    struct box box, other;
    cl_int status = check_request(queue, request, &box, &other);

    if (status == CL_SUCCESS)
        status = check_copy(request, &box, &other);
    if (status != CL_SUCCESS)
        return status;
    rectangle = rectangle_create(queue, request, &box, &other);
    rectangle->command.run = run_copy;
    return command_submit(&rectangle->command, false, event);
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem target,
                                           const size_t *source_origin, const size_t *target_origin,
                                           const size_t *region, size_t source_row_pitch,
                                           size_t source_slice_pitch, size_t target_row_pitch,
                                           size_t target_slice_pitch, cl_uint count,
                                           const cl_event *events, cl_event *event)
{
    struct request request = {CL_COMMAND_COPY_BUFFER_RECT,
                              target,
                              source,
                              target_origin,
                              source_origin,
                              region,
                              target_row_pitch,
                              target_slice_pitch,
                              source_row_pitch,
                              source_slice_pitch,
                              {count, events}};

    driver_enter();
    return driver_return(enqueue_copy(queue, &request, event));
}
