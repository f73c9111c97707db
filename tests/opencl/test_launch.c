/* SPDX-License-Identifier: MIT */
/* Launches: sizes, offsets, arguments as they were, local memory, failures, shared virtual memory.
 */
#include "support.h"

enum { COUNT = 1024 };

static void set_add(cl_kernel kernel, cl_mem sums, cl_mem terms, int bias)
{
    assert_success(clSetKernelArg(kernel, 0, sizeof sums, &sums));
    assert_success(clSetKernelArg(kernel, 1, sizeof terms, &terms));
    assert_success(clSetKernelArg(kernel, 2, sizeof bias, &bias));
}

static void arguments_are_caught_at_the_call(void **state)
{
    const size_t global = COUNT, local = 64;
    int values[COUNT], bias = 100;
    cl_kernel kernel = make_kernel("add"), twin;
    cl_mem sums = make_buffer(NULL, COUNT), terms;
    cl_int status;

    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    terms = make_buffer(values, COUNT);
    set_add(kernel, sums, terms, 1);
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    twin = clCloneKernel(kernel, &status);
    assert_status(CL_SUCCESS);
    assert_success(clSetKernelArg(kernel, 2, sizeof bias, &bias));
    assert_success(clEnqueueNDRangeKernel(queue, twin, 1, NULL, &global, &local, 0, NULL, NULL));
    clReleaseKernel(kernel);
    clReleaseKernel(twin);
    clReleaseMemObject(terms);
    read_ints(sums, values, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], 2 * i + 2);
    clReleaseMemObject(sums);
}

static void launches_have_times(void **state)
{
    const size_t global = COUNT;
    cl_kernel kernel = make_kernel("add");
    cl_mem buffer = make_buffer(NULL, COUNT);
    cl_event event, none;

    set_add(kernel, buffer, buffer, 1);
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    assert_success(clWaitForEvents(1, &event));
    assert_true(event_time(event, CL_PROFILING_COMMAND_SUBMIT) <=
                event_time(event, CL_PROFILING_COMMAND_START));
    assert_true(event_time(event, CL_PROFILING_COMMAND_START) <
                event_time(event, CL_PROFILING_COMMAND_END));
    assert_success(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, (const size_t[]){0}, NULL, 0, NULL, &none));
    assert_success(clWaitForEvents(1, &none)); /* nothing to do is done */
    assert_int_equal(event_time(none, CL_PROFILING_COMMAND_START),
                     event_time(none, CL_PROFILING_COMMAND_END));
    clReleaseEvent(event);
    clReleaseEvent(none);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

/* Runs `place` and checks each work-item's ids; returns the group that was used. */
static void check_places(cl_uint dimensions, const size_t *offset, const size_t *global,
                         const size_t *local, size_t *group)
{
    size_t sizes[3] = {1, 1, 1}, count;
    cl_kernel kernel = make_kernel("place");
    cl_mem buffer;
    int *places;

    memcpy(sizes, global, dimensions * sizeof *sizes);
    count = sizes[0] * sizes[1] * sizes[2];
    buffer = make_buffer(NULL, 4 * count);
    places = malloc(4 * count * sizeof *places);
    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(
        clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL));
    read_ints(buffer, places, 4 * count);
    for (size_t i = 0; i < count; i++) {
        size_t at[3] = {i % sizes[0], i / sizes[0] % sizes[1], i / sizes[0] / sizes[1]};

        for (cl_uint axis = 0; axis < 3; axis++)
            assert_int_equal(places[4 * i + axis],
                             at[axis] + (offset != NULL && axis < dimensions ? offset[axis] : 0));
        if (local != NULL)
            assert_int_equal(places[4 * i + 3], local[0] + 1000 * (dimensions > 1 ? local[1] : 1) +
                                                    1000000 * (dimensions > 2 ? local[2] : 1));
    }
    group[0] = (size_t)places[3] % 1000;
    group[1] = (size_t)places[3] / 1000 % 1000;
    group[2] = (size_t)places[3] / 1000000;
    free(places);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static void dimensions_and_offsets(void **state)
{
    size_t group[3];

    check_places(1, NULL, (const size_t[]){192}, (const size_t[]){64}, group);
    check_places(2, (const size_t[]){5, 7}, (const size_t[]){24, 10}, (const size_t[]){8, 5},
                 group);
    check_places(3, (const size_t[]){1, 2, 3}, (const size_t[]){8, 4, 6}, (const size_t[]){4, 2, 3},
                 group);
}

