/* SPDX-License-Identifier: MIT */
/*
 * What is known to go wrong in the first libgpuvm (2012), where an OpenCL runtime is part of it.
 * Here are faults 1 to 4 and 9 of its list; test_original_rest.c has the others. The recurrences do
 * not converge, and comparisons are exact: an iteration that converges hides stale data.
 */
#include "ocl.h"

#include <stdlib.h>
#include <string.h>

/* x' = A x + b modulo 2^32 on the device and, as the model, here. */
struct iteration {
    size_t n;
    uint32_t *a, *b, *x, *y; /* linked */
    uint32_t *model_a, *model_b, *model_x, *model_y;
    cl_mem buffers[4][OCL_DEVICES]; /* of a, b, x, y */
    int input_flags;
};

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *kept = *a;

    *a = *b;
    *b = kept;
}

static void iteration_open(struct iteration *it, struct ocl *ocl, size_t n, int input_flags)
{
    uint32_t **arrays[] = {&it->a, &it->b, &it->x, &it->y};
    uint32_t **models[] = {&it->model_a, &it->model_b, &it->model_x, &it->model_y};

    it->n = n;
    it->input_flags = input_flags;
    for (uint32_t i = 0; i < 4; i++) {
        size_t words = i == 0 ? n * n : n;

        *arrays[i] =
            contract_allocate(words * 4); /* unaligned, neighbours of the runtime's objects */
        *models[i] = contract_allocate(words * 4);
        ocl_number(*models[i], words, i + 3);
        memcpy(*arrays[i], *models[i], words * 4);
        ocl_link(ocl, *arrays[i], words * 4, it->buffers[i], GPUVM_ON_HOST);
    }
}

static void iteration_run(struct iteration *it, struct ocl *ocl)
{
    cl_mem buffers[4] = {it->buffers[0][0], it->buffers[2][0], it->buffers[1][0],
                         it->buffers[3][0]};

    expect_equal(gpuvm_kernel_begin(it->a, 0, it->input_flags), 0);
    expect_equal(gpuvm_kernel_begin(it->x, 0, it->input_flags), 0);
    expect_equal(gpuvm_kernel_begin(it->b, 0, it->input_flags), 0);
    expect_equal(gpuvm_kernel_begin(it->y, 0, GPUVM_READ_WRITE), 0);
    ocl_run(ocl, 0, "affine", buffers, (unsigned)it->n, it->n);
    expect_equal(gpuvm_kernel_end(it->a, 0), 0);
    expect_equal(gpuvm_kernel_end(it->x, 0), 0);
    expect_equal(gpuvm_kernel_end(it->b, 0), 0);
    expect_equal(gpuvm_kernel_end(it->y, 0), 0);
    for (size_t i = 0; i < it->n; i++) {
        uint32_t sum = it->model_b[i];

        for (size_t j = 0; j < it->n; j++)
            sum += it->model_a[i * it->n + j] * it->model_x[j];
        it->model_y[i] = sum;
    }
    swap(&it->x, &it->y);
    swap(&it->model_x, &it->model_y);
    for (unsigned i = 0; i < OCL_DEVICES; i++) {
        cl_mem kept = it->buffers[2][i];

        it->buffers[2][i] = it->buffers[3][i];
        it->buffers[3][i] = kept;
    }
}

static void iteration_close(struct iteration *it, struct ocl *ocl)
{
    uint32_t *arrays[] = {it->a, it->b, it->x, it->y};
    uint32_t *models[] = {it->model_a, it->model_b, it->model_x, it->model_y};

    for (int i = 0; i < 4; i++) {
        size_t words = i == 0 ? it->n * it->n : it->n;

        ocl_unlink(ocl, arrays[i], it->buffers[i]);
        expect_bytes(arrays[i], models[i], words * 4);
        free(arrays[i]);
        free(models[i]);
    }
}

/* Fault 1: a host that reads an array which kernels write and then only read sees old data. */
static void test_1_read_only_after_write(const struct setting *setting)
{
    struct ocl ocl;
    struct iteration it;

    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    iteration_open(&it, &ocl, 300, GPUVM_READ_ONLY);
    for (int round = 0; round < SCALED(60); round++) {
        iteration_run(&it, &ocl);
        if (round % 3 == 0)
            expect_bytes(it.x, it.model_x, it.n * 4);
        if (round % 3 == 1) { /* read by a kernel first, unseen by the host until then */
            iteration_run(&it, &ocl);
            expect_bytes(it.y, it.model_y, it.n * 4);
        }
    }
    iteration_close(&it, &ocl);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
}

