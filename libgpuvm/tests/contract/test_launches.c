/* SPDX-License-Identifier: MIT */
/*
 * Why each gpuvm_kernel_end asks the device for its array's edges, instead of one for all arrays
 * that kernels have. Only code that sees every launch could know that nothing has written to the
 * others since. A library that stands before OpenCL's does not. This program stands before it, too,
 * and counts.
 */
#include "ocl.h"

#include <dlfcn.h>
#include <stdlib.h>

#define WORDS 20001 /* with edges, which are at no end of a page */

typedef cl_int enqueue(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                       const size_t *, cl_uint, const cl_event *, cl_event *);

static unsigned launches_seen;
static enqueue *launch_next;

__attribute__((visibility("default"))) cl_int
clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                       const size_t *offset, const size_t *global, const size_t *local,
                       cl_uint count, const cl_event *list, cl_event *event)
{
    if (!launch_next)
        *(void **)&launch_next = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    launches_seen++;
    return launch_next(queue, kernel, dimensions, offset, global, local, count, list, event);
}

/* As bindings of other languages and programs that run without OpenCL find its functions. */
static enqueue *find_by_name(void)
{
    enqueue *found = NULL;
    void *opencl = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    expect(opencl != NULL);
    *(void **)&found = dlsym(opencl, "clEnqueueNDRangeKernel");
    expect(found != NULL && found != clEnqueueNDRangeKernel);
    return found;
}

static void launch_unseen(struct ocl *ocl, cl_mem buffer, unsigned seed)
{
    size_t count = WORDS;
    cl_int error;
    cl_kernel kernel = clCreateKernel(ocl->program, "advance", &error);
    expect_cl(error);
    expect_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    expect_cl(clSetKernelArg(kernel, 1, sizeof seed, &seed));
    expect_cl(find_by_name()(ocl->queues[0], kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    expect_cl(clReleaseKernel(kernel));
}

struct pair {
    uint32_t *host[2], *model[2];
    cl_mem buffers[2][OCL_DEVICES];
};

static void link_pair(struct pair *pair, struct ocl *ocl)
{
    for (int i = 0; i < 2; i++) {
        pair->host[i] = (uint32_t *)contract_allocate((WORDS + 8) * 4) + 5;
        pair->model[i] = contract_allocate(WORDS * 4);
        ocl_number(pair->host[i], WORDS, 1);
        ocl_number(pair->model[i], WORDS, 1);
        ocl_link(ocl, pair->host[i], WORDS * 4, pair->buffers[i], GPUVM_ON_HOST);
    }
}

static void unlink_pair(struct pair *pair, struct ocl *ocl)
{
    for (int i = 0; i < 2; i++) {
        ocl_unlink(ocl, pair->host[i], pair->buffers[i]);
        free(pair->host[i] - 5);
        free(pair->model[i]);
    }
}

/* The second array is written between the ends, by a launch that was not counted. */
static void test_unseen_launch(const struct setting *setting)
{
    struct ocl ocl;
    struct pair pair;
    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    link_pair(&pair, &ocl);
    for (unsigned round = 0; round < 3; round++) {
        launches_seen = 0;
        expect_equal(gpuvm_kernel_begin(pair.host[0], 0, GPUVM_READ_WRITE), 0);
        expect_equal(gpuvm_kernel_begin(pair.host[1], 0, GPUVM_READ_WRITE), 0);
        for (unsigned i = 0; i < 2; i++) {
            ocl_run(&ocl, 0, "advance", pair.buffers[i], i, WORDS);
            ocl_advance(pair.model[i], WORDS, i);
        }
        expect_equal(launches_seen, 2);
        expect_equal(gpuvm_kernel_end(pair.host[0], 0), 0);
        launch_unseen(&ocl, pair.buffers[1][0], 7);
        ocl_advance(pair.model[1], WORDS, 7);
        expect_equal(launches_seen, 2);
        expect_equal(gpuvm_kernel_end(pair.host[1], 0), 0);
        for (int i = 0; i < 2; i++)
            expect_bytes(pair.host[i], pair.model[i], WORDS * 4);
    }
    unlink_pair(&pair, &ocl);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
}

static const struct test tests[] = {
    {"unseen_launch", test_unseen_launch, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
