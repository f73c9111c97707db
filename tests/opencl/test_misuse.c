/* SPDX-License-Identifier: MIT */
/*
 * Every entry point with handles that are none: NULL, an odd number, memory of the program's, an
 * object of another kind, one that was released. The specification's code comes back each time, and
 * nothing breaks. The calls go to the driver's table, not through the loader, which would stop
 * some.
 */
#include <stdio.h>

#include "support.h"

static const struct _cl_icd_dispatch *cl;

enum { HANDLES = 5 };

/* For each kind of object the handles that are none of it. */
static void *no_contexts[HANDLES], *no_queues[HANDLES], *no_memories[HANDLES], *no_events[HANDLES],
    *no_programs[HANDLES], *no_kernels[HANDLES], *no_devices[HANDLES - 1];
static cl_mem buffer;
static cl_kernel kernel;
static char own_memory[256];
static cl_event never;

#define fill(list, other_kind, released)                                                           \
    do {                                                                                           \
        void *const handles[HANDLES] = {NULL, (void *)9, own_memory, other_kind, released};        \
        memcpy(list, handles, sizeof handles);                                                     \
    } while (false)

static void *released_context(void)
{
    cl_context handle = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);

    clReleaseContext(handle);
    return handle;
}

static void *released_program(void)
{
    const char *source = "kernel void k(void) {}";
    cl_program handle = clCreateProgramWithSource(context, 1, &source, NULL, NULL);

    clReleaseProgram(handle);
    return handle;
}

static void *released_kernel(void)
{
    cl_kernel handle = make_kernel("add");

    clReleaseKernel(handle);
    return handle;
}

static int start(void **state)
{
    void *devices[] = {NULL, (void *)9, own_memory, NULL};
    cl_command_queue old_queue;
    cl_event old_event;
    cl_mem old_memory;

    if (support_start_program(state) != 0)
        return -1;
    cl = *(struct _cl_icd_dispatch **)platform;
    buffer = make_buffer(NULL, 16);
    kernel = make_kernel("add");
    never = clCreateUserEvent(context, NULL);
    old_queue = clCreateCommandQueue(context, device, 0, NULL);
    old_event = clCreateUserEvent(context, NULL);
    old_memory = clCreateBuffer(context, 0, 64, NULL, NULL);
    clReleaseCommandQueue(old_queue);
    clReleaseEvent(old_event);
    clReleaseMemObject(old_memory);
    fill(no_contexts, queue, released_context());
    fill(no_queues, context, old_queue);
    fill(no_memories, kernel, old_memory);
    fill(no_events, buffer, old_event);
    fill(no_programs, kernel, released_program());
    fill(no_kernels, program, released_kernel());
    devices[3] = platform;
    memcpy(no_devices, devices, sizeof devices);
    return 0;
}

static int stop(void **state)
{
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    clReleaseEvent(never);
    return support_stop(state);
}

