/* SPDX-License-Identifier: MIT */
/* Distances from vertex 0, for those who check them; UINT32_MAX where there is no way. */
#ifndef GRAPH_PATHS_H
#define GRAPH_PATHS_H

#include "graph.h"

/* After so many rounds in each of which every vertex looks at its neighbours' distances of the round before. */
void graph_relax(struct workload *workload, const struct graph *graph, uint64_t rounds,
                 cl_uint *distance);
/* The shortest, by Dijkstra's algorithm. */
void graph_shortest_paths(struct workload *workload, const struct graph *graph, cl_uint *distance);

#endif
