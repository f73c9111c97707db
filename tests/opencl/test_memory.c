/* SPDX-License-Identifier: MIT */
/* Buffers: creation, transfers, rectangles, sub-buffers, mapping. */
#include "support.h"

enum { COUNT = 256 };

static void count_up(int *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (int)(i * 3 + 1);
}

static void flags_are_checked(void **state)
{
    int value = 5;
    cl_int status;

    assert_null(clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(
        clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, &value, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(clCreateBuffer(context, 0, 0, NULL, &status));
    assert_status(CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateBuffer(context, 0, (size_t)1 << 50, NULL, &status));
    assert_status(CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateBuffer(context, 0, 4, &value, &status));
    assert_status(CL_INVALID_HOST_PTR);
    assert_null(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &status));
    assert_status(CL_INVALID_HOST_PTR);
}

static void bytes_go_there_and_back(void **state)
{
    int values[COUNT], back[COUNT];
    cl_mem buffer = make_buffer(NULL, COUNT), other = make_buffer(NULL, COUNT);
    short pattern = 0x1234;

    count_up(values, COUNT);
    assert_success(
        clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof values, values, 0, NULL, NULL));
    assert_success(clEnqueueCopyBuffer(queue, buffer, other, 40, 80, 100, 0, NULL, NULL));
    assert_success(clEnqueueFillBuffer(queue, other, &pattern, 2, 0, 8, 0, NULL, NULL));
    assert_success(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    assert_int_equal(back[0], 0x12341234);
    assert_int_equal(back[1], 0x12341234);
    assert_int_equal(back[2], 0);
    assert_memory_equal(back + 20, values + 10, 100);
    assert_int_equal(back[45], 0);
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
}

static void ranges_are_checked(void **state)
{
    int values[4] = {0};
    cl_mem buffer = make_buffer(values, 4);

    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4, 16, values, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, SIZE_MAX, 2, values, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, NULL, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 8, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_success(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 8, 0, NULL, NULL));
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, values, 3, 0, 12, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(queue, buffer, values, 4, 2, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    clReleaseMemObject(buffer);
}

static void host_access_flags_hold(void **state)
{
    int value = 1;
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 4, NULL, &status);

    assert_int_equal(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    assert_null(
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &status));
    assert_status(CL_INVALID_OPERATION);
    clReleaseMemObject(buffer);
}

/* An 8 by 4 by 2 box of ints; a 3 by 2 by 2 piece of it. */
static void rectangles_pick_their_rows(void **state)
{
    enum { WIDTH = 8, HEIGHT = 4, DEPTH = 2 };
    const size_t origin[3] = {2 * 4, 1, 0}, host_origin[3] = {0, 0, 0}, region[3] = {12, 2, 2};
    int box[DEPTH][HEIGHT][WIDTH], piece[2][2][3], again[DEPTH][HEIGHT][WIDTH] = {0};
    cl_mem buffer, other = make_buffer(&again[0][0][0], WIDTH * HEIGHT * DEPTH);

    count_up(&box[0][0][0], WIDTH * HEIGHT * DEPTH);
    buffer = make_buffer(&box[0][0][0], WIDTH * HEIGHT * DEPTH);
    assert_success(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, host_origin, region,
                                           WIDTH * 4, WIDTH * HEIGHT * 4, 0, 0, piece, 0, NULL,
                                           NULL));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            assert_memory_equal(piece[z][y], &box[z][y + 1][2], 12);
    assert_success(clEnqueueWriteBufferRect(queue, other, CL_FALSE, origin, host_origin, region,
                                            WIDTH * 4, WIDTH * HEIGHT * 4, 0, 0, piece, 0, NULL,
                                            NULL));
    assert_success(clEnqueueCopyBufferRect(queue, buffer, other, origin, host_origin, region,
                                           WIDTH * 4, WIDTH * HEIGHT * 4, WIDTH * 4,
                                           WIDTH * HEIGHT * 4, 0, NULL, NULL));
    read_ints(other, &again[0][0][0], WIDTH * HEIGHT * DEPTH);
    assert_memory_equal(&again[1][1][3], &piece[1][0][1], 8);
    assert_memory_equal(&again[1][0][0], &piece[1][0][0], 12);
    assert_int_equal(again[0][3][0], 0);
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
}

