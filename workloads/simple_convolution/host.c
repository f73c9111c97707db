/* SPDX-License-Identifier: MIT */
/* Convolution with a small mask. Points are below 256 and weights multiples of 1/64: the check is
 * exact. */
#include "simple_convolution.cl.h"
#include "workload.h"

enum { GROUP = 256 };

static float convolved(const cl_uint *input, const float *mask, size_t size, size_t mask_width,
                       size_t x, size_t y)
{
    long reach = (long)mask_width / 2;
    float sum = 0;

    for (long row = (long)y - reach; row <= (long)y + reach; row++)
        for (long column = (long)x - reach; column <= (long)x + reach; column++)
            if (row >= 0 && column >= 0 && row < (long)size && column < (long)size)
                sum += (float)input[(size_t)row * size + (size_t)column] *
                       mask[(row - (long)y + reach) * (long)mask_width + column - (long)x + reach];
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t mask_width = 3;
    const struct workload_option options[] = {
        {"mask", "N", "rows and columns of the mask, an odd number", &mask_width, 1, 31}};
    struct workload workload = {.name = "simple_convolution",
                                .summary = "Convolution of a square image with a small mask.",
                                .size_help = "rows and columns of the image",
                                .options = options,
                                .option_count = 1,
                                .size = 512,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .size_small = 80,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    if (mask_width % 2 == 0)
        workload_fail("--mask %u is even", (unsigned)mask_width);
    workload_open(&workload, kernel_source, "");
    size_t size = workload.size, count = size * size, weights = mask_width * mask_width;
    cl_uint *draws = workload_random_words(&workload, count + weights);
    float *mask = workload_own_memory(&workload, weights, sizeof *mask);
    float *output = workload_own_memory(&workload, count, sizeof *output);
    float *expected = workload_own_memory(&workload, count, sizeof *expected);

    for (size_t i = 0; i < weights; i++)
        mask[i] = (float)((int)(draws[count + i] % 65) - 32) / 64.0f;
    for (size_t i = 0; i < count; i++)
        draws[i] %= 256;
    for (size_t i = 0; i < count; i++)
        expected[i] = convolved(draws, mask, size, mask_width, i % size, i / size);
    cl_mem device_input = workload_own_buffer(&workload, count * sizeof *draws, draws);
    cl_mem device_mask = workload_own_buffer(&workload, weights * sizeof *mask, mask);
    cl_mem device_output = workload_own_buffer(&workload, count * sizeof *output, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "convolve");

    workload_arguments(kernel, "bbbuuu", device_input, device_mask, device_output, (cl_uint)size,
                       (cl_uint)size, (cl_uint)mask_width);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count, GROUP);
    workload_read(&workload, device_output, output, count * sizeof *output);
    bool right = workload_is_same("point", output, expected, count);
    int status = workload_verdict(&workload, right, output, count * sizeof *output);
    workload_close(&workload);
    return status;
}
