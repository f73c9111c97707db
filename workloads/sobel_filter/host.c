/* SPDX-License-Identifier: MIT */
/* Edges of an image. The root may be 3 ulp off: a channel may differ by one. */
#include <math.h>

#include "sobel_filter.cl.h"
#include "workload.h"

enum { TILE = 16, CHANNELS = 4 };

/* The channel at (x + right, y + down) of a point. */
struct view {
    const cl_uchar *channels;
    size_t width, at;
};

static double channel(const struct view *view, long right, long down)
{
    return view->channels[(size_t)((long)view->at + (down * (long)view->width + right) * CHANNELS)];
}

static cl_uchar gradient(const struct view *view)
{
    double across = 0, along = 0;

    for (long i = -1; i <= 1; i++) {
        double weight = i == 0 ? 2 : 1;
        across += weight * (channel(view, -1, i) - channel(view, 1, i));
        along += weight * (channel(view, i, -1) - channel(view, i, 1));
    }
    return (cl_uchar)fmin(sqrt(across * across + along * along) / 2, 255);
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "sobel_filter",
                                .summary = "Edges of a square image of four channels.",
                                .size_help = "rows and columns of the image",
                                .size = 512,
                                .size_min = 1,
                                .size_max = 1u << 13,
                                .size_small = 80,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t size = workload.size, count = size * size, channels = count * CHANNELS;
    cl_uint *image = workload_random_words(&workload, count);
    cl_uchar *output = workload_own_memory(&workload, count, CHANNELS);
    cl_uchar *expected = workload_own_memory(&workload, count, CHANNELS);
    cl_mem device_input = workload_own_buffer(&workload, channels, image);
    cl_mem device_output = workload_own_buffer(&workload, channels, output);
    cl_kernel kernel = workload_own_kernel(&workload, "sobel");
    size_t edge = workload_round_up(size, TILE), global[2] = {edge, edge}, group[2] = {TILE, TILE};

    workload_arguments(kernel, "bbuu", device_input, device_output, (cl_uint)size, (cl_uint)size);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, device_output, output, channels);
    for (size_t i = 0; i < channels; i++) {
        size_t x = i / CHANNELS % size, y = i / CHANNELS / size;
        bool is_inside = x > 0 && y > 0 && x + 1 < size && y + 1 < size;

        expected[i] = is_inside ? gradient(&(struct view){(const cl_uchar *)image, size, i}) : 0;
    }
    bool right = workload_is_near("channel", output, expected, channels, 1);
    int status = workload_verdict(&workload, right, output, channels);
    workload_close(&workload);
    return status;
}
