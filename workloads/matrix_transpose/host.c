/* SPDX-License-Identifier: MIT */
/* Transposes a matrix of words, through a tile in local memory or directly. The check is exact. */
#include <stdio.h>

#include "matrix_transpose.cl.h"
#include "workload.h"

enum { TILE = 16 };

struct matrix {
    size_t rows, columns;
    const cl_uint *words; /* row by row */
};

static bool is_transpose(struct workload *workload, const struct matrix *input,
                         const cl_uint *output)
{
    size_t count = input->rows * input->columns;
    cl_uint *expected = workload_own_memory(workload, count, sizeof *expected);

    for (size_t row = 0; row < input->rows; row++)
        for (size_t column = 0; column < input->columns; column++)
            expected[column * input->rows + row] = input->words[row * input->columns + column];
    return workload_is_equal("word", output, expected, count);
}

static void run(struct workload *workload, const char *name, const struct matrix *input,
                cl_uint *output)
{
    size_t bytes = input->rows * input->columns * sizeof(cl_uint);
    cl_mem device_input = workload_own_buffer(workload, bytes, input->words);
    cl_mem device_output = workload_own_buffer(workload, bytes, output);
    cl_kernel kernel = workload_own_kernel(workload, name);
    size_t global[2] = {workload_round_up(input->columns, TILE),
                        workload_round_up(input->rows, TILE)};
    size_t group[2] = {TILE, TILE};

    workload_arguments(kernel, "bbuu", device_input, device_output, (cl_uint)input->rows,
                       (cl_uint)input->columns);
    for (uint64_t i = 0; i < workload->iterations; i++)
        workload_run(workload, kernel, 2, global, group);
    workload_read(workload, device_output, output, bytes);
}

int main(int argc, char **argv)
{
    uint64_t columns = 0, padding = 1, naive = 0;
    const struct workload_option options[] = {
        {"columns", "N", "columns, if not as many as rows; 0: as many", &columns, 0, 1u << 14},
        {"padding", "N", "words after each row of the tile in local memory", &padding, 0, 16},
        {"naive", NULL, "without local memory", &naive, 0, 0},
    };
    struct workload workload = {.name = "matrix_transpose",
                                .summary = "Transposes a matrix of 32-bit words.",
                                .size_help = "rows of the matrix",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 512,
                                .size_small = 96,
                                .size_min = 1,
                                .size_max = 1u << 14,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D TILE=%d -D PADDING=%u", TILE,
             (unsigned)padding);
    workload_open(&workload, kernel_source, build_options);
    size_t rows = workload.size, wide = columns == 0 ? rows : columns, count = rows * wide;
    struct matrix input = {rows, wide, workload_random_words(&workload, count)};
    cl_uint *output = workload_own_memory(&workload, count, sizeof *output);

    run(&workload, naive ? "transpose_naive" : "transpose_tiled", &input, output);
    int status = workload_verdict(&workload, is_transpose(&workload, &input, output), output,
                                  count * sizeof *output);
    workload_close(&workload);
    return status;
}
