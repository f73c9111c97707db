/* SPDX-License-Identifier: MIT */
/* Shortest ways between all pairs of nodes, through the first `passes` nodes. The check is exact.
 */
#include <string.h>

#include "floyd_warshall.cl.h"
#include "workload.h"

enum { TILE = 16, LONGEST_EDGE = 200 };

struct ways {
    cl_uint *distance, *next; /* row by row */
    size_t nodes;
};

static void shorten(const struct ways *ways, size_t passes)
{
    size_t nodes = ways->nodes;

    for (size_t through = 0; through < passes; through++)
        for (size_t row = 0; row < nodes; row++)
            for (size_t column = 0; column < nodes; column++) {
                cl_uint found = ways->distance[row * nodes + through] +
                                ways->distance[through * nodes + column];
                if (found < ways->distance[row * nodes + column]) {
                    ways->distance[row * nodes + column] = found;
                    ways->next[row * nodes + column] = (cl_uint)through;
                }
            }
}

static void run(struct workload *workload, const struct ways *ways, size_t passes)
{
    size_t nodes = ways->nodes, bytes = nodes * nodes * sizeof(cl_uint);
    size_t edge = workload_round_up(nodes, TILE), global[2] = {edge, edge}, group[2] = {TILE, TILE};
    cl_mem distance = workload_own_buffer(workload, bytes, NULL);
    cl_mem next = workload_own_buffer(workload, bytes, NULL);
    cl_kernel kernel = workload_own_kernel(workload, "shorten");

    for (uint64_t i = 0; i < workload->iterations; i++) {
        workload_write(workload, distance, ways->distance, bytes);
        workload_write(workload, next, ways->next, bytes);
        for (size_t through = 0; through < passes; through++) {
            workload_arguments(kernel, "bbuu", distance, next, (cl_uint)nodes, (cl_uint)through);
            workload_run(workload, kernel, 2, global, group);
        }
    }
    workload_read(workload, distance, ways->distance, bytes);
    workload_read(workload, next, ways->next, bytes);
}

int main(int argc, char **argv)
{
    uint64_t passes = 24;
    const struct workload_option options[] = {
        {"passes", "N", "nodes that ways may lead through; 0: all", &passes, 0, 1u << 12}};
    struct workload workload = {.name = "floyd_warshall",
                                .summary = "Shortest ways between all pairs of nodes of a graph.",
                                .size_help = "nodes",
                                .options = options,
                                .option_count = 1,
                                .size = 320,
                                .size_min = 1,
                                .size_max = 1u << 12,
                                .size_small = 64,
                                .iterations = 1,
                                .seed = 1};

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "");
    size_t nodes = workload.size, count = nodes * nodes;
    if (passes == 0 || passes > nodes)
        passes = nodes;
    /* Distances, then the nodes that the ways lead through. */
    cl_uint *device = workload_random_words(&workload, 2 * count);
    cl_uint *host = workload_own_memory(&workload, 2 * count, sizeof *host);

    for (size_t i = 0; i < count; i++) {
        device[i] = i / nodes == i % nodes ? 0 : device[i] % LONGEST_EDGE;
        device[count + i] = (cl_uint)(i % nodes);
    }
    memcpy(host, device, 2 * count * sizeof *host);
    shorten(&(struct ways){host, host + count, nodes}, passes);
    run(&workload, &(struct ways){device, device + count, nodes}, passes);
    bool right = workload_is_equal("distance or node", device, host, 2 * count);
    int status = workload_verdict(&workload, right, device, 2 * count * sizeof *device);
    workload_close(&workload);
    return status;
}
