/* SPDX-License-Identifier: MIT */
/*
 * What a program's user reads on stderr when a call is refused, and where nothing is said. It
 * is told once for each reason, with the kernel and the numbers, WAVETANK_QUIET or not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "support.h"

/* ---- What is said while a call runs ---- */

static char text[8192];
static int saved_error, captured;

static void listen(void)
{
    char path[] = "/tmp/wavetank-test-refusals-XXXXXX";

    captured = mkstemp(path);
    assert_true(captured >= 0);
    unlink(path);
    fflush(stderr);
    saved_error = dup(STDERR_FILENO);
    dup2(captured, STDERR_FILENO);
}

/* Puts it into `text`. */
static void stop_listening(void)
{
    ssize_t length;

    fflush(stderr);
    dup2(saved_error, STDERR_FILENO);
    close(saved_error);
    length = pread(captured, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    close(captured);
}

static void must_contain(const char *word)
{
    if (strstr(text, word) == NULL)
        fail_msg("'%s' is not in: %s", word, text);
}

/* Evaluates the call twice: the first time the words are said, in a line; the second nothing. */
#define refused(call, status_name, ...)                                                            \
    do {                                                                                           \
        const char *const words[] = {__VA_ARGS__, "(" #status_name ", -", "wavetank: cl"};         \
        listen();                                                                                  \
        cl_int first = (call);                                                                     \
        stop_listening();                                                                          \
        assert_int_equal(first, status_name);                                                      \
        for (size_t word = 0; word < sizeof words / sizeof words[0]; word++)                       \
            must_contain(words[word]);                                                             \
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);                             \
        silent(call, status_name);                                                                 \
    } while (false)

#define silent(call, status_name)                                                                  \
    do {                                                                                           \
        listen();                                                                                  \
        cl_int answer = (call);                                                                    \
        stop_listening();                                                                          \
        assert_int_equal(answer, status_name);                                                     \
        assert_string_equal(text, "");                                                             \
    } while (false)

static cl_int launch(cl_kernel kernel, cl_uint dimensions, size_t x, size_t y, size_t local_x,
                     size_t local_y)
{
    const size_t global[] = {x, y, 1}, local[] = {local_x, local_y, 1};

    return clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL);
}

static void sizes_of_launches(void **state)
{
    cl_kernel kernel = make_kernel("place"), required = make_kernel("required");
    cl_mem buffer = make_buffer(NULL, 4096);

    refused(launch(kernel, 1, 64, 1, 64, 1), CL_INVALID_KERNEL_ARGS,
            "clEnqueueNDRangeKernel:", "kernel place:", "argument 0 (uint4* places)", "never set");
    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(clSetKernelArg(required, 0, sizeof buffer, &buffer));
    refused(launch(kernel, 1, 100, 1, 64, 1), CL_INVALID_WORK_GROUP_SIZE,
            "kernel place:", "global size 100 of dimension 0", "local size 64", "next one is 128");
    silent(launch(kernel, 1, 200, 1, 64, 1), CL_INVALID_WORK_GROUP_SIZE); /* the same reason */
    refused(launch(kernel, 2, 64, 512, 1, 512), CL_INVALID_WORK_ITEM_SIZE, "is 512 in dimension 1",
            "at most 256");
    refused(launch(kernel, 2, 64, 64, 64, 8), CL_INVALID_WORK_GROUP_SIZE, "512 work-items",
            "at most 256");
    refused(launch(kernel, 2, 64, 64, 64, 0), CL_INVALID_WORK_GROUP_SIZE,
            "local size is 0 in dimension 1");
    refused(launch(kernel, 7, 64, 64, 64, 1), CL_INVALID_WORK_DIMENSION, "work_dim is 7");
    refused(launch(kernel, 1, (size_t)1 << 33, 1, 64, 1), CL_INVALID_GLOBAL_WORK_SIZE,
            "8589934592 in dimension 0", "4294967295");
    refused(launch(required, 2, 64, 4, 64, 1), CL_INVALID_WORK_GROUP_SIZE,
            "kernel required:", "is 64 in dimension 0", "reqd_work_group_size(32, 2, 1)");
    refused(launch((cl_kernel)buffer, 1, 64, 1, 64, 1), CL_INVALID_KERNEL, "none, or was released");
    clReleaseKernel(kernel);
    clReleaseKernel(required);
    clReleaseMemObject(buffer);
}