/* The same for one array with an interior: written by a kernel, begun READ_ONLY, read on the host
 * while that use is open. */
static void test_1_read_while_read_only(const struct setting *setting)
{
    size_t words = 100000;
    uint32_t *host = contract_allocate(words * 4), *model = contract_allocate(words * 4);
    cl_mem buffers[OCL_DEVICES];
    struct ocl ocl;

    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    ocl_number(host, words, 1);
    ocl_number(model, words, 1);
    ocl_link(&ocl, host, words * 4, buffers, GPUVM_ON_HOST);
    for (uint32_t round = 0; round < 20; round++) {
        expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_WRITE), 0);
        ocl_run(&ocl, 0, "advance", buffers, round, words);
        expect_equal(gpuvm_kernel_end(host, 0), 0);
        ocl_advance(model, words, round);
        expect_equal(gpuvm_kernel_begin(host, ocl.devices - 1, GPUVM_READ_ONLY), 0);
        expect_bytes(host, model, words * 4);
        expect_equal(gpuvm_kernel_end(host, ocl.devices - 1), 0);
    }
    ocl_unlink(&ocl, host, buffers);
    expect_bytes(host, model, words * 4);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
    free(host);
    free(model);
}

#define NEIGHBOURS 40

/*
 * Fault 2: the library protects a page in which the runtime keeps a lock. Arrays of all sizes lie
 * between objects that the runtime makes, and the runtime uses those while the arrays belong to the
 * device.
 */
static void test_2_page_with_runtime_heap(const struct setting *setting)
{
    uint32_t *hosts[NEIGHBOURS], *models[NEIGHBOURS];
    cl_mem buffers[NEIGHBOURS][OCL_DEVICES], objects[NEIGHBOURS];
    cl_event events[NEIGHBOURS];
    struct ocl ocl;
    cl_int error;

    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        size_t words = 40 + 700 * i;

        hosts[i] = contract_allocate(words * 4);
        models[i] = contract_allocate(words * 4);
        objects[i] = ocl_buffer(&ocl, 64);
        events[i] = clCreateUserEvent(ocl.context, &error);
        expect_cl(error);
        ocl_number(hosts[i], words, i);
        ocl_number(models[i], words, i);
        ocl_link(&ocl, hosts[i], words * 4, buffers[i], GPUVM_ON_HOST);
    }
    for (uint32_t round = 0; round < SCALED(40); round++)
        for (uint32_t i = 0; i < NEIGHBOURS; i++) {
            size_t words = 40 + 700 * i;
            unsigned device = round % ocl.devices;
            bool reads = (round + i) % 3 == 0;

            expect_equal(
                gpuvm_kernel_begin(hosts[i], device, reads ? GPUVM_READ_ONLY : GPUVM_READ_WRITE),
                0);
            if (!reads) {
                ocl_run(&ocl, device, "advance", &buffers[i][device], round, words);
                ocl_advance(models[i], words, round);
            }
            expect_equal(gpuvm_kernel_end(hosts[i], device), 0);
            if ((round + i) % 5 == 0)
                expect_bytes(hosts[i], models[i], words * 4);
            expect_cl(clRetainMemObject(objects[i]));
            expect_cl(clReleaseMemObject(objects[i]));
        }
    for (uint32_t i = 0; i < NEIGHBOURS; i++) {
        ocl_unlink(&ocl, hosts[i], buffers[i]);
        expect_bytes(hosts[i], models[i], (40 + 700 * i) * 4);
        expect_cl(clSetUserEventStatus(events[i], CL_COMPLETE));
        expect_cl(clReleaseEvent(events[i]));
        expect_cl(clReleaseMemObject(objects[i]));
        free(hosts[i]);
        free(models[i]);
    }
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
}

/* The same with the driver of the report: n = 12 to 2048, inputs READ_ONLY, the host never touches
 * them. */
static void test_2_small_vectors(const struct setting *setting)
{
    static const size_t sizes[] = {12, 100, 515};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct ocl ocl;
        struct iteration it;

        ocl_open(&ocl, setting);
        ocl_init(&ocl, 0);
        iteration_open(&it, &ocl, sizes[i], GPUVM_READ_ONLY);
        for (int round = 0; round < SCALED(24); round++)
            iteration_run(&it, &ocl);
        iteration_close(&it, &ocl);
        expect_equal(gpuvm_finish(), 0);
        ocl_close(&ocl);
    }
}

