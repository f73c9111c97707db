/* SPDX-License-Identifier: MIT */
/* The mean of a few slanted planes through a volume, sampled linearly in three dimensions. */
#include <math.h>
#include <stdio.h>

#include "volume_slice.cl.h"
#include "workload.h"

enum { GROUP = 16 };

/* An element, or nothing outside. */
static double element(const float *volume, const size_t sizes[3], const long at[3])
{
    for (unsigned axis = 0; axis < 3; axis++)
        if (at[axis] < 0 || at[axis] >= (long)sizes[axis])
            return 0;
    return volume[((size_t)at[2] * sizes[1] + (size_t)at[1]) * sizes[0] + (size_t)at[0]];
}

static double sample(const float *volume, const size_t sizes[3], const double place[3])
{
    double sum = 0;

    for (unsigned corner = 0; corner < 8; corner++) {
        double weight = 1;
        long at[3];

        for (unsigned axis = 0; axis < 3; axis++) {
            double u = place[axis] * (double)sizes[axis] - 0.5, low = floor(u);
            bool is_second = (corner >> axis & 1) != 0;

            at[axis] = (long)low + is_second;
            weight *= is_second ? u - low : 1 - (u - low);
        }
        sum += weight * element(volume, sizes, at);
    }
    return sum;
}

/* A slice turned about the volume's middle, whose corners stick out. */
static void fill_plane(float plane[4][4], const size_t slice[2])
{
    const double across[3] = {0.9, 0.3, 0.35}, down[3] = {-0.35, 0.85, 0.3},
                 through[3] = {-0.3, -0.4, 0.8};

    for (unsigned axis = 0; axis < 3; axis++) {
        plane[0][axis] = (float)(0.5 - 0.6 * across[axis] - 0.6 * down[axis]);
        plane[1][axis] = (float)(1.2 * across[axis] / (double)slice[0]);
        plane[2][axis] = (float)(1.2 * down[axis] / (double)slice[1]);
        plane[3][axis] = (float)(0.03 * through[axis]);
    }
}

static double mean(const float *volume, const size_t sizes[3], float plane[4][4],
                   const size_t at[2], uint64_t slab)
{
    double sum = 0, place[3];

    for (uint64_t i = 0; i < slab; i++) {
        for (unsigned axis = 0; axis < 3; axis++)
            place[axis] = plane[0][axis] + (double)at[0] * plane[1][axis] +
                          (double)at[1] * plane[2][axis] + (double)i * plane[3][axis];
        sum += sample(volume, sizes, place);
    }
    return sum / (double)slab;
}

int main(int argc, char **argv)
{
    uint64_t slab = 4;
    const struct workload_option options[] = {
        {"slab", "N", "planes to take the mean of", &slab, 1, 64}};
    struct workload workload = {.name = "volume_slice",
                                .summary = "A slanted slice through a volume.",
                                .size_help = "columns of the volume; it has one row less, and half "
                                             "as many slices",
                                .options = options,
                                .option_count = 1,
                                .size = 144,
                                .size_min = 3,
                                .size_max = 512,
                                .size_small = 24,
                                .iterations = 1,
                                .seed = 1};
    char build_options[32];
    float plane[4][4] = {{0}};

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D SLAB=%u", (unsigned)slab);
    workload_open(&workload, kernel_source, build_options);
    const size_t sizes[3] = {workload.size, workload.size - 1, (workload.size + 1) / 2};
    const size_t slice[2] = {2 * workload.size, 2 * workload.size - 5};
    size_t count = slice[0] * slice[1], group[2] = {GROUP, GROUP};
    size_t global[2] = {workload_round_up(slice[0], GROUP), workload_round_up(slice[1], GROUP)};
    float *volume = workload_random_floats(&workload, sizes[0] * sizes[1] * sizes[2], 0, 1);
    float *output = workload_own_memory(&workload, count, sizeof *output);
    double *expected = workload_own_memory(&workload, count, sizeof *expected);
    cl_mem device_volume = workload_own_image(&workload, CL_R, CL_FLOAT, sizes, volume);
    cl_mem device_output = workload_own_buffer(&workload, count * sizeof *output, NULL);
    cl_sampler sampler = workload_sampler(&workload, true, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
    cl_kernel kernel = workload_own_kernel(&workload, "slice");

    fill_plane(plane, slice);
    for (size_t i = 0; i < count; i++)
        expected[i] = mean(volume, sizes, plane, (size_t[]){i % slice[0], i / slice[0]}, slab);
    workload_arguments(kernel, "bsbbuu", device_volume, sampler,
                       workload_own_buffer(&workload, sizeof plane, plane), device_output,
                       (cl_uint)slice[0], (cl_uint)slice[1]);
    for (uint64_t i = 0; i < workload.iterations; i++)
        workload_run(&workload, kernel, 2, global, group);
    workload_read(&workload, device_output, output, count * sizeof *output);
    /* Places are computed in single precision: an error of an element's size moves the result. */
    bool right =
        workload_is_close("point", output, expected, count, 0, 1e-5 + 2e-6 * (double)workload.size);
    int status = workload_verdict(&workload, right, output, count * sizeof *output);
    clReleaseSampler(sampler);
    workload_close(&workload);
    return status;
}
