/* SPDX-License-Identifier: MIT */
/*
 * Multiplies two square matrices. The elements are multiples of 1/8 between -1 and 1, so that every
 * partial sum of up to 2^17 products is a float. So the order of additions and their fusing do not
 * matter, and the check is exact.
 */
#include <stdio.h>

#include "matrix_multiplication.cl.h"
#include "workload.h"

enum { BLOCK = 16 };

static float *random_matrix(struct workload *workload, uint64_t *seed)
{
    size_t size = workload->size;
    float *matrix = workload_own_memory(workload, size * size, sizeof *matrix);

    for (size_t i = 0; i < size * size; i++)
        matrix[i] = (float)((int)(workload_random(seed) % 17) - 8) / 8.0f;
    return matrix;
}

/* In the order row, k, column, which is the fast one for a host with caches. */
static float *multiply(struct workload *workload, const float *a, const float *b)
{
    size_t size = workload->size;
    float *c = workload_own_memory(workload, size * size, sizeof *c);

    for (size_t row = 0; row < size; row++)
        for (size_t k = 0; k < size; k++)
            for (size_t column = 0; column < size; column++)
                c[row * size + column] += a[row * size + k] * b[k * size + column];
    return c;
}

static bool is_equal(const float *found, const float *expected, size_t size)
{
    for (size_t i = 0; i < size * size; i++)
        if (found[i] != expected[i]) {
            printf("row %zu column %zu is %.9g, expected %.9g\n", i / size, i % size, found[i],
                   expected[i]);
            return false;
        }
    return true;
}

static void run(struct workload *workload, const char *name, const float *a, const float *b,
                float *c)
{
    size_t size = workload->size, bytes = size * size * sizeof(float);
    cl_mem device_a = workload_own_buffer(workload, bytes, a);
    cl_mem device_b = workload_own_buffer(workload, bytes, b);
    cl_mem device_c = workload_own_buffer(workload, bytes, c);
    cl_kernel kernel = workload_own_kernel(workload, name);
    size_t edge = workload_round_up(size, BLOCK);
    size_t global[2] = {edge, edge}, group[2] = {BLOCK, BLOCK};

    workload_arguments(kernel, "bbbu", device_a, device_b, device_c, (cl_uint)size);
    for (uint64_t i = 0; i < workload->iterations; i++)
        workload_run(workload, kernel, 2, global, group);
    workload_read(workload, device_c, c, bytes);
}

int main(int argc, char **argv)
{
    uint64_t naive = 0;
    const struct workload_option options[] = {
        {"naive", NULL, "without local memory", &naive, 0, 0},
    };
    struct workload workload = {.name = "matrix_multiplication",
                                .summary = "Multiplies two square single-precision matrices.",
                                .size_help = "rows and columns of a matrix",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 288,
                                .size_small = 64,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D BLOCK=%d", BLOCK);
    workload_open(&workload, kernel_source, build_options);
    size_t size = workload.size;
    uint64_t seed = workload.seed;
    float *a = random_matrix(&workload, &seed), *b = random_matrix(&workload, &seed);
    float *c = workload_own_memory(&workload, size * size, sizeof *c);

    run(&workload, naive ? "multiply_naive" : "multiply_blocked", a, b, c);
    int status = workload_verdict(&workload, is_equal(c, multiply(&workload, a, b), size), c,
                                  size * size * sizeof *c);
    workload_close(&workload);
    return status;
}
