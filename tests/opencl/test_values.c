/* SPDX-License-Identifier: MIT */
/* Live handles, with sizes, counts and pointers that make no sense; and handles released twice, as
 * a program does it, through the loader. */
#include <malloc.h>

#include "support.h"

static char own_memory[256];
static const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};

/* Live handles, and sizes, counts and pointers that make no sense. */
static void values(void **state)
{
    const size_t large[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, wide[3] = {SIZE_MAX / 2, 2, 2};
    const cl_buffer_region far = {SIZE_MAX, SIZE_MAX};
    const cl_queue_properties odd[] = {CL_QUEUE_SIZE, 4, 0};
    cl_image_format format;
    cl_uint count = 0;
    cl_int status;
    cl_mem buffer = make_buffer(NULL, 16);
    cl_kernel kernel = make_kernel("add");

    assert_int_equal(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, SIZE_MAX, SIZE_MAX, own_memory, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(queue, buffer, buffer, 0, SIZE_MAX, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, NULL, 4, 0, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, large, 0, 0, 0, 0,
                                             own_memory, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, large, zero, wide, 0, 0, 0, 0,
                                              own_memory, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBufferRect(queue, buffer, buffer, zero, large, one, SIZE_MAX,
                                             SIZE_MAX, SIZE_MAX, SIZE_MAX, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, NULL, zero, one, 0, 0, 0, 0,
                                             own_memory, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &far, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateSubBuffer(buffer, 0, 0x7777, &far, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateCommandQueueWithProperties(context, device, odd, &status));
    assert_status(CL_INVALID_QUEUE_PROPERTIES);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 3, large, large, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    assert_int_equal(clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformIDs(0, &platform, &count), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, &count),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetSupportedImageFormats(context, 0, 0x7777, 0, NULL, &count),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &format, &count),
        CL_INVALID_VALUE);
    assert_null(clCreateProgramWithSource(context, 0, NULL, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateProgramWithBinary(context, 1, &device, zero, NULL, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateKernel(program, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clSVMAlloc(context, 0, SIZE_MAX, 0));
    assert_null(clSVMAlloc(context, 0, 64, 3));
    clSVMFree(context, own_memory); /* no shared memory: nothing happens */
    clSVMFree(context, NULL);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
}

/* Without a place for the status a call fails as quietly. */
static void a_status_may_be_unwanted(void **state)
{
    assert_null(clCreateBuffer(context, 0, 0, NULL, NULL));
    assert_null(clCreateImage(context, 0, NULL, NULL, NULL, NULL));
    assert_null(clCreateKernel(program, "none", NULL));
    assert_null(clCreateContext(NULL, 0, NULL, NULL, NULL, NULL));
    assert_null(
        clEnqueueMapImage(NULL, NULL, CL_TRUE, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL));
}

/* The loader reads the released object's memory before the driver sees the call. */
static void handles_may_be_released_twice(void **state)
{
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue other_queue = clCreateCommandQueue(other, device, 0, NULL);
    cl_mem buffer = clCreateBuffer(other, 0, 64, NULL, NULL);
    cl_kernel kernel = make_kernel("add");
    cl_event event = clCreateUserEvent(other, NULL);
    void *blocks[64];

    assert_success(clReleaseEvent(event));
    assert_success(clReleaseKernel(kernel));
    assert_success(clReleaseMemObject(buffer));
    assert_success(clReleaseCommandQueue(other_queue));
    assert_success(clReleaseContext(other));
    for (int i = 0; i < 64; i++) /* what was free is used for something else */
        blocks[i] = memset(malloc(16 + 8 * (size_t)i), 0xa5, 16 + 8 * (size_t)i);
    assert_int_equal(clReleaseEvent(event), CL_INVALID_EVENT);
    assert_int_equal(clReleaseKernel(kernel), CL_INVALID_KERNEL);
    assert_int_equal(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clReleaseCommandQueue(other_queue), CL_INVALID_COMMAND_QUEUE);
    assert_int_equal(clReleaseContext(other), CL_INVALID_CONTEXT);
    assert_int_equal(clFinish(other_queue), CL_INVALID_COMMAND_QUEUE);
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
}

/* No more than the latest are kept: 20,000 events would be 2 MB. */
static void old_objects_give_their_memory_back(void **state)
{
    size_t before;

    for (int i = 0; i < 2000; i++)
        assert_success(clReleaseEvent(clCreateUserEvent(context, NULL)));
    before = mallinfo2().uordblks;
    for (int i = 0; i < 20000; i++)
        assert_success(clReleaseEvent(clCreateUserEvent(context, NULL)));
    assert_true(mallinfo2().uordblks < before + 500000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(a_status_may_be_unwanted),
        cmocka_unit_test(handles_may_be_released_twice),
        cmocka_unit_test(old_objects_give_their_memory_back),
    };

    return cmocka_run_group_tests_name("opencl/values", tests, support_start_program, support_stop);
}
