/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* A uniform number of [0, 1), with 24 bits: the same on every machine. */
static double uniform(uint64_t *state)
{
    return (double)(workload_random(state) >> 40) / 16777216.0;
}

static cl_uint below(uint64_t *state, cl_uint limit)
{
    return (cl_uint)((workload_random(state) >> 32) * limit >> 32);
}

/* Degrees of ca-CondMat (Leskovec, Kleinberg, Faloutsos, 2007; SNAP). First the share of vertices with at most so many
 * neighbours, counted for 1 to 8. Then the 90th and 99th percentiles and the largest. */
static const struct {
    double share, degree;
} coauthors[] = {{0.0, 1},    {0.1026, 1}, {0.2413, 2}, {0.3670, 3}, {0.4685, 4}, {0.5502, 5},
                 {0.6169, 6}, {0.6726, 7}, {0.7171, 8}, {0.90, 18},  {0.99, 50},  {1.0, 279}};

static cl_uint coauthor_degree(double share)
{
    unsigned i = 1;

    while (share > coauthors[i].share)
        i++;
    if (i <= 8)
        return (cl_uint)coauthors[i].degree;
    /* Between two of these the inverse of the degree falls evenly. */
    double part = (share - coauthors[i - 1].share) / (coauthors[i].share - coauthors[i - 1].share);
    double low = coauthors[i - 1].degree, high = coauthors[i].degree;
    return (cl_uint)(low * high / (high - part * (high - low)));
}

/* A power law whose exponent is 7/3, from 1 to 1,071 neighbours. Its inverse: degree = least / (1 - share)^(3/4), by square
 * roots, which are the same on every machine. */
static cl_uint router_degree(double share)
{
    double root = sqrt(1.0 - share), degree = 1.9 / (root * sqrt(root));

    return degree > 1071.0 ? 1071 : (cl_uint)degree;
}

/* Joins the ends of as many half edges as each vertex has neighbours, at random. */
static void make_from_degrees(struct workload *workload, cl_uint vertices,
                              cl_uint (*degree_of)(double share), struct graph *graph)
{
    uint64_t state = workload->seed * 2 + 1;
    cl_uint *degrees = workload_allocate(vertices, sizeof *degrees);
    size_t ends = 0, at = 0;

    for (cl_uint i = 0; i < vertices; i++)
        ends += degrees[i] = degree_of(uniform(&state));
    cl_uint *owner = workload_allocate(ends + 1, sizeof *owner);
    for (cl_uint i = 0; i < vertices; i++)
        for (cl_uint j = 0; j < degrees[i]; j++)
            owner[at++] = i;
    for (size_t i = ends; i > 1; i--) {
        size_t j = below(&state, (cl_uint)i);
        cl_uint other = owner[j];
        owner[j] = owner[i - 1];
        owner[i - 1] = other;
    }
    struct edge *edges = workload_allocate(ends / 2 + 1, sizeof *edges);
    for (size_t i = 0; i < ends / 2; i++)
        edges[i] = (struct edge){owner[2 * i], owner[2 * i + 1], 1 + below(&state, 100)};
    graph_from_edges(workload, vertices, edges, ends / 2, graph);
    free(edges);
    free(owner);
    free(degrees);
}

static cl_uint root_of(cl_uint *parent, cl_uint vertex)
{
    while (parent[vertex] != vertex)
        vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
}

/* Streets of a grid that are there: a tree that reaches all crossings, with few crossings of four. Then others are added
 * until a crossing has 2.49 streets at the mean. Dead ends are joined last. */
struct streets {
    struct edge *edges; /* of the whole grid, in random order */
    size_t count;
    cl_uint *degree;
    bool *is_there;
};

static void choose_tree(struct streets *streets, cl_uint vertices)
{
    cl_uint *parent = workload_allocate(vertices, sizeof *parent);

    for (cl_uint i = 0; i < vertices; i++)
        parent[i] = i;
    for (unsigned max = 3; max <= 4; max++)
        for (size_t i = 0; i < streets->count; i++) {
            struct edge *edge = &streets->edges[i];
            cl_uint a = root_of(parent, edge->from), b = root_of(parent, edge->to);

            if (a == b || streets->degree[edge->from] >= max || streets->degree[edge->to] >= max)
                continue;
            parent[a] = b;
            streets->is_there[i] = true;
            streets->degree[edge->from]++;
            streets->degree[edge->to]++;
        }
    free(parent);
}

static size_t choose_others(struct streets *streets, size_t wanted, size_t have)
{
    for (unsigned max = 2; max <= 3; max++)
        for (size_t i = 0; i < streets->count && have < wanted; i++) {
            struct edge *edge = &streets->edges[i];

            if (streets->is_there[i] || streets->degree[edge->from] > max ||
                streets->degree[edge->to] > max)
                continue;
            streets->is_there[i] = true;
            streets->degree[edge->from]++;
            streets->degree[edge->to]++;
            have++;
        }
    return have;
}

static void make_roads(struct workload *workload, cl_uint vertices, struct graph *graph)
{
    uint64_t state = workload->seed * 2 + 1;
    cl_uint side = (cl_uint)sqrt((double)vertices);
    struct streets streets = {.edges = workload_allocate(2 * (size_t)vertices, sizeof(struct edge)),
                              .degree = workload_allocate(vertices, sizeof(cl_uint)),
                              .is_there = workload_allocate(2 * (size_t)vertices, sizeof(bool))};

    memset(streets.degree, 0, vertices * sizeof *streets.degree);
    memset(streets.is_there, 0, 2 * (size_t)vertices * sizeof *streets.is_there);
    for (cl_uint i = 0; i < vertices; i++) {
        cl_uint length = 100 + below(&state, 9900);

        if (i % side != side - 1 && i + 1 < vertices)
            streets.edges[streets.count++] = (struct edge){i, i + 1, length};
        if (i + side < vertices)
            streets.edges[streets.count++] = (struct edge){i, i + side, length / 2 + 50};
    }
    for (size_t i = streets.count; i > 1; i--) {
        size_t j = below(&state, (cl_uint)i);
        struct edge other = streets.edges[j];
        streets.edges[j] = streets.edges[i - 1];
        streets.edges[i - 1] = other;
    }
    choose_tree(&streets, vertices);
    choose_others(&streets, (size_t)(1.245 * vertices), vertices - 1);
    size_t kept = 0;
    for (size_t i = 0; i < streets.count; i++)
        if (streets.is_there[i])
            streets.edges[kept++] = streets.edges[i];
    graph_from_edges(workload, vertices, streets.edges, kept, graph);
    free(streets.edges);
    free(streets.degree);
    free(streets.is_there);
}

void graph_make(struct workload *workload, enum graph_shape shape, cl_uint vertices,
                struct graph *graph)
{
    if (shape == GRAPH_ROADS)
        make_roads(workload, vertices, graph);
    else
        make_from_degrees(workload, vertices,
                          shape == GRAPH_COAUTHORS ? coauthor_degree : router_degree, graph);
}
