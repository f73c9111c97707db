/* SPDX-License-Identifier: MIT */
/* A grid of pixels, each with an excess, an arc with room to each neighbour, and one to the sink. For programs that let the excess
 * flow, and their checks. */
#ifndef GRID_FLOW_H
#define GRID_FLOW_H

#include "workload.h"

/* Arcs of a pixel: right, left, below, above; the one back has the lowest bit of the number changed. */
struct grid {
    cl_uint *excess, *arcs, *sinks, *heights, *queue;
    cl_uint width, pixels;
};

/* From the workload's seed: more pixels with excess on the left, more with ways to the sink on the right. */
void grid_make(struct workload *workload, struct grid *grid, cl_uint width, cl_uint height);
/* Heights become distances to the sink along arcs with room; whether any excess can still flow. */
bool grid_measure(struct grid *grid);
/* Whether `found` comes from `start` by flows alone: what lies on each pixel follows from its arcs. */
bool grid_follows(const struct grid *found, const struct grid *start);

#endif
