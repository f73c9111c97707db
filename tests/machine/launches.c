/* SPDX-License-Identifier: MIT */
/* Launches empty kernels: `launches COUNT [NAMES]`, so many names by turns. Prints by how many
 * kilobytes its resident memory grew between the first launch and the last. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

enum { NAMES_MAX = 16, SOURCE_BYTES = 1024 };

static long resident_kb(void)
{
    FILE *stream = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (stream == NULL || fscanf(stream, "%*d %ld", &pages) != 1)
        workload_fail("/proc/self/statm cannot be read");
    fclose(stream);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void write_source(char source[SOURCE_BYTES], unsigned names)
{
    size_t length = 0;

    for (unsigned i = 0; i < names; i++)
        length += (size_t)snprintf(source + length, SOURCE_BYTES - length,
                                   "__kernel void empty_%u(void) {}\n", i);
}

static void launch(const struct workload *workload, cl_kernel kernel)
{
    size_t items = 64;

    workload_check(
        clEnqueueNDRangeKernel(workload->queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "launches"};
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    unsigned names = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    cl_kernel kernels[NAMES_MAX];
    char source[SOURCE_BYTES], name[16];
    long first_kb;

    if (names < 1 || names > NAMES_MAX)
        workload_fail("1 to %d names", NAMES_MAX);
    write_source(source, names);
    workload_open(&workload, source, "");
    for (unsigned i = 0; i < names; i++) {
        snprintf(name, sizeof name, "empty_%u", i);
        kernels[i] = workload_kernel(&workload, name);
    }
    launch(&workload, kernels[0]);
    first_kb = resident_kb();
    for (unsigned i = 1; i < count; i++)
        launch(&workload, kernels[i % names]);
    workload_check(clFinish(workload.queue), "clFinish");
    printf("grown by %ld KB\n", resident_kb() - first_kb);
    for (unsigned i = 0; i < names; i++)
        clReleaseKernel(kernels[i]);
    workload_close(&workload);
    return WORKLOAD_RIGHT;
}
