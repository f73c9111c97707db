/* SPDX-License-Identifier: MIT */
/*
 * The program hands a device-owned array to the runtime as ordinary host memory. The runtime's own
 * threads then fault, and the data that they wait for must not need those threads. (PoCL has as
 * many as the machine has cores; that is why several commands at once are the hard case.)
 */
#include "ocl.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 1000000
#define MOST 4

struct transfer {
    uint32_t *host, *model;
    cl_mem linked[OCL_DEVICES], other;
    cl_command_queue queue;
};

static void need_reach_or_shim(const struct setting *setting)
{
    if (!setting->has_reach && !contract_has_shim())
        contract_skip("the library's transfers need the runtime's workers");
}

static void open_transfers(struct ocl *ocl, struct transfer *transfers)
{
    for (uint32_t i = 0; i < MOST; i++) {
        struct transfer *transfer = &transfers[i];
        cl_int error;

        transfer->host = contract_allocate(WORDS * 4);
        transfer->model = contract_allocate(WORDS * 4);
        ocl_number(transfer->host, WORDS, i);
        ocl_number(transfer->model, WORDS, i);
        ocl_link(ocl, transfer->host, WORDS * 4, transfer->linked, GPUVM_ON_HOST);
        transfer->other = ocl_buffer(ocl, WORDS * 4);
        transfer->queue = clCreateCommandQueue(ocl->context, ocl->ids[i % ocl->devices], 0, &error);
        expect_cl(error);
    }
}

static void close_transfers(struct ocl *ocl, struct transfer *transfers)
{
    for (int i = 0; i < MOST; i++) {
        ocl_unlink(ocl, transfers[i].host, transfers[i].linked);
        expect_bytes(transfers[i].host, transfers[i].model, WORDS * 4);
        expect_cl(clReleaseMemObject(transfers[i].other));
        expect_cl(clReleaseCommandQueue(transfers[i].queue));
        free(transfers[i].host);
        free(transfers[i].model);
    }
}

static void make_device_owned(struct ocl *ocl, struct transfer *transfer, unsigned seed)
{
    expect_equal(gpuvm_kernel_begin(transfer->host, 0, GPUVM_READ_WRITE), 0);
    ocl_run(ocl, 0, "advance", transfer->linked, seed, WORDS);
    expect_equal(gpuvm_kernel_end(transfer->host, 0), 0);
    ocl_advance(transfer->model, WORDS, seed);
}

static void finish_all(struct transfer *transfers, int count)
{
    for (int i = 0; i < count; i++)
        expect_cl(clFlush(transfers[i].queue));
    for (int i = 0; i < count; i++)
        expect_cl(clFinish(transfers[i].queue));
}

/* The runtime reads arrays: 1, 2 and 4 commands at once on queues of the program's. */
static void test_write_buffer(const struct setting *setting)
{
    uint32_t *seen = contract_allocate(WORDS * 4);
    struct transfer transfers[MOST];
    struct ocl ocl;

    need_reach_or_shim(setting);
    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    open_transfers(&ocl, transfers);
    for (int count = 1; count <= MOST; count *= 2)
        for (unsigned round = 0; round < 3; round++) {
            for (int i = 0; i < count; i++)
                make_device_owned(&ocl, &transfers[i], round);
            for (int i = 0; i < count; i++)
                expect_cl(clEnqueueWriteBuffer(transfers[i].queue, transfers[i].other, CL_FALSE, 0,
                                               WORDS * 4, transfers[i].host, 0, NULL, NULL));
            finish_all(transfers, count);
            for (int i = 0; i < count; i++) {
                expect_cl(clEnqueueReadBuffer(transfers[i].queue, transfers[i].other, CL_TRUE, 0,
                                              WORDS * 4, seen, 0, NULL, NULL));
                expect_bytes(seen, transfers[i].model, WORDS * 4);
            }
        }
    close_transfers(&ocl, transfers);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
    free(seen);
}

/* The runtime writes to arrays. */
static void test_read_buffer(const struct setting *setting)
{
    struct transfer transfers[MOST];
    uint32_t *sent = contract_allocate(WORDS * 4);
    struct ocl ocl;

    need_reach_or_shim(setting);
    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    open_transfers(&ocl, transfers);
    for (int count = 1; count <= MOST; count *= 2)
        for (unsigned round = 0; round < 3; round++) {
            for (int i = 0; i < count; i++) {
                make_device_owned(&ocl, &transfers[i], round);
                ocl_number(sent, WORDS, 100 + round);
                expect_cl(clEnqueueWriteBuffer(transfers[i].queue, transfers[i].other, CL_TRUE, 0,
                                               WORDS * 4, sent, 0, NULL, NULL));
            }
            for (int i = 0; i < count; i++)
                expect_cl(clEnqueueReadBuffer(transfers[i].queue, transfers[i].other, CL_FALSE, 0,
                                              WORDS / 2 * 4, transfers[i].host + WORDS / 4, 0, NULL,
                                              NULL));
            finish_all(transfers, count);
            for (int i = 0; i < count; i++) {
                memcpy(transfers[i].model + WORDS / 4, sent, WORDS / 2 * 4);
                expect_bytes(transfers[i].host, transfers[i].model, WORDS * 4);
            }
        }
    close_transfers(&ocl, transfers);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
    free(sent);
}

/* From one device-owned array into a buffer, while the library's own transfers for others go on. */
static void test_mixed(const struct setting *setting)
{
    struct transfer transfers[MOST];
    struct ocl ocl;

    need_reach_or_shim(setting);
    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    open_transfers(&ocl, transfers);
    for (unsigned round = 0; round < 6; round++) {
        for (int i = 0; i < MOST; i++)
            make_device_owned(&ocl, &transfers[i], round);
        for (int i = 0; i < 2; i++) {
            expect_cl(clEnqueueWriteBuffer(transfers[i].queue, transfers[i].other, CL_FALSE, 0,
                                           WORDS * 4, transfers[i].host, 0, NULL, NULL));
            expect_cl(clFlush(transfers[i].queue));
        }
        expect_bytes(transfers[2].host, transfers[2].model, WORDS * 4);
        make_device_owned(&ocl, &transfers[3], round);
        expect_bytes(transfers[3].host, transfers[3].model, WORDS * 4);
        finish_all(transfers, MOST);
    }
    close_transfers(&ocl, transfers);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
}

/* Without reach the library itself needs the runtime's workers. Then the preload library makes the
 * arrays ready before the commands are given. */
static const struct test tests[] = {
    {"write_buffer", test_write_buffer, ON_ALL},
    {"read_buffer", test_read_buffer, ON_ALL},
    {"mixed", test_mixed, ON_ALL},
};

CONTRACT_MAIN(tests)
