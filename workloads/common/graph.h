/* SPDX-License-Identifier: MIT */
/*
 * Graphs for the programs that walk them: compressed rows of neighbours, read from a file or made from a seed.
 *
 * Files are METIS, DIMACS shortest paths or an edge list. METIS: a header "vertices edges [format [constraints]]", then a line of
 * neighbours for each vertex, from 1. An empty line is a vertex without any. DIMACS: "p sp vertices arcs", "a from to weight".
 * Edge list: two numbers a line, from 0, in any order of vertices; "#" begins a comment. Which one it is, the text tells. All
 * become undirected: an edge has an arc each way. Loops and repeated edges are dropped.
 *
 * Made graphs have the degrees of the graphs that the field measures, not their clustering:
 *   coauthors  cond-mat-2003: 31,163 vertices, 240,058 arcs; the degrees of its successor ca-CondMat (SNAP)
 *   routers    caidaRouterLevel: 192,244 vertices, 1,218,132 arcs, a power law up to degree 1,071
 *   roads      USA-road-d.BAY: 321,270 vertices, 800,172 arcs; a grid of streets, numbered along the streets, with lengths
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "workload.h"

struct graph {
    cl_uint vertices, arcs;
    cl_uint *rows;    /* vertices + 1: where a vertex's neighbours begin */
    cl_uint *columns; /* arcs: neighbours, ascending within a row */
    cl_uint *weights; /* arcs: the same for both arcs of an edge; 1 where a file has none */
};

enum graph_shape { GRAPH_COAUTHORS, GRAPH_ROUTERS, GRAPH_ROADS };

struct edge {
    cl_uint from, to, weight;
};

/* All memory belongs to the workload. A file that cannot be read ends the program. */
void graph_read(struct workload *workload, const char *path, struct graph *graph);
/* `vertices` of the shape, from the workload's seed. */
void graph_make(struct workload *workload, enum graph_shape shape, cl_uint vertices,
                struct graph *graph);
/* From edges, each once and either way; they are sorted. */
void graph_from_edges(struct workload *workload, cl_uint vertices, struct edge *edges, size_t count,
                      struct graph *graph);
/* The workload's file, or a made graph of the workload's size. With --verbose it prints what it is: degrees, and how
 * uneven the arcs are over chunks of vertices. */
void graph_open(struct workload *workload, enum graph_shape shape, struct graph *graph);

static inline cl_uint graph_degree(const struct graph *graph, cl_uint vertex)
{
    return graph->rows[vertex + 1] - graph->rows[vertex];
}

#endif
