/* SPDX-License-Identifier: MIT */
/* Adds all words of a vector in passes, each of which leaves one word per work-group. The check is
 * exact. */
#include <stdio.h>

#include "reduction.cl.h"
#include "workload.h"

enum { GROUP = 256, PER_ITEM = 4, PER_GROUP = GROUP * PER_ITEM };

struct reduction {
    cl_kernel kernel;
    cl_mem input;
    cl_mem partial[2]; /* passes write them in turn */
    size_t count;
};

/* Runs passes until one word is left and returns the buffer whose first word it is. */
static cl_mem reduce(const struct workload *workload, const struct reduction *reduction)
{
    cl_mem from = reduction->input;
    size_t count = reduction->count;
    unsigned pass = 0;

    do {
        cl_mem to = reduction->partial[pass++ % 2];
        size_t groups = (count + PER_GROUP - 1) / PER_GROUP;

        workload_arguments(reduction->kernel, "bbu", from, to, (cl_uint)count);
        workload_run_items(workload, reduction->kernel, groups * GROUP, GROUP);
        from = to;
        count = groups;
    } while (count > 1);
    return from;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "reduction",
                                .summary = "Adds all 32-bit words of a vector, in passes.",
                                .size_help = "words of the vector",
                                .size = 524288,
                                .size_small = 70000,
                                .size_min = 1,
                                .size_max = 1u << 28,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D PER_ITEM=%d", GROUP, PER_ITEM);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size, groups = (count + PER_GROUP - 1) / PER_GROUP;
    cl_uint *words = workload_random_words(&workload, count);
    cl_uint expected = 0, sum = 0;
    bool right = true;

    for (size_t i = 0; i < count; i++)
        expected += words[i];
    struct reduction reduction = {workload_own_kernel(&workload, "reduce"),
                                  workload_own_buffer(&workload, count * sizeof *words, words),
                                  {workload_own_buffer(&workload, groups * sizeof *words, NULL),
                                   workload_own_buffer(&workload, groups * sizeof *words, NULL)},
                                  count};
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_read(&workload, reduce(&workload, &reduction), &sum, sizeof sum);
        right = right && workload_is_equal("sum", &sum, &expected, 1);
    }
    int status = workload_verdict(&workload, right, &sum, sizeof sum);

    workload_close(&workload);
    return status;
}
