/* SPDX-License-Identifier: MIT */
/* Adds two vectors of floats. One IEEE addition an element: the check is exact. */
#include <stdio.h>
#include <stdlib.h>

#include "vector_add.cl.h"
#include "workload.h"

enum { GROUP = 256 };

static float *random_vector(size_t count, uint64_t *seed)
{
    float *vector = workload_allocate(count, sizeof *vector);

    for (size_t i = 0; i < count; i++)
        vector[i] = (float)(workload_random(seed) >> 40) / 1024.0f - 8192.0f;
    return vector;
}

static bool is_right(const float *a, const float *b, const float *sum, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float expected = a[i] + b[i];
        if (sum[i] != expected) {
            printf("element %zu is %.9g, expected %.9g\n", i, sum[i], expected);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "vector_add",
                                .summary = "Adds two vectors of single-precision numbers.",
                                .size_help = "elements of a vector",
                                .size = 65536,
                                .size_least = 1,
                                .size_most = 1u << 28,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t count = workload.size, bytes = count * sizeof(float);
    uint64_t seed = workload.seed;
    float *a = random_vector(count, &seed), *b = random_vector(count, &seed);
    float *sum = workload_allocate(count, sizeof *sum);
    cl_mem device_a = workload_buffer(&workload, bytes, a);
    cl_mem device_b = workload_buffer(&workload, bytes, b);
    cl_mem device_sum = workload_buffer(&workload, bytes, sum);
    cl_kernel kernel = workload_kernel(&workload, "vector_add");
    size_t global = workload_round_up(count, GROUP), group = GROUP;

    workload_argument(kernel, 0, sizeof device_a, &device_a);
    workload_argument(kernel, 1, sizeof device_b, &device_b);
    workload_argument(kernel, 2, sizeof device_sum, &device_sum);
    workload_argument(kernel, 3, sizeof(cl_uint), &(cl_uint){(cl_uint)count});
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 1, &global, &group);
    workload_read(&workload, device_sum, sum, bytes);
    int status = workload_verdict(&workload, is_right(a, b, sum, count), sum, bytes);

    clReleaseKernel(kernel);
    clReleaseMemObject(device_a);
    clReleaseMemObject(device_b);
    clReleaseMemObject(device_sum);
    workload_close(&workload);
    free(a);
    free(b);
    free(sum);
    return status;
}
