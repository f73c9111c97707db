/* SPDX-License-Identifier: MIT */
/* Runs a kernel of a file, or several one after the other, and prints the words that they leave. Usage:
 * kernel FILE NAME[+NAME...] N ITEMS GROUPS OPTIONS. A third argument is the buffer again. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 2048, TEXT_MAX = 1 << 16 };

static cl_int result;

static void expect(const char *what)
{
    if (result == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, result);
    exit(3);
}

static cl_program build(cl_context context, cl_device_id device, const char *path, const char *options)
{
    static char text[TEXT_MAX], log[TEXT_MAX];
    FILE *file = fopen(path, "r");
    size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    const char *source = text;
    cl_program program;

    if (file != NULL)
        fclose(file);
    program = clCreateProgramWithSource(context, 1, &source, &length, &result);
    expect("clCreateProgramWithSource");
    result = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (result != CL_SUCCESS &&
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL) == CL_SUCCESS)
        fputs(log, stderr);
    expect("clBuildProgram");
    return program;
}

static void run(cl_command_queue queue, cl_kernel kernel, cl_mem memory, cl_uint n, size_t items,
                size_t global)
{
    cl_uint arguments;

    result = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL);
    expect("clGetKernelInfo");
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    if (arguments == 3)
        clSetKernelArg(kernel, 2, sizeof memory, &memory);
    result = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &items, 0, NULL, NULL);
    expect("clEnqueueNDRangeKernel");
}

int main(int count, char **words)
{
    static cl_uint out[WORDS];
    cl_program program;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem memory;
    cl_uint n;
    size_t items, global;

    if (count != 7)
        return 2;
    n = (cl_uint)atoi(words[3]);
    items = (size_t)atoi(words[4]);
    global = items * (size_t)atoi(words[5]);
    result = clGetPlatformIDs(1, &platform, NULL);
    expect("clGetPlatformIDs");
    result = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    expect("clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    expect("clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &result);
    expect("clCreateCommandQueue");
    program = build(context, device, words[1], words[6]);
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, out, &result);
    expect("clCreateBuffer");
    for (char *name = strtok(words[2], "+"); name != NULL; name = strtok(NULL, "+")) {
        cl_kernel kernel = clCreateKernel(program, name, &result);

        expect("clCreateKernel");
        run(queue, kernel, memory, n, items, global);
    }
    result = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    expect("clEnqueueReadBuffer");
    for (unsigned i = 0; i < WORDS; i++)
        printf("%u%c", out[i], i + 1 == WORDS ? '\n' : ' ');
    return 0;
}