/* `call`, with `h` for the handle, gives the status `expected` for each of the handles. */
#define each(list, expected, call)                                                                 \
    for (size_t at = 0; at < sizeof(list) / sizeof(list)[0]; at++) {                               \
        void *h = (list)[at];                                                                      \
        cl_int given = cl->call;                                                                   \
        if (given != (expected))                                                                   \
            fail_msg("%s with handle %zu gives %d", #call, at, given);                             \
    }

/* The same for calls that store the status at &status and return NULL. */
#define each_object(list, expected, call)                                                          \
    for (size_t at = 0; at < sizeof(list) / sizeof(list)[0]; at++) {                               \
        void *h = (list)[at];                                                                      \
        cl_int status = 1;                                                                         \
        if (cl->call != NULL || status != (expected))                                              \
            fail_msg("%s with handle %zu gives %d", #call, at, status);                            \
    }

static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
static size_t size;

static void contexts(void **state)
{
    const char *source = "kernel void k(void) {}";
    const unsigned char *binaries[] = {(const unsigned char *)source};
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc image = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4};
    cl_uint count;

    each(no_contexts, CL_INVALID_CONTEXT, clRetainContext(h));
    each(no_contexts, CL_INVALID_CONTEXT, clReleaseContext(h));
    each(no_contexts, CL_INVALID_CONTEXT,
         clGetContextInfo(h, CL_CONTEXT_REFERENCE_COUNT, 0, NULL, &size));
    each(no_contexts, CL_INVALID_CONTEXT, clSetContextDestructorCallback(h, NULL, NULL));
    each(no_contexts, CL_INVALID_CONTEXT,
         clGetSupportedImageFormats(h, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    each(no_contexts, CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(h, device, queue));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateCommandQueue(h, device, 0, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateCommandQueueWithProperties(h, device, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateBuffer(h, 0, 64, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateBufferWithProperties(h, NULL, 0, 64, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateImage(h, 0, &format, &image, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateImageWithProperties(h, NULL, 0, &format, &image, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateImage2D(h, 0, &format, 4, 4, 0, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateImage3D(h, 0, &format, 4, 4, 4, 0, 0, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateSampler(h, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateSamplerWithProperties(h, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreatePipe(h, 0, 4, 4, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateProgramWithSource(h, 1, &source, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateProgramWithBinary(h, 1, &device, one, binaries, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateProgramWithBuiltInKernels(h, 1, &device, "k", &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateProgramWithIL(h, "x", 1, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clLinkProgram(h, 0, NULL, NULL, 1, &program, NULL, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateUserEvent(h, &status));
    for (size_t at = 0; at < HANDLES; at++) {
        assert_null(cl->clSVMAlloc(no_contexts[at], CL_MEM_READ_WRITE, 64, 0));
        cl->clSVMFree(no_contexts[at], own_memory);
    }
}

static void other_apis(void **state)
{
    cl_uint name;

    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateFromGLBuffer(h, 0, 1, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateFromGLTexture(h, 0, 1, 0, 1, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateFromGLTexture2D(h, 0, 1, 0, 1, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateFromGLTexture3D(h, 0, 1, 0, 1, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateFromGLRenderbuffer(h, 0, 1, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT, clCreateEventFromGLsyncKHR(h, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateFromEGLImageKHR(h, NULL, NULL, 0, NULL, &status));
    each_object(no_contexts, CL_INVALID_CONTEXT,
                clCreateEventFromEGLSyncKHR(h, NULL, NULL, &status));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueAcquireGLObjects(h, 0, NULL, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueReleaseGLObjects(h, 1, &buffer, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueAcquireEGLObjectsKHR(h, 1, &buffer, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueReleaseEGLObjectsKHR(h, 1, &buffer, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(h, NULL, &name));
    each(no_memories, CL_INVALID_MEM_OBJECT, clGetGLTextureInfo(h, 0, 4, &name, &size));
    each(no_devices, CL_INVALID_DEVICE, clCreateSubDevicesEXT(h, NULL, 0, NULL, NULL));
    each(no_devices, CL_INVALID_DEVICE, clRetainDeviceEXT(h));
    each(no_devices, CL_INVALID_DEVICE, clReleaseDeviceEXT(h));
    /* Our own context is of no other API, our buffers are none of its objects. */
    void *const contexts[] = {context}, *const queues[] = {queue}, *const buffers[] = {buffer};
    each_object(contexts, CL_INVALID_CONTEXT, clCreateFromGLBuffer(h, 0, 1, &status));
    each_object(contexts, CL_INVALID_CONTEXT, clCreateFromGLTexture(h, 0, 1, 0, 1, &status));
    each_object(contexts, CL_INVALID_OPERATION,
                clCreateFromEGLImageKHR(h, NULL, NULL, 0, NULL, &status));
    each_object(contexts, CL_INVALID_EGL_OBJECT_KHR,
                clCreateEventFromEGLSyncKHR(h, NULL, NULL, &status));
    each(buffers, CL_INVALID_GL_OBJECT, clGetGLObjectInfo(h, NULL, &name));
    each(queues, CL_SUCCESS, clEnqueueAcquireGLObjects(h, 0, NULL, 0, NULL, NULL));
    each(queues, CL_INVALID_VALUE, clEnqueueAcquireGLObjects(h, 1, NULL, 0, NULL, NULL));
    each(queues, CL_INVALID_CONTEXT, clEnqueueReleaseGLObjects(h, 1, &buffer, 0, NULL, NULL));
    each(queues, CL_INVALID_EGL_OBJECT_KHR,
         clEnqueueAcquireEGLObjectsKHR(h, 1, &buffer, 0, NULL, NULL));
    assert_int_equal(cl->clGetGLContextInfoKHR(NULL, 0, 0, NULL, &size), CL_INVALID_OPERATION);
}

static void queues_as_such(void **state)
{
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(h));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(h));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clGetCommandQueueInfo(h, CL_QUEUE_CONTEXT, 0, NULL, &size));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(h, 0, CL_TRUE, NULL));
    /* No queue at all is none of the device's, which has none. */
    each(no_queues, h != NULL ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_OPERATION,
         clSetDefaultDeviceCommandQueue(context, device, h));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clFlush(h));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clFinish(h));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(h, &never));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(h));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(h, 1, &never));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(h, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(h, 0, NULL, NULL));
}

static void commands_in_no_queue(void **state)
{
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueReadBuffer(h, buffer, CL_TRUE, 0, 4, own_memory, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueWriteBuffer(h, buffer, CL_TRUE, 0, 4, own_memory, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueCopyBuffer(h, buffer, buffer, 0, 32, 4, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueFillBuffer(h, buffer, own_memory, 4, 0, 4, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueReadBufferRect(h, buffer, CL_TRUE, zero, zero, one, 0, 0, 0, 0, own_memory, 0,
                                 NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueWriteBufferRect(h, buffer, CL_TRUE, zero, zero, one, 0, 0, 0, 0, own_memory, 0,
                                  NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueCopyBufferRect(h, buffer, buffer, zero, one, one, 8, 0, 8, 0, 0, NULL, NULL));
    each_object(no_queues, CL_INVALID_COMMAND_QUEUE,
                clEnqueueMapBuffer(h, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueUnmapMemObject(h, buffer, own_memory, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueMigrateMemObjects(h, 1, &buffer, 0, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueNDRangeKernel(h, kernel, 1, NULL, one, one, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueTask(h, kernel, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueNativeKernel(h, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMFree(h, 0, NULL, NULL, NULL, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMemcpy(h, CL_TRUE, own_memory, own_memory + 64, 4, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMemFill(h, own_memory, own_memory, 4, 4, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMap(h, CL_TRUE, CL_MAP_READ, own_memory, 4, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(h, own_memory, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueSVMMigrateMem(h, 0, NULL, NULL, 0, 0, NULL, NULL));
}

static void images_in_no_queue(void **state)
{
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueReadImage(h, buffer, CL_TRUE, zero, one, 0, 0, own_memory, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueWriteImage(h, buffer, CL_TRUE, zero, one, 0, 0, own_memory, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueFillImage(h, buffer, own_memory, zero, one, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueCopyImage(h, buffer, buffer, zero, zero, one, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueCopyImageToBuffer(h, buffer, buffer, zero, one, 0, 0, NULL, NULL));
    each(no_queues, CL_INVALID_COMMAND_QUEUE,
         clEnqueueCopyBufferToImage(h, buffer, buffer, 0, zero, one, 0, NULL, NULL));
    each_object(no_queues, CL_INVALID_COMMAND_QUEUE,
                clEnqueueMapImage(h, buffer, CL_TRUE, CL_MAP_READ, zero, one, &size, &size, 0, NULL,
                                  NULL, &status));
    void *const queues[] = {queue};
    each(queues, CL_INVALID_MEM_OBJECT,
         clEnqueueReadImage(h, buffer, CL_TRUE, zero, one, 0, 0, own_memory, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT, clGetImageInfo(h, CL_IMAGE_WIDTH, 0, NULL, &size));
    each(no_memories, CL_INVALID_MEM_OBJECT, clGetPipeInfo(h, CL_PIPE_PACKET_SIZE, 0, NULL, &size));
    each(no_memories, CL_INVALID_SAMPLER, clRetainSampler(h));
    each(no_memories, CL_INVALID_SAMPLER, clReleaseSampler(h));
    each(no_memories, CL_INVALID_SAMPLER,
         clGetSamplerInfo(h, CL_SAMPLER_REFERENCE_COUNT, 0, NULL, &size));
}

static void memories(void **state)
{
    const cl_buffer_region region = {0, 4};

    each(no_memories, CL_INVALID_MEM_OBJECT, clRetainMemObject(h));
    each(no_memories, CL_INVALID_MEM_OBJECT, clReleaseMemObject(h));
    each(no_memories, CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(h, CL_MEM_SIZE, 0, NULL, &size));
    each(no_memories, CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(h, NULL, NULL));
    each_object(no_memories, CL_INVALID_MEM_OBJECT,
                clCreateSubBuffer(h, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueReadBuffer(queue, h, CL_TRUE, 0, 4, own_memory, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueWriteBuffer(queue, h, CL_TRUE, 0, 4, own_memory, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBuffer(queue, h, buffer, 0, 32, 4, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBuffer(queue, buffer, h, 0, 32, 4, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueFillBuffer(queue, h, own_memory, 4, 0, 4, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueReadBufferRect(queue, h, CL_TRUE, zero, zero, one, 0, 0, 0, 0, own_memory, 0,
                                 NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBufferRect(queue, buffer, h, zero, one, one, 8, 0, 8, 0, 0, NULL, NULL));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueCopyBufferRect(queue, h, buffer, zero, one, one, 8, 0, 8, 0, 0, NULL, NULL));
    each_object(no_memories, CL_INVALID_MEM_OBJECT,
                clEnqueueMapBuffer(queue, h, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status));
    each(no_memories, CL_INVALID_MEM_OBJECT,
         clEnqueueUnmapMemObject(queue, h, own_memory, 0, NULL, NULL));
    for (size_t at = 0; at < HANDLES; at++) {
        cl_mem list[] = {buffer, no_memories[at]};

        assert_int_equal(cl->clEnqueueMigrateMemObjects(queue, 2, list, 0, 0, NULL, NULL),
                         CL_INVALID_MEM_OBJECT);
        assert_int_equal(cl->clSetKernelArg(kernel, 0, sizeof list[1], &list[1]),
                         no_memories[at] == NULL ? CL_SUCCESS : CL_INVALID_MEM_OBJECT);
    }
}

static void events(void **state)
{
    each(no_events, CL_INVALID_EVENT, clRetainEvent(h));
    each(no_events, CL_INVALID_EVENT, clReleaseEvent(h));
    each(no_events, CL_INVALID_EVENT, clGetEventInfo(h, CL_EVENT_COMMAND_TYPE, 0, NULL, &size));
    each(no_events, CL_INVALID_EVENT,
         clGetEventProfilingInfo(h, CL_PROFILING_COMMAND_END, 0, NULL, &size));
    each(no_events, CL_INVALID_EVENT, clSetUserEventStatus(h, CL_COMPLETE));
    each(no_events, CL_INVALID_EVENT, clSetEventCallback(h, CL_COMPLETE, NULL, NULL));
    for (size_t at = 0; at < HANDLES; at++) {
        cl_event list[] = {never, no_events[at]};

        assert_int_equal(cl->clWaitForEvents(1, &list[1]), CL_INVALID_EVENT);
        assert_int_equal(cl->clEnqueueWaitForEvents(queue, 2, list), CL_INVALID_EVENT);
        assert_int_equal(cl->clEnqueueMarkerWithWaitList(queue, 2, list, NULL),
                         CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(
            cl->clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, own_memory, 2, list, NULL),
            CL_INVALID_EVENT_WAIT_LIST);
    }
    assert_int_equal(cl->clWaitForEvents(0, &never), CL_INVALID_VALUE);
    assert_int_equal(cl->clWaitForEvents(1, NULL), CL_INVALID_VALUE);
    assert_int_equal(cl->clSetUserEventStatus(never, CL_RUNNING), CL_INVALID_VALUE);
    assert_int_equal(cl->clSetEventCallback(never, 77, NULL, NULL), CL_INVALID_VALUE);
}

static void programs(void **state)
{
    cl_uint count;

    each(no_programs, CL_INVALID_PROGRAM, clRetainProgram(h));
    each(no_programs, CL_INVALID_PROGRAM, clReleaseProgram(h));
    each(no_programs, CL_INVALID_PROGRAM, clBuildProgram(h, 0, NULL, NULL, NULL, NULL));
    each(no_programs, CL_INVALID_PROGRAM,
         clCompileProgram(h, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    each(no_programs, CL_INVALID_PROGRAM, clGetProgramInfo(h, CL_PROGRAM_SOURCE, 0, NULL, &size));
    each(no_programs, CL_INVALID_PROGRAM,
         clGetProgramBuildInfo(h, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    each(no_programs, CL_INVALID_PROGRAM, clSetProgramReleaseCallback(h, NULL, NULL));
    each(no_programs, CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(h, 0, 4, own_memory));
    each(no_programs, CL_INVALID_PROGRAM, clCreateKernelsInProgram(h, 0, NULL, &count));
    each_object(no_programs, CL_INVALID_PROGRAM, clCreateKernel(h, "add", &status));
    for (size_t at = 0; at < HANDLES; at++) {
        cl_program list[] = {no_programs[at], program};
        cl_int status;

        assert_null(cl->clLinkProgram(context, 0, NULL, NULL, 2, list, NULL, NULL, &status));
        assert_status(CL_INVALID_PROGRAM);
    }
    assert_int_equal(cl->clCreateKernelsInProgram(program, 1, &kernel, &count), CL_INVALID_VALUE);
    assert_int_equal(cl->clSetProgramSpecializationConstant(program, 0, 4, own_memory),
                     CL_INVALID_OPERATION);
}

static void kernels(void **state)
{
    each(no_kernels, CL_INVALID_KERNEL, clRetainKernel(h));
    each(no_kernels, CL_INVALID_KERNEL, clReleaseKernel(h));
    each(no_kernels, CL_INVALID_KERNEL, clSetKernelArg(h, 0, 4, own_memory));
    each(no_kernels, CL_INVALID_KERNEL, clSetKernelArgSVMPointer(h, 0, NULL));
    each(no_kernels, CL_INVALID_KERNEL,
         clSetKernelExecInfo(h, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, own_memory));
    each(no_kernels, CL_INVALID_KERNEL, clGetKernelInfo(h, CL_KERNEL_NUM_ARGS, 0, NULL, &size));
    each(no_kernels, CL_INVALID_KERNEL,
         clGetKernelArgInfo(h, 0, CL_KERNEL_ARG_NAME, 0, NULL, &size));
    each(no_kernels, CL_INVALID_KERNEL,
         clGetKernelWorkGroupInfo(h, device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &size));
    each(no_kernels, CL_INVALID_KERNEL,
         clGetKernelSubGroupInfo(h, device, 0, 0, NULL, 0, NULL, &size));
    each(no_kernels, CL_INVALID_KERNEL,
         clGetKernelSubGroupInfoKHR(h, device, 0, 0, NULL, 0, NULL, &size));
    each(no_kernels, CL_INVALID_KERNEL,
         clEnqueueNDRangeKernel(queue, h, 1, NULL, one, one, 0, NULL, NULL));
    each(no_kernels, CL_INVALID_KERNEL, clEnqueueTask(queue, h, 0, NULL, NULL));
    each_object(no_kernels, CL_INVALID_KERNEL, clCloneKernel(h, &status));
    assert_int_equal(cl->clSetKernelArg(kernel, UINT32_MAX, 4, own_memory), CL_INVALID_ARG_INDEX);
    assert_int_equal(cl->clSetKernelArg(kernel, 2, SIZE_MAX, own_memory), CL_INVALID_ARG_SIZE);
    assert_int_equal(cl->clSetKernelExecInfo(kernel, 0x7777, 8, own_memory),
                     getenv("FAKE_MACHINE_NO_SVM") != NULL ? CL_INVALID_OPERATION
                                                           : CL_INVALID_VALUE);
}

static void devices(void **state)
{
    cl_ulong time;
    cl_uint count;

    each(no_devices, CL_INVALID_DEVICE, clGetDeviceInfo(h, CL_DEVICE_NAME, 0, NULL, &size));
    each(no_devices, CL_INVALID_DEVICE, clRetainDevice(h));
    each(no_devices, CL_INVALID_DEVICE, clReleaseDevice(h));
    each(no_devices, CL_INVALID_DEVICE, clCreateSubDevices(h, NULL, 0, NULL, &count));
    each(no_devices, CL_INVALID_DEVICE, clGetDeviceAndHostTimer(h, &time, &time));
    each(no_devices, CL_INVALID_DEVICE, clGetHostTimer(h, &time));
    each(no_devices, CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(context, h, queue));
    each(no_devices, CL_INVALID_DEVICE,
         clGetProgramBuildInfo(program, h, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    each_object(no_devices, CL_INVALID_DEVICE, clCreateCommandQueue(context, h, 0, &status));
    each_object(no_devices, CL_INVALID_DEVICE,
                clCreateCommandQueueWithProperties(context, h, NULL, &status));
    for (size_t at = 0; at < HANDLES - 1; at++) {
        cl_device_id list[] = {device, no_devices[at]};
        cl_int status;

        assert_null(cl->clCreateContext(NULL, 2, list, NULL, NULL, &status));
        assert_status(CL_INVALID_DEVICE);
        assert_int_equal(cl->clBuildProgram(program, 2, list, NULL, NULL, NULL), CL_INVALID_DEVICE);
        assert_null(cl->clCreateProgramWithBuiltInKernels(context, 2, list, "k", &status));
        assert_status(CL_INVALID_DEVICE);
        if (no_devices[at] == NULL)
            continue;
        assert_int_equal(
            cl->clGetPlatformInfo((cl_platform_id)no_devices[at], CL_PLATFORM_NAME, 0, NULL, &size),
            at == 3 ? CL_SUCCESS : CL_INVALID_PLATFORM);
        assert_int_equal(cl->clUnloadPlatformCompiler((cl_platform_id)no_devices[at]),
                         at == 3 ? CL_SUCCESS : CL_INVALID_PLATFORM);
    }
    assert_null(cl->clGetExtensionFunctionAddress(NULL));
    assert_null(cl->clGetExtensionFunctionAddressForPlatform(platform, "clFinish"));
    assert_success(cl->clUnloadCompiler());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts),
        cmocka_unit_test(other_apis),
        cmocka_unit_test(queues_as_such),
        cmocka_unit_test(commands_in_no_queue),
        cmocka_unit_test(images_in_no_queue),
        cmocka_unit_test(memories),
        cmocka_unit_test(events),
        cmocka_unit_test(programs),
        cmocka_unit_test(kernels),
        cmocka_unit_test(devices),
    };

    return cmocka_run_group_tests_name("opencl/misuse", tests, start, stop);
}
