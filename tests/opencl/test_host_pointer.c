/* SPDX-License-Identifier: MIT */
/*
 * Buffers on the program's own memory, used as programs do. They are rewritten between launches
 * and read after clFinish without a map. They are shared, read-only, or given back too early.
 * With WAVETANK_HOST_POINTERS=copy, as the specification allows: bytes move at creation and at
 * maps.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support.h"

enum { COUNT = 4096, BYTES = COUNT * 4, PAGE = 4096 };

static int memory[COUNT], other[COUNT];

static bool is_copy(void)
{
    const char *value = getenv("WAVETANK_HOST_POINTERS");

    return value != NULL && strcmp(value, "copy") == 0;
}

static void set_all(int *values, int value)
{
    for (int i = 0; i < COUNT; i++)
        values[i] = value;
}

static cl_mem on_host(void *pointer, size_t bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, pointer, &status);

    assert_status(CL_SUCCESS);
    return buffer;
}

/* sums[i] += terms[i] + bias, for `count` elements; nothing has run when it returns. */
static void enqueue_add(cl_mem sums, cl_mem terms, int bias, size_t count, cl_event *event)
{
    cl_kernel kernel = make_kernel("add");

    assert_success(clSetKernelArg(kernel, 0, sizeof sums, &sums));
    assert_success(clSetKernelArg(kernel, 1, sizeof terms, &terms));
    assert_success(clSetKernelArg(kernel, 2, sizeof bias, &bias));
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, event));
    clReleaseKernel(kernel);
}

static void a_rewrite_reaches_the_next_launch(void **state)
{
    cl_mem terms, sums = make_buffer(NULL, COUNT);
    int back[COUNT];

    set_all(memory, 1);
    terms = on_host(memory, BYTES);
    enqueue_add(sums, terms, 0, COUNT, NULL);
    assert_success(clFinish(queue));
    set_all(memory, 10);
    memory[COUNT - 1] = 1000;
    enqueue_add(sums, terms, 0, COUNT, NULL);
    read_ints(sums, back, COUNT);
    assert_int_equal(back[0], is_copy() ? 2 : 11);
    assert_int_equal(back[COUNT - 1], is_copy() ? 2 : 1001);
    clReleaseMemObject(terms);
    clReleaseMemObject(sums);
}

static void results_are_there_where_the_program_may_look(void **state)
{
    cl_mem sums, terms = make_buffer(NULL, COUNT);
    cl_event event;
    int ignored;

    set_all(memory, 0);
    sums = on_host(memory, BYTES);
    enqueue_add(sums, terms, 1, COUNT, NULL);
    assert_success(clFinish(queue));
    assert_int_equal(memory[COUNT - 1], is_copy() ? 0 : 1);
    enqueue_add(sums, terms, 1, COUNT, &event);
    assert_success(clWaitForEvents(1, &event));
    assert_int_equal(memory[0], is_copy() ? 0 : 2);
    clReleaseEvent(event);
    enqueue_add(sums, terms, 1, COUNT, NULL);
    read_ints(terms, &ignored, 1);
    assert_int_equal(memory[0], is_copy() ? 0 : 3);
    enqueue_add(sums, terms, 1, COUNT, &event);
    assert_success(clFlush(queue));
    assert_int_equal(event_status(event), CL_COMPLETE);
    assert_int_equal(memory[7], is_copy() ? 0 : 4);
    clReleaseEvent(event);
    enqueue_add(sums, terms, 1, COUNT, NULL);
    clReleaseMemObject(sums); /* lives until the command has run */
    assert_success(clFinish(queue));
    assert_int_equal(memory[7], is_copy() ? 0 : 5);
    clReleaseMemObject(terms);
}

static atomic_int seen_in_callback;

static void CL_CALLBACK look(cl_event event, cl_int status, void *data)
{
    seen_in_callback = ((int *)data)[1];
}

