/* SPDX-License-Identifier: MIT */
#include "graph_paths.h"

#include <stdlib.h>
#include <string.h>

static void start_at_first(const struct graph *graph, cl_uint *distance)
{
    memset(distance, 0xff, graph->vertices * sizeof *distance);
    distance[0] = 0;
}

static cl_uint add(cl_uint distance, cl_uint way)
{
    return distance > UINT32_MAX - way ? UINT32_MAX : distance + way;
}

void graph_relax(struct workload *workload, const struct graph *graph, uint64_t rounds,
                 cl_uint *distance)
{
    cl_uint *before = workload_allocate(graph->vertices, sizeof *before);
    bool changed = true;

    start_at_first(graph, distance);
    for (uint64_t round = 0; round < rounds && changed; round++) {
        changed = false;
        memcpy(before, distance, graph->vertices * sizeof *before);
        for (cl_uint i = 0; i < graph->vertices; i++)
            for (cl_uint arc = graph->rows[i]; arc < graph->rows[i + 1]; arc++) {
                cl_uint length = add(before[graph->columns[arc]], graph->weights[arc]);

                if (length < distance[i]) {
                    distance[i] = length;
                    changed = true;
                }
            }
    }
    free(before);
}

/* A binary heap of (distance, vertex); a vertex may be in it several times, the least counts. */
struct entry {
    cl_uint distance, vertex;
};

static void push(struct entry *heap, size_t *count, struct entry entry)
{
    size_t at = (*count)++;

    while (at > 0 && heap[(at - 1) / 2].distance > entry.distance) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

static struct entry pop(struct entry *heap, size_t *count)
{
    struct entry top = heap[0], last = heap[--*count];
    size_t at = 0, child;

    while ((child = 2 * at + 1) < *count) {
        child += child + 1 < *count && heap[child + 1].distance < heap[child].distance;
        if (heap[child].distance >= last.distance)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

void graph_shortest_paths(struct workload *workload, const struct graph *graph, cl_uint *distance)
{
    struct entry *heap = workload_allocate((size_t)graph->arcs + 2, sizeof *heap);
    size_t count = 0;

    start_at_first(graph, distance);
    push(heap, &count, (struct entry){0, 0});
    while (count > 0) {
        struct entry nearest = pop(heap, &count);

        if (nearest.distance != distance[nearest.vertex])
            continue;
        for (cl_uint arc = graph->rows[nearest.vertex]; arc < graph->rows[nearest.vertex + 1]; arc++) {
            cl_uint other = graph->columns[arc], length = add(nearest.distance, graph->weights[arc]);

            if (length < distance[other]) {
                distance[other] = length;
                push(heap, &count, (struct entry){length, other});
            }
        }
    }
    free(heap);
}