/* Fault 3: the runtime's own threads cause faults although the host touches nothing. */
static void test_3_no_faults_untouched(const struct setting *setting)
{
    struct ocl ocl;
    struct iteration it;

    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    iteration_open(&it, &ocl, 500, GPUVM_READ_WRITE);
    for (int round = 0; round < SCALED(50); round++)
        iteration_run(&it, &ocl);
    expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), 0);
    iteration_close(&it, &ocl);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
}

/* Fault 4: more than some hundred arrays crash it. */
static void test_4_many_arrays(const struct setting *setting)
{
    enum { MOST = 5000, WORDS_EACH = 2500 };
    static const unsigned counts[] = {500, 1000, MOST};
    static uint32_t *hosts[MOST];
    static cl_mem buffers[MOST][OCL_DEVICES];
    uint32_t *model = contract_allocate(WORDS_EACH * 4);
    struct ocl ocl;

    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        unsigned count = IS_SANITIZED && counts[k] > 1000 ? 0 : counts[k];

        for (unsigned i = 0; i < count; i++) {
            hosts[i] = contract_allocate(WORDS_EACH * 4);
            ocl_number(hosts[i], WORDS_EACH, i);
            ocl_link(&ocl, hosts[i], WORDS_EACH * 4, buffers[i], GPUVM_ON_HOST);
        }
        for (unsigned i = 0; i < count; i += 7) {
            expect_equal(gpuvm_kernel_begin(hosts[i], 0, GPUVM_READ_WRITE), 0);
            ocl_run(&ocl, 0, "advance", buffers[i], i, WORDS_EACH);
            expect_equal(gpuvm_kernel_end(hosts[i], 0), 0);
        }
        for (unsigned i = 0; i < count; i++) {
            ocl_unlink(&ocl, hosts[i], buffers[i]);
            ocl_number(model, WORDS_EACH, i);
            if (i % 7 == 0)
                ocl_advance(model, WORDS_EACH, i);
            expect_bytes(hosts[i], model, WORDS_EACH * 4);
            free(hosts[i]);
        }
    }
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
    free(model);
}

/* Fault 9: one byte touched of 16 MB copies 16 MB. */
static void test_9_one_byte_of_16_mb(const struct setting *setting)
{
    size_t words = (size_t)4 << 20;
    uint32_t *host = contract_allocate(words * 4), *model = contract_allocate(words * 4);
    cl_mem buffers[OCL_DEVICES];
    unsigned long long before;
    struct ocl ocl;

    ocl_open(&ocl, setting);
    ocl_init(&ocl, 0);
    ocl_number(host, words, 1);
    ocl_number(model, words, 1);
    ocl_link(&ocl, host, words * 4, buffers, GPUVM_ON_HOST);
    expect_equal(gpuvm_kernel_begin(host, 0, GPUVM_READ_WRITE), 0);
    ocl_run(&ocl, 0, "advance", buffers, 5, words);
    ocl_advance(model, words, 5);
    expect_equal(gpuvm_kernel_end(host, 0), 0);
    before = contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE);
    expect_equal(host[words / 2], model[words / 2]);
    expect_at_most(contract_stat(GPUVM_STAT_BYTES_FROM_DEVICE) - before, 2 << 20);
    expect_equal(contract_stat(GPUVM_STAT_PAGEFAULTS), 1);
    ocl_unlink(&ocl, host, buffers);
    expect_bytes(host, model, words * 4);
    expect_equal(gpuvm_finish(), 0);
    ocl_close(&ocl);
    free(host);
    free(model);
}

static const struct test tests[] = {
    {"1_read_only_after_write", test_1_read_only_after_write, ON_ANY_ONE},
    {"1_read_while_read_only", test_1_read_while_read_only, ON_ALL},
    {"2_page_with_runtime_heap", test_2_page_with_runtime_heap, ON_ALL},
    {"2_small_vectors", test_2_small_vectors, ON_ANY_ONE},
    {"3_no_faults_untouched", test_3_no_faults_untouched, ON_ALL},
    {"4_many_arrays", test_4_many_arrays, ON_ANY_ONE},
    {"9_one_byte_of_16_mb", test_9_one_byte_of_16_mb, ON_ANY_ONE},
};

CONTRACT_MAIN(tests)