static void callbacks_may_look(void **state)
{
    cl_mem sums, terms = make_buffer(NULL, COUNT);
    cl_event event;

    if (is_copy())
        skip();
    set_all(memory, 4);
    sums = on_host(memory, BYTES);
    enqueue_add(sums, terms, 1, COUNT, &event);
    assert_success(clSetEventCallback(event, CL_COMPLETE, look, memory));
    assert_success(clFlush(queue));
    assert_int_equal(seen_in_callback, 5);
    clReleaseEvent(event);
    clReleaseMemObject(sums);
    clReleaseMemObject(terms);
}

/* The host writes beside a kernel's results before it has seen them: bytes of both are kept, and
 * where both wrote, the host's. */
static void results_and_rewrites_are_both_kept(void **state)
{
    cl_mem sums, terms = make_buffer(NULL, COUNT);
    int back[COUNT];

    if (is_copy())
        skip();
    set_all(memory, 0);
    sums = on_host(memory, BYTES);
    enqueue_add(sums, terms, 0x01010101, COUNT / 2, NULL);
    assert_success(clFlush(queue)); /* has run; nothing has been looked at */
    memory[COUNT / 2] = 77;
    ((unsigned char *)memory)[41] = 0x55;
    memory[100] = memory[102] = 2;
    enqueue_add(sums, terms, 0x01010101, COUNT, NULL);
    assert_success(clFinish(queue));
    assert_int_equal(memory[0], 0x02020202);
    assert_int_equal(memory[10], 0x02025602);
    assert_int_equal(memory[11], 0x02020202);
    assert_int_equal(memory[100], 0x02020203);
    assert_int_equal(memory[101], 0x02020202); /* between two that the host wrote */
    assert_int_equal(memory[COUNT / 2], 0x01010101 + 77);
    assert_int_equal(memory[COUNT - 1], 0x01010101);
    read_ints(sums, back, COUNT);
    assert_memory_equal(back, memory, BYTES);
    clReleaseMemObject(sums);
    clReleaseMemObject(terms);
}

static void reads_and_copies_see_rewrites(void **state)
{
    const size_t origin[3] = {8, 1, 0}, zero[3] = {0, 0, 0}, region[3] = {8, 2, 1};
    cl_mem buffer, target = make_buffer(NULL, COUNT);
    int back[COUNT], piece[4];

    if (is_copy())
        skip();
    set_all(memory, 1);
    buffer = on_host(memory, BYTES);
    memory[5] = 2;
    read_ints(buffer, back, COUNT);
    assert_int_equal(back[5], 2);
    memory[6] = 3;
    assert_success(clEnqueueCopyBuffer(queue, buffer, target, 24, 0, 4, 0, NULL, NULL));
    read_ints(target, back, 1);
    assert_int_equal(back[0], 3);
    memory[2 + 2 * 8] = 4; /* rows of 8 */
    assert_success(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, zero, region, 32, 0, 0,
                                           0, piece, 0, NULL, NULL));
    assert_int_equal(piece[2], 4);
    memory[2 + 1 * 8] = 5;
    assert_success(clEnqueueCopyBufferRect(queue, buffer, target, origin, zero, region, 32, 0, 32,
                                           0, 0, NULL, NULL));
    read_ints(target, back, 1);
    assert_int_equal(back[0], 5);
    clReleaseMemObject(buffer);
    clReleaseMemObject(target);
}

/* What a command writes is later than what the host wrote there before it, and comes back. */
static void commands_write_over_rewrites(void **state)
{
    const size_t origin[3] = {8, 1, 0}, zero[3] = {0, 0, 0}, region[3] = {8, 2, 1};
    const int piece[4] = {61, 62, 63, 64};
    cl_mem buffer, source;
    int pattern = 9;

    if (is_copy())
        skip();
    set_all(memory, 1);
    set_all(other, 30);
    source = make_buffer(other, COUNT);
    buffer = on_host(memory, BYTES);
    set_all(memory, 2);
    assert_success(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 8, 4, &piece[3], 0, NULL, NULL));
    assert_success(clEnqueueFillBuffer(queue, buffer, &pattern, 4, 0, 8, 0, NULL, NULL));
    assert_success(clEnqueueCopyBuffer(queue, source, buffer, 0, 12, 4, 0, NULL, NULL));
    assert_success(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, origin, zero, region, 32, 0, 0,
                                            0, piece, 0, NULL, NULL));
    assert_success(clEnqueueCopyBufferRect(queue, source, buffer, zero, (const size_t[]){8, 5, 0},
                                           region, 32, 0, 32, 0, 0, NULL, NULL));
    assert_success(clFinish(queue));
    assert_true(memory[0] == 9 && memory[1] == 9 && memory[2] == 64 && memory[3] == 30);
    assert_int_equal(memory[4], 2);
    assert_true(memory[10] == 61 && memory[11] == 62 && memory[18] == 63 && memory[19] == 64);
    assert_true(memory[42] == 30 && memory[51] == 30 && memory[52] == 2);
    clReleaseMemObject(buffer);
    clReleaseMemObject(source);
}

