/* SPDX-License-Identifier: MIT */
/*
 * Options at the money, four a work-item, checked in double precision with the C library's error
 * function. Its d1 is a quotient of sums by volatility * sqrt(years): rounding is amplified by
 * that.
 */
#include <math.h>

#include "thesis_black_scholes.cl.h"
#include "workload.h"

enum { EDGE = 16, LANES = 4 };

static double interpolate(double draw, double first, double last)
{
    return first * (1 - draw) + last * draw;
}

static double normal_distribution(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* The call's price, and the put's by parity. */
static void price_option(double draw, double *call, double *put)
{
    double price = interpolate(draw, 100, 10), years = interpolate(draw, 10, 1);
    double rate = interpolate(draw, 0.05f, 0.01f), volatility = interpolate(draw, 0.10f, 0.01f);
    double spread = volatility * sqrt(years);
    double far = (0.5 * volatility * volatility + rate) * years / spread;
    double present_strike = price * exp(-rate * years);

    *call = price * normal_distribution(far) - present_strike * normal_distribution(far - spread);
    *put = *call + present_strike - price;
}

int main(int argc, char **argv)
{
    uint64_t is_native = 0;
    const struct workload_option options[] = {{"log", "table|native",
                                               "logarithm: as compilers make it, or an instruction",
                                               &is_native, 0, 1}};
    struct workload workload = {.name = "thesis_black_scholes",
                                .summary = "Prices options by Black-Scholes, four a work-item.",
                                .size_help = "options, made four times the square of a multiple "
                                             "of 16",
                                .options = options,
                                .option_count = 1,
                                .size = 262144,
                                .size_small = 16384,
                                .size_min = 1,
                                .size_max = 1u << 26,
                                .iterations = 1,
                                .seed = 1};
    size_t edge = EDGE;

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source,
                  is_native ? "-D LOGARITHM=native_log" : "-D LOGARITHM=log");
    while (LANES * edge * edge < workload.size)
        edge += EDGE;
    size_t count = LANES * edge * edge, bytes = count * sizeof(float);
    size_t global[2] = {edge, edge}, group[2] = {EDGE, EDGE};
    float *draws = workload_random_floats(&workload, count, 0, 1);
    float *found = workload_own_memory(&workload, 2 * count, sizeof *found);
    double *expected = workload_own_memory(&workload, 2 * count, sizeof *expected);
    cl_mem device_draws = workload_own_buffer(&workload, bytes, draws);
    cl_mem calls = workload_own_buffer(&workload, bytes, found);
    cl_mem puts = workload_own_buffer(&workload, bytes, found);
    cl_kernel kernel = workload_own_kernel(&workload, "price_options");

    for (size_t i = 0; i < count; i++)
        price_option(draws[i], &expected[i], &expected[count + i]);
    workload_arguments(kernel, "bbbu", device_draws, calls, puts, (cl_uint)edge);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, calls, found, bytes);
    workload_read(&workload, puts, found + count, bytes);
    bool right = workload_is_close("price", found, expected, 2 * count, 1e-6, 5e-5);
    int status = workload_verdict(&workload, right, found, 2 * bytes);
    workload_close(&workload);
    return status;
}
