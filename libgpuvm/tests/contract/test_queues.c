/* SPDX-License-Identifier: MIT */
/*
 * Kernels on another queue of the device than the library knows. A gate, a user event that a thread
 * opens later, keeps such a kernel from running before its use of the array ends.
 */
#include "ocl.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define WORDS 300000
#define GATE_US 100000

struct queues {
    struct ocl ocl;
    cl_command_queue known, other;
    cl_mem buffers[OCL_DEVICES];
    uint32_t *host, *model;
};

static void open_queues(struct queues *queues, const struct setting *setting)
{
    cl_int error;
    ocl_open(&queues->ocl, setting);
    ocl_init(&queues->ocl, 0);
    queues->known = queues->ocl.queues[0];
    queues->other = clCreateCommandQueue(queues->ocl.context, queues->ocl.ids[0], 0, &error);
    expect_cl(error);
    queues->host = contract_allocate(WORDS * 4);
    queues->model = contract_allocate(WORDS * 4);
    ocl_number(queues->host, WORDS, 1);
    ocl_number(queues->model, WORDS, 1);
    ocl_link(&queues->ocl, queues->host, WORDS * 4, queues->buffers, GPUVM_ON_HOST);
}

static void close_queues(struct queues *queues)
{
    ocl_unlink(&queues->ocl, queues->host, queues->buffers);
    expect_cl(clReleaseCommandQueue(queues->other));
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&queues->ocl);
    free(queues->host);
    free(queues->model);
}

static void *open_gate(void *gate)
{
    usleep(GATE_US);
    expect_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    return NULL;
}

/* A kernel on the other queue, behind a gate; *done: when it has ended. */
static pthread_t launch_gated(struct queues *queues, unsigned seed, cl_event *gate, cl_event *done)
{
    pthread_t thread;
    cl_int error;
    *gate = clCreateUserEvent(queues->ocl.context, &error);
    expect_cl(error);
    expect_cl(clEnqueueBarrierWithWaitList(queues->other, 1, gate, NULL));
    queues->ocl.queues[0] = queues->other;
    ocl_run(&queues->ocl, 0, "advance", queues->buffers, seed, WORDS);
    queues->ocl.queues[0] = queues->known;
    expect_cl(clEnqueueMarkerWithWaitList(queues->other, 0, NULL, done));
    expect_equal(pthread_create(&thread, NULL, open_gate, *gate), 0);
    ocl_advance(queues->model, WORDS, seed);
    return thread;
}

static void test_end_after(const struct setting *setting)
{
    struct queues queues;
    open_queues(&queues, setting);
    for (unsigned round = 0; round < 4; round++) {
        cl_event gate, done;
        expect_equal(gpuvm_kernel_begin(queues.host, 0, GPUVM_READ_WRITE), 0);
        expect_cl(clFinish(queues.known)); /* what begin gave to it is there for the other queue */
        pthread_t thread = launch_gated(&queues, round, &gate, &done);
        expect_equal(gpuvm_kernel_end_after(queues.host, 0, 1, (void *[]){done}), 0);
        expect_bytes(queues.host, queues.model, WORDS * 4);
        expect_equal(pthread_join(thread, NULL), 0);
        expect_cl(clReleaseEvent(gate));
        expect_cl(clReleaseEvent(done));
    }
    close_queues(&queues);
}

/* Without events it is gpuvm_kernel_end; what is no event is refused, and the use goes on. */
static void test_end_after_arguments(const struct setting *setting)
{
    struct queues queues;
    void *none[] = {NULL};
    open_queues(&queues, setting);
    expect_equal(gpuvm_kernel_end_after(queues.host, 0, 0, NULL), GPUVM_ESTATE);
    expect_equal(gpuvm_kernel_begin(queues.host, 0, GPUVM_READ_WRITE), 0);
    ocl_run(&queues.ocl, 0, "advance", queues.buffers, 7, WORDS);
    ocl_advance(queues.model, WORDS, 7);
    expect_equal(gpuvm_kernel_end_after(queues.host, 0, 1, NULL), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_end_after(queues.host, 0, 1, none), GPUVM_ENULL);
    expect_equal(gpuvm_kernel_end_after(queues.host, 0, 0, NULL), 0);
    expect_bytes(queues.host, queues.model, WORDS * 4);
    close_queues(&queues);
}

static const struct test tests[] = {
    {"end_after", test_end_after, ON_ANY_ONE},
    {"end_after_arguments", test_end_after_arguments, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
