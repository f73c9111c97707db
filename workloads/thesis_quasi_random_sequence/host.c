/* SPDX-License-Identifier: MIT */
/*
 * A sequence as Sobol's, but of drawn direction numbers. The i-th of a dimension is an odd
 * multiple of 2^(31 - i), so that the first 2^n coordinates meet each of 2^n equal parts of
 * [0, 1) once. The check is exact.
 */
#include "thesis_quasi_random_sequence.cl.h"
#include "workload.h"

enum { LANES = 4, BITS = 32, GROUP_MAX = 256 };

static void draw_directions(cl_uint *directions, size_t dimensions, uint64_t seed)
{
    for (size_t i = 0; i < dimensions * BITS; i++) {
        cl_uint last = 1u << (BITS - 1 - i % BITS), below = 2 * last - 1;
        directions[i] = ((cl_uint)workload_random(&seed) & ~below) | last;
    }
}

static float coordinate(const cl_uint *directions, size_t point)
{
    cl_uint sum = 0;

    for (unsigned bit = 0; point >> bit != 0; bit++)
        if (point >> bit & 1)
            sum ^= directions[bit];
    return (float)sum * 0x1p-32f;
}

int main(int argc, char **argv)
{
    uint64_t points = GROUP_MAX * LANES, vector = 0;
    const struct workload_option options[] = {
        {"points", "N", "of the sequence, made a multiple of 4", &points, 1, GROUP_MAX * LANES},
        {"vector", NULL, "vector loads of the numbers, not scalar ones", &vector, 0, 0},
    };
    struct workload workload = {.name = "thesis_quasi_random_sequence",
                                .summary = "Points of a quasi-random sequence, four a work-item.",
                                .size_help = "dimensions of a point",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 256,
                                .size_small = 16,
                                .size_min = 1,
                                .size_max = 1u << 14,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, vector ? "-D VECTOR_LOADS" : "");
    size_t dimensions = workload.size, group = (points + LANES - 1) / LANES;
    size_t row = group * LANES, count = dimensions * row, bytes = count * sizeof(float);
    size_t number_bytes = BITS * sizeof(cl_uint);
    cl_uint *directions = workload_own_memory(&workload, dimensions, number_bytes);
    float *found = workload_own_memory(&workload, count, sizeof *found);
    float *expected = workload_own_memory(&workload, count, sizeof *expected);

    draw_directions(directions, dimensions, workload.seed);
    for (size_t i = 0; i < count; i++)
        expected[i] = coordinate(directions + i / row * BITS, i % row);
    cl_mem numbers = workload_own_buffer(&workload, dimensions * number_bytes, directions);
    cl_mem coordinates = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "sobol_points");

    workload_arguments(kernel, "bblu", numbers, coordinates, number_bytes, 0u);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count / LANES, group);
    workload_read(&workload, coordinates, found, bytes);
    bool right = workload_is_same("coordinate", found, expected, count);
    int status = workload_verdict(&workload, right, found, bytes);
    workload_close(&workload);
    return status;
}
