/* SPDX-License-Identifier: MIT */
/*
 * Runs remote.cl: the operations of wavetank/scopes.cl.h one by one, and a counter. The counter is behind
 * a lock that its owner takes by its own scope and others remotely. The same program runs on any device
 * with OpenCL C 3.0 atomics. --size is the number of work-groups.
 */
#include <stdio.h>
#include <string.h>

#include "remote.cl.h"
#include "workload.h"

enum { GROUP = 64, TIMES = 8, COUNTER = 64, GIVEN_UP = 128, STATE_WORDS = 256, OBJECTS = 32 };

static bool check_each(struct workload *workload)
{
    static const cl_uint before_a[OBJECTS] = {1, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const cl_uint after_a[OBJECTS] = {1, 11, 12, 6, 3, 13, 5, 3, 2, 100};
    static const cl_uint before_b[OBJECTS] = {7, 7}, after_b[OBJECTS] = {(cl_uint)-9, (cl_uint)-4};
    static const cl_uint expected[OBJECTS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 13, 1, 7, 7};
    cl_uint found[OBJECTS];
    cl_mem a = workload_own_buffer(workload, sizeof before_a, before_a);
    cl_mem b = workload_own_buffer(workload, sizeof before_b, before_b);
    cl_mem out =
        workload_own_buffer(workload, sizeof found, workload_own_memory(workload, OBJECTS, 4));
    cl_kernel kernel = workload_own_kernel(workload, "each");
    bool right;

    workload_arguments(kernel, "bbb", a, b, out);
    workload_run_items(workload, kernel, 1, 1);
    workload_read(workload, out, found, sizeof found);
    right = workload_is_equal("results", found, expected, OBJECTS);
    workload_read(workload, a, found, sizeof found);
    right &= workload_is_equal("objects", found, after_a, OBJECTS);
    workload_read(workload, b, found, sizeof found);
    return right & workload_is_equal("signed objects", found, after_b, OBJECTS);
}

static bool check_lock(struct workload *workload)
{
    cl_uint state[STATE_WORDS] = {0}, wanted = (cl_uint)workload->size * TIMES;
    cl_mem buffer = workload_own_buffer(workload, sizeof state, state);
    cl_kernel kernel = workload_own_kernel(workload, "raise");

    workload_arguments(kernel, "bu", buffer, TIMES);
    workload_run_items(workload, kernel, workload->size * GROUP, GROUP);
    workload_read(workload, buffer, state, sizeof state);
    if (state[COUNTER] + state[GIVEN_UP] == wanted)
        return true;
    printf("  lock: raised to %u, %u tries gave up, %u in all\n", state[COUNTER], state[GIVEN_UP],
           wanted);
    return false;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "remote",
                                .summary = "Atomics of remote scope.",
                                .size_help = "work-groups that raise the counter",
                                .size = 8,
                                .size_min = 1,
                                .size_max = 1000,
                                .iterations = 1,
                                .seed = 1};
    bool right;

    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "-cl-std=CL3.0");
    right = check_each(&workload);
    right &= check_lock(&workload);
    workload_close(&workload);
    printf("remote: %s\n", right ? "passed" : "FAILED");
    return right ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}
