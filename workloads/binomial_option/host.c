/* SPDX-License-Identifier: MIT */
/* Prices European calls by a binomial lattice, checked in double precision. */
#include <math.h>
#include <stdio.h>

#include "binomial_option.cl.h"
#include "workload.h"

enum { LANES = 4, STEPS_MAX = 254 };
static const double rate = 0.02, volatility = 0.30;

static double price_of(float draw, unsigned steps)
{
    double price = 5 + 25.0 * draw, strike = 1 + 99 * (1.0 - draw), years = 0.25 + 9.75 * draw;
    double step = years / steps, deviation = volatility * sqrt(step), growth = exp(rate * step);
    double up = exp(deviation), down = 1 / up, chance = (growth - down) / (up - down);
    double values[STEPS_MAX + 1];

    for (unsigned i = 0; i <= steps; i++)
        values[i] = fmax(price * exp(deviation * (2.0 * i - steps)) - strike, 0);
    for (unsigned level = steps; level > 0; level--)
        for (unsigned i = 0; i < level; i++)
            values[i] = (chance * values[i + 1] + (1 - chance) * values[i]) / growth;
    return values[0];
}

int main(int argc, char **argv)
{
    uint64_t steps = 126;
    const struct workload_option options[] = {
        {"steps", "N", "of the lattice, an even number", &steps, 2, STEPS_MAX}};
    struct workload workload = {.name = "binomial_option",
                                .summary = "Prices European calls by a binomial lattice.",
                                .size_help = "options, rounded up to a multiple of 4",
                                .options = options,
                                .option_count = 1,
                                .size = 2304,
                                .size_min = 1,
                                .size_max = 1u << 22,
                                .size_small = 64,
                                .iterations = 1,
                                .seed = 1};
    char build_options[96];

    workload_parse(&workload, argc, argv);
    if (steps % 2 != 0)
        workload_fail("--steps %u is odd", (unsigned)steps);
    snprintf(build_options, sizeof build_options, "-D STEPS=%u -D RATE=%.2ff -D VOLATILITY=%.2ff",
             (unsigned)steps, rate, volatility);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload_round_up(workload.size, LANES), bytes = count * sizeof(float);
    float *draws = workload_random_floats(&workload, count, 0, 1);
    float *prices = workload_own_memory(&workload, count, sizeof *prices);
    double *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_mem device_draws = workload_own_buffer(&workload, bytes, draws);
    cl_mem device_prices = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "price_calls");

    for (size_t i = 0; i < count; i++)
        expected[i] = price_of(draws[i], (unsigned)steps);
    workload_arguments(kernel, "bb", device_draws, device_prices);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count / LANES * (steps + 1), steps + 1);
    workload_read(&workload, device_prices, prices, bytes);
    /* The chance is a quotient of small differences; each of the steps discounts once more. */
    bool right = workload_is_close("price", prices, expected, count, 2e-3, 2e-4);
    int status = workload_verdict(&workload, right, prices, bytes);
    workload_close(&workload);
    return status;
}
