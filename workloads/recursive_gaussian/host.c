/* SPDX-License-Identifier: MIT */
/* Gaussian blur by a recursive filter, checked in double precision but for roundings to bytes. */
#include <math.h>

#include "recursive_gaussian.cl.h"
#include "workload.h"

enum { TILE = 16, GROUP = 64, CHANNELS = 4 };

struct weights {
    cl_float2 forward, backward, feedback, edge;
};

static struct weights weights_of(double sigma)
{
    double alpha = 1.695 / sigma, ema = exp(-alpha), ema2 = exp(-2 * alpha);
    double k = (1 - ema) * (1 - ema) / (1 + 2 * alpha * ema - ema2);
    float a0 = (float)k, a1 = (float)(k * (alpha - 1) * ema);
    float a2 = (float)(k * (alpha + 1) * ema), a3 = (float)(-k * ema2);
    float b1 = (float)(-2 * ema), b2 = (float)ema2, gain = 1 + b1 + b2;
    return (struct weights){
        {{a0, a1}}, {{a2, a3}}, {{b1, b2}}, {{(a0 + a1) / gain, (a2 + a3) / gain}}};
}

/* One column: `stride` channels from point to point. */
static void filter_column(const struct weights *w, const cl_uchar *input, cl_uchar *output,
                          double *half_way, size_t points, size_t stride)
{
    double last = input[0], answer = last * w->edge.s[0], older = answer, before;

    for (size_t i = 0; i < points; i++) {
        half_way[i] = w->forward.s[0] * input[i * stride] + w->forward.s[1] * last -
                      w->feedback.s[0] * answer - w->feedback.s[1] * older;
        last = input[i * stride];
        older = answer;
        answer = half_way[i];
    }
    before = last = input[(points - 1) * stride];
    answer = older = last * w->edge.s[1];
    for (size_t i = points; i-- > 0;) {
        double next = w->backward.s[0] * last + w->backward.s[1] * before -
                      w->feedback.s[0] * answer - w->feedback.s[1] * older;
        output[i * stride] = (cl_uchar)fmin(fmax(half_way[i] + next + 0.5, 0), 255);
        before = last;
        last = input[i * stride];
        older = answer;
        answer = next;
    }
}

static void run(struct workload *workload, const struct weights *w, const cl_mem images[2])
{
    size_t size = workload->size, edge = workload_round_up(size, TILE);
    size_t global[2] = {edge, edge}, group[2] = {TILE, TILE};
    cl_mem half_way = workload_own_buffer(workload, size * size * sizeof(cl_float4), NULL);
    cl_kernel transpose = workload_own_kernel(workload, "transpose");
    cl_kernel filter = workload_own_kernel(workload, "filter_columns");

    for (int pass = 0; pass < 2; pass++) { /* columns, then rows; both end in images[0] */
        workload_arguments(filter, "bbbuuvvvv", images[0], images[1], half_way, (cl_uint)size,
                           (cl_uint)size, w->forward, w->backward, w->feedback, w->edge);
        workload_run_items(workload, filter, size, GROUP);
        workload_arguments(transpose, "bbuu", images[1], images[0], (cl_uint)size, (cl_uint)size);
        workload_run(workload, transpose, 2, global, group);
    }
}

/* The same on the host, columns and then rows, each rounded to bytes. */
static void blur(struct workload *workload, const struct weights *w, const cl_uchar *image,
                 cl_uchar *result)
{
    size_t size = workload->size, row = size * CHANNELS;
    cl_uchar *middle = workload_own_memory(workload, size, row);
    double *half_way = workload_own_memory(workload, size, sizeof *half_way);

    for (size_t i = 0; i < row; i++)
        filter_column(w, image + i, middle + i, half_way, size, row);
    for (size_t i = 0; i < size; i++)
        for (size_t at = i * row; at < i * row + CHANNELS; at++)
            filter_column(w, middle + at, result + at, half_way, size, CHANNELS);
}

int main(int argc, char **argv)
{
    uint64_t sigma = 10;
    const struct workload_option options[] = {
        {"sigma", "N", "width of the blur, in points", &sigma, 1, 100}};
    struct workload workload = {.name = "recursive_gaussian",
                                .summary = "Gaussian blur of an image by a recursive filter.",
                                .size_help = "rows and columns of the image",
                                .options = options,
                                .option_count = 1,
                                .size = 512,
                                .size_min = 1,
                                .size_max = 1u << 12,
                                .size_small = 64,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "-D TILE=16");
    size_t count = workload.size * workload.size, bytes = count * CHANNELS;
    cl_uchar *image = (cl_uchar *)workload_random_words(&workload, count);
    cl_uchar *result = workload_own_memory(&workload, count, CHANNELS);
    cl_uchar *wanted = workload_own_memory(&workload, count, CHANNELS);
    struct weights weights = weights_of((double)sigma);
    const cl_mem images[2] = {workload_own_buffer(&workload, bytes, NULL),
                              workload_own_buffer(&workload, bytes, NULL)};

    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_write(&workload, images[0], image, bytes);
        run(&workload, &weights, images);
    }
    workload_read(&workload, images[0], result, bytes);
    blur(&workload, &weights, image, wanted);
    bool right = workload_is_near("channel", result, wanted, bytes, 2);
    int status = workload_verdict(&workload, right, result, bytes);
    workload_close(&workload);
    return status;
}
