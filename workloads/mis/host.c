/* SPDX-License-Identifier: MIT */
/* A maximal independent set by work-groups that may steal tasks. The check: every task was done once in
 * each round. The set is the one that taking vertices in the order of their priorities gives. */
#include <stdio.h>

#include "graph.h"
#include "mis.cl.h"
#include "stealing.h"

enum { UNDECIDED, IN, OUT, WORDS = sizeof(cl_uint) };

/* Priorities are a permutation; by_priority has the vertices from the highest down. */
static void draw_priorities(struct workload *workload, cl_uint count, cl_uint *priority,
                            cl_uint *by_priority)
{
    uint64_t state = workload->seed * 2 + 2;

    for (cl_uint i = 0; i < count; i++)
        by_priority[i] = i;
    for (cl_uint i = count; i > 1; i--) {
        cl_uint j = (cl_uint)(workload_random(&state) % i), other = by_priority[j];
        by_priority[j] = by_priority[i - 1];
        by_priority[i - 1] = other;
    }
    for (cl_uint i = 0; i < count; i++)
        priority[by_priority[i]] = count - i;
}

static void choose_greedily(const struct graph *graph, const cl_uint *by_priority, cl_uint *state)
{
    for (cl_uint i = 0; i < graph->vertices; i++) {
        cl_uint vertex = by_priority[i];

        if (state[vertex] != UNDECIDED)
            continue;
        state[vertex] = IN;
        for (cl_uint arc = graph->rows[vertex]; arc < graph->rows[vertex + 1]; arc++)
            state[graph->columns[arc]] = OUT;
    }
}

int main(int argc, char **argv)
{
    struct stealing_choice choice = STEALING_DEFAULTS;
    const struct workload_option options[] = {STEALING_OPTIONS(&choice)};
    struct workload workload = {.name = "mis",
                                .summary = "A maximal independent set, by groups that may steal tasks.",
                                .size_help = "vertices of a made graph",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 48000,
                                .size_small = 3000,
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
    graph_open(&workload, GRAPH_ROUTERS, &graph);
    stealing_open(&stealing, &workload, &choice, graph.vertices);
    size_t bytes = graph.vertices * WORDS;
    cl_uint *priority = workload_own_memory(&workload, graph.vertices, WORDS);
    cl_uint *by_priority = workload_own_memory(&workload, graph.vertices, WORDS);
    cl_uint *found = workload_own_memory(&workload, graph.vertices, WORDS);
    cl_uint *expected = workload_own_memory(&workload, graph.vertices, WORDS);
    cl_uint *nothing = workload_own_memory(&workload, graph.vertices, WORDS);
    draw_priorities(&workload, graph.vertices, priority, by_priority);
    choose_greedily(&graph, by_priority, expected);
    cl_mem rows = workload_own_buffer(&workload, (graph.vertices + 1) * WORDS, graph.rows);
    cl_mem columns = workload_own_buffer(&workload, (graph.arcs + 1) * WORDS, graph.columns);
    cl_mem priorities = workload_own_buffer(&workload, bytes, priority);
    cl_mem undecided = workload_own_buffer(&workload, WORDS, NULL);
    cl_mem states[2] = {workload_own_buffer(&workload, bytes, NULL),
                        workload_own_buffer(&workload, bytes, NULL)};
    cl_kernel kernel = workload_own_kernel(&workload, "decide_all");
    bool right = true;

    for (uint64_t i = 0; i < workload.iterations; i++) {
        cl_uint rounds = 0, more;

        workload_write(&workload, states[0], nothing, bytes);
        do {
            more = 0;
            workload_write(&workload, undecided, &more, WORDS);
            workload_arguments(kernel, "bbbbbbbbbbbu", stealing.states_buffer,
                               stealing.tasks_buffer, stealing.first_buffer, stealing.log_buffer,
                               stealing.counts_buffer, rows, columns, priorities,
                               states[rounds % 2], states[(rounds + 1) % 2], undecided,
                               graph.vertices);
            stealing_run(&stealing, kernel);
            workload_read(&workload, undecided, &more, WORDS);
        } while (++rounds < graph.vertices && more && stealing.right);
        workload_read(&workload, states[rounds % 2], found, bytes);
        right = workload_is_equal("state", found, expected, graph.vertices) && right;
    }
    stealing_print(&stealing);
    int status = workload_verdict(&workload, right && stealing.right, found, bytes);

    workload_close(&workload);
    return status;
}
