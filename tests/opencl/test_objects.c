/* SPDX-License-Identifier: MIT */
/* Platform, device, context, queue: what they say of themselves, and what they refuse. */
#include <unistd.h>

#include "support.h"

static void table_has_no_holes(void **state)
{
    const struct _cl_icd_dispatch *dispatch = *(struct _cl_icd_dispatch **)platform;
    void *words[sizeof *dispatch / sizeof(void *)];

    memcpy(words, dispatch, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_non_null(words[i]);
}

static void queries_tell_their_size(void **state)
{
    char name[64] = "untouched";
    size_t size = 0;

    assert_success(clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &size));
    assert_int_equal(size, strlen("Wavetank") + 1);
    assert_int_equal(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size - 1, name, NULL),
                     CL_INVALID_VALUE);
    assert_string_equal(name, "untouched");
    assert_success(clGetPlatformInfo(platform, CL_PLATFORM_NAME, size, name, NULL));
    assert_string_equal(name, "Wavetank");
    assert_int_equal(clGetPlatformInfo(platform, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(device, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
}

static cl_ulong device_number(cl_device_info name, size_t bytes)
{
    cl_ulong value = 0;
    size_t size;

    assert_success(clGetDeviceInfo(device, name, sizeof value, &value, &size));
    assert_int_equal(size, bytes);
    return value;
}

static void device_is_the_configured_one(void **state)
{
    assert_int_equal(device_number(CL_DEVICE_TYPE, 8), CL_DEVICE_TYPE_GPU);
    assert_int_equal(device_number(CL_DEVICE_MAX_COMPUTE_UNITS, 4), 32);
    assert_int_equal(device_number(CL_DEVICE_MAX_CLOCK_FREQUENCY, 4), 925);
    assert_int_equal(device_number(CL_DEVICE_LOCAL_MEM_SIZE, 8), 32768);
    assert_int_equal(device_number(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8), 786432);
    assert_int_equal(device_number(CL_DEVICE_MAX_WORK_GROUP_SIZE, 8), 256);
    assert_int_equal(device_number(CL_DEVICE_IMAGE_SUPPORT, 4), CL_TRUE);
    assert_int_equal(device_number(CL_DEVICE_AVAILABLE, 4), CL_TRUE);
    assert_int_equal(device_number(CL_DEVICE_NUMERIC_VERSION, 4), CL_MAKE_VERSION(3, 0, 0));
    assert_true(device_number(CL_DEVICE_GLOBAL_MEM_SIZE, 8) >=
                device_number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8));
}

static void versions_are_listed(void **state)
{
    cl_name_version versions[8];
    size_t size;

    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof versions, versions, &size));
    assert_int_equal(size % sizeof versions[0], 0);
    assert_string_equal(versions[2].name, "OpenCL C");
    assert_int_equal(versions[2].version, CL_MAKE_VERSION(1, 2, 0));
    assert_int_equal(versions[size / sizeof versions[0] - 1].version, CL_MAKE_VERSION(3, 0, 0));
}

static void devices_by_type(void **state)
{
    cl_uint count = 7;

    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 0, NULL, &count),
                     CL_DEVICE_NOT_FOUND);
    assert_success(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    assert_int_equal(count, 1);
    assert_int_equal(clGetDeviceIDs(platform, 0, 0, NULL, &count), CL_INVALID_DEVICE_TYPE);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL), CL_INVALID_VALUE);
}