static void a_group_is_chosen_that_divides(void **state)
{
    size_t group[3];

    check_places(1, NULL, (const size_t[]){1024}, NULL, group);
    assert_int_equal(group[0], 256);
    check_places(1, NULL, (const size_t[]){192}, NULL, group);
    assert_int_equal(group[0], 192);
    check_places(1, NULL, (const size_t[]){498}, NULL, group);
    assert_int_equal(group[0],
                     249); /* 7 idle lanes of 256: fewer for each work-item than 166 or 83 have */
    check_places(2, NULL, (const size_t[]){10, 32}, NULL, group);
    assert_int_equal(group[0] * group[1] % 64, 0);
    check_places(3, NULL, (const size_t[]){7, 5, 3}, NULL, group);
    assert_int_equal(group[0] * group[1] * group[2], 105); /* two waves, 23 lanes idle */
}

static void sizes_are_checked(void **state)
{
    const size_t global[3] = {100, 4, 1}, zero[3] = {0, 1, 1}, odd = 64, large = 512;
    cl_kernel kernel = make_kernel("place");
    cl_mem buffer = make_buffer(NULL, 4096);

    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, global, NULL, 0, NULL, NULL),
                     CL_INVALID_WORK_DIMENSION);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, (const size_t[]){SIZE_MAX - 99},
                                            global, NULL, 0, NULL, NULL),
                     CL_INVALID_GLOBAL_OFFSET);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, &odd, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, zero, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &large, &large, 0, NULL, NULL),
                     CL_INVALID_WORK_ITEM_SIZE);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, (const size_t[]){64, 64},
                                            (const size_t[]){64, 8}, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

/* No sizes, or one that is 0: done when what it waits for is. */
static void an_empty_range_is_done_at_once(void **state)
{
    const size_t zero[2] = {64, 0}, local[2] = {64, 1}, odd = 300;
    int before[256], after[256];
    cl_kernel kernel = make_kernel("required"), place = make_kernel("place");
    cl_mem buffer = make_buffer(NULL, 256);
    cl_int status;
    cl_event gate = clCreateUserEvent(context, &status), event;

    read_ints(buffer, before, 256);
    assert_success(clSetKernelArg(place, 0, sizeof buffer, &buffer));
    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(clEnqueueNDRangeKernel(queue, place, 3, NULL, NULL, NULL, 1, &gate, &event));
    assert_success(clFlush(queue));
    assert_true(event_status(event) > CL_COMPLETE);
    assert_success(clSetUserEventStatus(gate, CL_COMPLETE));
    assert_int_equal(event_status(event), CL_COMPLETE);
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, NULL, NULL, 0, NULL, NULL));
    assert_success(clEnqueueNDRangeKernel(queue, place, 2, NULL, NULL, local, 0, NULL, NULL));
    assert_success(clEnqueueNDRangeKernel(queue, place, 2, NULL, zero, local, 0, NULL, NULL));
    assert_success(clEnqueueNDRangeKernel(queue, place, 2, NULL, zero, NULL, 0, NULL, NULL));
    assert_int_equal(clEnqueueNDRangeKernel(queue, place, 1, NULL, NULL, &odd, 0, NULL, NULL),
                     CL_INVALID_WORK_ITEM_SIZE);
    assert_success(clFinish(queue));
    read_ints(buffer, after, 256);
    assert_memory_equal(after, before, sizeof after);
    clReleaseEvent(gate);
    clReleaseEvent(event);
    clReleaseKernel(kernel);
    clReleaseKernel(place);
    clReleaseMemObject(buffer);
}

