/* SPDX-License-Identifier: MIT */
/*
 * OpenCL's own commands with pointers into linked arrays. The runtime's threads would fault there,
 * and the data that they wait for may come by a command that needs those threads. So the memory is
 * made ready on the calling thread, before the command is given. It stays so until the next
 * gpuvm_kernel_begin of the array, which must come after the command has ended.
 *
 * Leaves out: images, clEnqueueFillBuffer's pattern, and programs that find OpenCL by dlopen.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "gpuvm.h"
#include "preload.h"

#include <CL/cl.h>

static void make_ready(const void *pointer, size_t nbytes, int flags)
{
    const struct preload_library *library = preload_get();

    if (library == NULL || pointer == NULL || !preload_is_linked(library, pointer, nbytes))
        return;
    if (preload_begin(library, (void *)pointer, nbytes, flags))
        preload_end(library, (void *)pointer, nbytes);
}

PRELOAD_API cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                        size_t offset, size_t nbytes, const void *pointer,
                                        cl_uint count, const cl_event *list, cl_event *event)
{
    __typeof__(clEnqueueWriteBuffer) *next = NEXT(clEnqueueWriteBuffer);

    if (next == NULL)
        return CL_INVALID_OPERATION;
    make_ready(pointer, nbytes, GPUVM_READ_ONLY);
    return next(queue, buffer, is_blocking, offset, nbytes, pointer, count, list, event);
}

PRELOAD_API cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                                       size_t offset, size_t nbytes, void *pointer, cl_uint count,
                                       const cl_event *list, cl_event *event)
{
    __typeof__(clEnqueueReadBuffer) *next = NEXT(clEnqueueReadBuffer);

    if (next == NULL)
        return CL_INVALID_OPERATION;
    make_ready(pointer, nbytes, GPUVM_READ_WRITE);
    return next(queue, buffer, is_blocking, offset, nbytes, pointer, count, list, event);
}

/* From the first byte of a rectangle in host memory to its last. */
static size_t rectangle_bytes(const size_t *origin, const size_t *region, size_t row_pitch,
                              size_t slice_pitch)
{
    size_t row = row_pitch > 0 ? row_pitch : region[0];
    size_t slice = slice_pitch > 0 ? slice_pitch : region[1] * row;

    return (origin[2] + region[2] - 1) * slice + (origin[1] + region[1] - 1) * row + origin[0] +
           region[0];
}

PRELOAD_API cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer,
                                            cl_bool is_blocking, const size_t *buffer_origin,
                                            const size_t *host_origin, const size_t *region,
                                            size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                            size_t host_row_pitch, size_t host_slice_pitch,
                                            const void *pointer, cl_uint count,
                                            const cl_event *list, cl_event *event)
{
    __typeof__(clEnqueueWriteBufferRect) *next = NEXT(clEnqueueWriteBufferRect);

    if (next == NULL)
        return CL_INVALID_OPERATION;
    if (host_origin != NULL && region != NULL)
        make_ready(pointer, rectangle_bytes(host_origin, region, host_row_pitch, host_slice_pitch),
                   GPUVM_READ_ONLY);
    return next(queue, buffer, is_blocking, buffer_origin, host_origin, region, buffer_row_pitch,
                buffer_slice_pitch, host_row_pitch, host_slice_pitch, pointer, count, list, event);
}

PRELOAD_API cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer,
                                           cl_bool is_blocking, const size_t *buffer_origin,
                                           const size_t *host_origin, const size_t *region,
                                           size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                           size_t host_row_pitch, size_t host_slice_pitch,
                                           void *pointer, cl_uint count, const cl_event *list,
                                           cl_event *event)
{
    __typeof__(clEnqueueReadBufferRect) *next = NEXT(clEnqueueReadBufferRect);

    if (next == NULL)
        return CL_INVALID_OPERATION;
    if (host_origin != NULL && region != NULL)
        make_ready(pointer, rectangle_bytes(host_origin, region, host_row_pitch, host_slice_pitch),
                   GPUVM_READ_WRITE);
    return next(queue, buffer, is_blocking, buffer_origin, host_origin, region, buffer_row_pitch,
                buffer_slice_pitch, host_row_pitch, host_slice_pitch, pointer, count, list, event);
}

PRELOAD_API cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t nbytes,
                                  void *pointer, cl_int *error)
{
    __typeof__(clCreateBuffer) *next = NEXT(clCreateBuffer);

    if (next == NULL) {
        if (error != NULL)
            *error = CL_INVALID_OPERATION;
        return NULL;
    }
    if (pointer != NULL)
        make_ready(pointer, nbytes,
                   flags & CL_MEM_USE_HOST_PTR ? GPUVM_READ_WRITE : GPUVM_READ_ONLY);
    return next(context, flags, nbytes, pointer, error);
}