static void maps_move_what_either_side_wrote(void **state)
{
    cl_mem sums, terms = make_buffer(NULL, COUNT);
    cl_int status;
    int back[COUNT];

    set_all(memory, 1);
    sums = on_host(memory, BYTES);
    enqueue_add(sums, terms, 1, COUNT, NULL);
    assert_ptr_equal(clEnqueueMapBuffer(queue, sums, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES,
                                        0, NULL, NULL, &status),
                     memory);
    assert_int_equal(memory[COUNT - 1], 2);
    set_all(memory, 50);
    assert_success(clEnqueueUnmapMemObject(queue, sums, memory, 0, NULL, NULL));
    read_ints(sums, back, COUNT);
    assert_int_equal(back[0], 50);
    enqueue_add(sums, terms, 1, COUNT, NULL);
    read_ints(sums, back, COUNT);
    assert_int_equal(back[COUNT - 1], 51);
    memory[3] = 5;
    clEnqueueMapBuffer(queue, sums, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &status);
    assert_int_equal(memory[3], is_copy() ? 51 : 5);
    assert_int_equal(memory[4], 51);
    assert_success(clEnqueueUnmapMemObject(queue, sums, memory, 0, NULL, NULL));
    assert_success(clFinish(queue));
    clReleaseMemObject(sums);
    clReleaseMemObject(terms);
}

static void sub_buffers_see_their_part(void **state)
{
    const cl_buffer_region region = {1024, 2048};
    cl_mem whole, part, terms = make_buffer(NULL, COUNT);
    cl_int status;

    if (is_copy())
        skip();
    set_all(memory, 1);
    whole = on_host(memory, BYTES);
    part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    assert_status(CL_SUCCESS);
    memory[0] = 90;
    memory[256] = 91;
    memory[767] = 92;
    enqueue_add(part, terms, 100, 512, NULL);
    assert_success(clFinish(queue));
    assert_true(memory[256] == 191 && memory[767] == 192 && memory[300] == 101);
    assert_true(memory[0] == 90 && memory[255] == 1 && memory[768] == 1);
    enqueue_add(whole, terms, 1000, COUNT, NULL);
    clReleaseMemObject(whole);
    assert_success(clFinish(queue));
    assert_true(memory[0] == 1090 && memory[256] == 1191 && memory[COUNT - 1] == 1001);
    clReleaseMemObject(part);
    clReleaseMemObject(terms);
}

/* Two buffers on the same bytes, one written and the other read by the next command. */
static void buffers_may_overlap(void **state)
{
    cl_mem low, high, sums = make_buffer(NULL, COUNT), zeros = make_buffer(NULL, COUNT);
    int back[COUNT / 2];

    if (is_copy())
        skip();
    set_all(memory, 0);
    low = on_host(memory, BYTES);
    high = on_host(memory + COUNT / 2, BYTES / 2);
    enqueue_add(low, zeros, 7, COUNT, NULL);
    enqueue_add(sums, high, 0, COUNT / 2, NULL);
    enqueue_add(high, zeros, 10, COUNT / 2, NULL);
    enqueue_add(low, zeros, 100, COUNT, NULL);
    read_ints(sums, back, COUNT / 2);
    assert_int_equal(back[0], 7);
    assert_int_equal(back[COUNT / 2 - 1], 7);
    assert_int_equal(memory[0], 107);
    assert_int_equal(memory[COUNT / 2], 117);
    assert_int_equal(memory[COUNT - 1], 117);
    clReleaseMemObject(low);
    clReleaseMemObject(high);
    clReleaseMemObject(sums);
    clReleaseMemObject(zeros);
}

