/* SPDX-License-Identifier: MIT */
/* The benchmark's OpenCL device: one in-order queue with profiling; the times come from its events.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include "common.h"
#include "device.h"
#include "gpuvm.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

struct opencl_device {
    struct bench_device base;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    /* Commands since the last take_times, whose profiles are read when nothing is being timed. */
    cl_event *events;
    bool *is_kernel;
    size_t events_used, events_room;
};

/* Rows are read 16 elements at a time: element by element PoCL is 50 times slower, which would hide
 * all else. */
static const char source[] =
    "__kernel void rows(__global float *x1, __global const float *a, __global const float *x,\n"
    "                   __global const float *b, uint n)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    __global const float *row = a + i * n;\n"
    "    float16 sum = (float16)(0.0f);\n"
    "    for (uint j = 0; j < n / 16; j++)\n"
    "        sum += vload16(j, row) * vload16(j, x);\n"
    "    float8 s8 = sum.lo + sum.hi;\n"
    "    float4 s4 = s8.lo + s8.hi;\n"
    "    float2 s2 = s4.lo + s4.hi;\n"
    "    x1[i] = (float)((uint)(s2.x + s2.y + b[i]) % MODULUS);\n"
    "}\n"
    "__kernel void columns(__global float *x1, __global const float *a, __global const float *x,\n"
    "                      __global const float *b, uint n)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float r = b[i];\n"
    "    for (uint j = 0; j < n; j++)\n"
    "        r += a[(size_t)j * n + i] * x[j];\n"
    "    x1[i] = (float)((uint)r % MODULUS);\n"
    "}\n";

static void must(cl_int error, const char *call)
{
    if (error != CL_SUCCESS) {
        fail("%s: OpenCL error %d", call, (int)error);
    }
}

static struct opencl_device *opencl(struct bench_device *device)
{
    return (struct opencl_device *)(void *)device;
}

static cl_device_id find_device(unsigned index)
{
    cl_platform_id platforms[16];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS || platform_count == 0) {
        fail("no OpenCL platform");
    }
    for (cl_uint i = 0; i < platform_count && i < 16; i++) {
        cl_device_id devices[16];
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, devices, &count) != CL_SUCCESS) {
            continue;
        }
        if (index < count) {
            return devices[index];
        }
        index -= count;
    }
    fail("no such OpenCL device");
}

/* libgpuvm fetches by plain copies from implementations that it knows to keep buffers in the host's
 * memory. */
static bool is_within_reach(cl_device_id device)
{
    cl_platform_id platform;
    char name[64] = "";
    must(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL),
         "clGetDeviceInfo");
    must(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL),
         "clGetPlatformInfo");
    return strcmp(name, "Portable Computing Language") == 0;
}

static cl_event *next_event(struct opencl_device *device, bool is_kernel)
{
    if (device->events_used == device->events_room) {
        device->events_room = device->events_room ? 2 * device->events_room : 1024;
        device->events = realloc(device->events, device->events_room * sizeof(cl_event));
        device->is_kernel = realloc(device->is_kernel, device->events_room * sizeof(bool));
        if (!device->events || !device->is_kernel) {
            fail("no memory for events");
        }
    }
    device->is_kernel[device->events_used] = is_kernel;
    return &device->events[device->events_used++];
}

static void *opencl_allocate(struct bench_device *device, size_t nbytes)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(opencl(device)->context, CL_MEM_READ_WRITE, nbytes, NULL, &error);
    must(error, "clCreateBuffer");
    return buffer;
}

