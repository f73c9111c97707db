/* SPDX-License-Identifier: MIT */
/* Eigenvalues by bisection, in rounds of two kernels; checked by counting in double precision. */
#include <math.h>
#include <stdio.h>

#include "eigenvalue.cl.h"
#include "workload.h"

enum { GROUP = 256, ROUNDS_MAX = 64 };

struct matrix {
    const float *diagonal, *beside;
    size_t length;
};

static size_t count_below(const struct matrix *matrix, double x)
{
    double term = matrix->diagonal[0] - x;
    size_t count = term < 0;

    for (size_t i = 1; i < matrix->length; i++) {
        term =
            matrix->diagonal[i] - x - (double)matrix->beside[i - 1] * matrix->beside[i - 1] / term;
        count += term < 0;
    }
    return count;
}

/* Gershgorin's discs: all eigenvalues lie in it. */
static cl_float2 outer_interval(const struct matrix *matrix)
{
    float low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < matrix->length; i++) {
        float reach = (i > 0 ? fabsf(matrix->beside[i - 1]) : 0) +
                      (i + 1 < matrix->length ? fabsf(matrix->beside[i]) : 0);
        low = fminf(low, matrix->diagonal[i] - reach);
        high = fmaxf(high, matrix->diagonal[i] + reach);
    }
    return (cl_float2){{low - 0.01f, high + 0.01f}};
}

static bool is_done(const cl_float2 *intervals, size_t length, float tolerance)
{
    for (size_t i = 0; i < length; i++)
        if (intervals[i].s[1] - intervals[i].s[0] > tolerance)
            return false;
    return true;
}

/* The i-th eigenvalue lies in the i-th interval, give or take what rounding of the sequence does.
 */
static bool is_right(const struct matrix *matrix, const cl_float2 *intervals, double slack)
{
    for (size_t i = 0; i < matrix->length; i++) {
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
    const float tolerance = 0.001f;
    struct workload workload = {.name = "eigenvalue",
                                .summary = "Eigenvalues of a tridiagonal matrix by bisection.",
                                .size_help = "rows of the matrix",
                                .size = 1024,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .size_small = 64,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t length = workload.size, bytes = length * sizeof(cl_float2);
    float *random = workload_random_floats(&workload, 2 * length, 0, 10);
    struct matrix matrix = {random, random + length, length};
    cl_float2 *intervals = workload_own_memory(&workload, length, sizeof *intervals);
    cl_mem diagonal = workload_own_buffer(&workload, bytes / 2, matrix.diagonal);
    cl_mem beside = workload_own_buffer(&workload, bytes / 2, matrix.beside);
    cl_mem counts = workload_own_buffer(&workload, bytes / 2, NULL);
    cl_mem from = workload_own_buffer(&workload, bytes, NULL);
    cl_mem to = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel counting = workload_own_kernel(&workload, "count_in_intervals");
    cl_kernel refining = workload_own_kernel(&workload, "refine_intervals");

    for (uint64_t i = 0; i < workload.iterations; i++) {
        for (size_t j = 0; j < length; j++) /* empty ones, but for the first */
            intervals[j] = j == 0 ? outer_interval(&matrix) : (cl_float2){{0, 0}};
        workload_write(&workload, from, intervals, bytes);
        for (unsigned round = 0; round < ROUNDS_MAX && !is_done(intervals, length, tolerance);
             round++) {
            workload_arguments(counting, "bbbbu", from, counts, diagonal, beside, (cl_uint)length);
            workload_run_items(&workload, counting, length, GROUP);
            workload_arguments(refining, "bbbbbuf", from, counts, to, diagonal, beside,
                               (cl_uint)length, (double)tolerance);
            workload_run_items(&workload, refining, length, GROUP);
            cl_mem swapped = from;
            from = to;
            to = swapped;
            workload_read(&workload, from, intervals, bytes);
        }
    }
    bool right = is_done(intervals, length, tolerance) &&
                 is_right(&matrix, intervals, 1.1 * (double)tolerance);
    int status = workload_verdict(&workload, right, intervals, bytes);
    workload_close(&workload);
    return status;
}
