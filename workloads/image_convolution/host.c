/* SPDX-License-Identifier: MIT */
/* Convolution of an image object with binomial weights. The check is exact. */
#include <stdio.h>

#include "image_convolution.cl.h"
#include "workload.h"

enum { GROUP = 16, CHANNELS = 4 };

static size_t clamped(long at, size_t size)
{
    return at < 0 ? 0 : at >= (long)size ? size - 1 : (size_t)at;
}

/* Row 2 * reach of Pascal's triangle. */
static void fill_weights(cl_uint *weights, uint64_t reach)
{
    for (uint64_t row = 0; row <= 2 * reach; row++) {
        weights[row] = 1;
        for (uint64_t i = row - 1; row > 0 && i > 0; i--)
            weights[i] += weights[i - 1];
    }
}

static cl_uchar mean(const cl_uchar *image, const size_t sizes[3], size_t at, long reach,
                     const cl_uint *weights)
{
    long x = (long)(at / CHANNELS % sizes[0]), y = (long)(at / CHANNELS / sizes[0]);
    cl_uint sum = 0;

    for (long row = -reach; row <= reach; row++)
        for (long column = -reach; column <= reach; column++)
            sum += weights[row + reach] * weights[column + reach] *
                   image[(clamped(y + row, sizes[1]) * sizes[0] + clamped(x + column, sizes[0])) *
                             CHANNELS +
                         at % CHANNELS];
    return (cl_uchar)(sum / (1u << 4 * reach));
}

int main(int argc, char **argv)
{
    uint64_t reach = 2;
    const struct workload_option options[] = {
        {"reach", "N", "points on each side of the middle", &reach, 0, 5}};
    struct workload workload = {.name = "image_convolution",
                                .summary = "Convolution of an image object with binomial weights.",
                                .size_help = "rows of the image, which has one column more",
                                .options = options,
                                .option_count = 1,
                                .size = 320,
                                .size_min = 1,
                                .size_max = 1u << 12,
                                .size_small = 48,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D REACH=%u -D TOTAL=%uu", (unsigned)reach,
             1u << 4 * (unsigned)reach);
    workload_open(&workload, kernel_source, build_options);
    const size_t sizes[3] = {workload.size + 1, workload.size, 0};
    size_t count = sizes[0] * sizes[1], bytes = count * CHANNELS;
    cl_uchar *image = (cl_uchar *)workload_random_words(&workload, count);
    cl_uchar *output = workload_own_memory(&workload, count, CHANNELS);
    cl_uchar *expected = workload_own_memory(&workload, count, CHANNELS);
    cl_uint weights[11];
    cl_mem device_input = workload_own_image(&workload, CL_RGBA, CL_UNSIGNED_INT8, sizes, image);
    cl_mem device_output = workload_own_image(&workload, CL_RGBA, CL_UNSIGNED_INT8, sizes, NULL);
    cl_kernel convolve = workload_own_kernel(&workload, "convolve");
    size_t group[2] = {GROUP, GROUP};
    size_t global[2] = {workload_round_up(sizes[0], GROUP), workload_round_up(sizes[1], GROUP)};

    fill_weights(weights, reach);
    for (size_t i = 0; i < bytes; i++)
        expected[i] = mean(image, sizes, i, (long)reach, weights);
    workload_arguments(convolve, "bbb", device_input, device_output,
                       workload_own_buffer(&workload, sizeof weights, weights));
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, convolve, 2, global, group);
    workload_read_image(&workload, device_output, sizes, output);
    bool right = workload_is_equal("point", (cl_uint *)output, (cl_uint *)expected, count);
    int status = workload_verdict(&workload, right, output, bytes);
    workload_close(&workload);
    return status;
}
