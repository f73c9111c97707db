/* SPDX-License-Identifier: MIT */
/* Eigenvalues by bisection, two kernels a round; checked by counting in double precision. */
#include <math.h>
#include <stdio.h>

#include "thesis_eigenvalue.cl.h"
#include "workload.h"

enum { GROUP = 256, ROUNDS_MAX = 64 };
static const float tolerance = 0.001f;

struct matrix {
    const float *diagonal, *beside;
    size_t rows;
};

static size_t count_below(const struct matrix *matrix, double x)
{
    double term = 1;
    size_t count = 0;

    for (size_t i = 0; i < matrix->rows; i++) {
        double next_to = i > 0 ? matrix->beside[i - 1] : 0;
        term = matrix->diagonal[i] - x - next_to * next_to / term;
        count += term < 0;
    }
    return count;
}

/* The first interval has all eigenvalues, by Gershgorin's discs; the others none. */
static void first_intervals(const struct matrix *matrix, cl_float2 *intervals)
{
    float low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < matrix->rows; i++) {
        float radius = (i > 0 ? fabsf(matrix->beside[i - 1]) : 0) +
                       (i + 1 < matrix->rows ? fabsf(matrix->beside[i]) : 0);
        low = fminf(low, matrix->diagonal[i] - radius);
        high = fmaxf(high, matrix->diagonal[i] + radius);
    }
    for (size_t i = 0; i < matrix->rows; i++)
        intervals[i] = (cl_float2){{i == 0 ? low : high, high}};
}

static bool are_narrow(const cl_float2 *intervals, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (intervals[i].s[1] - intervals[i].s[0] >= tolerance)
            return false;
    return true;
}

static bool are_right(const struct matrix *matrix, const cl_float2 *intervals)
{
    const double slack = 1.1 * tolerance; /* for what rounding of the sequence does */

    for (size_t i = 0; i < matrix->rows; i++) {
        double low = intervals[i].s[0] - slack, high = intervals[i].s[1] + slack;
        if (count_below(matrix, low) > i || count_below(matrix, high) <= i) {
            printf("eigenvalue %zu is not between %.9g and %.9g\n", i, low, high);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    uint64_t vector = 0;
    const struct workload_option options[] = {
        {"vector", NULL, "vector loads of the matrix, not scalar ones", &vector, 0, 0}};
    struct workload workload = {.name = "thesis_eigenvalue",
                                .summary = "Eigenvalues of a matrix, an interval a work-item.",
                                .size_help = "rows of the matrix, rounded up to a multiple of 256",
                                .options = options,
                                .option_count = 1,
                                .size = 512,
                                .size_small = 256,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, vector ? "-D VECTOR_LOADS" : "");
    size_t rows = workload_round_up(workload.size, GROUP), bytes = rows * sizeof(cl_float2);
    float *random = workload_random_floats(&workload, 2 * rows, 0, 255);
    struct matrix matrix = {random, random + rows, rows};
    cl_float2 *intervals = workload_own_memory(&workload, rows, sizeof *intervals);
    cl_mem diagonal = workload_own_buffer(&workload, bytes / 2, matrix.diagonal);
    cl_mem beside = workload_own_buffer(&workload, bytes / 2, matrix.beside);
    cl_mem counts = workload_own_buffer(&workload, bytes / 2, NULL), bounds[2];
    cl_kernel count = workload_own_kernel(&workload, "count_intervals");
    cl_kernel refine = workload_own_kernel(&workload, "refine_intervals");
    bounds[0] = workload_own_buffer(&workload, bytes, NULL);
    bounds[1] = workload_own_buffer(&workload, bytes, NULL);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        first_intervals(&matrix, intervals);
        workload_write(&workload, bounds[0], intervals, bytes);
        for (unsigned round = 0; round < ROUNDS_MAX && !are_narrow(intervals, rows); round++) {
            cl_mem from = bounds[round % 2], to = bounds[1 - round % 2];
            workload_arguments(count, "bbbbuu", from, counts, diagonal, beside, (cl_uint)rows, 0u);
            workload_run_items(&workload, count, rows, GROUP);
            workload_arguments(refine, "bbbbbufu", from, counts, to, diagonal, beside,
                               (cl_uint)rows, (double)tolerance, 0u);
            workload_run_items(&workload, refine, rows, GROUP);
            workload_read(&workload, to, intervals, bytes);
        }
    }
    bool right = are_narrow(intervals, rows) && are_right(&matrix, intervals);
    int status = workload_verdict(&workload, right, intervals, bytes);
    workload_close(&workload);
    return status;
}
