/* SPDX-License-Identifier: MIT */
/* Counts values in 256 bins. The check is exact. */
#include <stdio.h>

#include "histogram.cl.h"
#include "workload.h"

enum { BINS = 256, GROUP = 128, PER_ITEM = 128 };

int main(int argc, char **argv)
{
    struct workload workload = {.name = "histogram",
                                .summary = "Counts values in 256 bins.",
                                .size_help = "values",
                                .size = 1310720,
                                .size_min = 1,
                                .size_max = 1u << 26,
                                .size_small = 50000,
                                .iterations = 1,
                                .seed = 1};
    char build_options[80];
    cl_uint expected[BINS] = {0}, found[BINS];
    bool right = true;

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D BINS=%d -D GROUP=%d -D PER_ITEM=%d", BINS,
             GROUP, PER_ITEM);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size, groups = (count + GROUP * PER_ITEM - 1) / (GROUP * PER_ITEM);
    cl_uint *values = workload_random_words(&workload, count);
    cl_mem device_values = workload_own_buffer(&workload, count * sizeof *values, values);
    cl_mem partial = workload_own_buffer(&workload, groups * BINS * sizeof(cl_uint), NULL);
    cl_mem total = workload_own_buffer(&workload, sizeof found, NULL);
    cl_kernel counting = workload_own_kernel(&workload, "count_values");
    cl_kernel adding = workload_own_kernel(&workload, "add_groups");

    for (size_t i = 0; i < count; i++)
        expected[values[i] % BINS]++;
    workload_arguments(counting, "bbu", device_values, partial, (cl_uint)count);
    workload_arguments(adding, "bbu", partial, total, (cl_uint)groups);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run_items(&workload, counting, groups * GROUP, GROUP);
        workload_run_items(&workload, adding, BINS, 64);
        workload_read(&workload, total, found, sizeof found);
        right = right && workload_is_equal("bin", found, expected, BINS);
    }
    int status = workload_verdict(&workload, right, found, sizeof found);
    workload_close(&workload);
    return status;
}
