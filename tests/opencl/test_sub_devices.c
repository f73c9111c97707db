/* SPDX-License-Identifier: MIT */
/* Sub-devices: making them, what they say of themselves, who holds them, contexts and queues on
 * them; functions of the program as commands. */
#include "support.h"

static cl_uint units;

static cl_int divide(cl_device_id parent, const cl_device_partition_property *properties,
                     cl_uint *count)
{
    return clCreateSubDevices(parent, properties, 0, NULL, count);
}

static cl_uint number(cl_device_id of, cl_device_info name)
{
    cl_uint value;

    assert_success(clGetDeviceInfo(of, name, sizeof value, &value, NULL));
    return value;
}

static void find_units(void)
{
    units = number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    assert_true(units >= 4);
}

static void the_device_says_how_it_divides(void **state)
{
    cl_device_partition_property ways[4], type[1] = {7};
    cl_device_affinity_domain domain;
    cl_device_id parent;
    size_t size;

    find_units();
    assert_int_equal(number(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), units);
    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, &size));
    assert_int_equal(size, 2 * sizeof *ways);
    assert_int_equal(ways[0], CL_DEVICE_PARTITION_EQUALLY);
    assert_int_equal(ways[1], CL_DEVICE_PARTITION_BY_COUNTS);
    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof domain, &domain, NULL));
    assert_int_equal(domain, 0);
    assert_success(clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
    assert_int_equal(size, 0);
    assert_success(clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    assert_null(parent);
    assert_int_equal(number(device, CL_DEVICE_REFERENCE_COUNT), 1);
    assert_success(clRetainDevice(device));
    assert_success(clReleaseDevice(device));
    assert_int_equal(number(device, CL_DEVICE_REFERENCE_COUNT), 1);
}

static void equal_parts(void **state)
{
    cl_device_partition_property by_two[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0}, type[3];
    cl_device_id parts[128], parent;
    cl_uint count;
    size_t size;

    find_units();
    assert_success(divide(device, by_two, &count));
    assert_int_equal(count, units / 2);
    assert_int_equal(clCreateSubDevices(device, by_two, count - 1, parts, NULL), CL_INVALID_VALUE);
    assert_success(clCreateSubDevices(device, by_two, count, parts, NULL));
    for (cl_uint i = 0; i < count; i++) {
        assert_int_equal(number(parts[i], CL_DEVICE_MAX_COMPUTE_UNITS), 2);
        assert_int_equal(number(parts[i], CL_DEVICE_REFERENCE_COUNT), 1);
        assert_success(
            clGetDeviceInfo(parts[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        assert_ptr_equal(parent, device);
    }
    assert_success(clGetDeviceInfo(parts[0], CL_DEVICE_PARTITION_TYPE, sizeof type, type, &size));
    assert_int_equal(size, sizeof by_two);
    assert_memory_equal(type, by_two, sizeof by_two);
    for (cl_uint i = 0; i < count; i++)
        assert_success(clReleaseDevice(parts[i]));
    assert_int_equal(clReleaseDevice(parts[0]), CL_INVALID_DEVICE);
    assert_int_equal(clGetDeviceInfo(parts[0], CL_DEVICE_NAME, 0, NULL, &size), CL_INVALID_DEVICE);
}

static void parts_by_counts_and_parts_of_parts(void **state)
{
    cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 3, 1,
                                             CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_partition_property singles[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2], inner[3], parent;
    cl_uint count;

    assert_success(clCreateSubDevices(device, counts, 2, parts, &count));
    assert_int_equal(count, 2);
    assert_int_equal(number(parts[0], CL_DEVICE_MAX_COMPUTE_UNITS), 3);
    assert_int_equal(number(parts[1], CL_DEVICE_MAX_COMPUTE_UNITS), 1);
    assert_int_equal(number(parts[1], CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0);
    assert_success(clCreateSubDevices(parts[0], singles, 3, inner, &count));
    assert_int_equal(count, 3);
    assert_success(clReleaseDevice(parts[0])); /* its parts hold it */
    assert_success(
        clGetDeviceInfo(inner[2], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    assert_ptr_equal(parent, parts[0]);
    for (cl_uint i = 0; i < 3; i++)
        assert_success(clReleaseDevice(inner[i]));
    assert_success(clReleaseDevice(parts[1]));
}

static void what_cannot_be_divided_so(void **state)
{
    cl_device_partition_property none[] = {0}, other[] = {77, 2, 0};
    cl_device_partition_property zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    cl_device_partition_property large[] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    cl_device_partition_property twice[] = {CL_DEVICE_PARTITION_EQUALLY, 1,
                                            CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_partition_property affinity[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                               CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 0, 1, 0, 0};
    cl_uint count;

    find_units();
    large[1] = (cl_device_partition_property)units + 1;
    counts[1] = (cl_device_partition_property)units;
    assert_int_equal(divide(device, NULL, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, none, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, other, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, zero, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, twice, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, large, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    large[1]--; /* the device itself is none of its parts */
    assert_int_equal(divide(device, large, &count), CL_DEVICE_PARTITION_FAILED);
    assert_int_equal(divide(device, affinity, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, counts, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
    counts[1] = -1;
    assert_int_equal(divide(device, counts, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
}

/* A context of both halves: a queue each, one program, one buffer. */
static void work_on_parts(void **state)
{
    cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    const char *source = "__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n";
    cl_device_id parts[2], found[2];
    cl_command_queue queues[2];
    size_t size, items = 256, sizes[2];
    int values[256];
    cl_context both;
    cl_program twice;
    cl_kernel kernel;
    cl_mem buffer;
    cl_int status;

    find_units();
    halves[1] = (cl_device_partition_property)units / 2;
    assert_success(clCreateSubDevices(device, halves, 2, parts, NULL));
    both = clCreateContext(NULL, 2, parts, NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_success(clGetContextInfo(both, CL_CONTEXT_DEVICES, sizeof found, found, &size));
    assert_int_equal(size, sizeof found);
    assert_memory_equal(found, parts, sizeof parts);
    assert_null(clCreateCommandQueue(both, device, 0, &status)); /* not in that context */
    assert_status(CL_INVALID_DEVICE);
    assert_null(clCreateCommandQueue(context, parts[0], 0, &status));
    assert_status(CL_INVALID_DEVICE);
    twice = clCreateProgramWithSource(both, 1, &source, NULL, &status);
    assert_success(clBuildProgram(twice, 2, parts, NULL, NULL, NULL));
    assert_success(clGetProgramInfo(twice, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    assert_true(sizes[0] > 0 && sizes[0] == sizes[1]);
    kernel = clCreateKernel(twice, "twice", &status);
    for (int i = 0; i < 256; i++)
        values[i] = i;
    buffer = clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, sizeof values, values, &status);
    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(both, parts[i], 0, &status);
        assert_status(CL_SUCCESS);
        assert_success(
            clGetCommandQueueInfo(queues[i], CL_QUEUE_DEVICE, sizeof *found, found, NULL));
        assert_ptr_equal(found[0], parts[i]);
        assert_success(clReleaseDevice(parts[i])); /* context and queue hold it */
        if (getenv("FAKE_MACHINE") == NULL)        /* which knows other kernels */
            assert_success(
                clEnqueueNDRangeKernel(queues[i], kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        assert_success(clFinish(queues[i]));
    }
    assert_success(
        clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    if (getenv("FAKE_MACHINE") == NULL)
        for (int i = 0; i < 256; i++)
            assert_int_equal(values[i], 4 * i);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(twice);
    for (int i = 0; i < 2; i++)
        assert_success(clReleaseCommandQueue(queues[i]));
    assert_success(clReleaseContext(both));
}

/* ---- Functions of the program as commands ---- */

struct sum_arguments {
    int *terms, *sum, bias;
};

static void CL_CALLBACK add_up(void *data)
{
    struct sum_arguments *arguments = data;

    *arguments->sum = arguments->bias;
    for (int i = 0; i < 4; i++)
        *arguments->sum += arguments->terms[i];
}

static void a_function_runs_between_commands(void **state)
{
    const int terms[4] = {1, 2, 3, 4}, more[4] = {10, 20, 30, 40};
    struct sum_arguments arguments = {NULL, NULL, 5};
    const void *places[] = {&arguments.terms, &arguments.sum};
    cl_mem memories[] = {make_buffer(terms, 4), make_buffer(NULL, 1)};
    cl_device_exec_capabilities can;
    cl_command_type type;
    cl_event event;
    int sum;

    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
    assert_int_equal(can, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
    assert_success(
        clEnqueueWriteBuffer(queue, memories[0], CL_FALSE, 0, sizeof more, more, 0, NULL, NULL));
    assert_success(clEnqueueNativeKernel(queue, add_up, &arguments, sizeof arguments, 2, memories,
                                         places, 0, NULL, &event));
    arguments.bias = 1000; /* they were copied */
    assert_success(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_NATIVE_KERNEL);
    assert_null(arguments.sum);
    read_ints(memories[1], &sum, 1);
    assert_int_equal(sum, 105);
    assert_true(event_time(event, CL_PROFILING_COMMAND_END) >=
                event_time(event, CL_PROFILING_COMMAND_START));
    clReleaseEvent(event);
    for (int i = 0; i < 2; i++)
        clReleaseMemObject(memories[i]);
}

static void a_functions_arguments_go_together(void **state)
{
    struct sum_arguments arguments = {NULL, NULL, 5};
    const void *places[] = {&arguments.terms}, *outside[] = {&arguments + 1};
    cl_mem memory = make_buffer(NULL, 4);
    cl_mem none = NULL;
    size_t bytes = sizeof arguments;

#define NATIVE(function, data, size, count, memories, where)                                       \
    clEnqueueNativeKernel(queue, function, data, size, count, memories, where, 0, NULL, NULL)
    assert_int_equal(NATIVE(NULL, &arguments, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, NULL, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, &arguments, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, NULL, 0, 1, &memory, places), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, &arguments, bytes, 1, NULL, places), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, &arguments, bytes, 1, &memory, NULL), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, &arguments, bytes, 0, &memory, places), CL_INVALID_VALUE);
    assert_int_equal(NATIVE(add_up, &arguments, bytes, 1, &none, places), CL_INVALID_MEM_OBJECT);
    assert_int_equal(NATIVE(add_up, &arguments, bytes, 1, &memory, outside), CL_INVALID_VALUE);
    clReleaseMemObject(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_says_how_it_divides),
        cmocka_unit_test(equal_parts),
        cmocka_unit_test(parts_by_counts_and_parts_of_parts),
        cmocka_unit_test(what_cannot_be_divided_so),
        cmocka_unit_test(work_on_parts),
        cmocka_unit_test(a_function_runs_between_commands),
        cmocka_unit_test(a_functions_arguments_go_together),
    };

    return cmocka_run_group_tests(tests, support_start, support_stop);
}