/* Commands in one queue that use a buffer's host memory as host memory, behind those that write the
 * buffer. */
static void host_memory_is_what_earlier_commands_made_it(void **state)
{
    const size_t zero[3] = {0, 0, 0}, origin[3] = {40, 0, 0}, region[3] = {8, 2, 1};
    cl_mem sums, target = make_buffer(NULL, COUNT), zeros = make_buffer(NULL, COUNT);
    int back[COUNT], six = 6, nine = 9;

    if (is_copy())
        skip();
    set_all(memory, 0);
    sums = on_host(memory, BYTES);
    enqueue_add(sums, zeros, 3, COUNT, NULL);
    assert_success(clEnqueueWriteBuffer(queue, target, CL_FALSE, 0, 8, memory, 0, NULL, NULL));
    enqueue_add(sums, zeros, 3, COUNT, NULL);
    assert_success(clEnqueueWriteBufferRect(queue, target, CL_FALSE, origin, origin, region, 64, 0,
                                            64, 0, memory, 0, NULL, NULL));
    read_ints(target, back, COUNT);
    assert_true(back[0] == 3 && back[1] == 3 && back[2] == 0);
    assert_true(back[10] == 6 && back[27] == 6 && back[12] == 0);
    /* What is read is what the memory had before those commands, and is later all the same. */
    assert_success(clEnqueueFillBuffer(queue, target, &six, 4, 0, 64, 0, NULL, NULL));
    assert_success(clEnqueueFillBuffer(queue, target, &nine, 4, 64, 64, 0, NULL, NULL));
    enqueue_add(sums, zeros, 3, COUNT, NULL);
    assert_success(clEnqueueReadBuffer(queue, target, CL_FALSE, 0, 8, memory, 0, NULL, NULL));
    enqueue_add(sums, zeros, 3, COUNT, NULL);
    assert_success(clEnqueueReadBufferRect(queue, target, CL_FALSE, zero, origin, region, 64, 0, 64,
                                           0, memory, 0, NULL, NULL));
    assert_success(clFinish(queue));
    assert_true(memory[0] == 9 && memory[1] == 9 && memory[2] == 12);
    assert_true(memory[10] == 6 && memory[26] == 9 && memory[27] == 9 && memory[28] == 12);
    read_ints(sums, back, COUNT);
    assert_memory_equal(back, memory, BYTES);
    clReleaseMemObject(sums);
    clReleaseMemObject(target);
    clReleaseMemObject(zeros);
}

static int *new_pages(unsigned count)
{
    int *pages =
        mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    for (size_t i = 0; i < count * PAGE / 4; i++)
        pages[i] = 3;
    return pages;
}

static void memory_may_be_read_only(void **state)
{
    int *pages = new_pages(2), back[2 * PAGE / 4];
    cl_mem buffer, zeros = make_buffer(NULL, 2 * PAGE / 4);
    cl_int status;

    if (is_copy())
        skip();
    assert_int_equal(mprotect(pages, PAGE, PROT_READ), 0);
    buffer = on_host(pages, 2 * PAGE);
    enqueue_add(buffer, zeros, 1, 2 * PAGE / 4, NULL);
    assert_success(clFinish(queue));
    assert_int_equal(pages[0], 3);
    assert_int_equal(pages[PAGE / 4], 4);
    enqueue_add(buffer, zeros, 1, 2 * PAGE / 4, NULL); /* nothing is lost on the device */
    read_ints(buffer, back, 2 * PAGE / 4);
    assert_int_equal(back[0], 5);
    assert_int_equal(back[PAGE / 4], 5);
    assert_ptr_equal(clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 2 * PAGE, 0, NULL,
                                        NULL, &status),
                     pages);
    assert_int_equal(pages[PAGE / 4], 5);
    clReleaseMemObject(buffer);
    clReleaseMemObject(zeros);
    munmap(pages, 2 * PAGE);
}

