/* SPDX-License-Identifier: MIT */
/* A chained hash table in global memory, filled by all work-items at once. The check is complete:
 * each element is in its key's chain, once, with its key and value. */
#include <stdio.h>
#include <string.h>

#include "exclusive.h"
#include "global_hash_table.cl.h"

enum { GROUP = 192, PAPER_ELEMENTS = 120 * GROUP };

struct table {
    cl_uint *heads, *nodes, *keys;
    cl_uint elements, head_count;
};

static bool is_right(struct workload *workload, const struct table *table)
{
    cl_uint *seen = workload_own_memory(workload, table->elements, sizeof *seen);
    cl_uint found = 0;

    for (cl_uint head = 0; head < table->head_count; head++)
        for (cl_uint next = table->heads[head]; next != 0; next = table->nodes[3 * next - 1]) {
            const cl_uint *node = &table->nodes[3 * (next - 1)];

            if (next > table->elements || seen[next - 1]++ != 0) {
                fprintf(stderr, "chain %u comes to element %u again, or to none\n", head, next);
                return false;
            }
            if (node[0] != table->keys[next - 1] || node[0] % table->head_count != head ||
                node[1] != next - 1) {
                fprintf(stderr, "element %u in chain %u has key %u and value %u\n", next, head,
                        node[0], node[1]);
                return false;
            }
            found++;
        }
    if (found != table->elements)
        fprintf(stderr, "%u of %u elements are in the table\n", found, table->elements);
    return found == table->elements;
}

int main(int argc, char **argv)
{
    uint64_t version = EXCLUSIVE_FINE, paper = 0, heads = 8000;
    const struct workload_option options[] = {
        EXCLUSIVE_OPTIONS(&version, &paper),
        {"heads", "N", "chains: 8000 is the paper's HT-H, 80000 its HT-L", &heads, 1, 1000000},
    };
    struct workload workload = {
        .name = "global_hash_table",
        .summary = "Insertions into a chained hash table in global memory.",
        EXCLUSIVE_WORKLOAD(options, "work-groups of 192 elements", 40, 4, 16384)};
    char build_options[80];

    workload_parse(&workload, argc, argv);
    if (paper != 0)
        workload.size = PAPER_ELEMENTS / GROUP;
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D VERSION=%u -D HEADS=%u", GROUP,
             (unsigned)version, (unsigned)heads);
    workload_open(&workload, kernel_source, build_options);
    size_t head_bytes = heads * sizeof(cl_uint), count = workload.size * GROUP;
    struct table table = {.heads = workload_own_memory(&workload, heads, sizeof(cl_uint)),
                          .nodes = workload_own_memory(&workload, count, 3 * sizeof(cl_uint)),
                          .keys = workload_random_words(&workload, count),
                          .elements = (cl_uint)count,
                          .head_count = (cl_uint)heads};
    cl_kernel kernel = workload_own_kernel(&workload, "insert_all");
    cl_mem keys = workload_own_buffer(&workload, count * sizeof(cl_uint), table.keys);
    cl_mem nodes = workload_own_buffer(&workload, count * 3 * sizeof(cl_uint), NULL);
    cl_mem locks = workload_own_buffer(&workload, head_bytes, table.heads);
    cl_mem buffer = workload_own_buffer(&workload, head_bytes, table.heads);
    bool right = true;

    workload_arguments(kernel, "bbbb", buffer, nodes, locks, keys);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        memset(table.heads, 0, head_bytes);
        workload_write(&workload, buffer, table.heads, head_bytes);
        workload_run_items(&workload, kernel, count, GROUP);
        workload_read(&workload, buffer, table.heads, head_bytes);
        workload_read(&workload, nodes, table.nodes, count * 3 * sizeof(cl_uint));
        right = right && is_right(&workload, &table);
    }
    int status = workload_verdict(&workload, right, table.keys, count * sizeof(cl_uint));

    workload_close(&workload);
    return status;
}
