/* SPDX-License-Identifier: MIT */
/* OpenCL devices for the fuzzer: one in-order queue and one copy of each kernel a device. */
#define CL_TARGET_OPENCL_VERSION 120
#include "device.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char source_text[] =
    "uint mix(uint x)\n"
    "{\n"
    "    x = (x ^ (x >> 16)) * 0x7FEB352Du;\n"
    "    x = (x ^ (x >> 15)) * 0x846CA68Bu;\n"
    "    return x ^ (x >> 16);\n"
    "}\n"
    "#define WORDS(bytes) ((global uint *)(bytes))\n"
    "#define TAIL for (ulong t = bytes / 4 * 4; g == 0 && has_tail && t < bytes; t++)\n"
    "#define ARGUMENTS global uchar *target, ulong first, ulong end, ulong bytes, int has_tail, "
    "\\\n"
    "    uint seed, global const uchar *source, ulong source_bytes\n"
    "kernel void update(ARGUMENTS)\n"
    "{\n"
    "    ulong g = get_global_id(0), i = first + g;\n"
    "    if (i < end)\n"
    "        WORDS(target)[i] = WORDS(target)[i] * 1664525u + (uint)i + seed;\n"
    "    TAIL target[t] = (uchar)(target[t] * 77u + (uint)t + seed);\n"
    "}\n"
    "kernel void combine(ARGUMENTS)\n"
    "{\n"
    "    ulong g = get_global_id(0), i = first + g, words = source_bytes / 4;\n"
    "    if (i < end) {\n"
    "        uint y = words > 0 ? ((global const uint *)source)[i % words] : source[0];\n"
    "        WORDS(target)[i] = WORDS(target)[i] * 1664525u + y + (uint)i + seed;\n"
    "    }\n"
    "    TAIL target[t] = (uchar)(target[t] * 77u + source[t % source_bytes] + seed);\n"
    "}\n"
    "kernel void fill(ARGUMENTS)\n"
    "{\n"
    "    ulong g = get_global_id(0), i = first + g;\n"
    "    if (i < end)\n"
    "        WORDS(target)[i] = mix((uint)i + seed);\n"
    "    TAIL target[t] = (uchar)mix((uint)t + seed);\n"
    "}\n"
    "kernel void checksum(global const uchar *source, ulong bytes, uint seed,\n"
    "                     global uint *results, uint slot)\n"
    "{\n"
    "    uint sum = 0;\n"
    "    for (ulong i = get_global_id(0); i < bytes / 4; i += get_global_size(0))\n"
    "        sum += mix(((global const uint *)source)[i] ^ mix((uint)i + seed));\n"
    "    for (ulong t = bytes / 4 * 4; get_global_id(0) == 0 && t < bytes; t++)\n"
    "        sum += mix(source[t] ^ mix((uint)t + seed));\n"
    "    atomic_add(&results[slot], sum);\n"
    "}\n";

enum { GROUP = 64, CHECKSUM_ITEMS = 1024 };

struct opencl_device {
    cl_command_queue queue;
    cl_kernel kernels[KERNEL_KINDS];
    cl_kernel checksum;
    cl_mem results;
    pthread_mutex_t mutex; /* a kernel's arguments and its launch belong together */
};

static cl_context context;
static cl_program program;
static struct opencl_device devices[MAX_DEVICES];
static void *handles[MAX_DEVICES];
static unsigned device_count;

/* The tests' own commands have no reason to fail. */
static void must(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "fuzz: OpenCL: %s: error %d\n", what, error);
    abort();
}

static unsigned find_devices(cl_device_id *found)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0, count = 0;
    if (clGetPlatformIDs(8, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < platform_count && i < 8 && count == 0; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MAX_DEVICES, found, &count) !=
            CL_SUCCESS)
            count = 0;
    }
    return count < MAX_DEVICES ? count : MAX_DEVICES;
}

static void build_program(void)
{
    const char *text = source_text;
    cl_int error;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error, "clCreateProgramWithSource");
    must(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
}

static cl_kernel make_kernel(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    must(error, name);
    return kernel;
}

static void open_device(struct opencl_device *device, cl_device_id id)
{
    cl_int error;
    device->queue = clCreateCommandQueue(context, id, 0, &error);
    must(error, "clCreateCommandQueue");
    device->kernels[KERNEL_UPDATE] = make_kernel("update");
    device->kernels[KERNEL_COMBINE] = make_kernel("combine");
    device->kernels[KERNEL_FILL] = make_kernel("fill");
    device->checksum = make_kernel("checksum");
    device->results =
        clCreateBuffer(context, CL_MEM_READ_WRITE, ALL_SLOTS * sizeof(cl_uint), NULL, &error);
    must(error, "clCreateBuffer");
    pthread_mutex_init(&device->mutex, NULL);
}