static void local_memory(void **state)
{
    cl_kernel kernel = make_kernel("group_sum");
    cl_mem buffer = make_buffer(NULL, 64);

    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    assert_success(clSetKernelArg(kernel, 2, 20000, NULL));
    assert_success(clSetKernelArg(kernel, 3, 20000, NULL));
    refused(launch(kernel, 1, 64, 1, 64, 1), CL_OUT_OF_RESOURCES,
            "kernel group_sum:", "40000 bytes of local memory", "32768", "gpu.group_lds_bytes");
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static cl_int create_kernel(const char *name)
{
    cl_int status;

    clCreateKernel(program, name, &status);
    return status;
}

static void arguments(void **state)
{
    cl_kernel kernel = make_kernel("add"), local = make_kernel("group_sum");
    int value = 3;
    cl_mem nothing = (cl_mem)&value;

    refused(clSetKernelArg(kernel, 3, 4, &value), CL_INVALID_ARG_INDEX,
            "clSetKernelArg:", "kernel add:", "no argument 3", "it has 3");
    refused(clSetKernelArg(kernel, 2, 8, &value), CL_INVALID_ARG_SIZE, "argument 2 (int bias)",
            "has 4 bytes, not 8");
    refused(clSetKernelArg(kernel, 2, 4, NULL), CL_INVALID_ARG_VALUE, "argument 2 (int bias)",
            "no value");
    refused(clSetKernelArg(kernel, 0, sizeof nothing, &nothing), CL_INVALID_MEM_OBJECT,
            "argument 0 (int* sums)", "no buffer of this context");
    refused(clSetKernelArg(local, 2, 0, NULL), CL_INVALID_ARG_SIZE,
            "kernel group_sum:", "argument 2 (int* first)", "local memory");
    refused(clSetKernelArg(local, 2, 4, &value), CL_INVALID_ARG_VALUE, "NULL for the value");
    refused(create_kernel("ad"), CL_INVALID_KERNEL_NAME, "clCreateKernel:", "kernel ad:", "add",
            "group_sum");
    clReleaseKernel(kernel);
    clReleaseKernel(local);
}

static cl_int link_alone(cl_program input)
{
    cl_int status;

    clLinkProgram(context, 0, NULL, NULL, 1, &input, NULL, NULL, &status);
    return status;
}

static void builds(void **state)
{
    cl_kernel kernel = make_kernel("add");

    refused(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION,
            "clBuildProgram:", "1 kernels", "release them");
    refused(link_alone(program), CL_INVALID_OPERATION, "clLinkProgram:", "input 0",
            "clCompileProgram");
    clReleaseKernel(kernel);
}

static cl_int create_buffer(cl_mem_flags flags, size_t bytes, void *pointer)
{
    cl_int status;

    clCreateBuffer(context, flags, bytes, pointer, &status);
    return status;
}

static cl_int create_part(cl_mem buffer, size_t origin, size_t bytes)
{
    const cl_buffer_region region = {origin, bytes};
    cl_int status;

    clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    return status;
}

static void buffers(void **state)
{
    int value;
    cl_mem buffer = make_buffer(NULL, 1024), large[16];
    cl_ulong max;
    unsigned count = 0;

    assert_success(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL));
    refused(create_buffer(0, (size_t)1 << 50, NULL), CL_INVALID_BUFFER_SIZE,
            "clCreateBuffer:", "1125899906842624 bytes", "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
            "gpu.memory_mb");
    refused(create_buffer(0, 4, &value), CL_INVALID_HOST_PTR, "host_ptr is given", "neither");
    refused(create_buffer(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL), CL_INVALID_VALUE,
            "flags 0x6");
    refused(create_part(buffer, 100, 64), CL_MISALIGNED_SUB_BUFFER_OFFSET,
            "clCreateSubBuffer:", "origin 100", "256 bytes");
    refused(create_part(buffer, 4096, 4), CL_INVALID_VALUE, "4 bytes at 4096 of a buffer of 4096");
    refused(create_part(buffer, 0, 0), CL_INVALID_BUFFER_SIZE, "0 bytes");
    for (; count < 16; count++) {
        cl_int status;

        listen();
        large[count] = clCreateBuffer(context, 0, max, NULL, &status);
        stop_listening();
        if (status != CL_SUCCESS)
            break;
    }
    must_contain("CL_MEM_OBJECT_ALLOCATION_FAILURE");
    must_contain("left of device memory");
    while (count-- > 0)
        clReleaseMemObject(large[count]);
    clReleaseMemObject(buffer);
}

