/* SPDX-License-Identifier: MIT */
/* Candidates of two items, with their supports, from the records of a data base. The check is
 * complete: each pair that is in a record has one node, with its support, and no other has any. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exclusive.h"
#include "global_apriori.cl.h"

enum { GROUP = 64, ITEMS = 4, PAIRS = ITEMS * (ITEMS - 1) / 2, PAPER_GROUPS = 112, BUCKETS = 8192 };

/* More than a third have less than two frequent items; the lower ones are more frequent. */
static void make_record(cl_uint *record, uint64_t *seed)
{
    cl_uint count = (cl_uint)(workload_random(seed) % 8), item = 0;

    memset(record, 0, ITEMS * sizeof *record);
    count = count < 3 ? count / 2 : (count + 1) / 2;
    for (cl_uint i = 0; i < count; i++) {
        item += 1 + (cl_uint)(workload_random(seed) % 64);
        record[i] = item;
    }
}

static int compare(const void *left, const void *right)
{
    cl_uint a = *(const cl_uint *)left, b = *(const cl_uint *)right;

    return (a > b) - (a < b);
}

/* All pairs of all records, in order. */
static size_t list_pairs(const cl_uint *records, size_t count, cl_uint *pairs)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        for (unsigned j = 0; j < ITEMS; j++)
            for (unsigned k = j + 1; k < ITEMS && records[i * ITEMS + k] != 0; k++)
                pairs[found++] = records[i * ITEMS + j] << 16 | records[i * ITEMS + k];
    qsort(pairs, found, sizeof *pairs, compare);
    return found;
}

/* What the table says, as such a list; 0 if it is none, or has two nodes for a pair. */
static size_t list_nodes(const cl_uint *heads, const cl_uint *nodes, size_t max, cl_uint *pairs,
                         cl_uint *keys)
{
    size_t found = 0, key_count = 0;

    for (size_t i = 0; i < BUCKETS; i++)
        for (cl_uint node = heads[i]; node != 0; node = nodes[3 * node + 2]) {
            if (node > max || key_count == max || nodes[3 * node + 1] > max - found)
                return 0;
            keys[key_count++] = nodes[3 * node];
            for (cl_uint j = 0; j < nodes[3 * node + 1]; j++)
                pairs[found++] = nodes[3 * node];
        }
    qsort(keys, key_count, sizeof *keys, compare);
    for (size_t i = 1; i < key_count; i++)
        if (keys[i] == keys[i - 1])
            return 0;
    qsort(pairs, found, sizeof *pairs, compare);
    return found;
}

int main(int argc, char **argv)
{
    uint64_t version = EXCLUSIVE_FINE, paper = 0, seed;
    const struct workload_option options[] = {EXCLUSIVE_OPTIONS(&version, &paper)};
    struct workload workload = {
        .name = "global_apriori",
        .summary = "Candidates of two items and their supports.",
        EXCLUSIVE_WORKLOAD(options, "work-groups of 64 records", 32, 4, 1024)};
    char build_options[120];

    workload_parse(&workload, argc, argv);
    workload.size = paper != 0 ? PAPER_GROUPS : workload.size;
    snprintf(build_options, sizeof build_options,
             "-D GROUP=%d -D ITEMS=%d -D BUCKETS=%d -D VERSION=%u", GROUP, ITEMS, BUCKETS,
             (unsigned)version);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size * GROUP, max = count * PAIRS, node_words = 3 * (max + 1);
    cl_uint *records = workload_own_memory(&workload, count, ITEMS * 4),
            *keys = workload_own_memory(&workload, max, 4);
    cl_uint *heads = workload_own_memory(&workload, BUCKETS, 4),
            *nodes = workload_own_memory(&workload, node_words, 4);
    cl_uint *found = workload_own_memory(&workload, max, 4),
            *expected = workload_own_memory(&workload, max, 4);

    seed = workload.seed;
    for (size_t i = 0; i < count; i++)
        make_record(records + i * ITEMS, &seed);
    size_t pairs = list_pairs(records, count, expected);
    cl_kernel kernel = workload_own_kernel(&workload, "enter_all");
    cl_mem heads_buffer = workload_own_buffer(&workload, 4 * BUCKETS, heads);
    cl_mem nodes_buffer = workload_own_buffer(&workload, 4 * node_words, NULL);
    bool right = true;

    workload_arguments(kernel, "bbbb", heads_buffer, nodes_buffer,
                       workload_own_buffer(&workload, 4 * BUCKETS, heads),
                       workload_own_buffer(&workload, count * ITEMS * 4, records));
    for (uint64_t i = 0; i < workload.iterations; i++) {
        memset(heads, 0, 4 * BUCKETS);
        workload_write(&workload, heads_buffer, heads, 4 * BUCKETS);
        workload_run_items(&workload, kernel, count, GROUP);
        workload_read(&workload, heads_buffer, heads, 4 * BUCKETS);
        workload_read(&workload, nodes_buffer, nodes, 4 * node_words);
        if (list_nodes(heads, nodes, max, found, keys) != pairs) {
            fprintf(stderr, "the table does not have %zu pairs in all, or a pair twice\n", pairs);
            right = false;
        }
        right = right && workload_is_equal("pair", found, expected, pairs);
    }
    int status = workload_verdict(&workload, right, expected, 4 * pairs);

    workload_close(&workload);
    return status;
}
