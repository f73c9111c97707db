/* SPDX-License-Identifier: MIT */
/* Prices European calls by a binomial lattice, checked in double precision. */
#include <math.h>
#include <stdio.h>

#include "thesis_binomial_option.cl.h"
#include "workload.h"

enum { LANES = 4, STEPS_MAX = 254 };
static const double rate = 0.02, volatility = 0.30;

static double call_value(double draw, unsigned steps)
{
    double period = (0.25 + 9.75 * draw) / steps, log_move = volatility * sqrt(period);
    double growth = exp(rate * period), rise = exp(log_move), fall = 1 / rise;
    double chance = (growth - fall) / (rise - fall), spot = 5 + 25 * draw, strike = 1 + 99 * draw;
    double level[STEPS_MAX + 1];

    for (unsigned node = 0; node <= steps; node++)
        level[node] = fmax(spot * exp(log_move * (2.0 * node - steps)) - strike, 0);
    for (unsigned nodes = steps; nodes > 0; nodes--)
        for (unsigned node = 0; node < nodes; node++)
            level[node] = (chance * level[node + 1] + (1 - chance) * level[node]) / growth;
    return level[0];
}

int main(int argc, char **argv)
{
    uint64_t steps = STEPS_MAX;
    const struct workload_option options[] = {
        {"steps", "N", "of the lattice, an even number", &steps, 2, STEPS_MAX}};
    struct workload workload = {.name = "thesis_binomial_option",
                                .summary = "Prices calls, a leaf of the lattice a work-item.",
                                .size_help = "calls, rounded up to a multiple of 4",
                                .options = options,
                                .option_count = 1,
                                .size = 512,
                                .size_small = 32,
                                .size_min = 1,
                                .size_max = 1u << 20,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    if (steps % 2 != 0)
        workload_fail("--steps %u is odd", (unsigned)steps);
    snprintf(build_options, sizeof build_options, "-D RATE=%.2ff -D VOLATILITY=%.2ff", rate,
             volatility);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload_round_up(workload.size, LANES), bytes = count * sizeof(float);
    size_t group = steps + 1, row = group * sizeof(cl_float4);
    float *draws = workload_random_floats(&workload, count, 0, 1);
    float *prices = workload_own_memory(&workload, count, sizeof *prices);
    double *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_mem device_draws = workload_own_buffer(&workload, bytes, draws);
    cl_mem device_prices = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "price_calls");

    for (size_t i = 0; i < count; i++)
        expected[i] = call_value(draws[i], (unsigned)steps);
    workload_arguments(kernel, "ubbll", (cl_uint)steps, device_draws, device_prices, row,
                       row - sizeof(cl_float4));
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count / LANES * group, group);
    workload_read(&workload, device_prices, prices, bytes);
    /* The chance is a quotient of small differences; each of the steps discounts once more. */
    bool right = workload_is_close("price", prices, expected, count, 2e-3, 2e-4);
    int status = workload_verdict(&workload, right, prices, bytes);
    workload_close(&workload);
    return status;
}
