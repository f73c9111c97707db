/* SPDX-License-Identifier: MIT */
/* Adds all words of a vector: the device leaves four words a work-group, the host adds these. The
 * check is exact. */
#include "thesis_reduction.cl.h"
#include "workload.h"

enum { GROUP = 256, LANES = 4, PER_GROUP = GROUP * LANES };

static cl_uint sum_of(const cl_uint *words, size_t count)
{
    cl_uint sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += words[i];
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t by_words = 0;
    const struct workload_option options[] = {
        {"words", NULL, "local memory is accessed by words, not by vectors", &by_words, 0, 0},
    };
    struct workload workload = {.name = "thesis_reduction",
                                .summary = "Adds all words of a vector, four a work-item.",
                                .size_help = "words, made a multiple of 1,024",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 524288,
                                .size_small = 32768,
                                .size_min = 1,
                                .size_max = 1u << 28,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, by_words ? "-D WORDS" : "");
    size_t count = workload_round_up(workload.size, PER_GROUP), left = count / GROUP;
    cl_uint *words = workload_random_words(&workload, count);
    cl_uint *sums = workload_own_memory(&workload, left, sizeof *sums);
    cl_mem device_words = workload_own_buffer(&workload, count * sizeof *words, words);
    cl_mem device_sums = workload_own_buffer(&workload, left * sizeof *sums, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "fold_groups");

    workload_arguments(kernel, "bbl", device_words, device_sums, GROUP * sizeof(cl_uint4));
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count / LANES, GROUP);
    workload_read(&workload, device_sums, sums, left * sizeof *sums);
    cl_uint sum = sum_of(sums, left), expected = sum_of(words, count);
    int status = workload_verdict(&workload, workload_is_equal("sum", &sum, &expected, 1), sums,
                                  left * sizeof *sums);
    workload_close(&workload);
    return status;
}
