/* SPDX-License-Identifier: MIT */
/* Kernels that never end, and long ones that do: `standstill KERNEL [COUNT]`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

enum { WORDS = 64 };

/* Line numbers of this source stand in standstill.py. */
static const char source[] =
    "__kernel void spin(volatile __global int *words, int count)\n"
    "{\n"
    "    int done = 0;\n"
    "    while (!done)\n"
    "        if (atomic_cmpxchg(words, 0, 1) == 0) {\n"   /* line 5: one lane of a wavefront */
    "            while (atomic_or(words + 1, 0) != 63)\n" /* line 6: waits for the others */
    "                ;\n"
    "            done = 1;\n"
    "        }\n"
    "}\n"
    "__kernel void endless(volatile __global int *words, int count)\n"
    "{\n"
    "    volatile int i = count;\n"
    "    for (;;)\n"
    "        i++;\n" /* line 15: private memory changes */
    "}\n"
    "\n"
    "__kernel void same(volatile __global int *words, int count)\n"
    "{\n"
    "    while (words[1] == 0)\n"
    "        words[2] = 7;\n" /* line 21: stores, and changes nothing */
    "}\n"
    "__kernel void later(volatile __global int *words, int count)\n"
    "{\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_inc(words);\n"
    "        while (atomic_or(words, 0) != (int)get_num_groups(0))\n" /* line 27 */
    "            ;\n"
    "    }\n"
    "}\n"
    "__kernel void counts(volatile __global int *words, int count)\n"
    "{\n"
    "    for (int i = 1; i <= count; i++) {\n"
    "        unsigned mixed = i;\n"
    "        for (int j = 0; j < 200; j++)\n"
    "            mixed = (mixed ^ mixed >> 13) * 1664525u;\n"
    "        words[get_global_id(0)] = mixed == 0 ? 0 : i;\n"
    "    }\n"
    "}\n"
    "__kernel void groups(volatile __global int *words, int count)\n"
    "{\n"
    "    unsigned mixed = get_group_id(0);\n"
    "    for (int j = 0; j < 2000; j++)\n"
    "        mixed = (mixed ^ mixed >> 13) * 1664525u + 1;\n"
    "    if (mixed == 0)\n"
    "        words[0] = 1;\n"
    "}\n"
    "__kernel void two(volatile __global int *words, int count)\n"
    "{\n" /* two loops of one line: 50 */
    "    if (get_group_id(0) & 1) while (words[2] == 0); else while (words[3] == 0);\n"
    "}\n";

int main(int argc, char **argv)
{
    struct workload workload = {.name = "standstill"};
    const char *name = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 1, words[WORDS] = {0};
    size_t group = WORDS, items = WORDS;
    bool is_right = true;
    cl_kernel kernel;
    cl_mem buffer;

    workload_open(&workload, source, "-g");
    buffer = workload_buffer(&workload, sizeof words, words);
    kernel = workload_kernel(&workload, name);
    workload_argument(kernel, 0, sizeof buffer, &buffer);
    workload_argument(kernel, 1, sizeof count, &count);
    if (strcmp(name, "later") == 0 || strcmp(name, "groups") == 0 || strcmp(name, "two") == 0)
        items *= (size_t)count;
    workload_run(&workload, kernel, 1, &items, &group);
    workload_read(&workload, buffer, words, sizeof words);
    for (unsigned i = 0; i < WORDS && strcmp(name, "counts") == 0; i++)
        is_right &= words[i] == count;
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    return workload_verdict(&workload, is_right, words, sizeof words);
}
