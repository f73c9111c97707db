/* SPDX-License-Identifier: MIT */
/* Adds two vectors of floats. One IEEE addition an element: the check is exact. */
#include <stdio.h>

#include "vector_add.cl.h"
#include "workload.h"

enum { GROUP = 256 };

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
                                .size = 262144,
                                .size_small = 8192,
                                .size_min = 1,
                                .size_max = 1u << 28,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t count = workload.size, bytes = count * sizeof(float);
    float *a = workload_random_floats(&workload, 2 * count, -8192, 8192), *b = a + count;
    float *sum = workload_own_memory(&workload, count, sizeof *sum);
    cl_mem device_a = workload_own_buffer(&workload, bytes, a);
    cl_mem device_b = workload_own_buffer(&workload, bytes, b);
    cl_mem device_sum = workload_own_buffer(&workload, bytes, sum);
    cl_kernel kernel = workload_own_kernel(&workload, "vector_add");

    workload_arguments(kernel, "bbbu", device_a, device_b, device_sum, (cl_uint)count);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count, GROUP);
    workload_read(&workload, device_sum, sum, bytes);
    int status = workload_verdict(&workload, is_right(a, b, sum, count), sum, bytes);

    workload_close(&workload);
    return status;
}
