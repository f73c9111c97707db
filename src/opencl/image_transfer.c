/* SPDX-License-Identifier: MIT */
/* Commands that move boxes of images: read, write, copy, to and from buffers, fill. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/host_pointer.h"
#include "opencl/image.h"

/* Checks the queue, the image and the box; fills in where it lies. */
static cl_int check_image_part(cl_command_queue queue, cl_mem image, const size_t *origin,
                               const size_t *region, struct rectangle_move *move)
{
    cl_int status = command_check(queue, move->waits);

    if (status == CL_SUCCESS)
        status = image_check(queue, image);
    if (status != CL_SUCCESS)
        return status;
    move->memory = image;
    return image_box(image, origin, region, &move->box, move->region);
}

/* Host memory for the region. A pitch of 0 is as tight as it allows. */
static cl_int fill_host_box(const struct image *image, struct rectangle_move *move,
                            size_t row_pitch, size_t slice_pitch)
{
    bool has_slices = image->type == CL_MEM_OBJECT_IMAGE3D || image_is_array(image);
    size_t tight;

    if (row_pitch != 0 && row_pitch < move->region[0])
        return refusal(CL_INVALID_VALUE, NULL, "a row pitch of %zu bytes for rows of %zu",
                       row_pitch, move->region[0]);
    if (slice_pitch != 0 && !has_slices)
        return refusal(CL_INVALID_VALUE, NULL,
                       "a slice pitch of %zu bytes, but the image has no slices", slice_pitch);
    move->other.row_pitch = row_pitch != 0 ? row_pitch : move->region[0];
    tight = move->other.row_pitch * move->region[1];
    if (slice_pitch != 0 && slice_pitch < tight)
        return refusal(CL_INVALID_VALUE, NULL, "a slice pitch of %zu bytes for slices of %zu",
                       slice_pitch, tight);
    move->other.slice_pitch = slice_pitch != 0 ? slice_pitch : tight;
    return CL_SUCCESS;
}

/* ---- Read and write ---- */

struct host_request {
    cl_mem image;
    const size_t *origin, *region;
    size_t row_pitch, slice_pitch;
    cl_mem_flags forbidding;
};

static cl_int enqueue_host(cl_command_queue queue, const struct host_request *request,
                           struct rectangle_move *move, bool is_blocking, cl_event *event)
{
    cl_int status = check_image_part(queue, request->image, request->origin, request->region, move);

    if (status == CL_SUCCESS)
        status =
            fill_host_box(request->image->image, move, request->row_pitch, request->slice_pitch);
    if (status != CL_SUCCESS)
        return status;
    if (move->target_pointer == NULL && move->source_pointer == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the host's pointer is NULL");
    status = buffer_check_host(request->image, request->forbidding);
    if (status != CL_SUCCESS)
        return status;
    return rectangle_submit(queue, move, is_blocking, event);
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                                      const size_t *origin, const size_t *region, size_t row_pitch,
                                      size_t slice_pitch, void *pointer, cl_uint count,
                                      const cl_event *events, cl_event *event)
{
    struct host_request request = {image, origin, region, row_pitch, slice_pitch, FORBIDS_READING};
    struct rectangle_move move = {
        .type = CL_COMMAND_READ_IMAGE, .waits = {count, events}, .target_pointer = pointer};

    driver_enter();
    return driver_return(enqueue_host(queue, &request, &move, is_blocking != CL_FALSE, event));
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                                       const size_t *origin, const size_t *region, size_t row_pitch,
                                       size_t slice_pitch, const void *pointer, cl_uint count,
                                       const cl_event *events, cl_event *event)
{
    struct host_request request = {image, origin, region, row_pitch, slice_pitch, FORBIDS_WRITING};
    struct rectangle_move move = {
        .type = CL_COMMAND_WRITE_IMAGE, .waits = {count, events}, .source_pointer = pointer};

    driver_enter();
    return driver_return(enqueue_host(queue, &request, &move, is_blocking != CL_FALSE, event));
}

/* ---- Copy ---- */

static bool is_within(size_t first, size_t other, size_t count)
{
    return first < other + count && other < first + count;
}

static bool copy_overlaps(const struct rectangle_move *move)
{
    const size_t *to = move->box.origin, *from = move->other.origin;

    return move->source == move->memory && is_within(to[0], from[0], move->region[0]) &&
           is_within(to[1], from[1], move->region[1]) && is_within(to[2], from[2], move->region[2]);
}

static cl_int enqueue_copy(cl_command_queue queue, cl_mem source, cl_mem target,
                           const size_t *source_origin, const size_t *target_origin,
                           const size_t *region, struct wait_list waits, cl_event *event)
{
    struct rectangle_move move = {.type = CL_COMMAND_COPY_IMAGE, .waits = waits};
    const cl_image_format *from, *to;
    cl_int status = check_image_part(queue, source, source_origin, region, &move);

    if (status != CL_SUCCESS)
        return status;
    move.source = source;
    move.other = move.box;
    status = check_image_part(queue, target, target_origin, region, &move);
    if (status != CL_SUCCESS)
        return status;
    from = &source->image->format;
    to = &target->image->format;
    if (from->image_channel_order != to->image_channel_order ||
        from->image_channel_data_type != to->image_channel_data_type)
        return refusal(CL_IMAGE_FORMAT_MISMATCH, NULL, "the images are of different formats");
    if (copy_overlaps(&move))
        return refusal(CL_MEM_COPY_OVERLAP, NULL, "the regions overlap");
    return rectangle_submit(queue, &move, false, event);
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                      const size_t *source_origin, const size_t *target_origin,
                                      const size_t *region, cl_uint count, const cl_event *events,
                                      cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_copy(queue, source, target, source_origin, target_origin, region,
                                      (struct wait_list){count, events}, event));
}

