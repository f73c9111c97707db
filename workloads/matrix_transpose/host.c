/* SPDX-License-Identifier: MIT */
/* Transposes a matrix of words, through a tile in local memory or directly. The check is exact. */
#include <stdio.h>
#include <stdlib.h>

#include "matrix_transpose.cl.h"
#include "workload.h"

enum { TILE = 16 };

struct matrix {
    size_t rows, columns;
    cl_uint *words; /* row by row */
};

static struct matrix random_matrix(size_t rows, size_t columns, uint64_t seed)
{
    struct matrix matrix = {rows, columns, workload_allocate(rows * columns, sizeof(cl_uint))};

    for (size_t i = 0; i < rows * columns; i++)
        matrix.words[i] = (cl_uint)workload_random(&seed);
    return matrix;
}

static bool is_transpose(const struct matrix *input, const cl_uint *output)
{
    for (size_t row = 0; row < input->rows; row++)
        for (size_t column = 0; column < input->columns; column++) {
            cl_uint expected = input->words[row * input->columns + column];
            cl_uint found = output[column * input->rows + row];
            if (found != expected) {
                printf("row %zu column %zu of the result is %#x, expected %#x\n", column, row,
                       found, expected);
                return false;
            }
        }
    return true;
}

static void run(const struct workload *workload, const char *name, const struct matrix *input,
                cl_uint *output)
{
    size_t bytes = input->rows * input->columns * sizeof(cl_uint);
    cl_mem device_input = workload_buffer(workload, bytes, input->words);
    cl_mem device_output = workload_buffer(workload, bytes, output);
    cl_kernel kernel = workload_kernel(workload, name);
    size_t global[2] = {workload_round_up(input->columns, TILE),
                        workload_round_up(input->rows, TILE)};
    size_t group[2] = {TILE, TILE};

    workload_argument(kernel, 0, sizeof device_input, &device_input);
    workload_argument(kernel, 1, sizeof device_output, &device_output);
    workload_argument(kernel, 2, sizeof(cl_uint), &(cl_uint){(cl_uint)input->rows});
    workload_argument(kernel, 3, sizeof(cl_uint), &(cl_uint){(cl_uint)input->columns});
    for (uint64_t i = 0; i < workload->iterations; i++)
        workload_run(workload, kernel, 2, global, group);
    workload_read(workload, device_output, output, bytes);
    clReleaseKernel(kernel);
    clReleaseMemObject(device_input);
    clReleaseMemObject(device_output);
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
                                .size = 256,
                                .size_least = 1,
                                .size_most = 1u << 14,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D TILE=%d -D PADDING=%u", TILE,
             (unsigned)padding);
    workload_open(&workload, kernel_source, build_options);
    struct matrix input =
        random_matrix(workload.size, columns == 0 ? workload.size : columns, workload.seed);
    size_t count = input.rows * input.columns;
    cl_uint *output = workload_allocate(count, sizeof *output);

    run(&workload, naive ? "transpose_naive" : "transpose_tiled", &input, output);
    int status =
        workload_verdict(&workload, is_transpose(&input, output), output, count * sizeof *output);
    workload_close(&workload);
    free(input.words);
    free(output);
    return status;
}
