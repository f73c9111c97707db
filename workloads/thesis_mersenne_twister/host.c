/* SPDX-License-Identifier: MIT */
/* Normally distributed numbers of SFMT607 generators, checked in double precision. */
#include <math.h>

#include "thesis_mersenne_twister.cl.h"
#include "workload.h"

enum { EDGE = 16, LANES = 4, STATE = 5, VECTORS_MAX = 8 };

/* Words of the generator as a row of 32-bit numbers, four a word, the seed the first. */
static void generate(cl_uint *row, size_t words)
{
    static const cl_uint mask[LANES] = {0xfdff37ff, 0xef7f3f7d, 0xff777b7d, 0x7ff7fb2f};

    for (size_t i = LANES; i < STATE * LANES; i++)
        row[i] = 1812433253u * (row[i - LANES] ^ row[i - LANES] >> 30) + (cl_uint)(i / LANES);
    for (size_t i = STATE * LANES; i < (STATE + words) * LANES; i++) {
        const cl_uint *a = row + i - STATE * LANES, *c = row + i - 2 * LANES;
        size_t lane = i % LANES;
        cl_uint up = a[0] << 24 | (lane == 0 ? 0 : a[-1] >> 8);
        cl_uint down = c[0] >> 24 | (lane == LANES - 1 ? 0 : c[1] << 8);

        row[i] = a[0] ^ up ^ (row[i - 3 * LANES] >> 13 & mask[lane]) ^ down ^ row[i - LANES] << 15;
    }
}

static double draw_of(cl_uint number)
{
    return (float)((float)number * 0x1p-32f + 0x1p-33f);
}

/* What one work-item makes of its seed. */
static void expected_of(const cl_uint *seed, double *numbers, size_t vectors)
{
    cl_uint row[(STATE + VECTORS_MAX) * LANES] = {seed[0], seed[1], seed[2], seed[3]};

    generate(row, vectors);
    for (size_t i = 0; i < vectors * LANES; i++) {
        const cl_uint *pair = row + STATE * LANES + i / (2 * LANES) * 2 * LANES + i % LANES;
        double radius = sqrt(-2 * log(draw_of(pair[0])));
        double angle = 6.28318530717958647693 * draw_of(pair[LANES]);

        numbers[i] = radius * (i / LANES % 2 == 0 ? cos(angle) : sin(angle));
    }
}

int main(int argc, char **argv)
{
    uint64_t factor = 2, is_native = 0;
    const struct workload_option options[] = {
        {"factor", "N", "vectors of four numbers a seed, even", &factor, 2, VECTORS_MAX},
        {"log", "table|native", "logarithm: as compilers make it, or an instruction", &is_native, 0,
         1}};
    struct workload workload = {.name = "thesis_mersenne_twister",
                                .summary = "Normal numbers of SFMT, some vectors a work-item.",
                                .size_help = "seeds, made the square of a multiple of 16",
                                .options = options,
                                .option_count = 2,
                                .size = 65536,
                                .size_small = 1024,
                                .size_min = 1,
                                .size_max = 1u << 22,
                                .iterations = 1,
                                .seed = 1};
    size_t edge = EDGE;

    workload_parse(&workload, argc, argv);
    if (factor % 2 != 0)
        workload_fail("--factor %u is odd", (unsigned)factor);
    workload_open(&workload, kernel_source,
                  is_native ? "-D LOGARITHM=native_log" : "-D LOGARITHM=log");
    while (edge * edge < workload.size)
        edge += EDGE;
    size_t items = edge * edge, count = items * factor * LANES, bytes = count * sizeof(float);
    size_t global[2] = {edge, edge}, group[2] = {EDGE, EDGE};
    cl_uint *seeds = workload_random_words(&workload, items * LANES);
    float *found = workload_own_memory(&workload, count, sizeof *found);
    double *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_mem device_seeds = workload_own_buffer(&workload, items * sizeof(cl_uint4), seeds);
    cl_mem numbers = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "normal_numbers");

    for (size_t i = 0; i < items; i++)
        expected_of(seeds + i * LANES, expected + i * factor * LANES, factor);
    workload_arguments(kernel, "bbuu", device_seeds, numbers, (cl_uint)edge, (cl_uint)factor);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, numbers, found, bytes);
    bool right = workload_is_close("number", found, expected, count, 1e-5, 5e-6);
    int status = workload_verdict(&workload, right, found, bytes);
    workload_close(&workload);
    return status;
}
