/* SPDX-License-Identifier: MIT */
/* Radix sort of words, eight bits a pass. The check is exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "radix_sort.cl.h"
#include "workload.h"

enum { GROUP = 64, DIGITS = 256, DIGIT_BITS = 8, SCANNERS = 256 };

struct sort {
    cl_kernel count_digits, scan_counts, permute;
    cl_mem words[2], counts; /* passes go from one to the other; an even number of them */
    size_t count, groups;
};

static int compare_words(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;

    return (x > y) - (x < y);
}

static void run_pass(const struct workload *workload, const struct sort *sort, unsigned pass)
{
    cl_mem from = sort->words[pass % 2], to = sort->words[1 - pass % 2];
    size_t items = sort->groups * GROUP;
    cl_uint shift = pass * DIGIT_BITS, count = (cl_uint)sort->count;

    workload_arguments(sort->count_digits, "bbuu", from, sort->counts, count, shift);
    workload_run_items(workload, sort->count_digits, items, GROUP);
    workload_arguments(sort->scan_counts, "bu", sort->counts, (cl_uint)(items * DIGITS));
    workload_run_items(workload, sort->scan_counts, SCANNERS, SCANNERS);
    workload_arguments(sort->permute, "bbbuu", from, sort->counts, to, count, shift);
    workload_run_items(workload, sort->permute, items, GROUP);
}

int main(int argc, char **argv)
{
    uint64_t per_item = 32;
    const struct workload_option options[] = {
        {"per-item", "N", "consecutive words of a work-item", &per_item, 1, 65535}};
    struct workload workload = {.name = "radix_sort",
                                .summary = "Sorts 32-bit words, eight bits a pass.",
                                .size_help = "words",
                                .options = options,
                                .option_count = 1,
                                .size = 8192,
                                .size_min = 1,
                                .size_max = 1u << 22,
                                .size_small = 2000,
                                .iterations = 1,
                                .seed = 1};
    char build_options[80];
    bool right = true;

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D PER_ITEM=%u -D SCANNERS=%d",
             GROUP, (unsigned)per_item, SCANNERS);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size, bytes = count * sizeof(cl_uint);
    size_t per_group = GROUP * per_item, groups = (count + per_group - 1) / per_group;
    cl_uint *words = workload_random_words(&workload, count);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_uint *found = workload_own_memory(&workload, count, sizeof *found);
    size_t count_bytes = groups * GROUP * DIGITS * sizeof(cl_uint);
    struct sort sort = {
        workload_own_kernel(&workload, "count_digits"),
        workload_own_kernel(&workload, "scan_counts"),
        workload_own_kernel(&workload, "permute"),
        {workload_own_buffer(&workload, bytes, NULL), workload_own_buffer(&workload, bytes, NULL)},
        workload_own_buffer(&workload, count_bytes, NULL),
        count,
        groups};

    memcpy(expected, words, bytes);
    qsort(expected, count, sizeof *expected, compare_words);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_write(&workload, sort.words[0], words, bytes);
        for (unsigned pass = 0; pass < 32 / DIGIT_BITS; pass++)
            run_pass(&workload, &sort, pass);
        workload_read(&workload, sort.words[0], found, bytes);
        right = right && workload_is_equal("word", found, expected, count);
    }
    int status = workload_verdict(&workload, right, found, bytes);
    workload_close(&workload);
    return status;
}
