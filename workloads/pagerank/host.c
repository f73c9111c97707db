/* SPDX-License-Identifier: MIT */
/* PageRank by work-groups that may steal tasks. The check: every task was done once in each round, and
 * ranks are those of a reference in double precision, within 1e-4. */
#include <stdio.h>

#include "graph.h"
#include "pagerank.cl.h"
#include "stealing.h"

enum { WORDS = sizeof(cl_uint) };
static const double damping = 0.85;

/* Ranks after so many rounds from equal ones. */
static double *ranks_of(struct workload *workload, const struct graph *graph, uint64_t rounds)
{
    double *rank = workload_own_memory(workload, graph->vertices, sizeof *rank);
    double *next = workload_own_memory(workload, graph->vertices, sizeof *next);

    for (cl_uint i = 0; i < graph->vertices; i++)
        rank[i] = 1.0 / graph->vertices;
    for (uint64_t round = 0; round < rounds; round++) {
        double *other = rank;

        for (cl_uint i = 0; i < graph->vertices; i++) {
            double sum = 0;

            for (cl_uint arc = graph->rows[i]; arc < graph->rows[i + 1]; arc++)
                sum += rank[graph->columns[arc]] / graph_degree(graph, graph->columns[arc]);
            next[i] = (1 - damping) / graph->vertices + damping * sum;
        }
        rank = next;
        next = other;
    }
    return rank;
}

int main(int argc, char **argv)
{
    struct stealing_choice choice = STEALING_DEFAULTS;
    uint64_t rounds = 3;
    const struct workload_option options[] = {
        STEALING_OPTIONS(&choice),
        {"rounds", "N", "a launch each", &rounds, 1, 1000},
    };
    struct workload workload = {.name = "pagerank",
                                .summary = "PageRank, by work-groups that may steal tasks.",
                                .size_help = "vertices of a made graph",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 31163,
                                .size_small = 1948,
                                .size_min = 1,
                                .size_max = 1u << 24,
                                .iterations = 1,
                                .seed = 1,
                                .file_help = "a graph instead: METIS, DIMACS or a list of edges"};
    char build_options[128];
    struct graph graph;
    struct stealing stealing;

    workload_parse(&workload, argc, argv);
    stealing_build_options(build_options, sizeof build_options, &choice);
    workload_open(&workload, kernel_source, build_options);
    graph_open(&workload, GRAPH_COAUTHORS, &graph);
    stealing_open(&stealing, &workload, &choice, graph.vertices);
    size_t bytes = graph.vertices * sizeof(float);
    float *part = workload_own_memory(&workload, graph.vertices, sizeof *part);
    float *gift = workload_own_memory(&workload, graph.vertices, sizeof *gift);
    float *rank = workload_own_memory(&workload, graph.vertices, sizeof *rank);
    for (cl_uint i = 0; i < graph.vertices; i++) {
        part[i] = graph_degree(&graph, i) == 0 ? 0.0f : 1.0f / graph_degree(&graph, i);
        gift[i] = part[i] / graph.vertices;
    }
    cl_mem rows = workload_own_buffer(&workload, (graph.vertices + 1) * WORDS, graph.rows);
    cl_mem columns = workload_own_buffer(&workload, (graph.arcs + 1) * WORDS, graph.columns);
    cl_mem parts = workload_own_buffer(&workload, bytes, part);
    cl_mem ranks = workload_own_buffer(&workload, bytes, NULL);
    cl_mem gifts[2] = {workload_own_buffer(&workload, bytes, NULL),
                       workload_own_buffer(&workload, bytes, NULL)};
    cl_kernel kernel = workload_own_kernel(&workload, "rank_all");
    const double *expected = ranks_of(&workload, &graph, rounds);
    bool right = true;

    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_write(&workload, gifts[0], gift, bytes);
        for (uint64_t round = 0; round < rounds; round++) {
            workload_arguments(kernel, "bbbbbbbbbbbuff", stealing.states_buffer,
                               stealing.tasks_buffer, stealing.first_buffer, stealing.log_buffer,
                               stealing.counts_buffer, rows, columns, parts, gifts[round % 2],
                               ranks, gifts[(round + 1) % 2], graph.vertices,
                               (1 - damping) / graph.vertices, damping);
            stealing_run(&stealing, kernel);
        }
        workload_read(&workload, ranks, rank, bytes);
        right = workload_is_close("rank", rank, expected, graph.vertices, 1e-4, 0) && right;
    }
    stealing_print(&stealing);
    int status = workload_verdict(&workload, right && stealing.right, rank, bytes);

    workload_close(&workload);
    return status;
}
