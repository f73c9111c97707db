/* SPDX-License-Identifier: MIT */
/* Exclusive sums of an array of any length: blocks, their sums, and so on. The check is exact. */
#include <stdio.h>

#include "scan_large_arrays.cl.h"
#include "workload.h"

enum { GROUP = 256, BLOCK = 2 * GROUP, LEVELS = 8 };

struct scan {
    cl_kernel scan_blocks, add_sums;
    cl_mem output[LEVELS]; /* output[n + 1] has the sums of output[n]'s blocks */
};

static size_t blocks_of(size_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

/* `input` may be the output: an item reads its two words before any item of its block writes. */
static void scan_level(const struct workload *workload, const struct scan *scan, unsigned level,
                       cl_mem input, size_t count)
{
    size_t items = blocks_of(count) * GROUP;
    cl_mem output = scan->output[level], sums = scan->output[level + 1];

    workload_arguments(scan->scan_blocks, "bbbu", input, output, sums, (cl_uint)count);
    workload_run_items(workload, scan->scan_blocks, items, GROUP);
    if (count <= BLOCK)
        return;
    scan_level(workload, scan, level + 1, sums, blocks_of(count));
    workload_arguments(scan->add_sums, "bbu", output, sums, (cl_uint)count);
    workload_run_items(workload, scan->add_sums, items, GROUP);
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "scan_large_arrays",
                                .summary = "Exclusive sums of a large array.",
                                .size_help = "words",
                                .size = 524288,
                                .size_min = 1,
                                .size_max = 1u << 26,
                                .size_small = 40000,
                                .iterations = 1,
                                .seed = 1};
    char build_options[32];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d", GROUP);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size, bytes = count * sizeof(cl_uint);
    cl_uint *input = workload_random_words(&workload, count);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_uint *output = workload_own_memory(&workload, count, sizeof *output);
    cl_mem device_input = workload_own_buffer(&workload, bytes, input);
    struct scan scan = {workload_own_kernel(&workload, "scan_blocks"),
                        workload_own_kernel(&workload, "add_sums"),
                        {NULL}};

    for (size_t i = 1; i < count; i++)
        expected[i] = expected[i - 1] + input[i - 1];
    for (size_t level = 0, words = count; level < LEVELS; level++, words = blocks_of(words))
        scan.output[level] = workload_own_buffer(&workload, words * sizeof(cl_uint), NULL);
    for (uint64_t i = 0; i < workload.iterations; i++)
        scan_level(&workload, &scan, 0, device_input, count);
    workload_read(&workload, scan.output[0], output, bytes);
    bool right = workload_is_equal("sum", output, expected, count);
    int status = workload_verdict(&workload, right, output, bytes);
    workload_close(&workload);
    return status;
}
