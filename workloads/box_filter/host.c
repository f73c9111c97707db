/* SPDX-License-Identifier: MIT */
/* Mean over squares of an image of four channels. The check is exact. */
#include <stdio.h>

#include "box_filter.cl.h"
#include "workload.h"

enum { GROUP = 256, CHANNELS = 4 };

static size_t clamped(long at, size_t size)
{
    return at < 0 ? 0 : at >= (long)size ? size - 1 : (size_t)at;
}

static cl_uchar mean(const cl_uchar *image, size_t size, size_t at, long reach)
{
    long x = (long)(at / CHANNELS % size), y = (long)(at / CHANNELS / size), sum = 0;

    for (long row = y - reach; row <= y + reach; row++)
        for (long column = x - reach; column <= x + reach; column++)
            sum += image[(clamped(row, size) * size + clamped(column, size)) * CHANNELS +
                         at % CHANNELS];
    return (cl_uchar)(sum / ((2 * reach + 1) * (2 * reach + 1)));
}

int main(int argc, char **argv)
{
    uint64_t reach = 4;
    const struct workload_option options[] = {
        {"reach", "N", "points on each side of the middle", &reach, 0, 64}};
    struct workload workload = {.name = "box_filter",
                                .summary = "Mean over squares of an image of four channels.",
                                .size_help = "rows and columns of the image",
                                .options = options,
                                .option_count = 1,
                                .size = 384,
                                .size_min = 1,
                                .size_max = 1u << 12,
                                .size_small = 48,
                                .iterations = 1,
                                .seed = 1};
    char build_options[48];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D REACH=%u", GROUP,
             (unsigned)reach);
    workload_open(&workload, kernel_source, build_options);
    size_t size = workload.size, count = size * size, bytes = count * CHANNELS;
    cl_uchar *image = (cl_uchar *)workload_random_words(&workload, count);
    cl_uchar *output = workload_own_memory(&workload, count, CHANNELS);
    cl_uchar *expected = workload_own_memory(&workload, count, CHANNELS);
    cl_mem device_input = workload_own_buffer(&workload, bytes, image);
    cl_mem sums = workload_own_buffer(&workload, bytes * sizeof(cl_uint), NULL);
    cl_mem device_output = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel rows = workload_own_kernel(&workload, "sum_rows");
    cl_kernel columns = workload_own_kernel(&workload, "mean_of_columns");
    size_t global[2] = {workload_round_up(size, GROUP), size}, group[2] = {GROUP, 1};

    for (size_t i = 0; i < bytes; i++)
        expected[i] = mean(image, size, i, (long)reach);
    workload_arguments(rows, "bbu", device_input, sums, (cl_uint)size);
    workload_arguments(columns, "bbuu", sums, device_output, (cl_uint)size, (cl_uint)size);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run(&workload, rows, 2, global, group);
        workload_run(&workload, columns, 2, global, group);
    }
    workload_read(&workload, device_output, output, bytes);
    bool right = workload_is_equal("point", (cl_uint *)output, (cl_uint *)expected, count);
    int status = workload_verdict(&workload, right, output, bytes);
    workload_close(&workload);
    return status;
}
