/* SPDX-License-Identifier: MIT */
/*
 * Prices options on the device in single precision and on the host in double precision with the C
 * library's error function. The tolerance of each option follows from its inputs. The term d1 is a
 * quotient by volatility * sqrt(years), which can be 0.01. An error of d1 moves the price by at
 * most price * density(0).
 */
#include <math.h>
#include <stdio.h>

#include "black_scholes.cl.h"
#include "workload.h"

enum { GROUP = 256 };

struct prices {
    double call, put, tolerance;
};

static double between(double draw, double min, double max)
{
    return min * draw + max * (1 - draw);
}

static double normal_distribution(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static struct prices expected_prices(double draw)
{
    double price = between(draw, 10, 100), strike = between(1 - draw, 10, 100);
    double years = between(draw, 1, 10), rate = between(draw, 0.01f, 0.05f);
    double volatility = between(draw, 0.01f, 0.10f);
    double deviation = volatility * sqrt(years);
    double drift = (rate + 0.5 * volatility * volatility) * years;
    double d1 = (log(price / strike) + drift) / deviation, d2 = d1 - deviation;
    double present_strike = strike * exp(-rate * years);
    double d1_error = 16 * 0x1p-24 * (1 + fabs(log(price / strike)) + drift) / deviation;

    return (struct prices){
        price * normal_distribution(d1) - present_strike * normal_distribution(d2),
        present_strike * normal_distribution(-d2) - price * normal_distribution(-d1),
        (price + present_strike) * (2e-6 + 0.4 * d1_error)};
}

static bool is_close(const char *what, size_t i, float found, double expected, double tolerance)
{
    if (fabs(found - expected) <= tolerance)
        return true;
    printf("%s %zu is %.9g, expected %.9g within %.3g\n", what, i, found, expected, tolerance);
    return false;
}

static bool is_right(const float *draws, const float *call, const float *put, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct prices expected = expected_prices(draws[i]);
        if (!is_close("call", i, call[i], expected.call, expected.tolerance) ||
            !is_close("put", i, put[i], expected.put, expected.tolerance))
            return false;
    }
    return true;
}

/* `prices` gets the calls, then the puts. */
static void run(struct workload *workload, const float *draws, float *prices)
{
    size_t count = workload->size, bytes = count * sizeof(float);
    cl_mem device_draws = workload_own_buffer(workload, bytes, draws);
    cl_mem call = workload_own_buffer(workload, bytes, prices);
    cl_mem put = workload_own_buffer(workload, bytes, prices);
    cl_kernel kernel = workload_own_kernel(workload, "black_scholes");

    workload_arguments(kernel, "bbbu", device_draws, call, put, (cl_uint)count);
    for (uint64_t i = 0; i < workload->iterations; i++)
        workload_run_items(workload, kernel, count, GROUP);
    workload_read(workload, call, prices, bytes);
    workload_read(workload, put, prices + count, bytes);
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "black_scholes",
                                .summary = "Prices European options by the Black-Scholes formula.",
                                .size_help = "options",
                                .size = 131072,
                                .size_small = 4096,
                                .size_min = 1,
                                .size_max = 1u << 26,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t count = workload.size;
    float *draws = workload_random_floats(&workload, count, 0, 1);
    float *prices = workload_own_memory(&workload, 2 * count, sizeof *prices);

    run(&workload, draws, prices);
    int status = workload_verdict(&workload, is_right(draws, prices, prices + count, count), prices,
                                  2 * count * sizeof *prices);
    workload_close(&workload);
    return status;
}
