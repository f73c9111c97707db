/* SPDX-License-Identifier: MIT */
/* The most that flows from a grid's pixels to the sink, by push-relabel. The check is complete. What lies
 * on each pixel follows from its arcs, and no way is left from a pixel with excess to the sink. */
#include <stdio.h>
#include <string.h>

#include "exclusive.h"
#include "global_max_flow.cl.h"
#include "grid_flow.h"

enum { GROUP = 256, PAPER_WIDTH = 200, PAPER_HEIGHT = 150, ROUNDS = 8, RUNS_MAX = 10000 };

/* Until nothing can flow any more: pixels push and rise, then their heights are measured anew. */
static void run(struct workload *workload, struct grid *grid, const cl_mem *buffers)
{
    size_t bytes = grid->pixels * sizeof(cl_uint);
    cl_kernel push = workload_own_kernel(workload, "push");
    cl_kernel relabel = workload_own_kernel(workload, "relabel");

    for (int runs = 0; grid_measure(grid) && runs < RUNS_MAX; runs++) {
        workload_write(workload, buffers[3], grid->heights, bytes);
        for (int i = 0; i < ROUNDS; i++) {
            cl_mem heights = buffers[3 + i % 2], risen = buffers[4 - i % 2];

            workload_arguments(push, "bbbbb", buffers[0], buffers[1], buffers[2], buffers[5],
                               heights);
            workload_run_items(workload, push, grid->pixels, GROUP);
            workload_arguments(relabel, "bbbbb", buffers[0], buffers[1], buffers[2], heights,
                               risen);
            workload_run_items(workload, relabel, grid->pixels, GROUP);
        }
        workload_read(workload, buffers[0], grid->excess, bytes);
        workload_read(workload, buffers[1], grid->arcs, 4 * bytes);
        workload_read(workload, buffers[2], grid->sinks, bytes);
    }
}

int main(int argc, char **argv)
{
    uint64_t version = EXCLUSIVE_FINE, paper = 0;
    const struct workload_option options[] = {EXCLUSIVE_OPTIONS(&version, &paper)};
    struct workload workload = {.name = "global_max_flow",
                                .summary = "Push-relabel on a grid in global memory.",
                                EXCLUSIVE_WORKLOAD(options, "pixels on a side", 96, 48, 4096)};
    struct grid start, found;
    char build_options[120];
    bool right = true;

    workload_parse(&workload, argc, argv);
    cl_uint width = paper != 0 ? PAPER_WIDTH : (cl_uint)workload.size;
    cl_uint height = paper != 0 ? PAPER_HEIGHT : (cl_uint)workload.size;
    snprintf(build_options, sizeof build_options,
             "-D GROUP=%d -D VERSION=%u -D WIDTH=%u -D PIXELS=%uu", GROUP, (unsigned)version, width,
             width * height);
    workload_open(&workload, kernel_source, build_options);
    grid_make(&workload, &start, width, height);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        grid_make(&workload, &found, width, height);
        size_t bytes = found.pixels * sizeof(cl_uint);
        cl_mem buffers[] = {workload_own_buffer(&workload, bytes, found.excess),
                            workload_own_buffer(&workload, 4 * bytes, found.arcs),
                            workload_own_buffer(&workload, bytes, found.sinks),
                            workload_own_buffer(&workload, bytes, NULL),
                            workload_own_buffer(&workload, bytes, NULL),
                            workload_own_buffer(&workload, bytes, found.heights)};
        run(&workload, &found, buffers);
        right = right && !grid_measure(&found) && grid_follows(&found, &start);
    }
    int status = workload_verdict(&workload, right, start.excess, start.pixels * sizeof(cl_uint));

    workload_close(&workload);
    return status;
}
