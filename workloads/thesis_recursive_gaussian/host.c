/* SPDX-License-Identifier: MIT */
/* Gaussian blur by a recursive filter, checked in double precision but for roundings to bytes. */
#include <math.h>

#include "thesis_recursive_gaussian.cl.h"
#include "workload.h"

enum { TILE = 16, GROUP = 256, CHANNELS = 4 };

/* Of the way down and of the way up: of two inputs, then of two answers. */
struct weights {
    cl_float4 down, up;
};

static struct weights weights_of(double sigma)
{
    double alpha = 1.695 / sigma, decay = exp(-alpha);
    double k = (1 - decay) * (1 - decay) / (1 + 2 * alpha * decay - decay * decay);
    float b1 = (float)(-2 * decay), b2 = (float)(decay * decay);

    return (struct weights){
        {{(float)k, (float)(k * decay * (alpha - 1)), b1, b2}},
        {{(float)(k * decay * (alpha + 1)), (float)(-k * decay * decay), b1, b2}}};
}

static double respond(const cl_float4 *weights, double newest, double second, double answers[2])
{
    double answer = weights->s[0] * newest + weights->s[1] * second - weights->s[2] * answers[0] -
                    weights->s[3] * answers[1];

    answers[1] = answers[0];
    answers[0] = answer;
    return answer;
}

/* One channel of one column, whose points are `stride` bytes apart. */
static void blur_column(const struct weights *weights, const cl_uchar *input, cl_uchar *output,
                        size_t points, size_t stride)
{
    double down[2] = {0, 0}, up[2] = {0, 0}, last = 0, before = 0;

    for (size_t i = 0; i < points; i++) {
        output[i * stride] = (cl_uchar)respond(&weights->down, input[i * stride], last, down);
        last = input[i * stride];
    }
    last = 0;
    for (size_t i = points; i-- > 0;) {
        output[i * stride] += (cl_uchar)respond(&weights->up, last, before, up);
        before = last;
        last = input[i * stride];
    }
}

/* Columns, then rows. */
static void blur(struct workload *workload, const struct weights *weights, const cl_uchar *image,
                 cl_uchar *result, size_t edge)
{
    size_t row = edge * CHANNELS;
    cl_uchar *middle = workload_own_memory(workload, edge, row);

    for (size_t i = 0; i < row; i++)
        blur_column(weights, image + i, middle + i, edge, row);
    for (size_t i = 0; i < edge; i++)
        for (size_t at = i * row; at < i * row + CHANNELS; at++)
            blur_column(weights, middle + at, result + at, edge, CHANNELS);
}

/* `images`: what is blurred, the middle, the result. */
static void run(struct workload *workload, const struct weights *weights, const cl_mem images[3],
                size_t edge)
{
    size_t global[2] = {edge, edge}, group[2] = {TILE, TILE};
    size_t columns[2] = {workload_round_up(edge, GROUP), 1}, column_group[2] = {GROUP, 1};
    cl_kernel filter = workload_own_kernel(workload, "blur_columns");
    cl_kernel turn = workload_own_kernel(workload, "turn_image");
    cl_int width = (cl_int)edge;

    for (int pass = 0; pass < 2; pass++) {
        workload_arguments(filter, "bbii", images[pass == 0 ? 0 : 2], images[1], width, width);
        workload_argument(filter, 4, sizeof weights->down, &weights->down);
        workload_argument(filter, 5, sizeof weights->up, &weights->up);
        workload_run(workload, filter, 2, columns, column_group);
        workload_arguments(turn, "bbluuu", images[1], images[2], TILE * TILE * sizeof(cl_uchar4),
                           (cl_uint)edge, (cl_uint)edge, (cl_uint)TILE);
        workload_run(workload, turn, 2, global, group);
    }
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "thesis_recursive_gaussian",
                                .summary = "Gaussian blur by a recursive filter, rows turned.",
                                .size_help = "rows and columns, made a multiple of 16",
                                .size = 512,
                                .size_small = 48,
                                .size_min = 1,
                                .size_max = 1u << 12,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t edge = workload_round_up(workload.size, TILE), bytes = edge * edge * CHANNELS;
    cl_uchar *image = (cl_uchar *)workload_random_words(&workload, edge * edge);
    cl_uchar *result = workload_own_memory(&workload, bytes, 1);
    cl_uchar *wanted = workload_own_memory(&workload, bytes, 1);
    struct weights weights = weights_of(10);
    const cl_mem images[3] = {workload_own_buffer(&workload, bytes, image),
                              workload_own_buffer(&workload, bytes, NULL),
                              workload_own_buffer(&workload, bytes, NULL)};

    for (uint64_t i = 0; i < workload.iterations; i++)
        run(&workload, &weights, images, edge);
    workload_read(&workload, images[2], result, bytes);
    blur(&workload, &weights, image, wanted, edge);
    bool right = workload_is_near("channel", result, wanted, bytes, 2);
    int status = workload_verdict(&workload, right, result, bytes);
    workload_close(&workload);
    return status;
}