static cl_int map(cl_mem buffer, cl_map_flags flags)
{
    cl_int status;

    clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, 0, 4, 0, NULL, NULL, &status);
    return status;
}

static void transfers(void **state)
{
    const size_t zero[3] = {0}, region[3] = {4, 2, 1}, far[3] = {0, 4096, 0}, none[3] = {4, 0, 1};
    int values[4] = {0};
    cl_mem buffer = make_buffer(NULL, 16), guarded;
    cl_int status;

    guarded = clCreateBuffer(context, CL_MEM_HOST_READ_ONLY, 64, NULL, &status);
    refused(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 60, 16, values, 0, NULL, NULL),
            CL_INVALID_VALUE, "clEnqueueReadBuffer:", "16 bytes at 60 of a buffer of 64");
    refused(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, NULL, 0, NULL, NULL),
            CL_INVALID_VALUE, "pointer is NULL");
    refused(clEnqueueWriteBuffer(queue, guarded, CL_TRUE, 0, 4, values, 0, NULL, NULL),
            CL_INVALID_OPERATION, "clEnqueueWriteBuffer:", "CL_MEM_HOST_READ_ONLY");
    refused(clEnqueueWriteBuffer(queue, (cl_mem)queue, CL_TRUE, 0, 4, values, 0, NULL, NULL),
            CL_INVALID_MEM_OBJECT, "none, or was released");
    refused(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, values, 1, NULL, NULL),
            CL_INVALID_EVENT_WAIT_LIST, "1 events", "NULL");
    refused(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP,
            "8 bytes from 0 to 4");
    refused(clEnqueueFillBuffer(queue, buffer, values, 3, 0, 12, 0, NULL, NULL), CL_INVALID_VALUE,
            "12 bytes at 0 with a pattern of 3");
    refused(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, none, 0, 0, 0, 0, values, 0,
                                    NULL, NULL),
            CL_INVALID_VALUE, "region is NULL or empty");
    refused(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, zero, zero, region, 3, 0, 0, 0, values,
                                    0, NULL, NULL),
            CL_INVALID_VALUE, "row pitch is at least the region's 4 bytes");
    refused(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, far, zero, region, 8, 0, 0, 0, values,
                                    0, NULL, NULL),
            CL_INVALID_VALUE, "at (0, 4096, 0)", "pitches of 8 and 16", "buffer of 64");
    refused(map(guarded, CL_MAP_WRITE), CL_INVALID_OPERATION,
            "clEnqueueMapBuffer:", "CL_MEM_HOST_READ_ONLY");
    refused(map(buffer, 1u << 9), CL_INVALID_VALUE, "flags 0x200");
    refused(clEnqueueUnmapMemObject(queue, buffer, values, 0, NULL, NULL), CL_INVALID_VALUE,
            "not what a map of this object gave");
    refused(
        clEnqueueReadBuffer((cl_command_queue)buffer, buffer, CL_TRUE, 0, 4, values, 0, NULL, NULL),
        CL_INVALID_COMMAND_QUEUE, "queue is none");
    clReleaseMemObject(buffer);
    clReleaseMemObject(guarded);
}

static cl_int create_queue(cl_command_queue_properties flags)
{
    cl_int status;

    clCreateCommandQueue(context, device, flags, &status);
    return status;
}