static void rectangles_are_checked(void **state)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 4, 1}, beside[3] = {8, 0, 0},
                 across[3] = {4, 1, 0}, empty[3] = {8, 0, 1};
    int values[COUNT];
    cl_mem buffer = make_buffer(NULL, COUNT);

    assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 4, 0,
                                             0, 0, values, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, empty, 0, 0, 0,
                                             0, values, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, region,
                                             COUNT * 4, 0, 0, 0, values, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_success(clEnqueueCopyBufferRect(queue, buffer, buffer, origin, beside, region, 16, 64,
                                           16, 64, 0, NULL, NULL));
    assert_int_equal(clEnqueueCopyBufferRect(queue, buffer, buffer, origin, across, region, 16, 64,
                                             16, 64, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    clReleaseMemObject(buffer);
}

static void sub_buffers_are_windows(void **state)
{
    int values[COUNT], back[64];
    cl_buffer_region region = {256, 256}, askew = {100, 64}, beyond = {768, 512};
    cl_mem buffer, window, parent;
    cl_int status;
    size_t offset;

    count_up(values, COUNT);
    buffer = make_buffer(values, COUNT);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &askew, &status));
    assert_status(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &beyond, &status));
    assert_status(CL_INVALID_VALUE);
    window = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    assert_status(CL_SUCCESS);
    assert_null(clCreateSubBuffer(window, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    assert_status(CL_INVALID_MEM_OBJECT);
    clReleaseMemObject(buffer); /* the window holds it */
    read_ints(window, back, 64);
    assert_memory_equal(back, values + 64, sizeof back);
    assert_success(clGetMemObjectInfo(window, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    assert_int_equal(offset, 256);
    assert_success(
        clGetMemObjectInfo(window, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    assert_ptr_equal(parent, buffer);
    clReleaseMemObject(window);
}

static cl_uint map_count(cl_mem buffer)
{
    cl_uint count;

    assert_success(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    return count;
}

static void maps_move_bytes_both_ways(void **state)
{
    int values[COUNT], back[COUNT];
    cl_mem buffer;
    cl_int status;
    int *mapped, *again;

    count_up(values, COUNT);
    buffer = make_buffer(values, COUNT);
    mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 128, 0,
                                NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_memory_equal(mapped, values + 16, 128);
    again = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 68, 4, 0, NULL, NULL, &status);
    assert_ptr_equal(again, mapped + 1); /* the same bytes, the same place */
    assert_int_equal(map_count(buffer), 2);
    mapped[0] = -7;
    read_ints(buffer, back, COUNT);
    assert_int_equal(back[16], values[16]); /* not before the unmap */
    assert_success(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    read_ints(buffer, back, COUNT);
    assert_int_equal(back[16], -7);
    assert_success(clEnqueueUnmapMemObject(queue, buffer, again, 0, NULL, NULL));
    assert_int_equal(clEnqueueUnmapMemObject(queue, buffer, again, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(map_count(buffer), 0);
    clReleaseMemObject(buffer);
}

static void a_map_for_reading_takes_nothing_back(void **state)
{
    int value = 11, back;
    cl_mem buffer = make_buffer(&value, 1);
    cl_int status;
    int *mapped =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &status);

    *mapped = 12;
    assert_success(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    read_ints(buffer, &back, 1);
    assert_int_equal(back, 11);
    clReleaseMemObject(buffer);
}

static void host_pointers_are_where_maps_are(void **state)
{
    int memory[COUNT], back[COUNT], zero = 0;
    cl_mem buffer;
    cl_int status;
    int *mapped;
    void *pointer;

    count_up(memory, COUNT);
    buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof memory, memory, &status);
    assert_status(CL_SUCCESS);
    read_ints(buffer, back, COUNT);
    assert_memory_equal(back, memory, sizeof memory);
    assert_success(clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    assert_ptr_equal(pointer, memory);
    assert_success(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, 16, 0, NULL, NULL));
    mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 8, 64, 0, NULL, NULL, &status);
    assert_ptr_equal(mapped, memory + 2);
    assert_int_equal(memory[2], 0);
    assert_int_equal(memory[0], 0); /* outside the map too, as a blocking call came back */
    assert_int_equal(memory[4], 13);
    assert_success(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    clReleaseMemObject(buffer);
}

static void map_flags_are_checked(void **state)
{
    cl_mem buffer = make_buffer(NULL, COUNT);
    cl_int status;

    assert_null(clEnqueueMapBuffer(queue, buffer, CL_TRUE,
                                   CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL,
                                   NULL, &status));
    assert_status(CL_INVALID_VALUE);
    assert_null(
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 1020, 8, 0, NULL, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    clReleaseMemObject(buffer);
}

static int order[3], order_count;

static void CL_CALLBACK note_order(cl_mem memory, void *data)
{
    order[order_count++] = *(int *)data;
}

static void destructors_run_latest_first(void **state)
{
    static int one = 1, two = 2;
    cl_mem buffer = make_buffer(NULL, 4);

    assert_int_equal(clSetMemObjectDestructorCallback(buffer, NULL, NULL), CL_INVALID_VALUE);
    assert_success(clSetMemObjectDestructorCallback(buffer, note_order, &one));
    assert_success(clSetMemObjectDestructorCallback(buffer, note_order, &two));
    assert_success(clFinish(queue));
    assert_success(clReleaseMemObject(buffer));
    assert_int_equal(order_count, 2);
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 1);
}

/* A command keeps its buffer until it has run. */
static void release_before_use(void **state)
{
    int value = 9, back = 0;
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, &value, &status);

    assert_success(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &back, 0, NULL, NULL));
    assert_success(clReleaseMemObject(buffer));
    assert_int_equal(back, 0); /* lazily */
    assert_success(clFinish(queue));
    assert_int_equal(back, 9);
}

static void memory_runs_out_with_a_status(void **state)
{
    cl_ulong bytes;
    cl_mem buffers[8];
    unsigned count = 0;
    cl_int status = CL_SUCCESS;

    clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof bytes, &bytes, NULL);
    while (count < 8 && status == CL_SUCCESS)
        buffers[count++] = clCreateBuffer(context, 0, bytes, NULL, &status);
    assert_status(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    while (--count > 0)
        clReleaseMemObject(buffers[count - 1]);
    buffers[0] = clCreateBuffer(context, 0, bytes, NULL, &status);
    assert_status(CL_SUCCESS);
    clReleaseMemObject(buffers[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_checked),
        cmocka_unit_test(bytes_go_there_and_back),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(host_access_flags_hold),
        cmocka_unit_test(rectangles_pick_their_rows),
        cmocka_unit_test(rectangles_are_checked),
        cmocka_unit_test(sub_buffers_are_windows),
        cmocka_unit_test(maps_move_bytes_both_ways),
        cmocka_unit_test(a_map_for_reading_takes_nothing_back),
        cmocka_unit_test(host_pointers_are_where_maps_are),
        cmocka_unit_test(map_flags_are_checked),
        cmocka_unit_test(destructors_run_latest_first),
        cmocka_unit_test(release_before_use),
        cmocka_unit_test(memory_runs_out_with_a_status),
    };

    return cmocka_run_group_tests_name("opencl/memory", tests, support_start, support_stop);
}
