/* SPDX-License-Identifier: MIT */
/* Haar's wavelet transform in launches of at most nine levels; checked in double precision. */
#include <math.h>

#include "thesis_dwt_haar_1d.cl.h"
#include "workload.h"

enum { LEVELS_MAX = 9 };

struct transform {
    cl_kernel kernel;
    cl_mem values, coefficients, means;
    unsigned levels;
};

static void expect(double *output, double *values, size_t length)
{
    double divisor = sqrt((double)length);

    for (size_t i = 0; i < length; i++)
        values[i] /= divisor;
    for (size_t half = length / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half; i++) {
            double left = values[2 * i], right = values[2 * i + 1];
            output[half + i] = (left - right) * sqrt(0.5);
            values[i] = (left + right) * sqrt(0.5);
        }
    output[0] = values[0];
}

/* The host makes the means of one launch the values of the next. `means` has room for `length`. */
static void run(const struct workload *workload, const struct transform *transform,
                const float *signal, float *means)
{
    const float *values = signal;

    for (unsigned left = transform->levels; left > 0;) {
        unsigned levels = left < LEVELS_MAX ? left : LEVELS_MAX;
        size_t length = (size_t)1 << left, group = (size_t)1 << levels >> 1;

        workload_write(workload, transform->values, values, length * sizeof *values);
        workload_arguments(transform->kernel, "bbbluuu", transform->values, transform->coefficients,
                           transform->means, 3 * group * sizeof(cl_float), (cl_uint)length,
                           (cl_uint)levels, (cl_uint)(left == transform->levels));
        workload_run_items(workload, transform->kernel, length / 2, group);
        left -= levels;
        workload_read(workload, transform->means, means, sizeof *means << left);
        values = means;
    }
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "thesis_dwt_haar_1d",
                                .summary = "Haar's wavelet transform, two values a work-item.",
                                .size_help = "values, rounded up to a power of two",
                                .size = 1u << 18,
                                .size_small = 1u << 13,
                                .size_min = 2,
                                .size_max = 1u << 23,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    struct transform transform = {.levels = 1};
    while (1u << transform.levels < workload.size)
        transform.levels++;
    size_t length = (size_t)1 << transform.levels, bytes = length * sizeof(float);
    float *signal = workload_random_floats(&workload, length, 0, 10);
    float *means = workload_own_memory(&workload, length, sizeof *means);
    float *found = workload_own_memory(&workload, length, sizeof *found);
    double *values = workload_own_memory(&workload, length, sizeof *values);
    double *expected = workload_own_memory(&workload, length, sizeof *expected);

    for (size_t i = 0; i < length; i++)
        values[i] = signal[i];
    expect(expected, values, length);
    transform.kernel = workload_own_kernel(&workload, "transform_blocks");
    transform.values = workload_own_buffer(&workload, bytes, NULL);
    transform.coefficients = workload_own_buffer(&workload, bytes, NULL);
    transform.means = workload_own_buffer(&workload, bytes, NULL);
    for (uint64_t i = 0; i < workload.iterations; i++)
        run(&workload, &transform, signal, means);
    workload_read(&workload, transform.coefficients, found, bytes);
    found[0] = means[0];
    bool right = workload_is_close("coefficient", found, expected, length, 1e-5, 1e-5);
    int status = workload_verdict(&workload, right, found, bytes);
    workload_close(&workload);
    return status;
}
