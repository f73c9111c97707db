/* SPDX-License-Identifier: MIT */
/* Random numbers of the Mersenne twister: the uniform ones exactly, the normal ones within
 * rounding. */
#include <math.h>
#include <stdio.h>

#include "mersenne_twister.cl.h"
#include "workload.h"

enum { GROUP = 256, STATE = 624, FAR = 397 };

/* The generator as its authors describe it: a state of 624 words, renewed as a whole. */
static void first_numbers(cl_uint seed, cl_uint *numbers, unsigned count)
{
    cl_uint state[STATE] = {seed};

    for (cl_uint i = 1; i < STATE; i++)
        state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    for (unsigned i = 0; i < count; i++) {
        cl_uint y = (state[i] & 0x80000000u) | (state[i + 1] & 0x7fffffffu);

        y = state[i + FAR] ^ (y >> 1) ^ (y % 2 ? 0x9908b0dfu : 0);
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        numbers[i] = y ^ (y >> 18);
    }
}

static double draw_of(cl_uint number)
{
    return (float)(((float)(number >> 8) + 0.5f) * 0x1p-24f);
}

int main(int argc, char **argv)
{
    uint64_t per_item = 16;
    const struct workload_option options[] = {
        {"per-item", "N", "numbers a work-item, even", &per_item, 2, STATE - FAR - 1}};
    struct workload workload = {.name = "mersenne_twister",
                                .summary = "Uniform and normally distributed random numbers.",
                                .size_help = "work-items",
                                .options = options,
                                .option_count = 1,
                                .size = 98304,
                                .size_min = 1,
                                .size_max = 1u << 20,
                                .size_small = 2000,
                                .iterations = 1,
                                .seed = 1};
    char build_options[32];
    cl_uint numbers[STATE];

    workload_parse(&workload, argc, argv);
    if (per_item % 2 != 0)
        workload_fail("--per-item %u is odd", (unsigned)per_item);
    snprintf(build_options, sizeof build_options, "-D PER_ITEM=%u", (unsigned)per_item);
    workload_open(&workload, kernel_source, build_options);
    size_t items = workload.size, count = items * per_item, bytes = count * sizeof(cl_uint);
    cl_uint *seeds = workload_random_words(&workload, items);
    cl_uint *uniform = workload_own_memory(&workload, count, sizeof *uniform);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    float *normal = workload_own_memory(&workload, count, sizeof *normal);
    double *exact = workload_own_memory(&workload, count, sizeof *exact);
    cl_mem device_seeds = workload_own_buffer(&workload, items * sizeof *seeds, seeds);
    cl_mem device_uniform = workload_own_buffer(&workload, bytes, NULL);
    cl_mem device_normal = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "gaussian");

    for (size_t item = 0; item < items; item++) {
        first_numbers(seeds[item], numbers, (unsigned)per_item);
        for (size_t i = 0; i < per_item; i++)
            expected[i * items + item] = numbers[i];
        for (size_t i = 0; i < per_item; i += 2) {
            double radius = sqrt(-2 * log(draw_of(numbers[i])));
            double angle = 6.28318530717958647693 * draw_of(numbers[i + 1]);
            exact[i * items + item] = radius * cos(angle);
            exact[(i + 1) * items + item] = radius * sin(angle);
        }
    }
    workload_arguments(kernel, "bbbu", device_seeds, device_uniform, device_normal, (cl_uint)items);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, items, GROUP);
    workload_read(&workload, device_uniform, uniform, bytes);
    workload_read(&workload, device_normal, normal, bytes);
    bool right = workload_is_equal("uniform number", uniform, expected, count) &&
                 workload_is_close("normal number", normal, exact, count, 1e-5, 5e-6);
    int status = workload_verdict(&workload, right, uniform, bytes);
    workload_close(&workload);
    return status;
}
