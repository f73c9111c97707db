/* SPDX-License-Identifier: MIT */
/* Samples that count in three bins of local memory, or in none. Which count depends on the order;
 * the check holds for every order. Bins are what the samples that count make, none is over its limit,
 * and each sample that does not count has a full bin. */
#include <stdio.h>

#include "critical.h"
#include "local_histogram.cl.h"

enum { GROUP = CRITICAL_GROUP };

struct shape {
    cl_uint bins, limit, samples;
};

/* The kernel's: what a number of the sequence becomes. */
static cl_uint mix(cl_uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static void bins_of(cl_uint random, cl_uint bins, cl_uint at[3])
{
    at[0] = random % bins;
    at[1] = (at[0] + 1 + (random >> 8) % (bins / 2 - 1)) % bins;
    at[2] = (at[0] + bins / 2 + (random >> 16) % (bins / 2)) % bins;
}

static bool is_right_group(const struct shape *shape, const cl_uint *bins, const cl_uint *counted,
                           cl_uint first, cl_uint seed)
{
    cl_uint expected[1024] = {0}, at[3];
    bool right = true;

    for (cl_uint i = 0; i < shape->samples; i++) {
        bool has_full = false;

        bins_of(mix(seed + first + i), shape->bins, at);
        for (unsigned j = 0; j < 3; j++) {
            expected[at[j]] += counted[i];
            has_full = has_full || bins[at[j]] == shape->limit;
        }
        right = right && counted[i] <= 1 && (counted[i] == 1 || has_full);
    }
    for (cl_uint i = 0; i < shape->bins; i++)
        right = right && bins[i] <= shape->limit;
    if (!right)
        printf("a sample was counted that had a full bin, or was not that had none\n");
    return workload_is_equal("bin", bins, expected, shape->bins) && right;
}

int main(int argc, char **argv)
{
    uint64_t version = VERSION_FINE, bins = 64, limit = 24, samples = 4;
    const struct workload_option options[] = {
        CRITICAL_OPTION(&version),
        {"bins", "N", "of each group: even", &bins, 4, 1024},
        {"limit", "N", "at which a bin is full", &limit, 1, 1000000},
        {"samples", "N", "of each work-item", &samples, 1, 1000},
    };
    struct workload workload = {.name = "local_histogram",
                                .summary = "Counts samples in three bins of local memory at once.",
                                .size_help = "work-groups, a histogram each",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 256,
                                .size_small = 3,
                                .size_min = 1,
                                .size_max = 16384,
                                .iterations = 1,
                                .seed = 1};
    char build_options[120];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options,
             "-D GROUP=%d -D VERSION=%u -D BINS=%u -D LIMIT=%u -D SAMPLES=%u", GROUP,
             (unsigned)version, (unsigned)(bins & ~1ull), (unsigned)limit, (unsigned)samples);
    workload_open(&workload, kernel_source, build_options);
    const struct shape shape = {(cl_uint)bins & ~1u, (cl_uint)limit, GROUP * (cl_uint)samples};
    size_t count = workload.size * shape.bins, all = workload.size * shape.samples;
    cl_uint seed = (cl_uint)workload.seed;
    cl_kernel kernel = workload_own_kernel(&workload, "count_all");
    cl_mem bins_buffer = workload_own_buffer(&workload, count * sizeof(cl_uint), NULL);
    cl_mem counted_buffer = workload_own_buffer(&workload, all * sizeof(cl_uint), NULL);
    cl_uint *found = workload_own_memory(&workload, count, sizeof *found);
    cl_uint *counted = workload_own_memory(&workload, all, sizeof *counted);
    bool right = true;

    workload_arguments(kernel, "bbu", bins_buffer, counted_buffer, seed);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run_items(&workload, kernel, workload.size * GROUP, GROUP);
        workload_read(&workload, bins_buffer, found, count * sizeof *found);
        workload_read(&workload, counted_buffer, counted, all * sizeof *counted);
        for (size_t group = 0; group < workload.size && right; group++)
            right = is_right_group(&shape, found + group * shape.bins,
                                   counted + group * shape.samples,
                                   (cl_uint)group * shape.samples, seed);
    }
    int status = workload_verdict(&workload, right, NULL, 0);

    workload_close(&workload);
    return status;
}
