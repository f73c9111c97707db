/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 16, NAME_BYTES = 256 };

#define ERROR_NAME(name)                                                                           \
    {                                                                                              \
        name, #name                                                                                \
    }
static const struct {
    cl_int status;
    const char *name;
} error_names[] = {
    ERROR_NAME(CL_DEVICE_NOT_FOUND),
    ERROR_NAME(CL_DEVICE_NOT_AVAILABLE),
    ERROR_NAME(CL_COMPILER_NOT_AVAILABLE),
    ERROR_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ERROR_NAME(CL_OUT_OF_RESOURCES),
    ERROR_NAME(CL_OUT_OF_HOST_MEMORY),
    ERROR_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    ERROR_NAME(CL_MEM_COPY_OVERLAP),
    ERROR_NAME(CL_BUILD_PROGRAM_FAILURE),
    ERROR_NAME(CL_MAP_FAILURE),
    ERROR_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    ERROR_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ERROR_NAME(CL_INVALID_VALUE),
    ERROR_NAME(CL_INVALID_DEVICE_TYPE),
    ERROR_NAME(CL_INVALID_PLATFORM),
    ERROR_NAME(CL_INVALID_DEVICE),
    ERROR_NAME(CL_INVALID_CONTEXT),
    ERROR_NAME(CL_INVALID_QUEUE_PROPERTIES),
    ERROR_NAME(CL_INVALID_COMMAND_QUEUE),
    ERROR_NAME(CL_INVALID_HOST_PTR),
    ERROR_NAME(CL_INVALID_MEM_OBJECT),
    ERROR_NAME(CL_INVALID_BINARY),
    ERROR_NAME(CL_INVALID_BUILD_OPTIONS),
    ERROR_NAME(CL_INVALID_PROGRAM),
    ERROR_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    ERROR_NAME(CL_INVALID_KERNEL_NAME),
    ERROR_NAME(CL_INVALID_KERNEL_DEFINITION),
    ERROR_NAME(CL_INVALID_KERNEL),
    ERROR_NAME(CL_INVALID_ARG_INDEX),
    ERROR_NAME(CL_INVALID_ARG_VALUE),
    ERROR_NAME(CL_INVALID_ARG_SIZE),
    ERROR_NAME(CL_INVALID_KERNEL_ARGS),
    ERROR_NAME(CL_INVALID_WORK_DIMENSION),
    ERROR_NAME(CL_INVALID_WORK_GROUP_SIZE),
    ERROR_NAME(CL_INVALID_WORK_ITEM_SIZE),
    ERROR_NAME(CL_INVALID_GLOBAL_OFFSET),
    ERROR_NAME(CL_INVALID_EVENT_WAIT_LIST),
    ERROR_NAME(CL_INVALID_EVENT),
    ERROR_NAME(CL_INVALID_OPERATION),
    ERROR_NAME(CL_INVALID_BUFFER_SIZE),
    ERROR_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef ERROR_NAME

static const char *error_name(cl_int status)
{
    for (size_t i = 0; i < sizeof error_names / sizeof error_names[0]; i++)
        if (error_names[i].status == status)
            return error_names[i].name;
    return "an error without a name";
}

void workload_fail(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(WORKLOAD_CANNOT_RUN);
}

void workload_check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS)
        workload_fail("%s: %s (%d)", call, error_name(status), (int)status);
}

void *workload_allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);

    if (memory == NULL)
        workload_fail("no memory for %zu elements of %zu bytes", count, bytes);
    return memory;
}

static cl_platform_id choose_platform(const struct workload *workload)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;

    workload_check(clGetPlatformIDs(MAX_PLATFORMS, platforms, &count), "clGetPlatformIDs");
    if (count > MAX_PLATFORMS)
        count = MAX_PLATFORMS;
    for (cl_uint i = 0; i < count; i++) {
        char name[NAME_BYTES] = "";
        cl_uint devices = 0;

        workload_check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL),
                       "clGetPlatformInfo");
        if (workload->platform != NULL && strstr(name, workload->platform) == NULL)
            continue;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &devices) == CL_SUCCESS &&
            devices > 0)
            return platforms[i];
    }
    workload_fail("no OpenCL platform %s%s with a device", workload->platform ? "named " : "",
                  workload->platform ? workload->platform : "");
}

static void choose_device(struct workload *workload)
{
    cl_device_id devices[MAX_DEVICES];
    char platform[NAME_BYTES] = "", device[NAME_BYTES] = "";
    cl_uint count = 0;

    workload->platform_id = choose_platform(workload);
    workload_check(
        clGetDeviceIDs(workload->platform_id, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count),
        "clGetDeviceIDs");
    if (workload->device_index >= count || workload->device_index >= MAX_DEVICES)
        workload_fail("--device %" PRIu64 ": the platform has %u", workload->device_index, count);
    workload->device = devices[workload->device_index];
    if (!workload->verbose)
        return;
    workload_check(
        clGetPlatformInfo(workload->platform_id, CL_PLATFORM_NAME, sizeof platform, platform, NULL),
        "clGetPlatformInfo");
    workload_check(clGetDeviceInfo(workload->device, CL_DEVICE_NAME, sizeof device, device, NULL),
                   "clGetDeviceInfo");
    printf("%s: on %s, %s\n", workload->name, platform, device);
}

static void print_build_log(const struct workload *workload)
{
    size_t bytes = 0;

    clGetProgramBuildInfo(workload->program, workload->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                          &bytes);
    char *log = workload_allocate(bytes + 1, 1);
    clGetProgramBuildInfo(workload->program, workload->device, CL_PROGRAM_BUILD_LOG, bytes, log,
                          NULL);
    fprintf(stderr, "%s\n", log);
    free(log);
}

