/* SPDX-License-Identifier: MIT */
/* One-dimensional Haar wavelet transform, checked in double precision. */
#include <stdio.h>

#include "dwt_haar_1d.cl.h"
#include "workload.h"

enum { GROUP = 256, BLOCK = 2 * GROUP };

static unsigned logarithm(size_t count)
{
    unsigned levels = 0;

    while (count >> (levels + 1) > 0)
        levels++;
    return levels;
}

/* `values` is used up. */
static void transform(double *values, double *output, size_t count)
{
    const double scale = 0.70710678118654752440;

    for (; count > 1; count /= 2)
        for (size_t i = 0; i < count / 2; i++) {
            double left = values[2 * i], right = values[2 * i + 1];
            output[count / 2 + i] = (left - right) * scale;
            values[i] = (left + right) * scale;
        }
    output[0] = values[0];
}

/* Passes over ever fewer means, which go from one buffer to the other; gives the last one's. */
static cl_mem run(const struct workload *workload, cl_kernel kernel, cl_mem input, cl_mem output,
                  const cl_mem means[2], size_t count)
{
    unsigned pass = 0;

    while (count > 1) {
        size_t groups = count > BLOCK ? count / BLOCK : 1;
        cl_mem to = means[pass++ % 2];

        workload_arguments(kernel, "bbbuu", input, output, to, (cl_uint)count,
                           logarithm(count / groups));
        workload_run_items(workload, kernel, groups * GROUP, GROUP);
        input = to;
        count = groups;
    }
    return input;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "dwt_haar_1d",
                                .summary = "Haar wavelet transform of a signal.",
                                .size_help = "values, rounded up to a power of two",
                                .size = 524288,
                                .size_min = 2,
                                .size_max = 1u << 24,
                                .size_small = 32768,
                                .iterations = 1,
                                .seed = 1};
    size_t count = 2;
    char build_options[32];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d", GROUP);
    workload_open(&workload, kernel_source, build_options);
    while (count < workload.size)
        count *= 2;
    size_t bytes = count * sizeof(float);
    float *signal = workload_random_floats(&workload, count, -16, 16);
    float *found = workload_own_memory(&workload, count, sizeof *found);
    double *values = workload_own_memory(&workload, count, sizeof *values);
    double *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_mem input = workload_own_buffer(&workload, bytes, signal), last = NULL;
    cl_mem output = workload_own_buffer(&workload, bytes, NULL);
    const cl_mem means[2] = {workload_own_buffer(&workload, bytes / 2, NULL),
                             workload_own_buffer(&workload, bytes / 2, NULL)};
    cl_kernel kernel = workload_own_kernel(&workload, "transform");

    for (size_t i = 0; i < count; i++)
        values[i] = signal[i];
    transform(values, expected, count);
    for (uint64_t i = 0; i < workload.iterations; i++)
        last = run(&workload, kernel, input, output, means, count);
    workload_read(&workload, output, found, bytes);
    workload_read(&workload, last, found, sizeof *found);
    bool right = workload_is_close("coefficient", found, expected, count, 4e-6, 2e-4);
    int status = workload_verdict(&workload, right, found, bytes);
    workload_close(&workload);
    return status;
}
