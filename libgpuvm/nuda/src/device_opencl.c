/* SPDX-License-Identifier: MIT */
/* OpenCL 1.2 devices: one queue, in order. Buffers take no more than the device's memory together,
 * or NUDA_MEMORY bytes. OpenCL itself may say only when a kernel starts that there was no room. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "device.h"
#include "message.h"

#include <CL/cl.h>
#include <ctype.h>
#include <gpuvm.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PLATFORMS 16
#define MOST_DEVICES 32
#define GROUP_ITEMS 128 /* of a work-group that we choose */
#define EXACT_OPTION "-cl-fp32-correctly-rounded-divide-sqrt"

struct opencl {
    struct nuda_device base;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    size_t most_items[3]; /* of a work-group, in each dimension */
    size_t memory_bytes;
    _Atomic size_t used_bytes;
    bool is_exact; /* division and square root of floats can be */
};

struct kernel {
    cl_kernel kernel;
    size_t most_items; /* of a work-group */
};

static struct opencl *opencl_of(struct nuda_device *device)
{
    return (struct opencl *)(void *)device;
}

/* ---- Buffers ---- */

static size_t buffer_bytes(cl_mem buffer)
{
    size_t nbytes = 0;
    clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(nbytes), &nbytes, NULL);
    return nbytes;
}

static void *opencl_allocate(struct nuda_device *device, size_t nbytes)
{
    struct opencl *opencl = opencl_of(device);
    size_t used = atomic_fetch_add(&opencl->used_bytes, nbytes);
    cl_int error = CL_OUT_OF_RESOURCES;
    cl_mem buffer = NULL;
    if (used + nbytes <= opencl->memory_bytes)
        buffer = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, nbytes, NULL, &error);
    if (error)
        atomic_fetch_sub(&opencl->used_bytes, nbytes);
    return error ? NULL : buffer;
}

static void opencl_release(struct nuda_device *device, void *buffer)
{
    atomic_fetch_sub(&opencl_of(device)->used_bytes, buffer_bytes(buffer));
    clReleaseMemObject(buffer);
}

void *device_opencl_wrap(struct nuda_device *device, void *memory, size_t nbytes)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(opencl_of(device)->context,
                                   CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, nbytes, memory, &error);
    atomic_fetch_add(&opencl_of(device)->used_bytes, nbytes);
    return error ? NULL : buffer;
}

/* ---- Kernels ---- */

/* The options, without what this device cannot do. */
static char *options_for(const struct opencl *opencl, const struct nuda_loop *loop)
{
    char *options = strdup(loop->options ? loop->options : "");
    char *exact = options && !opencl->is_exact ? strstr(options, EXACT_OPTION) : NULL;
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    if (!exact)
        return options;
    memset(exact, ' ', strlen(EXACT_OPTION));
    if (!atomic_flag_test_and_set(&is_told))
        message(NULL,
                "%s: division and square root of floats are not exact: results may differ from the "
                "host's",
                opencl->base.name);
    return options;
}

static cl_program compile(struct opencl *opencl, const struct nuda_loop *loop, char *log,
                          size_t log_bytes)
{
    cl_int error;
    char *options = options_for(opencl, loop);
    cl_program program =
        clCreateProgramWithSource(opencl->context, 1, (const char *[]){loop->source}, NULL, &error);
    snprintf(log, log_bytes, "clCreateProgramWithSource: error %d", error);
    if (!error && (error = clBuildProgram(program, 1, &opencl->device, options, NULL, NULL))) {
        size_t used = (size_t)snprintf(log, log_bytes, "clBuildProgram: error %d\n", error);
        if (used < log_bytes)
            clGetProgramBuildInfo(program, opencl->device, CL_PROGRAM_BUILD_LOG, log_bytes - used,
                                  log + used, NULL);
        clReleaseProgram(program);
    }
    free(options);
    return error ? NULL : program;
}

static void *opencl_build(struct nuda_device *device, const struct nuda_loop *loop, char *log,
                          size_t log_bytes)
{
    struct opencl *opencl = opencl_of(device);
    struct kernel *kernel = calloc(1, sizeof(*kernel));
    cl_program program = kernel ? compile(opencl, loop, log, log_bytes) : NULL;
    cl_int error = CL_SUCCESS;
    if (!program) {
        free(kernel);
        return NULL;
    }
    kernel->kernel = clCreateKernel(program, loop->kernel, &error);
    if (!error)
        error = clGetKernelWorkGroupInfo(kernel->kernel, opencl->device, CL_KERNEL_WORK_GROUP_SIZE,
                                         sizeof(kernel->most_items), &kernel->most_items, NULL);
    clReleaseProgram(program);
    if (!error)
        return kernel;
    snprintf(log, log_bytes, "clCreateKernel(%s): error %d", loop->kernel, error);
    free(kernel);
    return NULL;
}

static size_t power_at_least(size_t count)
{
    size_t power = 1;
    while (power < count)
        power *= 2;
    return power;
}

/* The work-group: as asked, or up to GROUP_ITEMS along the innermost loops; no larger than the
 * device allows. */
