/* SPDX-License-Identifier: MIT */
/* Tasks in a queue in local memory that are split into more. The check is exact: each leaf was
 * worked on once. */
#include <stdio.h>

#include "critical.h"
#include "local_work_queue.cl.h"

enum { GROUP = CRITICAL_GROUP };

int main(int argc, char **argv)
{
    uint64_t version = VERSION_FINE, leaves = 256;
    const struct workload_option options[] = {
        CRITICAL_OPTION(&version),
        {"leaves", "N", "that the first task of each group has", &leaves, 1, 2048},
    };
    struct workload workload = {.name = "local_work_queue",
                                .summary = "Splits and does tasks of a queue in local memory.",
                                .size_help = "work-groups, a queue each",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 32,
                                .size_small = 2,
                                .size_min = 1,
                                .size_max = 16384,
                                .iterations = 1,
                                .seed = 1};
    char build_options[80];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D VERSION=%u -D LEAVES=%u", GROUP,
             (unsigned)version, (unsigned)leaves);
    workload_open(&workload, kernel_source, build_options);
    size_t groups = workload.size, count = groups * leaves;
    cl_kernel kernel = workload_own_kernel(&workload, "work_all");
    cl_mem times = workload_own_buffer(&workload, count * sizeof(cl_uint), NULL);
    cl_mem rounds = workload_own_buffer(&workload, groups * sizeof(cl_uint), NULL);
    cl_uint *found = workload_own_memory(&workload, count, sizeof *found);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_uint *round = workload_own_memory(&workload, groups, sizeof *round);
    bool right = true;

    for (size_t i = 0; i < count; i++)
        expected[i] = 1;
    workload_arguments(kernel, "bb", times, rounds);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run_items(&workload, kernel, groups * GROUP, GROUP);
        workload_read(&workload, times, found, count * sizeof *found);
        workload_read(&workload, rounds, round, groups * sizeof *round);
        right = right && workload_is_equal("times of a leaf", found, expected, count);
    }
    if (workload.verbose)
        printf("rounds of the first group: %u\n", round[0]);
    int status = workload_verdict(&workload, right, found, count * sizeof *found);

    workload_close(&workload);
    return status;
}
