/* SPDX-License-Identifier: MIT */
/* Exclusive sums of many independent blocks. The check is exact. */
#include <stdio.h>

#include "prefix_sum.cl.h"
#include "workload.h"

int main(int argc, char **argv)
{
    uint64_t block = 512, skip = 0;
    const struct workload_option options[] = {
        {"block", "N", "words of a block, a power of two", &block, 2, 512},
        {"skip", "N", "a word is left out after so many in local memory; 0: none", &skip, 0, 512}};
    struct workload workload = {.name = "prefix_sum",
                                .summary = "Exclusive sums of independent blocks of words.",
                                .size_help = "blocks",
                                .options = options,
                                .option_count = 2,
                                .size = 640,
                                .size_min = 1,
                                .size_max = 1u << 18,
                                .size_small = 40,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    if ((block & (block - 1)) != 0)
        workload_fail("--block %u is no power of two", (unsigned)block);
    snprintf(build_options, sizeof build_options, "-D BLOCK=%u -D SKIP=%u", (unsigned)block,
             (unsigned)skip);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size * block, bytes = count * sizeof(cl_uint);
    cl_uint *input = workload_random_words(&workload, count);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_uint *output = workload_own_memory(&workload, count, sizeof *output);
    cl_mem device_input = workload_own_buffer(&workload, bytes, input);
    cl_mem device_output = workload_own_buffer(&workload, bytes, output);
    cl_kernel kernel = workload_own_kernel(&workload, "scan_blocks");

    for (size_t i = 0; i < count; i++)
        expected[i] = i % block == 0 ? 0 : expected[i - 1] + input[i - 1];
    workload_arguments(kernel, "bb", device_input, device_output);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count / 2, block / 2);
    workload_read(&workload, device_output, output, bytes);
    bool right = workload_is_equal("sum", output, expected, count);
    int status = workload_verdict(&workload, right, output, bytes);
    workload_close(&workload);
    return status;
}
