/* SPDX-License-Identifier: MIT */
/* Shortest paths from vertex 0 by work-groups that may steal tasks. The check: every task was done once in
 * each round. Distances are those of as many rounds one vertex after the other, and at the end Dijkstra's. */
#include <stdio.h>

#include "graph.h"
#include "graph_paths.h"
#include "sssp.cl.h"
#include "stealing.h"

enum { WORDS = sizeof(cl_uint) };

int main(int argc, char **argv)
{
    struct stealing_choice choice = STEALING_DEFAULTS;
    uint64_t rounds = 20, skip = 0;
    const struct workload_option options[] = {
        STEALING_OPTIONS(&choice),
        {"rounds", "N", "at most, a launch each; 0: until no way is shorter", &rounds, 0, 1u << 24},
        {"skip", "N", "rounds that the host does before", &skip, 0, 1u << 24},
    };
    struct workload workload = {.name = "sssp",
                                .summary = "Shortest paths, by work-groups that may steal tasks.",
                                .size_help = "vertices of a made graph",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 20080,
                                .size_small = 400,
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
    graph_open(&workload, GRAPH_ROADS, &graph);
    stealing_open(&stealing, &workload, &choice, graph.vertices);
    size_t bytes = graph.vertices * WORDS;
    cl_uint *start = workload_own_memory(&workload, graph.vertices, WORDS);
    cl_uint *expected = workload_own_memory(&workload, graph.vertices, WORDS);
    cl_uint *found = workload_own_memory(&workload, graph.vertices, WORDS);
    graph_relax(&workload, &graph, skip, start);
    cl_mem rows = workload_own_buffer(&workload, (graph.vertices + 1) * WORDS, graph.rows);
    cl_mem columns = workload_own_buffer(&workload, (graph.arcs + 1) * WORDS, graph.columns);
    cl_mem weights = workload_own_buffer(&workload, (graph.arcs + 1) * WORDS, graph.weights);
    cl_mem changed = workload_own_buffer(&workload, WORDS, NULL);
    cl_mem distances[2] = {workload_own_buffer(&workload, bytes, NULL),
                           workload_own_buffer(&workload, bytes, NULL)};
    cl_kernel kernel = workload_own_kernel(&workload, "relax_all");
    bool right = true;

    for (uint64_t i = 0; i < workload.iterations; i++) {
        cl_uint more;
        uint64_t round = 0;

        workload_write(&workload, distances[0], start, bytes);
        do {
            more = 0;
            workload_write(&workload, changed, &more, WORDS);
            workload_arguments(kernel, "bbbbbbbbbbbu", stealing.states_buffer,
                               stealing.tasks_buffer, stealing.first_buffer, stealing.log_buffer,
                               stealing.counts_buffer, rows, columns, weights,
                               distances[round % 2], distances[(round + 1) % 2], changed,
                               graph.vertices);
            stealing_run(&stealing, kernel);
            workload_read(&workload, changed, &more, WORDS);
        } while (++round != rounds && more && stealing.right);
        workload_read(&workload, distances[round % 2], found, bytes);
        if (more)
            graph_relax(&workload, &graph, skip + round, expected);
        else
            graph_shortest_paths(&workload, &graph, expected);
        right = workload_is_equal("distance", found, expected, graph.vertices) && right;
    }
    stealing_print(&stealing);
    int status = workload_verdict(&workload, right && stealing.right, found, bytes);

    workload_close(&workload);
    return status;
}
