/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <stdio.h>

cl_platform_id platform;
cl_device_id device;
cl_context context;
cl_command_queue queue;
cl_program program;

int support_start(void **state)
{
    cl_int status;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) != CL_SUCCESS)
        return -1;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (status != CL_SUCCESS)
        return -1;
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    return status == CL_SUCCESS ? 0 : -1;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 65536);

    if (file == NULL || text == NULL || fread(text, 1, 65535, file) == 0)
        abort();
    fclose(file);
    return text;
}

int support_start_program(void **state)
{
    char *source = read_file(KERNELS_FILE);
    const char *sources[] = {source};
    cl_int status;

    if (support_start(state) != 0)
        return -1;
    program = clCreateProgramWithSource(context, 1, sources, NULL, &status);
    free(source);
    return clBuildProgram(program, 0, NULL, "-cl-kernel-arg-info", NULL, NULL) == CL_SUCCESS ? 0
                                                                                             : -1;
}

int support_stop(void **state)
{
    if (program != NULL)
        clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

cl_kernel make_kernel(const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);

    assert_status(CL_SUCCESS);
    return kernel;
}

cl_mem make_buffer(const int *values, size_t count)
{
    int zero = 0;
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, count * sizeof(int), NULL, &status);

    assert_status(CL_SUCCESS);
    if (values != NULL)
        assert_success(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(int), values,
                                            0, NULL, NULL));
    else
        assert_success(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0,
                                           count * sizeof(int), 0, NULL, NULL));
    return buffer;
}

void read_ints(cl_mem buffer, int *values, size_t count)
{
    assert_success(
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(int), values, 0, NULL, NULL));
}

cl_int event_status(cl_event event)
{
    cl_int status;

    assert_success(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

cl_ulong event_time(cl_event event, cl_profiling_info name)
{
    cl_ulong time;

    assert_success(clGetEventProfilingInfo(event, name, sizeof time, &time, NULL));
    return time;
}
