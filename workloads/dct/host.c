/* SPDX-License-Identifier: MIT */
/* Discrete cosine transform of an image by blocks of 8 x 8, checked in double precision. */
#include <math.h>

#include "dct.cl.h"
#include "workload.h"

enum { BLOCK = 8 };

/* The orthogonal matrix of DCT-II. */
static void make_cosines(double cosines[BLOCK][BLOCK])
{
    for (int row = 0; row < BLOCK; row++)
        for (int column = 0; column < BLOCK; column++)
            cosines[row][column] = sqrt((row == 0 ? 1.0 : 2.0) / BLOCK) *
                                   cos((2 * column + 1) * row * 3.14159265358979323846 / 16);
}

/* The row and column of a block's point say which row of the matrix weighs its rows and columns. */
static double transformed(double cosines[BLOCK][BLOCK], const float *corner, size_t width, int row,
                          int column, bool is_inverse)
{
    double sum = 0;

    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < BLOCK; j++)
            sum += (is_inverse ? cosines[i][row] * cosines[j][column]
                               : cosines[row][i] * cosines[column][j]) *
                   corner[(size_t)i * width + (size_t)j];
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t inverse = 0;
    const struct workload_option options[] = {
        {"inverse", NULL, "the inverse transform", &inverse, 0, 0}};
    struct workload workload = {.name = "dct",
                                .summary = "Discrete cosine transform of blocks of 8 x 8.",
                                .size_help = "rows and columns, rounded up to a multiple of 8",
                                .options = options,
                                .option_count = 1,
                                .size = 512,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .size_small = 64,
                                .iterations = 1,
                                .seed = 1};
    double cosines[BLOCK][BLOCK];
    float device_matrix[BLOCK * BLOCK];

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    make_cosines(cosines);
    for (int i = 0; i < BLOCK * BLOCK; i++)
        device_matrix[i] = (float)cosines[i / BLOCK][i % BLOCK];
    size_t width = workload_round_up(workload.size, BLOCK), count = width * width;
    float *input = workload_random_floats(&workload, count, -128, 128);
    float *output = workload_own_memory(&workload, count, sizeof *output);
    double *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_mem device_input = workload_own_buffer(&workload, count * sizeof *input, input);
    cl_mem device_output = workload_own_buffer(&workload, count * sizeof *output, NULL);
    cl_mem matrix = workload_own_buffer(&workload, sizeof device_matrix, device_matrix);
    cl_kernel kernel = workload_own_kernel(&workload, "transform");
    size_t global[2] = {width, width}, group[2] = {BLOCK, BLOCK};

    for (size_t i = 0; i < count; i++) {
        size_t x = i % width, y = i / width;

        expected[i] = transformed(cosines, input + (y / BLOCK * width + x / BLOCK) * BLOCK, width,
                                  (int)(y % BLOCK), (int)(x % BLOCK), inverse != 0);
    }
    workload_arguments(kernel, "bbbuu", device_input, device_output, matrix, (cl_uint)width,
                       (cl_uint)inverse);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, device_output, output, count * sizeof *output);
    /* Sixteen roundings of sums that are at most 8 * 128 * sqrt(8). */
    bool right = workload_is_close("point", output, expected, count, 0, 3e-3);
    int status = workload_verdict(&workload, right, output, count * sizeof *output);
    workload_close(&workload);
    return status;
}