static void opencl_release(struct bench_device *device, void *buffer)
{
    must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

static cl_bool is_blocking(struct bench_device *device)
{
    return device->is_pipelined ? CL_FALSE : CL_TRUE;
}

static void opencl_read(struct bench_device *device, void *buffer, size_t offset, void *host,
                        size_t nbytes)
{
    cl_event *event = next_event(opencl(device), false);
    must(clEnqueueReadBuffer(opencl(device)->queue, buffer, is_blocking(device), offset, nbytes,
                             host, 0, NULL, event),
         "clEnqueueReadBuffer");
}

static void opencl_write(struct bench_device *device, void *buffer, size_t offset, const void *host,
                         size_t nbytes)
{
    cl_event *event = next_event(opencl(device), false);
    must(clEnqueueWriteBuffer(opencl(device)->queue, buffer, is_blocking(device), offset, nbytes,
                              host, 0, NULL, event),
         "clEnqueueWriteBuffer");
}

static void opencl_launch(struct bench_device *device, const struct matvec_job *job)
{
    struct opencl_device *self = opencl(device);
    cl_mem buffers[4] = {job->x1, job->a, job->x, job->b};
    for (cl_uint i = 0; i < 4; i++) {
        must(clSetKernelArg(self->kernel, i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
    }
    cl_uint n = device->n;
    must(clSetKernelArg(self->kernel, 4, sizeof(n), &n), "clSetKernelArg");
    size_t global = device->n;
    size_t local = global < 128 ? global : 128;
    must(clEnqueueNDRangeKernel(self->queue, self->kernel, 1, NULL, &global, &local, 0, NULL,
                                next_event(self, true)),
         "clEnqueueNDRangeKernel");
    must(clFlush(self->queue), "clFlush");
}

static void opencl_finish(struct bench_device *device)
{
    must(clFinish(opencl(device)->queue), "clFinish");
}

static double event_seconds(cl_event event)
{
    cl_ulong start;
    cl_ulong end;
    must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL),
         "clGetEventProfilingInfo");
    must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL),
         "clGetEventProfilingInfo");
    return 1e-9 * (double)(end - start);
}

static struct device_times opencl_take_times(struct bench_device *device)
{
    struct opencl_device *self = opencl(device);
    struct device_times times = {0};
    for (size_t i = 0; i < self->events_used; i++) {
        double *sum = self->is_kernel[i] ? &times.kernel_seconds : &times.copy_seconds;
        *sum += event_seconds(self->events[i]);
        must(clReleaseEvent(self->events[i]), "clReleaseEvent");
    }
    self->events_used = 0;
    return times;
}

static void opencl_close(struct bench_device *device)
{
    struct opencl_device *self = opencl(device);
    opencl_take_times(device);
    must(clReleaseKernel(self->kernel), "clReleaseKernel");
    must(clReleaseProgram(self->program), "clReleaseProgram");
    must(clReleaseCommandQueue(self->queue), "clReleaseCommandQueue");
    must(clReleaseContext(self->context), "clReleaseContext");
    free(self->events);
    free(self->is_kernel);
    free(self);
}

static const struct bench_device_operations operations = {
    .allocate = opencl_allocate,
    .release = opencl_release,
    .read = opencl_read,
    .write = opencl_write,
    .launch = opencl_launch,
    .finish = opencl_finish,
    .take_times = opencl_take_times,
    .close = opencl_close,
};

struct bench_device *device_open_opencl(const struct device_options *options)
{
    struct opencl_device *self = allocate_or_fail(sizeof(*self));
    *self = (struct opencl_device){.base = {.operations = &operations,
                                            .gpuvm_api = GPUVM_OPENCL,
                                            .n = options->n,
                                            .is_columns = options->is_columns,
                                            .is_pipelined = options->is_pipelined,
                                            .parts = 1}};
    cl_int error;
    cl_device_id id = find_device(options->opencl_index);
    must(clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof(self->base.name), self->base.name, NULL),
         "clGetDeviceInfo");
    self->base.has_reach = is_within_reach(id);
    self->context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    must(error, "clCreateContext");
    self->queue = clCreateCommandQueue(self->context, id, CL_QUEUE_PROFILING_ENABLE, &error);
    must(error, "clCreateCommandQueue");
    const char *text = source;
    self->program = clCreateProgramWithSource(self->context, 1, &text, NULL, &error);
    must(error, "clCreateProgramWithSource");
    char build_options[64];
    snprintf(build_options, sizeof(build_options), "-DMODULUS=%uu", MATVEC_MODULUS);
    must(clBuildProgram(self->program, 1, &id, build_options, NULL, NULL), "clBuildProgram");
    self->kernel = clCreateKernel(self->program, options->is_columns ? "columns" : "rows", &error);
    must(error, "clCreateKernel");
    self->base.gpuvm_device = self->queue;
    return &self->base;
}
