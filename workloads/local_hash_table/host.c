/* SPDX-License-Identifier: MIT */
/* A hash table in local memory that all work-items of a group insert their IDs into. The check is
 * exact: each entry holds its IDs, each once. With transactions it may lie in global memory, or a
 * part of it, for comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "critical.h"
#include "local_hash_table.cl.h"

enum { GROUP = CRITICAL_GROUP };
enum { TABLE_LOCAL, TABLE_GLOBAL, TABLE_BOTH };
enum { SECTION_ENTRY };

static int compare(const void *left, const void *right)
{
    cl_uint a = *(const cl_uint *)left, b = *(const cl_uint *)right;

    return (a > b) - (a < b);
}

/* Where an ID lies in its entry depends on the order of the work-items: each entry is sorted. */
static bool is_right(cl_uint *tables, size_t groups, unsigned entries)
{
    const unsigned room = GROUP / entries;
    bool right = true;

    for (size_t entry = 0; entry < groups * entries; entry++) {
        cl_uint expected[GROUP];

        qsort(tables + entry * room, room, sizeof *tables, compare);
        for (unsigned i = 0; i < room; i++)
            expected[i] = (cl_uint)(entry % entries + i * entries + 1);
        right = right && workload_is_equal("entry", tables + entry * room, expected, room);
    }
    return right;
}

/* Of `both`: each entry has as many IDs as there is room for in all tables. */
static bool are_counts_right(const cl_uint *counts, size_t groups, unsigned entries)
{
    bool right = true;

    for (size_t entry = 0; entry < entries && right; entry++) {
        right = counts[entry] == groups * GROUP / entries;
        if (!right)
            fprintf(stderr, "entry %zu counts %u IDs, not %zu\n", entry, counts[entry],
                    groups * GROUP / entries);
    }
    return right;
}

int main(int argc, char **argv)
{
    uint64_t version = VERSION_FINE, entries = 32, table = TABLE_LOCAL, section = SECTION_ENTRY;
    const struct workload_option options[] = {
        CRITICAL_OPTION(&version),
        {"entries", "N", "of each table: a power of two", &entries, 2, GROUP},
        {"table", "local|global|both",
         "where a table lies (local); with --version tm: all of it in global memory, or how many "
         "IDs an entry has in all tables",
         &table, 0, 0},
        {"transaction", "entry|element",
         "what a critical section covers: the search of the entry, or each look at one element "
         "(entry)",
         &section, 0, 0},
    };
    struct workload workload = {
        .name = "local_hash_table",
        .summary = "Each work-item inserts its ID into a hash table in local memory.",
        .size_help = "work-groups, a table each",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .size = 512,
        .size_small = 5,
        .size_min = 1,
        .size_max = 65536,
        .iterations = 1,
        .seed = 1};
    char build_options[120];

    workload_parse(&workload, argc, argv);
    if ((entries & (entries - 1)) != 0)
        workload_fail("--entries is %llu but must be a power of two", (unsigned long long)entries);
    if (table != TABLE_LOCAL && version != VERSION_TRANSACTION)
        workload_fail("--table global and both go with --version tm");
    snprintf(build_options, sizeof build_options,
             "-D GROUP=%d -D VERSION=%u -D ENTRIES=%u -D TABLE=%u -D SECTION=%u", GROUP,
             (unsigned)version, (unsigned)entries, (unsigned)table, (unsigned)section);
    workload_open(&workload, kernel_source, build_options);
    size_t count = workload.size * GROUP;
    cl_kernel kernel = workload_own_kernel(&workload, "insert_all");
    cl_mem buffer = workload_own_buffer(&workload, count * sizeof(cl_uint), NULL);
    cl_uint *tables = workload_own_memory(&workload, count, sizeof *tables);
    size_t count_words = entries;
    cl_uint *counts = workload_own_memory(&workload, count_words, sizeof *counts);
    cl_mem count_buffer = workload_own_buffer(&workload, count_words * sizeof *counts, NULL);
    bool right = true;

    workload_arguments(kernel, "bb", buffer, count_buffer);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        memset(counts, 0, count_words * sizeof *counts);
        workload_write(&workload, count_buffer, counts, count_words * sizeof *counts);
        workload_run_items(&workload, kernel, count, GROUP);
        workload_read(&workload, buffer, tables, count * sizeof *tables);
        workload_read(&workload, count_buffer, counts, count_words * sizeof *counts);
        right = right && is_right(tables, workload.size, (unsigned)entries) &&
                (table != TABLE_BOTH || are_counts_right(counts, workload.size, (unsigned)entries));
    }
    int status = workload_verdict(&workload, right, tables, count * sizeof *tables);

    workload_close(&workload);
    return status;
}
