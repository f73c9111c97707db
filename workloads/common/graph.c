/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <stdio.h>
#include <stdlib.h>

static int compare_arcs(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->weight > b->weight) - (a->weight < b->weight);
}

/* Sorts arcs and drops loops and all but the lightest of equal ones; returns how many stay. */
static size_t tidy_arcs(struct edge *arcs, size_t count)
{
    size_t kept = 0;

    qsort(arcs, count, sizeof *arcs, compare_arcs);
    for (size_t i = 0; i < count; i++) {
        bool is_again = kept > 0 && arcs[kept - 1].from == arcs[i].from &&
                        arcs[kept - 1].to == arcs[i].to;
        if (arcs[i].from != arcs[i].to && !is_again)
            arcs[kept++] = arcs[i];
    }
    return kept;
}

void graph_from_edges(struct workload *workload, cl_uint vertices, struct edge *edges, size_t count,
                      struct graph *graph)
{
    struct edge *arcs = workload_allocate(2 * count + 1, sizeof *arcs);

    for (size_t i = 0; i < count; i++) {
        if (edges[i].from >= vertices || edges[i].to >= vertices)
            workload_fail("an edge between %u and %u, but there are %u vertices", edges[i].from,
                          edges[i].to, vertices);
        arcs[2 * i] = edges[i];
        arcs[2 * i + 1] = (struct edge){edges[i].to, edges[i].from, edges[i].weight};
    }
    size_t kept = tidy_arcs(arcs, 2 * count);
    graph->vertices = vertices;
    graph->arcs = (cl_uint)kept;
    graph->rows = workload_own_memory(workload, vertices + 1, sizeof *graph->rows);
    graph->columns = workload_own_memory(workload, kept + 1, sizeof *graph->columns);
    graph->weights = workload_own_memory(workload, kept + 1, sizeof *graph->weights);
    for (size_t i = 0; i < kept; i++) {
        graph->rows[arcs[i].from + 1]++;
        graph->columns[i] = arcs[i].to;
        graph->weights[i] = arcs[i].weight;
    }
    for (cl_uint i = 0; i < vertices; i++)
        graph->rows[i + 1] += graph->rows[i];
    free(arcs);
}

/* The most arcs of a chunk of so many vertices over the mean: what work-stealing can even out. */
static double chunk_imbalance(const struct graph *graph, cl_uint chunk)
{
    cl_uint max = 0, chunks = (graph->vertices + chunk - 1) / chunk;

    for (cl_uint i = 0; i < chunks; i++) {
        cl_uint first = i * chunk;
        cl_uint end = first + chunk < graph->vertices ? first + chunk : graph->vertices;
        cl_uint arcs = graph->rows[end] - graph->rows[first];

        max = arcs > max ? arcs : max;
    }
    return graph->arcs == 0 ? 1.0 : (double)max * chunks / graph->arcs;
}

static int compare_words(const void *left, const void *right)
{
    cl_uint a = *(const cl_uint *)left, b = *(const cl_uint *)right;

    return (a > b) - (a < b);
}

static void print_graph(const struct graph *graph)
{
    cl_uint *degrees = workload_allocate(graph->vertices, sizeof *degrees);

    for (cl_uint i = 0; i < graph->vertices; i++)
        degrees[i] = graph_degree(graph, i);
    qsort(degrees, graph->vertices, sizeof *degrees, compare_words);
    printf("graph: %u vertices, %u arcs; degrees: mean %.2f, median %u, 90 %% %u, 99 %% %u, most %u\n",
           graph->vertices, graph->arcs, (double)graph->arcs / graph->vertices,
           degrees[graph->vertices / 2], degrees[(uint64_t)graph->vertices * 9 / 10],
           degrees[(uint64_t)graph->vertices * 99 / 100], degrees[graph->vertices - 1]);
    printf("graph: most arcs of a chunk over the mean: %.2f of 64 vertices, %.2f of 256\n",
           chunk_imbalance(graph, 64), chunk_imbalance(graph, 256));
    free(degrees);
}

void graph_open(struct workload *workload, enum graph_shape shape, struct graph *graph)
{
    if (workload->file != NULL)
        graph_read(workload, workload->file, graph);
    else
        graph_make(workload, shape, (cl_uint)workload->size, graph);
    if (workload->verbose)
        print_graph(graph);
}
