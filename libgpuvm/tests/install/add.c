/* SPDX-License-Identifier: MIT */
/* A short program of a user who has installed libgpuvm: two vectors are added on the first OpenCL
 * device, five times over. */
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <gpuvm.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 20000 /* small enough that free does not unmap it */

static const char *source = "kernel void add(global const int *a, global int *c)\n"
                            "{\n"
                            "    c[get_global_id(0)] += a[get_global_id(0)];\n"
                            "}\n";

static void check(int error, const char *what)
{
    if (error == 0)
        return;
    printf("%s: %s (%d)\n", what, gpuvm_strerror(error), error);
    exit(1);
}

int main(void)
{
    size_t nbytes = COUNT * sizeof(int), items = COUNT;
    int *hosts[2] = {malloc(nbytes), malloc(nbytes)};
    unsigned long long arrays = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_mem buffers[2];

    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    cl_kernel kernel = clCreateKernel(program, "add", NULL);

    check(gpuvm_init(1, (void *[]){queue}, GPUVM_OPENCL), "init");
    for (int i = 0; i < 2; i++) {
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, nbytes, NULL, NULL);
        clSetKernelArg(kernel, (cl_uint)i, sizeof buffers[i], &buffers[i]);
        for (int k = 0; k < COUNT; k++)
            hosts[i][k] = k + i;
        check(gpuvm_link(hosts[i], nbytes, 0, buffers[i], GPUVM_ON_HOST), "link");
    }
    for (int round = 0; round < 5; round++) {
        check(gpuvm_kernel_begin(hosts[0], 0, GPUVM_READ_ONLY), "begin");
        check(gpuvm_kernel_begin(hosts[1], 0, GPUVM_READ_WRITE), "begin");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
              "kernel");
        check(gpuvm_kernel_end(hosts[0], 0), "end");
        check(gpuvm_kernel_end(hosts[1], 0), "end");
        hosts[0][7] += 10; /* the host's again, in parts */
    }
    long long sum = 0;
    for (int k = 0; k < COUNT; k++)
        sum += hosts[1][k];
    printf("sum %lld, c[7] %d\n", sum, hosts[1][7]);

    free(hosts[0]); /* still linked: what libgpuvm-preload.so is for */
    gpuvm_stat(GPUVM_STAT_ARRAYS, &arrays);
    printf("arrays %llu\n", arrays);
    check(gpuvm_unlink(hosts[1], 0), "unlink");
    free(hosts[1]);
    return 0;
}