static unsigned open_devices(const struct options *options)
{
    cl_device_id found[MAX_DEVICES];
    unsigned count = find_devices(found);
    if (count == 0 || count < options->devices) {
        printf("OpenCL has %u devices, %u are needed\n", count,
               options->devices > 0 ? options->devices : 1);
        return 0;
    }
    if (options->devices > 0)
        count = options->devices;
    cl_int error;
    context = clCreateContext(NULL, count, found, NULL, NULL, &error);
    must(error, "clCreateContext");
    build_program();
    for (device_count = 0; device_count < count; device_count++) {
        open_device(&devices[device_count], found[device_count]);
        handles[device_count] = devices[device_count].queue;
    }
    return count;
}

static void close_devices(void)
{
    for (unsigned i = 0; i < device_count; i++) {
        struct opencl_device *device = &devices[i];
        for (unsigned kind = 0; kind < KERNEL_KINDS; kind++)
            clReleaseKernel(device->kernels[kind]);
        clReleaseKernel(device->checksum);
        clReleaseMemObject(device->results);
        clReleaseCommandQueue(device->queue);
    }
    clReleaseProgram(program);
    clReleaseContext(context);
}

static void **opencl_handles(void)
{
    return handles;
}

static void *allocate(unsigned device, size_t bytes)
{
    (void)device;
    cl_int error;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error == CL_SUCCESS ? buffer : NULL;
}

static void release(unsigned device, void *buffer)
{
    (void)device;
    must(clReleaseMemObject(buffer), "clReleaseMemObject");
}

static void set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    must(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static void enqueue(struct opencl_device *device, cl_kernel kernel, size_t items)
{
    size_t global = (items + GROUP - 1) / GROUP * GROUP, local = GROUP;
    must(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
}

static void launch(unsigned device_index, const struct kernel_call *call,
                   const struct operand *target, const struct operand *source)
{
    struct opencl_device *device = &devices[device_index];
    cl_kernel kernel = device->kernels[call->kind];
    cl_mem written = target->buffer, read = source->buffer;
    bool is_fill = call->kind == KERNEL_FILL;
    cl_ulong bytes = target->bytes, source_bytes = source->bytes;
    cl_ulong first = is_fill ? 0 : call->first, end = is_fill ? bytes / 4 : call->end;
    cl_int has_tail = is_fill || call->has_tail;
    pthread_mutex_lock(&device->mutex);
    set_argument(kernel, 0, sizeof written, &written);
    set_argument(kernel, 1, sizeof first, &first);
    set_argument(kernel, 2, sizeof end, &end);
    set_argument(kernel, 3, sizeof bytes, &bytes);
    set_argument(kernel, 4, sizeof has_tail, &has_tail);
    set_argument(kernel, 5, sizeof call->seed, &call->seed);
    set_argument(kernel, 6, sizeof read, &read);
    set_argument(kernel, 7, sizeof source_bytes, &source_bytes);
    enqueue(device, kernel, end > first ? end - first : 1);
    pthread_mutex_unlock(&device->mutex);
}

static void launch_checksum(unsigned device_index, const struct operand *source, uint32_t seed,
                            unsigned slot)
{
    struct opencl_device *device = &devices[device_index];
    cl_kernel kernel = device->checksum;
    cl_mem read = source->buffer;
    cl_ulong bytes = source->bytes;
    cl_uint zero = 0;
    pthread_mutex_lock(&device->mutex);
    must(clEnqueueFillBuffer(device->queue, device->results, &zero, sizeof zero, slot * sizeof zero,
                             sizeof zero, 0, NULL, NULL),
         "clEnqueueFillBuffer");
    set_argument(kernel, 0, sizeof read, &read);
    set_argument(kernel, 1, sizeof bytes, &bytes);
    set_argument(kernel, 2, sizeof seed, &seed);
    set_argument(kernel, 3, sizeof device->results, &device->results);
    set_argument(kernel, 4, sizeof slot, &slot);
    enqueue(device, kernel, bytes < 4 * CHECKSUM_ITEMS ? 1 : CHECKSUM_ITEMS);
    pthread_mutex_unlock(&device->mutex);
}

static uint32_t checksum(unsigned device, unsigned slot)
{
    cl_uint value;
    must(clEnqueueReadBuffer(devices[device].queue, devices[device].results, CL_TRUE,
                             slot * sizeof value, sizeof value, &value, 0, NULL, NULL),
         "clEnqueueReadBuffer");
    return value;
}

static void finish(unsigned device)
{
    must(clFinish(devices[device].queue), "clFinish");
}

static void peek(unsigned device, const struct operand *source, unsigned char *copy)
{
    must(clEnqueueReadBuffer(devices[device].queue, source->buffer, CL_TRUE, 0, source->bytes, copy,
                             0, NULL, NULL),
         "clEnqueueReadBuffer");
}

struct device_kind opencl_kind = {
    .init_flag = GPUVM_OPENCL,
    .open = open_devices,
    .close = close_devices,
    .handles = opencl_handles,
    .allocate = allocate,
    .release = release,
    .launch = launch,
    .launch_checksum = launch_checksum,
    .checksum = checksum,
    .finish = finish,
    .peek = peek,
};