void workload_open(struct workload *workload, const char *source, const char *build_options)
{
    cl_int status;

    choose_device(workload);
    workload->context = clCreateContext(NULL, 1, &workload->device, NULL, NULL, &status);
    workload_check(status, "clCreateContext");
    workload->queue = clCreateCommandQueue(workload->context, workload->device,
                                           CL_QUEUE_PROFILING_ENABLE, &status);
    workload_check(status, "clCreateCommandQueue");
    workload->program = clCreateProgramWithSource(workload->context, 1, &source, NULL, &status);
    workload_check(status, "clCreateProgramWithSource");
    status = clBuildProgram(workload->program, 1, &workload->device, build_options, NULL, NULL);
    if (status == CL_BUILD_PROGRAM_FAILURE)
        print_build_log(workload);
    workload_check(status, "clBuildProgram");
}

/* Something that workload_close gives back: a kernel, a buffer or host memory. */
struct workload_owned {
    struct workload_owned *next;
    cl_kernel kernel;
    cl_mem buffer;
    void *memory;
};

static void *own(struct workload *workload, struct workload_owned thing)
{
    struct workload_owned *owned = workload_allocate(1, sizeof *owned);

    thing.next = workload->owned;
    *owned = thing;
    workload->owned = owned;
    return thing.memory;
}

static void release_owned(struct workload *workload)
{
    while (workload->owned != NULL) {
        struct workload_owned *owned = workload->owned;

        workload->owned = owned->next;
        if (owned->kernel != NULL)
            clReleaseKernel(owned->kernel);
        if (owned->buffer != NULL)
            clReleaseMemObject(owned->buffer);
        free(owned->memory);
        free(owned);
    }
}

void workload_close(struct workload *workload)
{
    release_owned(workload);
    clReleaseProgram(workload->program);
    clReleaseCommandQueue(workload->queue);
    clReleaseContext(workload->context);
}

cl_kernel workload_kernel(const struct workload *workload, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(workload->program, name, &status);

    if (status != CL_SUCCESS)
        workload_fail("clCreateKernel(%s): %s (%d)", name, error_name(status), (int)status);
    return kernel;
}

cl_mem workload_buffer(const struct workload *workload, size_t bytes, const void *initial)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(workload->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

    workload_check(status, "clCreateBuffer");
    if (initial != NULL)
        workload_write(workload, buffer, initial, bytes);
    return buffer;
}

cl_kernel workload_own_kernel(struct workload *workload, const char *name)
{
    cl_kernel kernel = workload_kernel(workload, name);

    own(workload, (struct workload_owned){.kernel = kernel});
    return kernel;
}

cl_mem workload_own_buffer(struct workload *workload, size_t bytes, const void *initial)
{
    cl_mem buffer = workload_buffer(workload, bytes, initial);

    own(workload, (struct workload_owned){.buffer = buffer});
    return buffer;
}

void workload_own_object(struct workload *workload, cl_mem object)
{
    own(workload, (struct workload_owned){.buffer = object});
}

void *workload_own_memory(struct workload *workload, size_t count, size_t bytes)
{
    return own(workload, (struct workload_owned){.memory = workload_allocate(count, bytes)});
}

void workload_read(const struct workload *workload, cl_mem buffer, void *bytes, size_t count)
{
    workload_check(
        clEnqueueReadBuffer(workload->queue, buffer, CL_TRUE, 0, count, bytes, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}

void workload_write(const struct workload *workload, cl_mem buffer, const void *bytes, size_t count)
{
    workload_check(
        clEnqueueWriteBuffer(workload->queue, buffer, CL_TRUE, 0, count, bytes, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

void workload_argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
    workload_check(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

static uint64_t duration_ns(cl_event event)
{
    cl_ulong start = 0, end = 0;

    workload_check(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
        "clGetEventProfilingInfo");
    workload_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
                   "clGetEventProfilingInfo");
    return end - start;
}

static void print_launch(const struct workload *workload, cl_kernel kernel, uint64_t nanoseconds)
{
    char name[NAME_BYTES] = "";

    workload_check(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL),
                   "clGetKernelInfo");
    printf("%s: %s took %" PRIu64 " ns on the device\n", workload->name, name, nanoseconds);
}

uint64_t workload_run(const struct workload *workload, cl_kernel kernel, cl_uint dimensions,
                      const size_t *global, const size_t *group)
{
    cl_event event;

    workload_check(clEnqueueNDRangeKernel(workload->queue, kernel, dimensions, NULL, global, group,
                                          0, NULL, &event),
                   "clEnqueueNDRangeKernel");
    workload_check(clWaitForEvents(1, &event), "clWaitForEvents");
    uint64_t nanoseconds = duration_ns(event);
    clReleaseEvent(event);
    if (workload->verbose)
        print_launch(workload, kernel, nanoseconds);
    return nanoseconds;
}

uint64_t workload_run_items(const struct workload *workload, cl_kernel kernel, size_t items,
                            size_t group)
{
    size_t global = workload_round_up(items, group);

    return workload_run(workload, kernel, 1, &global, &group);
}

int workload_verdict(const struct workload *workload, bool right, const void *result, size_t bytes)
{
    if (workload->verbose)
        printf("%s: checksum %016" PRIx64 "\n", workload->name, workload_checksum(result, bytes));
    printf("%s: %s\n", workload->name, right ? "passed" : "FAILED");
    return right ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}