static void context_checks_its_arguments(void **state)
{
    cl_context_properties unknown[] = {0x7777, 1, 0};
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                     CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_int status;

    assert_null(clCreateContext(unknown, 1, &device, NULL, NULL, &status));
    assert_status(CL_INVALID_PROPERTY);
    assert_null(clCreateContext(twice, 1, &device, NULL, NULL, &status));
    assert_status(CL_INVALID_PROPERTY);
    assert_null(clCreateContext(NULL, 1, &device, NULL, &status, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateContextFromType(twice + 2, CL_DEVICE_TYPE_CPU, NULL, NULL, &status));
    assert_status(CL_DEVICE_NOT_FOUND);
}

static void properties_come_back(void **state)
{
    cl_context_properties given[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context_properties back[3];
    cl_queue_properties of_queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_queue_properties back_queue[3];
    cl_int status;
    size_t size;
    cl_context other = clCreateContext(given, 1, &device, NULL, NULL, &status);
    cl_command_queue other_queue;

    assert_status(CL_SUCCESS);
    assert_success(clGetContextInfo(other, CL_CONTEXT_PROPERTIES, sizeof back, back, &size));
    assert_int_equal(size, sizeof given);
    assert_memory_equal(back, given, sizeof given);
    other_queue = clCreateCommandQueueWithProperties(other, device, of_queue, &status);
    assert_status(CL_SUCCESS);
    assert_success(clGetCommandQueueInfo(other_queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof back_queue,
                                         back_queue, NULL));
    assert_memory_equal(back_queue, of_queue, sizeof of_queue);
    assert_success(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &size));
    assert_int_equal(size, 0); /* made without a list */
    assert_success(clReleaseCommandQueue(other_queue));
    assert_success(clReleaseContext(other));
}

static cl_uint references(cl_context of)
{
    cl_uint count;

    assert_success(clGetContextInfo(of, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static void CL_CALLBACK count_call(cl_context of, void *data)
{
    (*(int *)data)++;
}

static void references_are_the_programs_own(void **state)
{
    int destroyed = 0;
    cl_int status;
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue other_queue = clCreateCommandQueue(other, device, 0, &status);

    assert_success(clSetContextDestructorCallback(other, count_call, &destroyed));
    assert_int_equal(references(other), 1);
    assert_success(clRetainContext(other));
    assert_int_equal(references(other), 2);
    assert_success(clReleaseContext(other));
    assert_success(clReleaseContext(other));
    assert_int_equal(destroyed, 0); /* the queue holds it */
    assert_success(clReleaseCommandQueue(other_queue));
    assert_int_equal(destroyed, 1);
}

static void queue_checks_its_arguments(void **state)
{
    cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_queue_properties unknown[] = {0x7777, 1, 0};
    cl_int status;

    assert_null(clCreateCommandQueue(context, device, 1u << 20, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateCommandQueueWithProperties(context, device, on_device, &status));
    assert_status(CL_INVALID_QUEUE_PROPERTIES);
    assert_null(clCreateCommandQueueWithProperties(context, device, unknown, &status));
    assert_status(CL_INVALID_VALUE);
    assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
}

static void a_handle_of_another_kind_is_refused(void **state)
{
    cl_event events[] = {(cl_event)context};
    cl_int status;

    assert_int_equal(clEnqueueMarkerWithWaitList(queue, 1, events, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    assert_null(clCreateCommandQueue((cl_context)queue, device, 0, &status));
    assert_status(CL_INVALID_CONTEXT);
    assert_int_equal(clFinish((cl_command_queue)context), CL_INVALID_COMMAND_QUEUE);
}

static void what_is_not_built_says_so(void **state)
{
    cl_int status;

    assert_null(clCreatePipe(context, 0, 4, 4, NULL, &status));
    assert_status(CL_INVALID_OPERATION);
    assert_null(clCreateProgramWithIL(context, "x", 1, &status));
    assert_status(CL_INVALID_OPERATION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_no_holes),
        cmocka_unit_test(queries_tell_their_size),
        cmocka_unit_test(device_is_the_configured_one),
        cmocka_unit_test(versions_are_listed),
        cmocka_unit_test(devices_by_type),
        cmocka_unit_test(context_checks_its_arguments),
        cmocka_unit_test(properties_come_back),
        cmocka_unit_test(references_are_the_programs_own),
        cmocka_unit_test(queue_checks_its_arguments),
        cmocka_unit_test(a_handle_of_another_kind_is_refused),
        cmocka_unit_test(what_is_not_built_says_so),
    };

    return cmocka_run_group_tests_name("opencl/objects", tests, support_start, support_stop);
}
