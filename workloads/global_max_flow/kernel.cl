/* SPDX-License-Identifier: MIT */
/* Push-relabel on a grid: each pixel has an arc to each neighbour and one to the sink. A push moves excess along an arc to a pixel
 * that lies one lower, as one section; heights do not change while pixels push. */
#include "exclusive.cl"

/* Arcs: right, left, below, above; the one back has the lowest bit of the number changed. */
static inline uint neighbour(uint here, uint arc)
{
    return arc == 0 ? here + 1 : arc == 1 ? here - 1 : arc == 2 ? here + WIDTH : here - WIDTH;
}

static inline bool has_arc(uint here, uint arc)
{
    uint x = here % WIDTH;

    return arc == 0 ? x + 1 < WIDTH : arc == 1 ? x > 0 : arc == 2 ? here + WIDTH < PIXELS : here >= WIDTH;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
push(global_words excess, global_words arcs, global_words sinks, global_words locks,
     __global const uint *heights)
{
    uint here = get_global_id(0);

    if (here >= PIXELS || excess[here] == 0 || heights[here] >= PIXELS)
        return;
    if (heights[here] == 1 && sinks[here] != 0) {
        uint kept = 0;

        EXCLUSIVE(locks, here, kept, {
            uint flow = min(excess[here], sinks[here]);
            excess[here] -= flow;
            sinks[here] -= flow;
        });
    }
    for (uint arc = 0; arc < 4; arc++) {
        uint there = neighbour(here, arc), kept = 0;

        if (!has_arc(here, arc) || heights[here] != heights[there] + 1 || arcs[4 * here + arc] == 0 ||
            excess[here] == 0)
            continue;
        EXCLUSIVE_PAIR(locks, here, there, kept, {
            uint flow = min(excess[here], arcs[4 * here + arc]);
            if (flow != 0) {
                excess[here] -= flow;
                arcs[4 * here + arc] -= flow;
                excess[there] += flow;
                arcs[4 * there + (arc ^ 1)] += flow;
            }
        });
    }
}

/* A pixel with excess that cannot push rises above its lowest neighbour that has room. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
relabel(__global const uint *excess, __global const uint *arcs, __global const uint *sinks,
        __global const uint *heights, __global uint *risen)
{
    uint here = get_global_id(0), least = PIXELS;

    if (here >= PIXELS)
        return;
    if (sinks[here] != 0)
        least = 0;
    for (uint arc = 0; arc < 4; arc++)
        if (has_arc(here, arc) && arcs[4 * here + arc] != 0)
            least = min(least, heights[neighbour(here, arc)]);
    risen[here] = excess[here] != 0 && least >= heights[here] ? min(least + 1, (uint)PIXELS) : heights[here];
}