static void required_sizes_hold(void **state)
{
    const size_t global[2] = {64, 4}, wrong[2] = {64, 1};
    int out[256];
    cl_kernel kernel = make_kernel("required");
    cl_mem buffer = make_buffer(NULL, 256);

    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, wrong, 0, NULL, NULL),
                     CL_INVALID_WORK_GROUP_SIZE);
    assert_int_equal(clEnqueueTask(queue, kernel, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    read_ints(buffer, out, 256);
    assert_int_equal(out[255], 32);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static void local_memory_is_laid_out(void **state)
{
    const size_t global = 256, local = 64;
    int values[256], sums[4];
    cl_kernel kernel = make_kernel("group_sum");
    cl_mem in, out = make_buffer(NULL, 4);

    for (int i = 0; i < 256; i++)
        values[i] = i;
    in = make_buffer(values, 256);
    assert_success(clSetKernelArg(kernel, 0, sizeof in, &in));
    assert_success(clSetKernelArg(kernel, 1, sizeof out, &out));
    assert_success(clSetKernelArg(kernel, 2, local * 4 + 1, NULL)); /* the second starts aligned */
    assert_success(clSetKernelArg(kernel, 3, local * 4, NULL));
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    read_ints(out, sums, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sums[i], 64 * 64 * i + 63 * 32);
    assert_success(clSetKernelArg(kernel, 2, 40000, NULL));
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     CL_OUT_OF_RESOURCES);
    clReleaseKernel(kernel);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void values_arrive(void **state)
{
    struct {
        int a;
        float b[3];
    } pair = {17, {1, 2, 2.5f}};
    cl_char small = -3;
    cl_float4 vector = {{1, 2, 3, 4.5f}};
    cl_long large = (cl_long)1 << 40;
    float out[5];
    cl_kernel kernel = make_kernel("by_value");
    cl_mem buffer = make_buffer(NULL, 5);

    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(clSetKernelArg(kernel, 1, sizeof pair, &pair));
    assert_success(clSetKernelArg(kernel, 2, sizeof small, &small));
    assert_success(clSetKernelArg(kernel, 3, sizeof vector, &vector));
    assert_success(clSetKernelArg(kernel, 4, sizeof large, &large));
    assert_success(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    assert_true(out[0] == 17 && out[1] == 2.5f && out[2] == -3 && out[3] == 4.5f &&
                out[4] == 1099511627776.0f);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static void shared_memory_needs_mapping_only(void **state)
{
    const size_t global = COUNT;
    int *terms = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * 4, 0), copy[COUNT], bias = 2;
    int *sums = clSVMAlloc(context, CL_MEM_READ_WRITE, COUNT * 4, 64), pattern = 30;
    cl_kernel kernel = make_kernel("add");

    if (terms == NULL) /* the host could not give the addresses */
        skip();
    assert_success(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, terms, COUNT * 4, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        terms[i] = i;
    assert_success(clEnqueueSVMUnmap(queue, terms, 0, NULL, NULL));
    assert_success(clEnqueueSVMMemFill(queue, sums, &pattern, 4, COUNT * 4, 0, NULL, NULL));
    assert_success(clSetKernelArgSVMPointer(kernel, 0, sums));
    assert_success(clSetKernelArgSVMPointer(kernel, 1, terms));
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 1, &bias), CL_INVALID_ARG_VALUE);
    assert_success(clSetKernelArg(kernel, 2, sizeof bias, &bias));
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    assert_success(clEnqueueSVMMemcpy(queue, CL_TRUE, copy, sums, sizeof copy, 0, NULL, NULL));
    assert_success(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, sums, COUNT * 4, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(sums[i], i + 32);
    assert_memory_equal(copy, sums, sizeof copy);
    assert_success(clEnqueueSVMUnmap(queue, sums, 0, NULL, NULL));
    assert_success(clFinish(queue));
    clReleaseKernel(kernel);
    clSVMFree(context, sums);
    clSVMFree(context, terms);
}

static void shared_memory_is_refused_where_there_is_none(void **state)
{
    cl_device_svm_capabilities capabilities;
    cl_kernel kernel = make_kernel("add");

    if (getenv("FAKE_MACHINE_NO_SVM") == NULL)
        skip();
    assert_success(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities,
                                   &capabilities, NULL));
    assert_int_equal(capabilities, 0);
    assert_null(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
    assert_int_equal(clSetKernelArgSVMPointer(kernel, 0, NULL), CL_INVALID_OPERATION);
    clReleaseKernel(kernel);
}

static void buffers_on_shared_memory_alias_it(void **state)
{
    int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0), value = 77;
    cl_int status;
    cl_bool is_svm;
    cl_mem buffer;

    if (memory == NULL)
        skip();
    buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, memory, &status);
    assert_status(CL_SUCCESS);
    assert_success(
        clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof is_svm, &is_svm, NULL));
    assert_true(is_svm);
    assert_success(clEnqueueFillBuffer(queue, buffer, &value, 4, 0, 64, 0, NULL, NULL));
    assert_ptr_equal(
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &status),
        memory);
    assert_int_equal(memory[15], 77);
    assert_success(clEnqueueUnmapMemObject(queue, buffer, memory, 0, NULL, NULL));
    assert_success(clFinish(queue));
    clReleaseMemObject(buffer);
    clSVMFree(context, memory);
}

