/* SPDX-License-Identifier: MIT */
/*
 * Runs kernels of timing.cl in turn: test_timing.py looks at their times.
 *
 *     timing COMMAND...
 *
 *     mb=N                             size of the buffers `in` and `out`, before anything else
 * (default 4) chain=START:LINES:GAP            a circle of LINES pointers in `in`: byte offsets,
 * GAP bytes apart, from byte START on, in an order without short steps walk=START:LINES:GAP the
 * same in the order of addresses write=BYTES                      a transfer to `in`; prints "write
 * NANOSECONDS" KERNEL=GROUPS:LOCAL:A:B:C        a launch; prints "KERNEL NANOSECONDS" from its
 * event
 *
 * Where a chase ends is compared with where the circle leads.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "timing.cl.h" /* kernel_source */

enum { NUMBERS = 5 };

struct bench {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem in, out;
    size_t bytes;
    cl_uint *words; /* what `in` holds */
};

static void need(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "timing: %s: OpenCL error %d\n", what, error);
    exit(2);
}

static void give_up(const char *why, const char *command)
{
    fprintf(stderr, "timing: %s: %s\n", command, why);
    exit(2);
}

static void make_buffers(struct bench *bench, size_t bytes)
{
    cl_int error;

    bench->bytes = bytes;
    bench->words = calloc(bytes, 1);
    bench->in = clCreateBuffer(bench->context, CL_MEM_READ_ONLY, bytes, NULL, &error);
    need(error, "buffer");
    bench->out = clCreateBuffer(bench->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    need(error, "buffer");
    need(clEnqueueWriteBuffer(bench->queue, bench->in, CL_TRUE, 0, bytes, bench->words, 0, NULL,
                              NULL),
         "write");
}

static void open_device(struct bench *bench)
{
    const char *text = kernel_source;
    cl_platform_id platform;
    cl_int error;

    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &bench->device, NULL), "device");
    bench->context = clCreateContext(NULL, 1, &bench->device, NULL, NULL, &error);
    need(error, "context");
    bench->queue =
        clCreateCommandQueue(bench->context, bench->device, CL_QUEUE_PROFILING_ENABLE, &error);
    need(error, "queue");
    bench->program = clCreateProgramWithSource(bench->context, 1, &text, NULL, &error);
    need(error, "program");
    need(clBuildProgram(bench->program, 1, &bench->device, "", NULL, NULL), "build");
}

static void close_device(struct bench *bench)
{
    free(bench->words);
    clReleaseMemObject(bench->in);
    clReleaseMemObject(bench->out);
    clReleaseProgram(bench->program);
    clReleaseCommandQueue(bench->queue);
    clReleaseContext(bench->context);
}

static void make_chain(struct bench *bench, const unsigned long *numbers, bool in_order)
{
    size_t start = numbers[0], lines = numbers[1], gap = numbers[2];
    size_t step = in_order ? 1 : lines * 5 / 8 | 1;

    if (start + lines * gap > bench->bytes || gap % 4 != 0)
        give_up("the circle does not fit", "chain");
    while (lines % step == 0 && step > 1)
        step += 2;
    for (size_t i = 0, at = 0; i < lines; i++) {
        size_t next = (at + step) % lines;

        bench->words[(start + at * gap) / 4] = (cl_uint)(start + next * gap);
        at = next;
    }
    need(clEnqueueWriteBuffer(bench->queue, bench->in, CL_TRUE, start, lines * gap,
                              bench->words + start / 4, 0, NULL, NULL),
         "write");
}

/* Of a chase by one work-item. */
static void check_end(struct bench *bench, const char *kernel, const unsigned long *numbers)
{
    size_t hops = numbers[3] * (strstr(kernel, "32") != NULL ? 32 : 16);
    cl_uint at = (cl_uint)numbers[2], end;

    for (size_t i = 0; i < hops; i++)
        at = bench->words[at / 4];
    need(clEnqueueReadBuffer(bench->queue, bench->out, CL_TRUE, 0, sizeof end, &end, 0, NULL, NULL),
         "read");
    if (end == at)
        return;
    fprintf(stderr, "timing: %s ended at %u, the circle leads to %u\n", kernel, end, at);
    exit(1);
}

static void print_time(const char *name, cl_event event)
{
    cl_ulong start, end;

    need(clWaitForEvents(1, &event), name);
    need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
         "profile");
    need(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
         "profile");
    printf("%s %llu\n", name, (unsigned long long)(end - start));
    clReleaseEvent(event);
}

static void transfer(struct bench *bench, size_t bytes)
{
    cl_event event;

    if (bytes > bench->bytes)
        give_up("more than the buffer", "write");
    need(clEnqueueWriteBuffer(bench->queue, bench->in, CL_TRUE, 0, bytes, bench->words, 0, NULL,
                              &event),
         "write");
    print_time("write", event);
}

static void launch(struct bench *bench, const char *name, const unsigned long *numbers)
{
    size_t local = numbers[1], global = numbers[0] * local;
    cl_kernel kernel;
    cl_event event;
    cl_int error;

    kernel = clCreateKernel(bench->program, name, &error);
    need(error, name);
    need(clSetKernelArg(kernel, 0, sizeof bench->out, &bench->out), "argument");
    need(clSetKernelArg(kernel, 1, sizeof bench->in, &bench->in), "argument");
    for (cl_uint i = 0; i < 3; i++)
        need(clSetKernelArg(kernel, 2 + i, sizeof(cl_uint), &(cl_uint){(cl_uint)numbers[2 + i]}),
             "argument");
    need(clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &global, &local, 0, NULL, &event),
         "launch");
    print_time(name, event);
    clReleaseKernel(kernel);
    if (strncmp(name, "chase", 5) == 0 && global == 1)
        check_end(bench, name, numbers);
}

static void obey(struct bench *bench, const char *command)
{
    unsigned long numbers[NUMBERS] = {0};
    const char *equals = strchr(command, '=');
    char name[32];

    if (equals == NULL || (size_t)(equals - command) >= sizeof name)
        give_up("not NAME=NUMBERS", command);
    memcpy(name, command, (size_t)(equals - command));
    name[equals - command] = '\0';
    for (unsigned i = 0; i < NUMBERS && equals != NULL; i++) {
        numbers[i] = strtoul(equals + 1, NULL, 0);
        equals = strchr(equals + 1, ':');
    }
    if (strcmp(name, "mb") == 0)
        return;
    if (strcmp(name, "chain") == 0 || strcmp(name, "walk") == 0)
        make_chain(bench, numbers, name[0] == 'w');
    else if (strcmp(name, "write") == 0)
        transfer(bench, numbers[0]);
    else
        launch(bench, name, numbers);
}

int main(int count, char **words)
{
    struct bench bench = {0};
    size_t megabytes = 4;

    if (count > 1 && strncmp(words[1], "mb=", 3) == 0)
        megabytes = strtoul(words[1] + 3, NULL, 0);
    open_device(&bench);
    make_buffers(&bench, megabytes << 20);
    for (int i = 1; i < count; i++)
        obey(&bench, words[i]);
    close_device(&bench);
    return 0;
}
