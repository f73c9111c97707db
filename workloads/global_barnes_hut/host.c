/* SPDX-License-Identifier: MIT */
/* An octree of bodies at distinct places. Its shape does not depend on the order of insertions, and
 * is checked in full. Each body is there once, in its cell, and each node but the root has two
 * bodies or more below it. */
#include <stdio.h>
#include <string.h>

#include "exclusive.h"
#include "global_barnes_hut.cl.h"

enum { GROUP = 256, DEPTHS = 10, PAPER_BODIES = 30000, PAPER_ITEMS = 60 * 288 };
#define NODE 0x80000000u

struct tree {
    const cl_uint *children, *codes;
    cl_uint *seen;
    cl_uint bodies, nodes;
};

/* A permutation of the 2^30 places: numbers far apart, no two the same. */
static cl_uint place_of(cl_uint x)
{
    const cl_uint mask = (1u << 30) - 1;

    x = (x * 0x2c1b3c6du) & mask;
    x ^= x >> 15;
    x = (x * 0x297a2d39u) & mask;
    return x ^ x >> 15;
}

/* Bodies below a node at this depth, whose cell has the code `prefix`; -1: something is wrong. */
static long count_bodies(const struct tree *tree, cl_uint node, unsigned depth, cl_uint prefix)
{
    long total = 0;

    if (node >= tree->nodes || depth >= DEPTHS)
        return -1;
    for (cl_uint i = 0; i < 8; i++) {
        cl_uint child = tree->children[8 * node + i], cell = prefix << 3 | i;
        long below = 0;

        if ((child & NODE) != 0)
            below = count_bodies(tree, child & ~NODE, depth + 1, cell);
        else if (child > tree->bodies || (child != 0 && tree->seen[child - 1]++ != 0))
            return -1;
        else if (child != 0)
            below = tree->codes[child - 1] >> (27 - 3 * depth) == cell ? 1 : -1;
        if (below < 0)
            return -1;
        total += below;
    }
    return total >= 2 || depth == 0 ? total : -1;
}

int main(int argc, char **argv)
{
    uint64_t version = EXCLUSIVE_FINE, paper = 0;
    const struct workload_option options[] = {EXCLUSIVE_OPTIONS(&version, &paper)};
    struct workload workload = {
        .name = "global_barnes_hut",
        .summary = "Bodies inserted into an octree in global memory.",
        EXCLUSIVE_WORKLOAD(options, "bodies", 4096, 512, 1 << 24)};
    char build_options[80];

    workload_parse(&workload, argc, argv);
    workload.size = paper != 0 ? PAPER_BODIES : workload.size;
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D VERSION=%u", GROUP,
             (unsigned)version);
    workload_open(&workload, kernel_source, build_options);
    size_t bodies = workload.size,
           items = workload_round_up(paper != 0 ? PAPER_ITEMS : bodies, GROUP);
    size_t nodes = DEPTHS * bodies + items + 1, bytes = 8 * nodes * sizeof(cl_uint);
    struct tree tree = {.bodies = (cl_uint)bodies, .nodes = (cl_uint)nodes};
    cl_uint *children = workload_own_memory(&workload, nodes, 8 * sizeof(cl_uint)), zero = 0;
    cl_uint *codes = workload_own_memory(&workload, bodies, sizeof *codes);

    for (size_t i = 0; i < bodies; i++)
        codes[i] = place_of((cl_uint)(i + workload.seed * 0x1000003));
    tree.children = children;
    tree.codes = codes;
    cl_kernel kernel = workload_own_kernel(&workload, "insert_all");
    cl_mem locks = workload_own_buffer(&workload, nodes * sizeof(cl_uint), children);
    cl_mem buffer = workload_own_buffer(&workload, bytes, NULL);
    cl_mem used = workload_own_buffer(&workload, sizeof zero, &zero);
    cl_mem code_buffer = workload_own_buffer(&workload, bodies * sizeof *codes, codes);
    bool right = true;

    workload_arguments(kernel, "bbbbu", buffer, locks, used, code_buffer, (cl_uint)bodies);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        memset(children, 0, bytes);
        workload_write(&workload, buffer, children, bytes);
        workload_write(&workload, used, &zero, sizeof zero);
        workload_run_items(&workload, kernel, items, GROUP);
        workload_read(&workload, buffer, children, bytes);
        tree.seen = workload_own_memory(&workload, bodies, sizeof *tree.seen);
        long found = count_bodies(&tree, 0, 0, 0);
        if (found != (long)bodies)
            fprintf(stderr, "the tree has %ld bodies in order, not %zu\n", found, bodies);
        right = right && found == (long)bodies;
    }
    int status = workload_verdict(&workload, right, codes, bodies * sizeof *codes);

    workload_close(&workload);
    return status;
}
