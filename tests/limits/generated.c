/* SPDX-License-Identifier: MIT */
/* Runs one kernel of kernels.cl. What it computes is of no interest, only what holds it up. */
#include <stdio.h>
#include <string.h>

#include "limit_kernels.h"
#include "workload.h"

static const char *const kernels[] = {"vector_operations",
                                      "slow_operations",
                                      "local_loads",
                                      "local_stores",
                                      "shared_loads",
                                      "scattered_loads",
                                      "stream",
                                      "copy",
                                      "stores",
                                      "chase",
                                      "uniform_loads",
                                      "atomics",
                                      "branches",
                                      "long_code",
                                      "nothing",
                                      "rounds"};

/* All names as "one|other". */
static const char *names(char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (i > 0)
            strncat(text, "|", size - strlen(text) - 1);
        strncat(text, kernels[i], size - strlen(text) - 1);
    }
    return text;
}

int main(int argc, char **argv)
{
    uint64_t kernel_index = 0, group = 256, words = 1 << 16, a = 1, b = 1, loops = 16;
    char all_names[512], options[96];
    struct workload_option list[] = {
        {"kernel", names(all_names, sizeof all_names), "which", &kernel_index, 0, 0},
        {"group", "N", "work-items of a work-group", &group, 1, 256},
        {"words", "N", "of each buffer, a power of two", &words, 16, 1 << 26},
        {"a", "N", "A of the kernel", &a, 1, 4096},
        {"b", "N", "B of the kernel", &b, 1, 64},
        {"loops", "N", "of the kernel", &loops, 1, 1 << 20}};
    struct workload workload = {.name = "generated",
                                .summary = "Runs a kernel that is made to meet one limit.",
                                .size_help = "work-groups",
                                .size = 256,
                                .size_min = 1,
                                .size_max = 1 << 20,
                                .iterations = 1,
                                .seed = 1,
                                .options = list,
                                .option_count = sizeof list / sizeof list[0]};

    workload_parse(&workload, argc, argv);
    snprintf(options, sizeof options, "-DA=%u -DB=%u -DLOOPS=%u", (unsigned)a, (unsigned)b,
             (unsigned)loops);
    workload_open(&workload, kernel_source, options);
    size_t bytes = words * sizeof(cl_uint);
    cl_mem in = workload_own_buffer(&workload, bytes, workload_own_memory(&workload, 1, bytes));
    cl_mem out = workload_own_buffer(&workload, bytes, workload_own_memory(&workload, 1, bytes));
    cl_kernel kernel = workload_own_kernel(&workload, kernels[kernel_index]);

    workload_arguments(kernel, "bbu", in, out, (cl_uint)words);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, workload.size * group, group);
    workload_close(&workload);
    return WORKLOAD_RIGHT;
}
