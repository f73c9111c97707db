/* SPDX-License-Identifier: MIT */
/* Bilinear resize of an image object. The check allows a value to be rounded the other way. */
#include <math.h>

#include "image_resize.cl.h"
#include "workload.h"

enum { GROUP = 16, CHANNELS = 4 };

/* The two points around a place, and the weight of the second. */
struct between {
    size_t first, second;
    double weight;
};

static struct between find(size_t at, size_t count, size_t size)
{
    double place = ((double)at + 0.5) / (double)count * (double)size - 0.5;
    double low = floor(place);

    return (struct between){low < 0 ? 0 : (size_t)low,
                            low + 1 >= (double)size ? size - 1 : (size_t)(low + 1), place - low};
}

static cl_uchar sample(const cl_uchar *image, size_t width, struct between x, struct between y,
                       size_t channel)
{
#define POINT(y, x) image[((y)*width + (x)) * CHANNELS + channel]
    double above = POINT(y.first, x.first) * (1 - x.weight) + POINT(y.first, x.second) * x.weight;
    double below = POINT(y.second, x.first) * (1 - x.weight) + POINT(y.second, x.second) * x.weight;
#undef POINT

    return (cl_uchar)rint(above * (1 - y.weight) + below * y.weight);
}

int main(int argc, char **argv)
{
    uint64_t percent = 150;
    const struct workload_option options[] = {
        {"percent", "N", "size of the result", &percent, 1, 1000}};
    struct workload workload = {.name = "image_resize",
                                .summary = "Bilinear resize of an image object.",
                                .size_help = "columns of the image; it has three quarters as many "
                                             "rows",
                                .options = options,
                                .option_count = 1,
                                .size = 320,
                                .size_min = 2,
                                .size_max = 1u << 12,
                                .size_small = 48,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    const size_t from[3] = {workload.size, (workload.size * 3 + 3) / 4, 0};
    const size_t to[3] = {(from[0] * percent + 99) / 100, (from[1] * percent + 99) / 100, 0};
    size_t count = to[0] * to[1], bytes = count * CHANNELS;
    cl_uchar *image = (cl_uchar *)workload_random_words(&workload, from[0] * from[1]);
    cl_uchar *output = workload_own_memory(&workload, count, CHANNELS);
    cl_uchar *expected = workload_own_memory(&workload, count, CHANNELS);
    cl_mem device_input = workload_own_image(&workload, CL_RGBA, CL_UNORM_INT8, from, image);
    cl_mem device_output = workload_own_image(&workload, CL_RGBA, CL_UNORM_INT8, to, NULL);
    cl_kernel resize = workload_own_kernel(&workload, "resize");
    size_t group[2] = {GROUP, GROUP};
    size_t global[2] = {workload_round_up(to[0], GROUP), workload_round_up(to[1], GROUP)};

    for (size_t y = 0; y < to[1]; y++)
        for (size_t x = 0; x < to[0]; x++)
            for (size_t channel = 0; channel < CHANNELS; channel++)
                expected[(y * to[0] + x) * CHANNELS + channel] = sample(
                    image, from[0], find(x, to[0], from[0]), find(y, to[1], from[1]), channel);
    workload_arguments(resize, "bb", device_input, device_output);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, resize, 2, global, group);
    workload_read_image(&workload, device_output, to, output);
    bool right = workload_is_near("value", output, expected, bytes, 1);
    int status = workload_verdict(&workload, right, output, bytes);
    workload_close(&workload);
    return status;
}
