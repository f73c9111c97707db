/* SPDX-License-Identifier: MIT */
/* Connected parts of tiles by union and find in local memory. The check is exact: each pixel's label
 * is the least pixel of its part, as repeated comparison with its neighbours finds it. */
#include <stdio.h>

#include "critical.h"
#include "local_union_find.cl.h"

enum { SIDE = 16, PIXELS = SIDE * SIDE };

static bool lower(cl_uint *label, const cl_uint *other, bool is_alike)
{
    if (!is_alike || *other >= *label)
        return false;
    *label = *other;
    return true;
}

/* Labels of one tile: the least label goes from neighbour to neighbour until none changes. */
static void label_tile(const cl_uint *image, cl_uint *label)
{
    bool changed = true;

    for (cl_uint i = 0; i < PIXELS; i++)
        label[i] = i;
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < PIXELS; i++)
            for (unsigned way = 0; way < 2; way++) {
                unsigned j = i + (way ? SIDE : 1);
                bool is_there = way ? j < PIXELS : i % SIDE != SIDE - 1;
                bool is_alike = is_there && image[i] == image[j];
                changed |= is_there && lower(&label[i], &label[j], is_alike);
                changed |= is_there && lower(&label[j], &label[i], is_alike);
            }
    }
}

int main(int argc, char **argv)
{
    uint64_t version = VERSION_FINE, colours = 2;
    const struct workload_option options[] = {
        CRITICAL_OPTION(&version),
        {"colours", "N", "of the random pixels: fewer make larger parts", &colours, 1, 256},
    };
    struct workload workload = {.name = "local_union_find",
                                .summary = "Labels connected parts of tiles in local memory.",
                                .size_help = "tiles of 16 x 16 pixels",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 512,
                                .size_small = 5,
                                .size_min = 1,
                                .size_max = 65536,
                                .iterations = 1,
                                .seed = 1};
    char build_options[64];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D VERSION=%u -D SIDE=%d", PIXELS,
             (unsigned)version, SIDE);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size * PIXELS;
    cl_uint *image = workload_random_words(&workload, count);
    cl_uint *found = workload_own_memory(&workload, count, sizeof *found);
    cl_uint *expected = workload_own_memory(&workload, count, sizeof *expected);
    bool right = true;

    for (size_t i = 0; i < count; i++)
        image[i] = (image[i] >> 8) % (cl_uint)colours;
    for (size_t tile = 0; tile < workload.size; tile++)
        label_tile(image + tile * PIXELS, expected + tile * PIXELS);
    cl_kernel kernel = workload_own_kernel(&workload, "label_all");
    cl_mem labels = workload_own_buffer(&workload, count * sizeof *found, NULL);
    workload_arguments(kernel, "bb",
                       workload_own_buffer(&workload, count * sizeof *image, image), labels);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run_items(&workload, kernel, count, PIXELS);
        workload_read(&workload, labels, found, count * sizeof *found);
        right = right && workload_is_equal("label", found, expected, count);
    }
    int status = workload_verdict(&workload, right, found, count * sizeof *found);

    workload_close(&workload);
    return status;
}