/* In a buffer the region lies without gaps. */
static cl_int check_buffer_part(cl_command_queue queue, cl_mem buffer, size_t offset,
                                const struct rectangle_move *move, struct box *box)
{
    cl_int status = buffer_check(queue, buffer);
    const size_t *region = move->region;

    if (status != CL_SUCCESS)
        return status;
    *box = (struct box){{offset, 0, 0}, region[0], region[0] * region[1]};
    return buffer_check_range(buffer, offset, region[0] * region[1] * region[2]);
}

static cl_int enqueue_to_buffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                const size_t *origin, const size_t *region, size_t offset,
                                struct wait_list waits, cl_event *event)
{
    struct rectangle_move move = {.type = CL_COMMAND_COPY_IMAGE_TO_BUFFER, .waits = waits};
    cl_int status = check_image_part(queue, source, origin, region, &move);

    if (status != CL_SUCCESS)
        return status;
    move.source = source;
    move.other = move.box;
    move.memory = target;
    status = check_buffer_part(queue, target, offset, &move, &move.box);
    if (status != CL_SUCCESS)
        return status;
    return rectangle_submit(queue, &move, false, event);
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                              const size_t *origin, const size_t *region,
                                              size_t offset, cl_uint count, const cl_event *events,
                                              cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_to_buffer(queue, source, target, origin, region, offset,
                                           (struct wait_list){count, events}, event));
}

static cl_int enqueue_from_buffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                  size_t offset, const size_t *origin, const size_t *region,
                                  struct wait_list waits, cl_event *event)
{
    struct rectangle_move move = {.type = CL_COMMAND_COPY_BUFFER_TO_IMAGE, .waits = waits};
    cl_int status = check_image_part(queue, target, origin, region, &move);

    if (status != CL_SUCCESS)
        return status;
    move.source = source;
    status = check_buffer_part(queue, source, offset, &move, &move.other);
    if (status != CL_SUCCESS)
        return status;
    return rectangle_submit(queue, &move, false, event);
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                              size_t offset, const size_t *origin,
                                              const size_t *region, cl_uint count,
                                              const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_from_buffer(queue, source, target, offset, origin, region,
                                             (struct wait_list){count, events}, event));
}

/* ---- Fill ---- */

struct fill {
    struct command command;
    cl_mem image;
    struct box box;
    size_t region[3];
    unsigned char element[IMAGE_ELEMENT_BYTES_MAX];
};

static void fill_finish(struct command *command)
{
    object_drop(&container_of(command, struct fill, command)->image->object);
}

static cl_int run_fill(struct command *command)
{
    struct fill *fill = container_of(command, struct fill, command);
    uint32_t bytes = fill->image->image->element_bytes;
    unsigned char *row = allocate(fill->region[0], 1);

    for (size_t at = 0; at < fill->region[0]; at += bytes)
        memcpy(row + at, fill->element, bytes);
    host_pointer_refresh(fill->image, 0, fill->image->bytes);
    for (size_t z = 0; z < fill->region[2]; z++)
        for (size_t y = 0; y < fill->region[1]; y++)
            machine_write(session_machine(), fill->image->addr + box_offset(&fill->box, y, z), row,
                          fill->region[0], TRANSFER_UNTIMED);
    free(row);
    host_pointer_written(fill->image, 0, fill->image->bytes);
    machine_charge_transfer(session_machine(),
                            (uint64_t)fill->region[0] * fill->region[1] * fill->region[2],
                            TRANSFER_ON_DEVICE);
    return CL_SUCCESS;
}

static cl_int enqueue_fill(cl_command_queue queue, cl_mem image, const void *color,
                           const size_t *origin, const size_t *region, struct wait_list waits,
                           cl_event *event)
{
    struct rectangle_move move = {.waits = waits};
    cl_int status = check_image_part(queue, image, origin, region, &move);
    struct fill *fill;

    if (status != CL_SUCCESS)
        return status;
    if (color == NULL)
        return refusal(CL_INVALID_VALUE, NULL, "the color is NULL");
    fill = command_create(sizeof *fill, queue, CL_COMMAND_FILL_IMAGE, waits);
    fill->image = image;
    object_use(&image->object);
    fill->box = move.box;
    memcpy(fill->region, move.region, sizeof fill->region);
    image_format_pack(&image->image->format, color, fill->element);
    fill->command.run = run_fill;
    fill->command.finish = fill_finish;
    return command_submit(&fill->command, false, event);
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *color,
                                      const size_t *origin, const size_t *region, cl_uint count,
                                      const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(enqueue_fill(queue, image, color, origin, region,
                                      (struct wait_list){count, events}, event));
}
