/* SPDX-License-Identifier: MIT */
/* Transposes a square matrix of floats with stores of parts of lines. The check is exact. */
#include "thesis_matrix_transpose.cl.h"
#include "workload.h"

enum { TILE = 16 };

static float *transposed(struct workload *workload, const float *matrix, size_t edge)
{
    float *result = workload_own_memory(workload, edge * edge, sizeof *result);

    for (size_t row = 0; row < edge; row++)
        for (size_t column = 0; column < edge; column++)
            result[column * edge + row] = matrix[row * edge + column];
    return result;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "thesis_matrix_transpose",
                                .summary = "Transposes a matrix, each store parts of 16 lines.",
                                .size_help = "rows and columns, made a multiple of 16",
                                .size = 512,
                                .size_small = 64,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t edge = workload_round_up(workload.size, TILE), count = edge * edge;
    size_t bytes = count * sizeof(float), global[2] = {edge, edge}, group[2] = {TILE, TILE};
    float *matrix = workload_random_floats(&workload, count, 0, 255);
    float *result = workload_own_memory(&workload, count, sizeof *result);
    cl_mem device_matrix = workload_own_buffer(&workload, bytes, matrix);
    cl_mem device_result = workload_own_buffer(&workload, bytes, result);
    cl_kernel kernel = workload_own_kernel(&workload, "transpose_elements");

    workload_arguments(kernel, "bbluuu", device_matrix, device_result,
                       TILE * TILE * sizeof(cl_float), (cl_uint)edge, (cl_uint)edge, (cl_uint)TILE);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, device_result, result, bytes);
    bool right = workload_is_same("element", result, transposed(&workload, matrix, edge), count);
    int status = workload_verdict(&workload, right, result, bytes);
    workload_close(&workload);
    return status;
}
