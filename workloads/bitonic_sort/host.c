/* SPDX-License-Identifier: MIT */
/* Sorts words by a bitonic network. The check is exact. */
#include <stdlib.h>
#include <string.h>

#include "bitonic_sort.cl.h"
#include "workload.h"

enum { GROUP = 256 };

static int compare_words(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;

    return (x > y) - (x < y);
}

/* After the stage with runs of n pairs, runs of 2 n words are sorted, up and down in turn. */
static void sort(const struct workload *workload, cl_kernel kernel, cl_mem words, size_t count)
{
    for (size_t run = 1; run < count; run *= 2)
        for (size_t distance = run; distance > 0; distance /= 2) {
            workload_arguments(kernel, "buu", words, (cl_uint)distance, (cl_uint)run);
            workload_run_items(workload, kernel, count / 2, GROUP);
        }
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "bitonic_sort",
                                .summary = "Sorts 32-bit words by a bitonic network.",
                                .size_help = "words, rounded up to a power of two from 512",
                                .size = 65536,
                                .size_min = 1,
                                .size_max = 1u << 20,
                                .size_small = 4096,
                                .iterations = 1,
                                .seed = 1};
    size_t count = 2 * GROUP;
    bool right = true;

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    while (count < workload.size)
        count *= 2;
    size_t bytes = count * sizeof(cl_uint);
    cl_uint *words = workload_random_words(&workload, count);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_uint *found = workload_own_memory(&workload, count, sizeof *found);
    cl_mem device = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "order_pairs");

    memcpy(expected, words, bytes);
    qsort(expected, count, sizeof *expected, compare_words);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_write(&workload, device, words, bytes);
        sort(&workload, kernel, device, count);
        workload_read(&workload, device, found, bytes);
        right = right && workload_is_equal("word", found, expected, count);
    }
    int status = workload_verdict(&workload, right, found, bytes);
    workload_close(&workload);
    return status;
}
