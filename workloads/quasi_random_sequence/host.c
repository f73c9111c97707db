/* SPDX-License-Identifier: MIT */
/*
 * Sobol's sequence in many dimensions. The direction numbers of a dimension follow from a primitive
 * polynomial, found here, and from free odd numbers, drawn. The check is exact.
 */
#include "quasi_random_sequence.cl.h"
#include "workload.h"

enum { GROUP = 64, BITS = 32, LANES = 4 };

static unsigned degree_of(cl_uint polynomial)
{
    unsigned degree = 0;

    while (polynomial >> (degree + 1) != 0)
        degree++;
    return degree;
}

/* Whether x is of order 2^degree - 1 modulo the polynomial over the field of two elements. */
static bool is_primitive(cl_uint polynomial)
{
    unsigned degree = degree_of(polynomial);
    cl_uint power = 1, order = 0;

    do {
        power <<= 1;
        if (power >> degree & 1)
            power ^= polynomial;
        order++;
    } while (power > 1 && order < 1u << degree);
    return power == 1 && order == (1u << degree) - 1;
}

static void make_directions(cl_uint *directions, cl_uint polynomial, uint64_t *seed)
{
    unsigned degree = degree_of(polynomial);

    for (unsigned i = 0; i < BITS; i++) {
        if (i < degree) {
            cl_uint odd = (cl_uint)(workload_random(seed) % (1u << i)) * 2 + 1;
            directions[i] = (odd % (2u << i)) << (BITS - 1 - i);
            continue;
        }
        directions[i] = directions[i - degree] ^ (directions[i - degree] >> degree);
        for (unsigned k = 1; k < degree; k++)
            if (polynomial >> (degree - k) & 1)
                directions[i] ^= directions[i - k];
    }
}

static float point_of(const cl_uint *directions, size_t index)
{
    cl_uint point = 0;

    for (unsigned bit = 0; bit < BITS; bit++)
        if (index >> bit & 1)
            point ^= directions[bit];
    return (float)(point >> 8) * 0x1p-24f;
}

int main(int argc, char **argv)
{
    uint64_t dimensions = 160;
    const struct workload_option options[] = {
        {"dimensions", "N", "of a point", &dimensions, 1, 4096}};
    struct workload workload = {.name = "quasi_random_sequence",
                                .summary = "Points of Sobol's quasi-random sequence.",
                                .size_help = "points, rounded up to a multiple of 4",
                                .options = options,
                                .option_count = 1,
                                .size = 4096,
                                .size_min = 1,
                                .size_max = 1u << 20,
                                .size_small = 256,
                                .iterations = 1,
                                .seed = 1};
    cl_uint polynomial = 3; /* x + 1 */

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "-D GROUP=64");
    size_t quads = (workload.size + LANES - 1) / LANES, points = quads * LANES;
    size_t count = dimensions * points;
    uint64_t seed = workload.seed;
    cl_uint *directions = workload_own_memory(&workload, dimensions * BITS, sizeof *directions);
    float *output = workload_own_memory(&workload, count, sizeof *output);
    float *expected = workload_own_memory(&workload, count, sizeof *expected);

    for (size_t i = 0; i < dimensions; i++) {
        make_directions(directions + i * BITS, polynomial, &seed);
        do
            polynomial += 2;
        while (!is_primitive(polynomial));
    }
    for (size_t i = 0; i < count; i++)
        expected[i] = point_of(directions + i / points * BITS, i % points);
    cl_mem numbers =
        workload_own_buffer(&workload, dimensions * BITS * sizeof *directions, directions);
    cl_mem device_output = workload_own_buffer(&workload, count * sizeof *output, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "sobol");
    size_t global[2] = {workload_round_up(quads, GROUP), dimensions}, group[2] = {GROUP, 1};

    workload_arguments(kernel, "bbu", numbers, device_output, (cl_uint)quads);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, device_output, output, count * sizeof *output);
    bool right = workload_is_same("coordinate", output, expected, count);
    int status = workload_verdict(&workload, right, output, count * sizeof *output);
    workload_close(&workload);
    return status;
}
