/* SPDX-License-Identifier: MIT */
/*
 * What the device, a kernel and the clocks answer. Every query of OpenCL 3.0's tables has an answer
 * of the right size, and the answers do not contradict each other.
 */
#include <stdio.h>

#include "support.h"

static cl_ulong number(cl_device_info name)
{
    cl_ulong value = 0;

    assert_success(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static const char *string(cl_device_info name)
{
    static char strings[4][4096];
    static unsigned next;
    char *value = strings[next++ % 4];

    assert_success(clGetDeviceInfo(device, name, 4096, value, NULL));
    return value;
}

static bool has_extension(const char *name)
{
    return strstr(string(CL_DEVICE_EXTENSIONS), name) != NULL;
}

/* cl_uint and cl_bool */
static const cl_device_info of_four_bytes[] = {
    CL_DEVICE_VENDOR_ID,
    CL_DEVICE_MAX_COMPUTE_UNITS,
    CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
    CL_DEVICE_MAX_CLOCK_FREQUENCY,
    CL_DEVICE_ADDRESS_BITS,
    CL_DEVICE_MAX_READ_IMAGE_ARGS,
    CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
    CL_DEVICE_IMAGE_SUPPORT,
    CL_DEVICE_MAX_SAMPLERS,
    CL_DEVICE_MEM_BASE_ADDR_ALIGN,
    CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE,
    CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
    CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE,
    CL_DEVICE_MAX_CONSTANT_ARGS,
    CL_DEVICE_LOCAL_MEM_TYPE,
    CL_DEVICE_ERROR_CORRECTION_SUPPORT,
    CL_DEVICE_ENDIAN_LITTLE,
    CL_DEVICE_AVAILABLE,
    CL_DEVICE_COMPILER_AVAILABLE,
    CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF,
    CL_DEVICE_HOST_UNIFIED_MEMORY,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE,
    CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
    CL_DEVICE_LINKER_AVAILABLE,
    CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
    CL_DEVICE_REFERENCE_COUNT,
    CL_DEVICE_PREFERRED_INTEROP_USER_SYNC,
    CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
    CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
    CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
    CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
    CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
    CL_DEVICE_MAX_ON_DEVICE_QUEUES,
    CL_DEVICE_MAX_ON_DEVICE_EVENTS,
    CL_DEVICE_MAX_PIPE_ARGS,
    CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
    CL_DEVICE_PIPE_MAX_PACKET_SIZE,
    CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
    CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
    CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT,
    CL_DEVICE_MAX_NUM_SUB_GROUPS,
    CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
    CL_DEVICE_NUMERIC_VERSION,
    CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
    CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
    CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
    CL_DEVICE_PIPE_SUPPORT,
};

/* cl_ulong, size_t, bit fields, handles, and a list with one entry */
static const cl_device_info of_eight_bytes[] = {
    CL_DEVICE_TYPE,
    CL_DEVICE_MAX_WORK_GROUP_SIZE,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE,
    CL_DEVICE_IMAGE2D_MAX_WIDTH,
    CL_DEVICE_IMAGE2D_MAX_HEIGHT,
    CL_DEVICE_IMAGE3D_MAX_WIDTH,
    CL_DEVICE_IMAGE3D_MAX_HEIGHT,
    CL_DEVICE_IMAGE3D_MAX_DEPTH,
    CL_DEVICE_MAX_PARAMETER_SIZE,
    CL_DEVICE_SINGLE_FP_CONFIG,
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
    CL_DEVICE_GLOBAL_MEM_SIZE,
    CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
    CL_DEVICE_LOCAL_MEM_SIZE,
    CL_DEVICE_PROFILING_TIMER_RESOLUTION,
    CL_DEVICE_EXECUTION_CAPABILITIES,
    CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
    CL_DEVICE_QUEUE_PROPERTIES,
    CL_DEVICE_PLATFORM,
    CL_DEVICE_DOUBLE_FP_CONFIG,
    CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
    CL_DEVICE_IMAGE_MAX_ARRAY_SIZE,
    CL_DEVICE_PARENT_DEVICE,
    CL_DEVICE_PARTITION_AFFINITY_DOMAIN,
    CL_DEVICE_PRINTF_BUFFER_SIZE,
    CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE,
    CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
    CL_DEVICE_SVM_CAPABILITIES,
    CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
    CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES,
    CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
    CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES,
};

static const cl_device_info texts[] = {
    CL_DEVICE_BUILT_IN_KERNELS,
    CL_DEVICE_EXTENSIONS,
    CL_DEVICE_IL_VERSION,
    CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
    CL_DEVICE_NAME,
    CL_DEVICE_OPENCL_C_VERSION,
    CL_DEVICE_PROFILE,
    CL_DEVICE_VENDOR,
    CL_DEVICE_VERSION,
    CL_DRIVER_VERSION,
};

static const cl_device_info lists_with_version[] = {
    CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION,
    CL_DEVICE_EXTENSIONS_WITH_VERSION,
    CL_DEVICE_ILS_WITH_VERSION,
    CL_DEVICE_OPENCL_C_ALL_VERSIONS,
    CL_DEVICE_OPENCL_C_FEATURES,
};

static size_t size_of(cl_device_info name)
{
    size_t size = 12345;

    if (clGetDeviceInfo(device, name, 0, NULL, &size) != CL_SUCCESS)
        fail_msg("no answer to query 0x%x", name);
    return size;
}

#define for_each_name(name, names)                                                                 \
    for (const cl_device_info *name = (names); name < (names) + sizeof(names) / sizeof(names)[0];  \
         name++)

static void every_query_has_an_answer_of_its_size(void **state)
{
    char large[4096];

    for_each_name(name, of_four_bytes) if (size_of(*name) != 4)
        fail_msg("query 0x%x gives %zu bytes", *name, size_of(*name));
    for_each_name(name, of_eight_bytes) if (size_of(*name) != 8)
        fail_msg("query 0x%x gives %zu bytes", *name, size_of(*name));
    for_each_name(name, texts)
    {
        size_t size = size_of(*name);

        memset(large, 'x', sizeof large);
        assert_success(clGetDeviceInfo(device, *name, sizeof large, large, NULL));
        assert_int_equal(strlen(large) + 1, size);
    }
    for_each_name(name, lists_with_version)
        assert_int_equal(size_of(*name) % sizeof(cl_name_version), 0);
    assert_int_equal(size_of(CL_DEVICE_MAX_WORK_ITEM_SIZES),
                     number(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) * sizeof(size_t));
    assert_true(size_of(CL_DEVICE_PARTITION_TYPE) % sizeof(cl_device_partition_property) == 0);
}

/* Both forms of a list say the same. */
static void lists_agree(void **state)
{
    cl_name_version list[32];
    char joined[2048] = "";
    size_t size;

    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof list[0]; i++) {
        assert_true(list[i].version >= CL_MAKE_VERSION(1, 0, 0));
        strcat(joined, list[i].name);
        strcat(joined, i + 1 < size / sizeof list[0] ? " " : "");
    }
    assert_string_equal(joined, string(CL_DEVICE_EXTENSIONS));
    joined[0] = '\0';
    assert_success(
        clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
    for (size_t i = 0; i < size / sizeof list[0]; i++) {
        strcat(joined, list[i].name);
        strcat(joined, i + 1 < size / sizeof list[0] ? " " : "");
        assert_true(has_extension(list[i].name)); /* a platform has what all its devices have */
    }
    assert_success(
        clGetPlatformInfo(platform, CL_PLATFORM_EXTENSIONS, 4096, (char[4096]){0}, &size));
    assert_int_equal(size, strlen(joined) + 1);
}

static void what_is_not_offered_has_no_size(void **state)
{
    static const cl_device_info pipes[] = {CL_DEVICE_MAX_PIPE_ARGS,
                                           CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
                                           CL_DEVICE_PIPE_MAX_PACKET_SIZE};
    static const cl_device_info queues[] = {
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE,
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, CL_DEVICE_MAX_ON_DEVICE_QUEUES,
        CL_DEVICE_MAX_ON_DEVICE_EVENTS};

    if (number(CL_DEVICE_PIPE_SUPPORT) == CL_FALSE)
        for_each_name(name, pipes) assert_int_equal(number(*name), 0);
    if (number(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) == 0)
        for_each_name(name, queues) assert_int_equal(number(*name), 0);
    if (number(CL_DEVICE_MAX_NUM_SUB_GROUPS) == 0)
        assert_int_equal(number(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), CL_FALSE);
    assert_int_equal(size_of(CL_DEVICE_ILS_WITH_VERSION) == 0,
                     strlen(string(CL_DEVICE_IL_VERSION)) == 0);
    assert_int_equal(size_of(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION) == 0,
                     strlen(string(CL_DEVICE_BUILT_IN_KERNELS)) == 0);
}

static void number_formats_agree_with_extensions(void **state)
{
    bool has_double = number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    bool has_half = number(CL_DEVICE_HALF_FP_CONFIG) != 0;

    assert_int_equal(has_extension("cl_khr_fp64"), has_double);
    assert_int_equal(number(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE) > 0, has_double);
    assert_int_equal(number(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) > 0, has_double);
    assert_int_equal(has_extension("cl_khr_fp16"), has_half);
    assert_int_equal(number(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF) > 0, has_half);
    assert_int_equal(number(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF) > 0, has_half);
    /* The least that OpenCL 3.0 allows. */
    assert_int_equal(number(CL_DEVICE_SINGLE_FP_CONFIG) & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN),
                     CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
    assert_int_equal(number(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES) &
                         (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP),
                     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
    assert_int_equal(number(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES) &
                         (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                          CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP),
                     CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                         CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP);
}

/* What a full profile has at least, and sizes among themselves. */
static void sizes_fit_together(void **state)
{
    size_t items[3];

    assert_string_equal(string(CL_DEVICE_PROFILE), "FULL_PROFILE");
    assert_true(number(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) >= 3);
    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL));
    for (int axis = 0; axis < 3; axis++)
        assert_true(items[axis] >= 1 && items[axis] <= number(CL_DEVICE_MAX_WORK_GROUP_SIZE));
    assert_int_equal(number(CL_DEVICE_MAX_WORK_GROUP_SIZE) %
                         number(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
                     0);
    assert_true(number(CL_DEVICE_MAX_MEM_ALLOC_SIZE) >= number(CL_DEVICE_GLOBAL_MEM_SIZE) / 4);
    assert_true(number(CL_DEVICE_MAX_MEM_ALLOC_SIZE) <= number(CL_DEVICE_GLOBAL_MEM_SIZE));
    assert_true(number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 * 1024);
    assert_true(number(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) <= number(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    assert_true(number(CL_DEVICE_MAX_CONSTANT_ARGS) >= 8);
    assert_true(number(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 * 1024);
    assert_true(number(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    assert_true(number(CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= 8 * sizeof(cl_long16));
    assert_true(number(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE) >= sizeof(cl_long16));
    assert_true((number(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE) != 0);
    assert_true((number(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_KERNEL) != 0);
}

static void versions_agree(void **state)
{
    char expected[32];
    cl_version version = (cl_version)number(CL_DEVICE_NUMERIC_VERSION);
    int year, month, day, number_of_day, length = 0;
    const char *conformance = string(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED);

    snprintf(expected, sizeof expected, "OpenCL %u.%u ", CL_VERSION_MAJOR(version),
             CL_VERSION_MINOR(version));
    assert_memory_equal(string(CL_DEVICE_VERSION), expected, strlen(expected));
    version = (cl_version)number(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR);
    snprintf(expected, sizeof expected, "OpenCL C %u.%u ", CL_VERSION_MAJOR(version),
             CL_VERSION_MINOR(version));
    assert_memory_equal(string(CL_DEVICE_OPENCL_C_VERSION), expected, strlen(expected));
    assert_int_equal(version, CL_MAKE_VERSION(3, 0, 0)); /* programs ask it before -cl-std=CL3.0 */
    assert_int_equal(
        sscanf(conformance, "v%4d-%2d-%2d-%2d%n", &year, &month, &day, &number_of_day, &length), 4);
    assert_int_equal(length, strlen(conformance));
    assert_int_equal(length, strlen("v2020-09-30-00"));
}

/* ---- Kernels ---- */

static cl_kernel build_kernel(const char *source, const char *options, cl_program *made)
{
    cl_int status;
    cl_kernel kernel;

    *made = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    assert_success(clBuildProgram(*made, 1, &device, options, NULL, NULL));
    kernel = clCreateKernel(*made, "k", &status);
    assert_status(CL_SUCCESS);
    return kernel;
}

static void check_attributes(const char *source, const char *expected)
{
    char attributes[256];
    cl_program made;
    cl_kernel kernel = build_kernel(source, "", &made);
    size_t size;

    assert_success(
        clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, &size));
    assert_string_equal(attributes, expected);
    assert_int_equal(size, strlen(expected) + 1);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

static void attributes_are_text(void **state)
{
    check_attributes("kernel __attribute__((reqd_work_group_size(8, 4, 2))) void k(global int *a)"
                     "{ *a = 1; }",
                     "reqd_work_group_size(8,4,2)");
    check_attributes("__attribute__((vec_type_hint(float4))) "
                     "__attribute__((work_group_size_hint(64, 1, 1))) kernel void k(global int *a)"
                     "{ *a = 1; }",
                     "vec_type_hint(float4) work_group_size_hint(64,1,1)");
    check_attributes("kernel void k(global int *a) { *a = 1; }", "");
}

static cl_int argument_name(const char *options)
{
    char name[64];
    cl_program made;
    cl_kernel kernel = build_kernel("kernel void k(global int *a) { *a = 1; }", options, &made);
    cl_int status = clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);

    if (status == CL_SUCCESS)
        assert_string_equal(name, "a");
    clReleaseKernel(kernel);
    clReleaseProgram(made);
    return status;
}

static void argument_names_are_for_who_asked(void **state)
{
    assert_int_equal(argument_name(""), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    assert_int_equal(argument_name("-DX=-cl-kernel-arg-info"), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    assert_success(argument_name("-cl-kernel-arg-info"));
    assert_success(argument_name("-DX -cl-kernel-arg-info -DY"));
    assert_success(argument_name("-DX=-cl-kernel-arg-info -cl-kernel-arg-info"));
    assert_int_equal(argument_name("-I -cl-kernel-arg-infos"), CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
}

static void a_sampler_has_its_size(void **state)
{
    cl_program made;
    cl_kernel kernel =
        build_kernel("kernel void k(sampler_t s, global int *a) { *a = 1; }", "", &made);
    void *nothing = NULL;

    assert_int_equal(clSetKernelArg(kernel, 0, 4, &nothing), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof nothing, &nothing), CL_INVALID_SAMPLER);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

static void CL_CALLBACK never_called(cl_program of, void *data)
{
    abort();
}

static void release_callbacks_are_refused(void **state)
{
    cl_program made;
    cl_kernel kernel = build_kernel("kernel void k(global int *a) { *a = 1; }", "", &made);

    assert_int_equal(clSetProgramReleaseCallback(made, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetProgramReleaseCallback(made, never_called, NULL), CL_INVALID_OPERATION);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
}

/* ---- Time and queues ---- */

/* Both are the clock of the events. */
static void timers_are_the_machines_clock(void **state)
{
    cl_ulong before, after, host, resolution;
    cl_mem buffer = make_buffer(NULL, 1024);
    cl_event event;
    int values[1024];

    assert_success(clGetPlatformInfo(platform, CL_PLATFORM_HOST_TIMER_RESOLUTION, sizeof resolution,
                                     &resolution, NULL));
    assert_int_equal(resolution, 1);
    assert_success(clFinish(queue));
    assert_success(clGetDeviceAndHostTimer(device, &before, &host));
    assert_int_equal(before, host);
    assert_success(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, &event));
    assert_success(clGetDeviceAndHostTimer(device, &after, &host));
    assert_int_equal(event_time(event, CL_PROFILING_COMMAND_START), before);
    assert_int_equal(event_time(event, CL_PROFILING_COMMAND_END), after);
    assert_success(clGetHostTimer(device, &host));
    assert_int_equal(host, after);
    assert_int_equal(clGetHostTimer(device, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceAndHostTimer(device, NULL, &host), CL_INVALID_VALUE);
    assert_int_equal(clGetHostTimer(NULL, &host), CL_INVALID_DEVICE);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
}

static void old_programs_change_their_queue(void **state)
{
    cl_command_queue_properties old = 77, flags;
    cl_int status;
    cl_command_queue plain = clCreateCommandQueue(context, device, 0, &status);
    int written = 12, value = 0;
    cl_mem buffer = make_buffer(&written, 1);

    assert_success(clSetCommandQueueProperty(plain, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
    assert_int_equal(old, 0);
    assert_success(clEnqueueReadBuffer(plain, buffer, CL_FALSE, 0, 4, &value, 0, NULL, NULL));
    assert_success(
        clSetCommandQueueProperty(plain, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_TRUE, NULL));
    assert_int_equal(value, 12); /* what came before was in order */
    clReleaseMemObject(buffer);
    assert_success(clSetCommandQueueProperty(plain, CL_QUEUE_PROFILING_ENABLE, CL_FALSE, &old));
    assert_int_equal(old, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    assert_success(clGetCommandQueueInfo(plain, CL_QUEUE_PROPERTIES, sizeof flags, &flags, NULL));
    assert_int_equal(flags, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    assert_int_equal(clSetCommandQueueProperty(plain, 1u << 20, CL_TRUE, NULL), CL_INVALID_VALUE);
    assert_int_equal(clSetCommandQueueProperty(NULL, 1, CL_TRUE, NULL), CL_INVALID_COMMAND_QUEUE);
    clReleaseCommandQueue(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_query_has_an_answer_of_its_size),
        cmocka_unit_test(lists_agree),
        cmocka_unit_test(what_is_not_offered_has_no_size),
        cmocka_unit_test(number_formats_agree_with_extensions),
        cmocka_unit_test(sizes_fit_together),
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(attributes_are_text),
        cmocka_unit_test(argument_names_are_for_who_asked),
        cmocka_unit_test(a_sampler_has_its_size),
        cmocka_unit_test(release_callbacks_are_refused),
        cmocka_unit_test(timers_are_the_machines_clock),
        cmocka_unit_test(old_programs_change_their_queue),
    };

    return cmocka_run_group_tests_name("opencl/queries", tests, support_start, support_stop);
}