/* The last test: after it the machine runs nothing more. */
static void a_failed_launch_stops_the_queue(void **state)
{
    const size_t global = 64;
    int value = 4;
    cl_kernel kernel = make_kernel("faulty");
    cl_mem buffer = make_buffer(&value, 1);
    cl_event event, behind;

    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    assert_success(clEnqueueMarkerWithWaitList(queue, 0, NULL, &behind));
    assert_int_equal(clFinish(queue), CL_OUT_OF_RESOURCES);
    assert_int_equal(event_status(event), CL_OUT_OF_RESOURCES);
    assert_int_equal(event_status(behind), CL_OUT_OF_RESOURCES);
    assert_int_equal(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
                     CL_OUT_OF_RESOURCES);
    clReleaseEvent(event);
    clReleaseEvent(behind);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static size_t sub_group_number(cl_kernel kernel, cl_kernel_sub_group_info name, size_t bytes,
                               const void *input)
{
    size_t value = 77;

    assert_success(
        clGetKernelSubGroupInfo(kernel, device, name, bytes, input, sizeof value, &value, NULL));
    return value;
}

static void sub_groups_are_wavefronts(void **state)
{
    cl_kernel kernel = make_kernel("add");
    const size_t local[3] = {10, 10, 2}, narrow = 40, three = 3, many = 5;
    size_t size[2];
    cl_uint max;

    assert_success(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof max, &max, NULL));
    assert_int_equal(max, 4);
    assert_int_equal(
        sub_group_number(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, local), 4);
    assert_int_equal(
        sub_group_number(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof narrow, &narrow), 1);
    assert_int_equal(
        sub_group_number(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, local),
        64);
    assert_int_equal(
        sub_group_number(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof narrow, &narrow),
        40);
    assert_int_equal(
        sub_group_number(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof three, &three),
        192);
    assert_int_equal(
        sub_group_number(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof many, &many), 0);
    assert_success(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
                                           sizeof three, &three, sizeof size, size, NULL));
    assert_int_equal(size[0], 192);
    assert_int_equal(size[1], 1);
    assert_int_equal(sub_group_number(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL), 4);
    assert_int_equal(sub_group_number(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL), 0);
    assert_int_equal(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                             0, NULL, sizeof size[0], size, NULL),
                     CL_INVALID_VALUE);
    clReleaseKernel(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_caught_at_the_call),
        cmocka_unit_test(launches_have_times),
        cmocka_unit_test(dimensions_and_offsets),
        cmocka_unit_test(a_group_is_chosen_that_divides),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(an_empty_range_is_done_at_once),
        cmocka_unit_test(required_sizes_hold),
        cmocka_unit_test(local_memory_is_laid_out),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(shared_memory_needs_mapping_only),
        cmocka_unit_test(shared_memory_is_refused_where_there_is_none),
        cmocka_unit_test(buffers_on_shared_memory_alias_it),
        cmocka_unit_test(a_failed_launch_stops_the_queue),
        cmocka_unit_test(sub_groups_are_wavefronts),
    };

    return cmocka_run_group_tests_name("opencl/launch", tests, support_start_program, support_stop);
}
