/* SPDX-License-Identifier: MIT */
/* Commands on rectangles of buffers. A pitch of 0 is as tight as the region allows. */
#include <string.h>

#include "opencl/rectangle.h"

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

/* What the entry points take, gathered. */
struct request {
    cl_command_type type;
    cl_mem buffer, source;
    const size_t *origin, *other_origin, *region;
    size_t row_pitch, slice_pitch, other_row_pitch, other_slice_pitch;
    struct wait_list waits;
};

/* Fills the move in, but for the host's pointer. */
static cl_int check_request(cl_command_queue queue, const struct request *request,
                            struct rectangle_move *move)
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
    if (!fill_box(&move->box, request->origin, request->row_pitch, request->slice_pitch) ||
        !fill_box(&move->other, request->other_origin, request->other_row_pitch,
                  request->other_slice_pitch))
        return CL_INVALID_VALUE;
    if (fill_pitches(&move->box, region) != CL_SUCCESS ||
        fill_pitches(&move->other, region) != CL_SUCCESS)
        return refusal(CL_INVALID_VALUE, NULL,
                       "a row pitch is at least the region's %zu bytes, a slice pitch at least its "
                       "%zu rows and a multiple of the row pitch",
                       region[0], region[1]);
    move->type = request->type;
    move->waits = request->waits;
    move->memory = request->buffer;
    move->source = request->source;
    memcpy(move->region, region, sizeof move->region);
    return check_fits(&move->box, region, request->buffer->bytes);
}

static cl_int enqueue_read(cl_command_queue queue, const struct request *request, bool is_blocking,
                           void *pointer, cl_event *event)
{
    struct rectangle_move move = {0};
    cl_int status = check_request(queue, request, &move);

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(request->buffer, FORBIDS_READING);
    if (status != CL_SUCCESS)
        return status;
    move.target_pointer = pointer;
    return rectangle_submit(queue, &move, is_blocking, event);
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
    struct rectangle_move move = {0};
    cl_int status = check_request(queue, request, &move);

    if (status != CL_SUCCESS)
        return status;
    if (pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(request->buffer, FORBIDS_WRITING);
    if (status != CL_SUCCESS)
        return status;
    move.source_pointer = pointer;
    return rectangle_submit(queue, &move, is_blocking, event);
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

static cl_int check_copy(const struct rectangle_move *move)
{
    const struct _cl_mem *target = move->memory, *source = move->source;
    const struct box *box = &move->box, *other = &move->other;
    cl_int status = check_fits(other, move->region, source->bytes);

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
                         move->region, box)
               ? refusal(CL_MEM_COPY_OVERLAP, NULL, "the regions overlap")
               : CL_SUCCESS;
}

static cl_int enqueue_copy(cl_command_queue queue, const struct request *request, cl_event *event)
{
    struct rectangle_move move = {0};
    cl_int status = check_request(queue, request, &move);

    if (status == CL_SUCCESS)
        status = check_copy(&move);
    if (status != CL_SUCCESS)
        return status;
    return rectangle_submit(queue, &move, false, event);
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
