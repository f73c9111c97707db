/* SPDX-License-Identifier: MIT */
/* Uniform noise on an image. Integers only: the check is exact. */
#include <stdio.h>

#include "urng.cl.h"
#include "workload.h"

enum { GROUP = 256, TABLE = 16, WARM_UP = 8, CHANNELS = 4 };

static int noise_of(const cl_uchar *point, int factor)
{
    int64_t state = point[0] + 256 * point[1] + 65536 * point[2] + 4099 * point[3] + 1;
    int64_t table[TABLE];

    for (int i = TABLE + WARM_UP - 1; i >= 0; i--) {
        state = state * 16807 % 2147483647;
        if (i < TABLE)
            table[i] = state;
    }
    return (int)((table[table[0] % TABLE] >> 16) * (2 * factor + 1) / 32768) - factor;
}

static cl_uchar clamped(int value)
{
    return (cl_uchar)(value < 0 ? 0 : value > 255 ? 255 : value);
}

int main(int argc, char **argv)
{
    uint64_t factor = 25;
    const struct workload_option options[] = {{"factor", "N", "largest noise", &factor, 0, 255}};
    struct workload workload = {.name = "urng",
                                .summary = "Adds uniform noise to an image of four channels.",
                                .size_help = "points of the image",
                                .options = options,
                                .option_count = 1,
                                .size = 262144,
                                .size_min = 1,
                                .size_max = 1u << 26,
                                .size_small = 10000,
                                .iterations = 1,
                                .seed = 1};
    char build_options[48];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D TABLE=%d", GROUP, TABLE);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size, bytes = count * CHANNELS;
    cl_uchar *image = (cl_uchar *)workload_random_words(&workload, count);
    cl_uchar *output = workload_own_memory(&workload, count, CHANNELS);
    cl_uchar *expected = workload_own_memory(&workload, count, CHANNELS);
    cl_mem device_input = workload_own_buffer(&workload, bytes, image);
    cl_mem device_output = workload_own_buffer(&workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(&workload, "add_noise");

    for (size_t i = 0; i < bytes; i++)
        expected[i] = clamped(image[i] + noise_of(image + i / CHANNELS * CHANNELS, (int)factor));
    workload_arguments(kernel, "bbui", device_input, device_output, (cl_uint)count, (cl_int)factor);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run_items(&workload, kernel, count, GROUP);
    workload_read(&workload, device_output, output, bytes);
    bool right = workload_is_equal("point", (cl_uint *)output, (cl_uint *)expected, count);
    int status = workload_verdict(&workload, right, output, bytes);
    workload_close(&workload);
    return status;
}
