/* SPDX-License-Identifier: MIT */
/* Sorted lists in local memory that all work-items of a group insert into. The check is exact: each
 * list holds its keys, each once and in order. */
#include <stdio.h>
#include <stdlib.h>

#include "critical.h"
#include "local_sorted_list.cl.h"

enum { GROUP = CRITICAL_GROUP, END = 0xffff };

static int compare(const void *left, const void *right)
{
    cl_uint a = *(const cl_uint *)left, b = *(const cl_uint *)right;

    return (a > b) - (a < b);
}

/* Copies a list's keys in its order; 0 unless it has `length` nodes and ends. */
static bool read_list(const cl_uint *next, const cl_uint *key, unsigned head, unsigned length,
                      cl_uint *found)
{
    unsigned node = next[head];

    for (unsigned i = 0; i < length; i++) {
        if (node >= GROUP)
            return false;
        found[i] = key[node];
        node = next[node];
    }
    return node == END;
}

static bool is_right_group(const cl_uint *next, const cl_uint *key, unsigned lists, cl_uint *all)
{
    for (unsigned list = 0; list < lists; list++) {
        cl_uint expected[GROUP], found[GROUP] = {0};
        unsigned length = 0;

        for (unsigned i = list; i < GROUP; i += lists)
            expected[length++] = key[i];
        qsort(expected, length, sizeof *expected, compare);
        if (!read_list(next, key, GROUP + list, length, found)) {
            printf("list %u does not have %u nodes\n", list, length);
            return false;
        }
        if (!workload_is_equal("key", found, expected, length))
            return false;
        for (unsigned i = 0; i < length; i++)
            *all++ = found[i];
    }
    return true;
}

int main(int argc, char **argv)
{
    uint64_t version = VERSION_FINE, lists = 16;
    const struct workload_option options[] = {
        CRITICAL_OPTION(&version),
        {"lists", "N", "of each group", &lists, 1, GROUP},
    };
    struct workload workload = {.name = "local_sorted_list",
                                .summary = "Inserts keys into sorted lists in local memory.",
                                .size_help = "work-groups",
                                .options = options,
                                .option_count = sizeof options / sizeof options[0],
                                .size = 256,
                                .size_small = 3,
                                .size_min = 1,
                                .size_max = 16384,
                                .iterations = 1,
                                .seed = 1};
    char build_options[80];

    workload_parse(&workload, argc, argv);
    snprintf(build_options, sizeof build_options, "-D GROUP=%d -D VERSION=%u -D LISTS=%u", GROUP,
             (unsigned)version, (unsigned)lists);
    workload_open(&workload, kernel_source, build_options);
    size_t items = workload.size * GROUP, nodes = GROUP + lists, count = workload.size * nodes;
    cl_uint *keys = workload_random_words(&workload, items);
    cl_kernel kernel = workload_own_kernel(&workload, "insert_all");
    cl_mem buffer = workload_own_buffer(&workload, count * sizeof(cl_uint), NULL);
    cl_uint *next = workload_own_memory(&workload, count, sizeof *next);
    cl_uint *sorted = workload_own_memory(&workload, items, sizeof *sorted);
    bool right = true;

    workload_arguments(kernel, "bb", workload_own_buffer(&workload, items * sizeof *keys, keys),
                       buffer);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        workload_run_items(&workload, kernel, items, GROUP);
        workload_read(&workload, buffer, next, count * sizeof *next);
        for (size_t group = 0; group < workload.size && right; group++)
            right = is_right_group(next + group * nodes, keys + group * GROUP, (unsigned)lists,
                                   sorted + group * GROUP);
    }
    int status = workload_verdict(&workload, right, sorted, items * sizeof *sorted);

    workload_close(&workload);
    return status;
}