static void queues(void **state)
{
    cl_command_queue plain = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffer = make_buffer(NULL, 16);
    cl_event event;
    cl_ulong time;
    int value;

    refused(create_queue(CL_QUEUE_ON_DEVICE), CL_INVALID_QUEUE_PROPERTIES,
            "clCreateCommandQueue:", "CL_QUEUE_ON_DEVICE");
    refused(create_queue(1u << 20), CL_INVALID_VALUE, "0x100000");
    assert_success(clEnqueueReadBuffer(plain, buffer, CL_TRUE, 0, 4, &value, 0, NULL, &event));
    refused(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
            CL_PROFILING_INFO_NOT_AVAILABLE, "CL_QUEUE_PROFILING_ENABLE");
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(plain);
}

static cl_int allocate_shared(size_t bytes, cl_uint align)
{
    return clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, align) == NULL ? CL_INVALID_VALUE
                                                                        : CL_SUCCESS;
}

static void shared_memory(void **state)
{
    char own[64] = {0}, *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);

    if (shared == NULL)
        skip();
    refused(allocate_shared(64, 3), CL_INVALID_VALUE, "clSVMAlloc:", "64 bytes aligned to 3");
    refused(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, own, 64, 0, NULL, NULL), CL_INVALID_VALUE,
            "clEnqueueSVMMap:", "64 bytes", "clSVMAlloc");
    refused(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 0, 0, NULL, NULL),
            CL_INVALID_VALUE, "size 0");
    refused(clEnqueueSVMUnmap(queue, own, 0, NULL, NULL), CL_INVALID_VALUE, "clEnqueueSVMUnmap:");
    refused(clEnqueueSVMMemFill(queue, shared, own, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE,
            "6 bytes with a pattern of 3");
    refused(clEnqueueSVMMemFill(queue, shared, own, 4, 128, 0, NULL, NULL), CL_INVALID_VALUE,
            "128 bytes");
    refused(clEnqueueSVMMemcpy(queue, CL_TRUE, shared, shared + 4, 8, 0, NULL, NULL),
            CL_MEM_COPY_OVERLAP, "8 bytes");
    clSVMFree(context, shared);
}

/* What programs ask on purpose, and releases of what is NULL. */
static void probes_are_silent(void **state)
{
    cl_kernel kernel = make_kernel("add");
    size_t size;
    char small[1];

    silent(clGetDeviceInfo(device, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    silent(clGetDeviceInfo(device, CL_DEVICE_NAME, 1, small, NULL), CL_INVALID_VALUE);
    silent(clGetPlatformInfo(platform, 0x7777, 0, NULL, &size), CL_INVALID_VALUE);
    silent(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, NULL, &size),
           CL_INVALID_VALUE);
    silent(clGetKernelArgInfo(kernel, 9, CL_KERNEL_ARG_NAME, 0, NULL, &size), CL_INVALID_ARG_INDEX);
    silent(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 0, NULL, NULL), CL_INVALID_VALUE);
    silent(clReleaseMemObject(NULL), CL_INVALID_MEM_OBJECT);
    silent(clReleaseKernel(NULL), CL_INVALID_KERNEL);
    silent(clReleaseProgram(NULL), CL_INVALID_PROGRAM);
    silent(clReleaseCommandQueue(NULL), CL_INVALID_COMMAND_QUEUE);
    silent(clReleaseContext(NULL), CL_INVALID_CONTEXT);
    silent(clReleaseEvent(NULL), CL_INVALID_EVENT);
    silent((clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchKHR") == NULL) ? 0 : 1, 0);
    clReleaseKernel(kernel);
}

/* Last: a program that tries everything does not fill the terminal. */
static void there_is_an_end_to_it(void **state)
{
    char name[16];

    listen();
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "missing_%d", i);
        create_kernel(name);
    }
    stop_listening();
    must_contain("kernel missing_0:");
    must_contain("further calls that are refused are not said");
    assert_null(strstr(text, "missing_199"));
    silent(create_kernel("another"), CL_INVALID_KERNEL_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_launches),
        cmocka_unit_test(local_memory),
        cmocka_unit_test(builds),
        cmocka_unit_test(arguments),
        cmocka_unit_test(buffers),
        cmocka_unit_test(transfers),
        cmocka_unit_test(queues),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(probes_are_silent),
        cmocka_unit_test(there_is_an_end_to_it),
    };

    return cmocka_run_group_tests_name("opencl/refusals", tests, support_start_program,
                                       support_stop);
}
