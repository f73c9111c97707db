/* SPDX-License-Identifier: MIT */
/*
 * Runs phases.cl: --rounds times a phase of launches of `transpose`, then one of `sum`. What they store is checked.
 */
#include <stdio.h>

#include "phases.cl.h"
#include "workload.h"

enum { TILE = 16, GROUP = 256, PER_ITEM = 4 };

struct phases {
    cl_uint *input, *transposed, *sums;
    cl_mem device_input, device_transposed, device_sums;
    size_t words, size;
};

static bool is_right(const struct phases *phases)
{
    for (size_t i = 0; i < phases->words; i++) {
        size_t row = i / phases->size, column = i % phases->size;

        if (phases->transposed[column * phases->size + row] != phases->input[i])
            return false;
    }
    for (size_t i = 0; i < phases->words / PER_ITEM; i++) {
        size_t start = i / GROUP * GROUP * PER_ITEM + i % GROUP;
        cl_uint value = 0;

        for (size_t k = 0; k < PER_ITEM; k++)
            value += phases->input[start + k * GROUP];
        if (phases->sums[i] != value)
            return false;
    }
    return true;
}

static void make(struct phases *phases, struct workload *workload)
{
    phases->size = workload_round_up(workload->size, 2 * TILE);
    phases->words = phases->size * phases->size;
    phases->input = workload_random_words(workload, phases->words);
    phases->transposed = workload_own_memory(workload, phases->words, sizeof(cl_uint));
    phases->sums = workload_own_memory(workload, phases->words, sizeof(cl_uint));
    phases->device_input =
        workload_own_buffer(workload, phases->words * sizeof(cl_uint), phases->input);
    phases->device_transposed =
        workload_own_buffer(workload, phases->words * sizeof(cl_uint), NULL);
    phases->device_sums =
        workload_own_buffer(workload, phases->words / PER_ITEM * sizeof(cl_uint), NULL);
}

static void run(struct workload *workload, const struct phases *phases, uint64_t transposes,
                uint64_t sums)
{
    size_t square[2] = {phases->size, phases->size}, tile[2] = {TILE, TILE};
    cl_kernel transpose = workload_own_kernel(workload, "transpose");
    cl_kernel sum = workload_own_kernel(workload, "sum");

    workload_arguments(transpose, "bbu", phases->device_input, phases->device_transposed,
                       (cl_uint)phases->size);
    workload_arguments(sum, "bb", phases->device_input, phases->device_sums);
    for (uint64_t round = 0; round < workload->iterations; round++) {
        for (uint64_t i = 0; i < transposes; i++)
            workload_run(workload, transpose, 2, square, tile);
        for (uint64_t i = 0; i < sums; i++)
            workload_run_items(workload, sum, phases->words / PER_ITEM, GROUP);
    }
}

int main(int argc, char **argv)
{
    uint64_t transposes = 5, sums = 8;
    const struct workload_option options[] = {
        {"transposes", "N", "launches of the first phase", &transposes, 1, 1000},
        {"sums", "N", "launches of the second phase", &sums, 1, 1000}};
    struct workload workload = {.name = "phases",
                                .summary = "Phases that want few and many misses in flight; "
                                           "--iterations is how often both come.",
                                .size_help = "words of a row and a column",
                                .options = options,
                                .option_count = 2,
                                .size = 1024,
                                .size_min = 2 * TILE,
                                .size_max = 8192,
                                .iterations = 2,
                                .seed = 1};
    struct phases phases;
    char build_options[80];
    int status;

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D TILE=%d -D GROUP=%d -D PER_ITEM=%d", TILE,
             GROUP, PER_ITEM);
    workload_open(&workload, kernel_source, build_options);
    make(&phases, &workload);
    run(&workload, &phases, transposes, sums);
    workload_read(&workload, phases.device_transposed, phases.transposed,
                  phases.words * sizeof(cl_uint));
    workload_read(&workload, phases.device_sums, phases.sums,
                  phases.words / PER_ITEM * sizeof(cl_uint));
    status = workload_verdict(&workload, is_right(&phases), phases.transposed,
                              phases.words * sizeof(cl_uint));
    workload_close(&workload);
    return status;
}