static void memory_may_be_gone(void **state)
{
    int *pages = new_pages(3), back[3 * PAGE / 4];
    cl_mem buffer = on_host(pages, 3 * PAGE), zeros = make_buffer(NULL, 3 * PAGE / 4);
    cl_int status;

    if (is_copy())
        skip();
    assert_int_equal(munmap(pages + PAGE / 4, PAGE), 0);
    pages[0] = 13;
    enqueue_add(buffer, zeros, 1, 3 * PAGE / 4, NULL);
    assert_success(clFinish(queue));
    assert_int_equal(pages[0], 14);
    assert_int_equal(pages[2 * PAGE / 4], 4);
    read_ints(buffer, back, 3 * PAGE / 4);
    assert_int_equal(back[PAGE / 4], 4);
    clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 3 * PAGE, 0, NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    pages[0] = 21;
    assert_success(clEnqueueUnmapMemObject(queue, buffer, pages, 0, NULL, NULL));
    read_ints(buffer, back, 3 * PAGE / 4);
    assert_true(back[0] == 21 && back[PAGE / 4] == 4 && back[2 * PAGE / 4] == 4);
    enqueue_add(buffer, zeros, 1, 3 * PAGE / 4, NULL);
    assert_success(clFlush(queue));
    munmap(pages, PAGE);
    munmap(pages + 2 * PAGE / 4, PAGE);
    clReleaseMemObject(buffer); /* with results that have nowhere to go */
    assert_success(clFinish(queue));
    clReleaseMemObject(zeros);
}

/* What does not change costs no simulated time, what does is charged once. */
static void only_rewrites_cost_time(void **state)
{
    cl_mem terms, sums = make_buffer(NULL, COUNT);
    cl_ulong gaps[4];
    cl_event events[4];
    cl_int status;

    if (is_copy() || getenv("FAKE_MACHINE") == NULL)
        skip();
    set_all(memory, 1);
    terms = on_host(memory, BYTES);
    assert_success(clFinish(queue));
    for (int i = 0; i < 4; i++) {
        enqueue_add(sums, terms, 0, COUNT, &events[i]);
        assert_success(clFinish(queue));
        if (i == 1)
            memory[0] = memory[2000] = memory[COUNT - 1] = 2;
        gaps[i] = event_time(events[i], CL_PROFILING_COMMAND_START) -
                  event_time(events[i], CL_PROFILING_COMMAND_SUBMIT);
        clReleaseEvent(events[i]);
        if (i < 2)
            continue;
        clEnqueueMapBuffer(queue, terms, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &status);
        memory[0] = 8;
        assert_success(clEnqueueUnmapMemObject(queue, terms, memory, 0, NULL, NULL));
        assert_success(clFinish(queue));
    }
    assert_int_equal(gaps[1], gaps[0]);
    assert_int_equal(gaps[2], gaps[0] + 1000);
    assert_int_equal(gaps[3], gaps[0]); /* the map has paid */
    clReleaseMemObject(terms);
    clReleaseMemObject(sums);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rewrite_reaches_the_next_launch),
        cmocka_unit_test(results_are_there_where_the_program_may_look),
        cmocka_unit_test(callbacks_may_look),
        cmocka_unit_test(results_and_rewrites_are_both_kept),
        cmocka_unit_test(reads_and_copies_see_rewrites),
        cmocka_unit_test(commands_write_over_rewrites),
        cmocka_unit_test(maps_move_what_either_side_wrote),
        cmocka_unit_test(sub_buffers_see_their_part),
        cmocka_unit_test(buffers_may_overlap),
        cmocka_unit_test(host_memory_is_what_earlier_commands_made_it),
        cmocka_unit_test(memory_may_be_read_only),
        cmocka_unit_test(memory_may_be_gone),
        cmocka_unit_test(only_rewrites_cost_time),
    };

    return cmocka_run_group_tests_name("opencl/host_pointer", tests, support_start_program,
                                       support_stop);
}
