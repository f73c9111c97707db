/* SPDX-License-Identifier: MIT */
#include "grid_flow.h"

static bool step(const struct grid *grid, cl_uint here, cl_uint arc, cl_uint *there)
{
    const cl_uint to[] = {here + 1, here - 1, here + grid->width, here - grid->width};
    cl_uint x = here % grid->width;

    *there = to[arc];
    return arc == 0 ? x + 1 < grid->width : arc == 1 ? x > 0 : *there < grid->pixels;
}

bool grid_measure(struct grid *grid)
{
    cl_uint count = 0, there;
    bool can_flow = false;

    for (cl_uint i = 0; i < grid->pixels; i++) {
        grid->heights[i] = grid->sinks[i] != 0 ? 1 : grid->pixels;
        if (grid->sinks[i] != 0)
            grid->queue[count++] = i;
    }
    for (cl_uint i = 0; i < count; i++)
        for (cl_uint arc = 0; arc < 4; arc++)
            if (step(grid, grid->queue[i], arc, &there) && grid->heights[there] == grid->pixels &&
                grid->arcs[4 * there + (arc ^ 1)] != 0) {
                grid->heights[there] = grid->heights[grid->queue[i]] + 1;
                grid->queue[count++] = there;
            }
    for (cl_uint i = 0; i < grid->pixels; i++)
        can_flow |= grid->excess[i] != 0 && grid->heights[i] < grid->pixels;
    return can_flow;
}

bool grid_follows(const struct grid *found, const struct grid *start)
{
    for (cl_uint i = 0; i < found->pixels; i++) {
        cl_uint balance = start->excess[i] - (start->sinks[i] - found->sinks[i]), there;

        for (cl_uint arc = 0; arc < 4; arc++) {
            cl_uint a = 4 * i + arc;

            if (!step(found, i, arc, &there))
                continue;
            balance += found->arcs[a] - start->arcs[a];
            if (found->arcs[a] + found->arcs[4 * there + (arc ^ 1)] !=
                start->arcs[a] + start->arcs[4 * there + (arc ^ 1)])
                return false;
        }
        if (balance != found->excess[i] || found->sinks[i] > start->sinks[i])
            return false;
    }
    return true;
}

void grid_make(struct workload *workload, struct grid *grid, cl_uint width, cl_uint height)
{
    uint64_t seed = workload->seed;

    *grid = (struct grid){.width = width, .pixels = width * height};
    grid->excess = workload_own_memory(workload, grid->pixels, 8 * sizeof(cl_uint));
    grid->sinks = grid->excess + grid->pixels;
    grid->heights = grid->sinks + grid->pixels;
    grid->queue = grid->heights + grid->pixels;
    grid->arcs = grid->queue + grid->pixels;
    for (cl_uint i = 0; i < grid->pixels; i++) {
        cl_uint *terminal = workload_random(&seed) % width < i % width ? grid->sinks : grid->excess;
        cl_uint there;

        terminal[i] = (cl_uint)(workload_random(&seed) % 100);
        for (cl_uint arc = 0; arc < 4; arc++)
            if (step(grid, i, arc, &there))
                grid->arcs[4 * i + arc] = 1 + (cl_uint)(workload_random(&seed) % 40);
    }
}
