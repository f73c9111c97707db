/* SPDX-License-Identifier: MIT */
/*
 * Runs one kernel of probe.cl: the experiments on parameters (experiments.py) look at what `wavetank run --json` then says.
 *
 *     probe KERNEL [groups=N] [local=N] [n=N] [stride=N] [chase=LINES] [gap=LINES] [mb=N] [launches=N] [map=1]
 *           [fill=1] [localbytes=N]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "probe.cl.h" /* kernel_source */

static unsigned long number(int count, char **words, const char *name, unsigned long otherwise)
{
    size_t length = strlen(name);

    for (int i = 2; i < count; i++)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=')
            return strtoul(words[i] + length + 1, NULL, 0);
    return otherwise;
}

static void need(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "probe: %s: OpenCL error %d\n", what, error);
    exit(2);
}

/* `lines` pointers in one circle, `gap` lines of 64 bytes apart, in an order without short steps. Every other word of the
 * buffer points at its start. `lines` is a power of two. */
static void fill_chase(cl_uint *words, size_t count, size_t lines, size_t gap)
{
    size_t step = lines * 5 / 8 | 1;

    if (lines * gap * 16 > count) {
        fprintf(stderr, "probe: the circle needs a larger buffer\n");
        exit(2);
    }
    for (size_t i = 0; i < count; i++)
        words[i] = 0;
    for (size_t i = 0; i < lines; i++)
        words[i * gap * 16] = (cl_uint)((i + step) % lines * gap * 16);
}

/* Commands that only host transfers' parameters govern. */
static void extra_commands(cl_command_queue queue, cl_mem buffer, size_t bytes, bool map, bool fill)
{
    cl_uint pattern = 7;
    cl_int error;
    void *mapped;

    if (map) {
        mapped = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL,
                                    &error);
        need(error, "map");
        need(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL), "unmap");
    }
    if (fill)
        need(clEnqueueFillBuffer(queue, buffer, &pattern, sizeof pattern, 0, bytes, 0, NULL, NULL),
             "fill");
}

int main(int count, char **words)
{
    size_t local = number(count, words, "local", 64);
    size_t global = local * number(count, words, "groups", 1);
    size_t bytes = number(count, words, "mb", 4) << 20;
    size_t lines = number(count, words, "chase", 0);
    cl_int n = (cl_int)number(count, words, "n", 8);
    cl_int stride = (cl_int)number(count, words, "stride", 1);
    unsigned long launches = number(count, words, "launches", 1);
    const char *text = kernel_source;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem out, in;
    cl_uint arguments;
    cl_uint *host;
    cl_int error;

    if (count < 2)
        return 2;
    need(clGetPlatformIDs(1, &platform, NULL), "platform");
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    need(error, "context");
    queue = clCreateCommandQueue(context, device, 0, &error);
    need(error, "queue");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    need(error, "program");
    need(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    kernel = clCreateKernel(program, words[1], &error);
    need(error, words[1]);
    out = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    need(error, "buffer");
    in = clCreateBuffer(context, number(count, words, "map", 0) != 0 ? CL_MEM_ALLOC_HOST_PTR : 0,
                        bytes, NULL, &error);
    need(error, "buffer");
    host = malloc(bytes);
    for (size_t i = 0; i < bytes / 4; i++)
        host[i] = 1;
    if (lines > 0)
        fill_chase(host, bytes / 4, lines, number(count, words, "gap", 1));
    need(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "write");
    extra_commands(queue, in, bytes, number(count, words, "map", 0) != 0,
                   number(count, words, "fill", 0) != 0);
    need(clSetKernelArg(kernel, 0, sizeof out, &out), "argument 0");
    need(clSetKernelArg(kernel, 1, sizeof in, &in), "argument 1");
    need(clSetKernelArg(kernel, 2, sizeof n, &n), "argument 2");
    need(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL), "info");
    if (arguments > 3 && number(count, words, "localbytes", 0) > 0)
        need(clSetKernelArg(kernel, 3, number(count, words, "localbytes", 0), NULL), "argument 3");
    else if (arguments > 3)
        need(clSetKernelArg(kernel, 3, sizeof stride, &stride), "argument 3");
    for (unsigned long i = 0; i < launches; i++)
        need(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
             "launch");
    need(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, host, 0, NULL, NULL), "read");
    need(clFinish(queue), "finish");
    free(host);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
