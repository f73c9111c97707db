/* SPDX-License-Identifier: MIT */
/* Walsh-Hadamard transform of small integers: every sum is a float, so the check is exact. */
#include "fast_walsh_transform.cl.h"
#include "workload.h"

enum { GROUP = 256 };

static void transform(cl_int *words, size_t count)
{
    for (size_t distance = 1; distance < count; distance *= 2)
        for (size_t i = 0; i < count; i++)
            if ((i & distance) == 0) {
                cl_int a = words[i], b = words[i + distance];
                words[i] = a + b;
                words[i + distance] = a - b;
            }
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "fast_walsh_transform",
                                .summary = "Fast Walsh-Hadamard transform of a vector, in place.",
                                .size_help = "words, rounded up to a power of two from 512",
                                .size = 262144,
                                .size_min = 1,
                                .size_max = 1u << 20,
                                .size_small = 16384,
                                .iterations = 1,
                                .seed = 1};
    size_t count = 2 * GROUP;
    bool right = true;

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    while (count < workload.size)
        count *= 2;
    cl_uint *draws = workload_random_words(&workload, count);
    cl_int *expected = workload_own_memory(&workload, count, sizeof *expected);
    float *data = workload_own_memory(&workload, count, sizeof *data);
    float *wanted = workload_own_memory(&workload, count, sizeof *wanted);

    for (size_t i = 0; i < count; i++)
        data[i] = (float)(expected[i] = (cl_int)(draws[i] % 15) - 7);
    transform(expected, count);
    for (size_t i = 0; i < count; i++)
        wanted[i] = (float)expected[i];
    cl_kernel kernel = workload_own_kernel(&workload, "butterfly");
    cl_mem device = workload_own_buffer(&workload, count * sizeof *data, NULL);
    float *result = workload_own_memory(&workload, count, sizeof *result);

    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_write(&workload, device, data, count * sizeof *data);
        for (size_t distance = 1; distance < count; distance *= 2) {
            workload_arguments(kernel, "bu", device, (cl_uint)distance);
            workload_run_items(&workload, kernel, count / 2, GROUP);
        }
        workload_read(&workload, device, result, count * sizeof *result);
        right = right && workload_is_same("word", result, wanted, count);
    }
    int status = workload_verdict(&workload, right, result, count * sizeof *result);
    workload_close(&workload);
    return status;
}
