/* SPDX-License-Identifier: MIT */
/* Adds all words of a vector in passes, each of which leaves one word per work-group. The check is
 * exact. */
#include <stdio.h>
#include <stdlib.h>

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
        size_t global = groups * GROUP, group = GROUP;

        workload_argument(reduction->kernel, 0, sizeof from, &from);
        workload_argument(reduction->kernel, 1, sizeof to, &to);
        workload_argument(reduction->kernel, 2, sizeof(cl_uint), &(cl_uint){(cl_uint)count});
        workload_run(workload, reduction->kernel, 1, &global, &group);
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
                                .size = 262144,
                                .size_least = 1,
                                .size_most = 1u << 28,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D PER_ITEM=%d", GROUP, PER_ITEM);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size, groups = (count + PER_GROUP - 1) / PER_GROUP;
    uint64_t seed = workload.seed;
    cl_uint *words = workload_allocate(count, sizeof *words);
    cl_uint expected = 0, sum = 0;
    bool right = true;

    for (size_t i = 0; i < count; i++)
        expected += words[i] = (cl_uint)workload_random(&seed);
    struct reduction reduction = {workload_kernel(&workload, "reduce"),
                                  workload_buffer(&workload, count * sizeof *words, words),
                                  {workload_buffer(&workload, groups * sizeof *words, NULL),
                                   workload_buffer(&workload, groups * sizeof *words, NULL)},
                                  count};
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_read(&workload, reduce(&workload, &reduction), &sum, sizeof sum);
        right = right && sum == expected;
    }
    if (!right)
        printf("the sum is %#x, expected %#x\n", sum, expected);
    int status = workload_verdict(&workload, right, &sum, sizeof sum);

    clReleaseKernel(reduction.kernel);
    clReleaseMemObject(reduction.input);
    clReleaseMemObject(reduction.partial[0]);
    clReleaseMemObject(reduction.partial[1]);
    workload_close(&workload);
    free(words);
    return status;
}