static void choose_group(const struct opencl *opencl, const struct kernel *kernel,
                         const struct nuda_launch *launch, size_t local[3])
{
    size_t rest = GROUP_ITEMS, items = 1;
    for (unsigned d = 0; d < launch->dimensions; d++) {
        size_t wanted = power_at_least(launch->count[d]);
        local[d] = launch->block[d] ? launch->block[d] : wanted < rest ? wanted : rest;
        if (local[d] > opencl->most_items[d])
            local[d] = opencl->most_items[d];
        rest = rest / local[d] ? rest / local[d] : 1;
        items *= local[d];
    }
    for (unsigned d = launch->dimensions; items > kernel->most_items && d-- > 0;)
        while (items > kernel->most_items && local[d] > 1) {
            items /= local[d];
            local[d] /= 2;
            items *= local[d];
        }
}

static bool opencl_launch(struct nuda_device *device, void *built, const struct nuda_launch *launch)
{
    struct opencl *opencl = opencl_of(device);
    const struct kernel *kernel = built;
    size_t local[3], global[3];
    cl_int error = CL_SUCCESS;
    for (unsigned i = 0; i < launch->argument_count && !error; i++) {
        const struct nuda_argument *argument = &launch->arguments[i];
        bool is_buffer = argument->buffer != NULL;
        error = clSetKernelArg(kernel->kernel, i, is_buffer ? sizeof(cl_mem) : argument->size,
                               is_buffer ? (const void *)&argument->buffer : argument->value);
    }
    choose_group(opencl, kernel, launch, local);
    for (unsigned d = 0; d < launch->dimensions; d++)
        global[d] = (launch->count[d] + local[d] - 1) / local[d] * local[d];
    if (!error)
        error = clEnqueueNDRangeKernel(opencl->queue, kernel->kernel, launch->dimensions, NULL,
                                       global, local, 0, NULL, NULL);
    if (!error)
        error = clFlush(opencl->queue);
    if (error)
        message(NULL, "%s: a kernel's start: OpenCL's error %d", opencl->base.name, error);
    return !error;
}

bool device_opencl_finish(struct nuda_device *device)
{
    return !clFinish(opencl_of(device)->queue);
}

static void opencl_close(struct nuda_device *device)
{
    clFinish(opencl_of(device)->queue); /* the rest goes with the process */
}

/* ---- The choice ---- */

static bool contains(const char *text, const char *wanted)
{
    size_t length = strlen(wanted);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)wanted[i]))
            i++;
        if (i == length)
            return true;
    }
    return length == 0;
}

static int rank_of(cl_device_type type)
{
    return type & CL_DEVICE_TYPE_GPU ? 3 : type & CL_DEVICE_TYPE_ACCELERATOR ? 2 : 1;
}

struct found {
    cl_device_id device;
    int rank;
    char name[256];
};

static void look_at_platform(cl_platform_id platform, const char *wanted, struct found *best)
{
    cl_device_id devices[MOST_DEVICES];
    cl_uint count = 0;
    char platform_name[100] = "", device_name[128] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(platform_name), platform_name, NULL);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count))
        return;
    for (cl_uint i = 0; i < count && i < MOST_DEVICES; i++) {
        struct found found = {.device = devices[i]};
        cl_device_type type = 0;
        clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof(device_name), device_name, NULL);
        clGetDeviceInfo(devices[i], CL_DEVICE_TYPE, sizeof(type), &type, NULL);
        snprintf(found.name, sizeof(found.name), "%s: %s", platform_name, device_name);
        found.rank = rank_of(type);
        if (found.rank > best->rank && (!wanted || contains(found.name, wanted)))
            *best = found;
    }
}

/* Device memory that buffers may take. */
static size_t find_memory_bytes(cl_device_id device)
{
    const char *text = getenv("NUDA_MEMORY");
    cl_ulong nbytes = 0;
    if (text && *text)
        return strtoull(text, NULL, 10);
    clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(nbytes), &nbytes, NULL);
    return nbytes ? (size_t)nbytes : SIZE_MAX / 2;
}

static const struct nuda_device_operations operations = {.allocate = opencl_allocate,
                                                         .release = opencl_release,
                                                         .build = opencl_build,
                                                         .launch = opencl_launch,
                                                         .close = opencl_close};

struct nuda_device *device_opencl_open(const char *wanted)
{
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_uint count = 0;
    struct found best = {0};
    if (clGetPlatformIDs(MOST_PLATFORMS, platforms, &count))
        return NULL;
    for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
        look_at_platform(platforms[i], wanted, &best);
    struct opencl *opencl = best.device ? calloc(1, sizeof(*opencl)) : NULL;
    cl_int error = CL_SUCCESS;
    cl_device_fp_config floats = 0;
    if (!opencl)
        return NULL;
    opencl->base = (struct nuda_device){.operations = &operations, .gpuvm_api = GPUVM_OPENCL};
    memcpy(opencl->base.name, best.name, sizeof(best.name));
    opencl->device = best.device;
    opencl->context = clCreateContext(NULL, 1, &best.device, NULL, NULL, &error);
    if (!error)
        opencl->queue = clCreateCommandQueue(opencl->context, best.device, 0, &error);
    if (!error)
        error = clGetDeviceInfo(best.device, CL_DEVICE_MAX_WORK_ITEM_SIZES,
                                sizeof(opencl->most_items), opencl->most_items, NULL);
    clGetDeviceInfo(best.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(floats), &floats, NULL);
    opencl->is_exact = floats & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    opencl->memory_bytes = find_memory_bytes(best.device);
    opencl->base.gpuvm_device = opencl->queue;
    if (!error)
        return &opencl->base;
    message(NULL, "%s: does not start: OpenCL's error %d", best.name, error);
    free(opencl);
    return NULL;
}
