/* SPDX-License-Identifier: MIT */
/* PoCL for tests; see ocl.h. */
#include "ocl.h"

#include <stdlib.h>
#include <string.h>

#define PLATFORMS 8

static const char source[] =
    "kernel void affine(global const uint *a, global const uint *x, global const uint *b,\n"
    "                   global uint *y, uint n)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    uint sum = b[i];\n"
    "    for (uint j = 0; j < n; j++)\n"
    "        sum += a[i * n + j] * x[j];\n"
    "    y[i] = sum;\n"
    "}\n"
    "kernel void add(global const uint *a, global const uint *b, global uint *c, uint n)\n"
    "{\n"
    "    c[get_global_id(0)] = a[get_global_id(0)] + b[get_global_id(0)];\n"
    "}\n"
    "kernel void advance(global uint *x, uint s)\n"
    "{\n"
    "    x[get_global_id(0)] = x[get_global_id(0)] * 1664525u + 1013904223u + "
    "(uint)get_global_id(0) + s;\n"
    "}\n"
    "kernel void number(global uint *x, uint s)\n"
    "{\n"
    "    x[get_global_id(0)] = (uint)get_global_id(0) * 2654435761u + s;\n"
    "}\n";

void ocl_advance(uint32_t *x, size_t count, uint32_t s)
{
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] * 1664525u + 1013904223u + (uint32_t)i + s;
}

void ocl_number(uint32_t *x, size_t count, uint32_t s)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (uint32_t)i * 2654435761u + s;
}

static cl_platform_id find_pocl(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint count = 0;
    char name[128];

    expect_cl(clGetPlatformIDs(PLATFORMS, platforms, &count));
    for (cl_uint i = 0; i < count && i < PLATFORMS; i++) {
        expect_cl(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (strstr(name, "Portable Computing Language") != NULL)
            return platforms[i];
    }
    contract_fail(__FILE__, __LINE__, "PoCL is not installed");
}

void ocl_open(struct ocl *ocl, const struct setting *setting)
{
    const char *sources[1] = {source};
    cl_platform_id platform;
    cl_uint count = 0;
    cl_int error;

    memset(ocl, 0, sizeof *ocl);
    ocl->devices = setting->devices;
    ocl->has_reach = setting->has_reach;
    setenv("POCL_DEVICES", setting->devices > 1 ? "pthread pthread" : "pthread", 1);
    platform = find_pocl();
    expect_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, OCL_DEVICES, ocl->ids, &count));
    expect_equal(count, ocl->devices);
    ocl->context = clCreateContext(NULL, count, ocl->ids, NULL, NULL, &error);
    expect_cl(error);
    for (unsigned i = 0; i < ocl->devices; i++) {
        ocl->queues[i] = clCreateCommandQueue(ocl->context, ocl->ids[i], 0, &error);
        expect_cl(error);
    }
    ocl->program = clCreateProgramWithSource(ocl->context, 1, sources, NULL, &error);
    expect_cl(error);
    expect_cl(clBuildProgram(ocl->program, 0, NULL, "", NULL, NULL));
}

void ocl_close(struct ocl *ocl)
{
    for (unsigned i = 0; i < ocl->devices; i++) {
        expect_cl(clFinish(ocl->queues[i]));
        expect_cl(clReleaseCommandQueue(ocl->queues[i]));
    }
    expect_cl(clReleaseProgram(ocl->program));
    expect_cl(clReleaseContext(ocl->context));
}

void ocl_init(struct ocl *ocl, int flags)
{
    void *devices[OCL_DEVICES] = {ocl->queues[0], ocl->queues[1]};
    int error = gpuvm_init(ocl->devices, devices,
                           GPUVM_OPENCL | flags | (ocl->has_reach ? 0 : GPUVM_NO_REACH));

    if (error == GPUVM_EPROT && contract_is_rung("svm"))
        contract_skip("PoCL's devices do not see host memory");
    if (error == GPUVM_EPROT && getenv("GPUVM_BACKEND") != NULL)
        contract_skip("the kernel does not offer the rung %s to this user",
                      getenv("GPUVM_BACKEND"));
    expect_equal(error, 0);
}

cl_mem ocl_buffer(struct ocl *ocl, size_t nbytes)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(ocl->context, CL_MEM_READ_WRITE, nbytes, NULL, &error);

    expect_cl(error);
    return buffer;
}

void ocl_link(struct ocl *ocl, void *host, size_t nbytes, cl_mem *buffers, int flags)
{
    for (unsigned i = 0; i < ocl->devices; i++) {
        buffers[i] = ocl_buffer(ocl, nbytes);
        expect_equal(gpuvm_link(host, nbytes, i, buffers[i], flags), 0);
    }
}

void ocl_unlink(struct ocl *ocl, void *host, cl_mem *buffers)
{
    for (unsigned i = 0; i < ocl->devices; i++) {
        expect_equal(gpuvm_unlink(host, i), 0);
        expect_cl(clReleaseMemObject(buffers[i]));
    }
}

void ocl_run(struct ocl *ocl, unsigned device, const char *name, const cl_mem *buffers,
             unsigned number, size_t count)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(ocl->program, name, &error);
    cl_uint arguments = 0, last;

    expect_cl(error);
    expect_cl(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL));
    last = arguments - 1;
    for (cl_uint i = 0; i < last; i++)
        expect_cl(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    expect_cl(clSetKernelArg(kernel, last, sizeof number, &number));
    expect_cl(
        clEnqueueNDRangeKernel(ocl->queues[device], kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    expect_cl(clFlush(ocl->queues[device]));
    expect_cl(clReleaseKernel(kernel));
}
