/* SPDX-License-Identifier: MIT */
/* A program full of mistakes: each name on its command line is one. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

enum { ITEMS = 64 };

static const char far_source[] = "__kernel void far(__global int *out, int distance)\n"
                                 "{\n"
                                 "    int i = get_global_id(0);\n"
                                 "    out[i] = i;\n"
                                 "    if (i == 5)\n"
                                 "        out[distance] = 1;\n"
                                 "}\n"
                                 "__kernel void far_read(__global int *out, int distance)\n"
                                 "{\n"
                                 "    out[get_global_id(0)] = out[get_global_id(0) * distance];\n"
                                 "}\n"
                                 "__kernel void far_uniform(__global int *out, int distance)\n"
                                 "{\n"
                                 "    out[get_global_id(0)] = out[distance];\n"
                                 "}\n";

static const char hang_source[] = "__kernel void divided(__global int *out, int unused)\n"
                                  "{\n"
                                  "    if (get_local_id(0) < 64)\n"
                                  "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    else\n"
                                  "        while (atomic_or(out, 0) == 0)\n"
                                  "            ;\n"
                                  "    out[1] = 1;\n"
                                  "}\n"
                                  "__kernel void missing(__global int *out, int unused)\n"
                                  "{\n"
                                  "    if (get_local_id(0) < 64)\n"
                                  "        for (int i = 0; i < 2; i++)\n"
                                  "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    else\n"
                                  "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    out[get_local_id(0)] = 1;\n"
                                  "}\n"
                                  "__kernel void endless(__global int *out, int unused)\n"
                                  "{\n"
                                  "    while (atomic_or(out, 0) == 0)\n"
                                  "        ;\n"
                                  "    out[1] = 1;\n"
                                  "}\n"
                                  "__kernel void circles(__global int *out, int unused)\n"
                                  "{\n"
                                  "    volatile int i = 0;\n"
                                  "    for (;;)\n"
                                  "        i++;\n"
                                  "}\n";

static const char large_source[] = "__kernel void large(__global int *out, int unused)\n"
                                   "{\n"
                                   "    __local int words[12000];\n"
                                   "    words[get_local_id(0) * 100] = unused;\n"
                                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "    out[0] = words[get_local_id(0)];\n"
                                   "}\n";
static const char size_source[] = "__kernel void fits(__global int *out, int one)\n"
                                  "{\n"
                                  "    out[get_global_id(0)] += one;\n"
                                  "}\n"
                                  "__kernel void local_far(__global int *out, int distance)\n"
                                  "{\n"
                                  "    __local int words[64];\n"
                                  "    words[get_local_id(0)] = distance;\n"
                                  "    words[get_local_id(0) * distance] = 1;\n"
                                  "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "    out[get_global_id(0)] = words[63 - get_local_id(0)];\n"
                                  "}\n";

/* Right, but for the last: a[i - 1], whose constant clang puts into the descriptor's base. And local
 * memory behind what the kernel declares, in the granule that a card grants. */
static const char near_source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void stencil(__global double *out, int one)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    double before = 0, here = out[i];\n"
    "    if (i > 0)\n"
    "        before = out[i - 1];\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    out[i] = here - before + one;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    if (i == 0)\n"
    "        ((__global int *)out)[0] = out[1] == 1 && out[63] == 1;\n"
    "}\n"
    "__kernel void granule(__global int *out, int distance)\n"
    "{\n"
    "    __local int words[48];\n"
    "    volatile __local int *all = words;\n"
    "    int l = get_local_id(0);\n"
    "    all[l] = l;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[l] = all[l + distance] == l + distance;\n"
    "}\n";

/* Wild pointers, alone in a register pair, by lane, loaded; and atomics that are not aligned. */
static const char wild_source[] =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "__kernel void wild(__global int *out, ulong address)\n"
    "{\n"
    "    if (out[0] == 0)\n"
    "        *(__global int *)address = 7;\n"
    "}\n"
    "__kernel void wild_lanes(__global int *out, ulong address)\n"
    "{\n"
    "    *(__global int *)(address + 4 * get_global_id(0)) = 7;\n"
    "}\n"
    "__kernel void wild_load(__global int *out, ulong address)\n"
    "{\n"
    "    out[get_global_id(0)] = *(__global int *)address;\n"
    "}\n"
    "__kernel void odd_atomic(__global int *out, ulong offset)\n"
    "{\n"
    "    __global long *word = (__global long *)((__global char *)out + offset);\n"
    "\n"
    "    atom_add(word + get_global_id(0), 1L);\n"
    "}\n"
    "__kernel void behind(__global int *out, ulong index)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    out[i + 1] = i == 5 ? 1 + out[index] : 1;\n"
    "    if (i == 7)\n"
    "        out[index] = 3;\n"
    "    if (i == 0)\n"
    "        atomic_add(&out[index + 1], 3);\n"
    "    if (i == 9)\n"
    "        out[0] = 1 + out[i * index];\n"
    "}\n"
    "__kernel void bytes(__global uchar *out, ulong end)\n"
    "{\n"
    "    out[get_global_id(0)] = out[end];\n"
    "}\n";

/* Each work-group waits for a younger one. */
static const char turns_source[] =
    "__kernel void turns(volatile __global int *out, int count)\n"
    "{\n"
    "    if (get_local_id(0) == 0) {\n"
    "        while (atomic_add(out + 1, 0) != count - 1 - (int)get_group_id(0))\n"
    "            ;\n"
    "        atomic_add(out + 1, 1);\n"
    "        out[0] = 1;\n"
    "    }\n"
    "}\n";

static const char wrong_source[] = "__kernel void wrong(__global int *out)\n"
                                   "{\n"
                                   "    out[0] = undeclared_name;\n"
                                   "}\n";
static const char unknown_source[] = "int no_such_function(int);\n"
                                     "__kernel void unknown(__global int *out)\n"
                                     "{\n"
                                     "    out[0] = no_such_function(1);\n"
                                     "}\n";
static const char image_source[] =
    "__kernel void image(__global float4 *out, __read_only image2d_t picture, sampler_t sampler)\n"
    "{\n"
    "    out[0] = read_imagef(picture, sampler, (int2)(0, 0));\n"
    "}\n";
static const struct mistake {
    const char *name, *source, *options, *kernel;
    long long value;
    size_t items, group;
} mistakes[] = {
    {"store", far_source, "-g", "far", 1 << 28, ITEMS, ITEMS},
    {"store_without_g", far_source, "", "far", 1 << 28, ITEMS, ITEMS},
    {"just_behind", far_source, "-g", "far", 256, ITEMS, ITEMS},
    {"before", far_source, "-g", "far", -8, ITEMS, ITEMS},
    {"load", far_source, "-g", "far_read", 1 << 24, ITEMS, ITEMS},
    {"scalar_load", far_source, "-g", "far_uniform", 1 << 28, ITEMS, ITEMS},
    {"divided_barrier", hang_source, "-g", "divided", 0, 128, 128},
    {"missing_barrier", hang_source, "-g", "missing", 0, 128, 128},
    {"endless", hang_source, "-g", "endless", 0, ITEMS, ITEMS},
    {"circles", hang_source, "-g", "circles", 0, ITEMS, ITEMS},
    {"large_local", large_source, "", "large", 0, ITEMS, ITEMS},
    {"local_far", size_source, "-g", "local_far", 1 << 20, ITEMS, ITEMS},
    {"large_group", size_source, "", "fits", 1, 4096, 4096},
    {"uneven_group", size_source, "", "fits", 1, 100, 64},
    {"no_kernel", size_source, "", "fit", 1, ITEMS, ITEMS},
    {"wrong_source", wrong_source, "", "wrong", 0, ITEMS, ITEMS},
    {"unknown_function", unknown_source, "", "unknown", 0, ITEMS, ITEMS},
    {"image", image_source, "", "image", 0, ITEMS, ITEMS},
    {"unknown_option", size_source, "-no-such-option", "fits", 1, ITEMS, ITEMS},
    {"turns", turns_source, "", "turns", 40, (size_t)40 * ITEMS, ITEMS},
    {"stencil", near_source, "", "stencil", 1, ITEMS, ITEMS},
    {"granule", near_source, "", "granule", 0, ITEMS, ITEMS},
    {"granule_end", near_source, "", "granule", 63, ITEMS, ITEMS},
    {"behind_granule", near_source, "", "granule", 64, ITEMS, ITEMS},
    {"wild_negative", wild_source, "-g", "wild", -4, ITEMS, ITEMS},
    {"wild_hidden", wild_source, "-g", "wild", 0x1550000001000, ITEMS, ITEMS},
    {"wild_packet", wild_source, "-g", "wild", 0x550000001000, ITEMS, ITEMS},
    {"wild_code", wild_source, "-g", "wild", 0x550000003000, ITEMS, ITEMS},
    {"wild_lanes", wild_source, "-g", "wild_lanes", -128, ITEMS, ITEMS},
    {"wild_high_lanes", wild_source, "-g", "wild_lanes", 0x1550000001000, ITEMS, ITEMS},
    {"wild_load", wild_source, "-g", "wild_load", -4, ITEMS, ITEMS},
    {"odd_atomic", wild_source, "-g", "odd_atomic", 4, ITEMS, ITEMS},
    {"behind", wild_source, "-g", "behind", 256, ITEMS, ITEMS},
    {"last_byte", wild_source, "-g", "bytes", 1020, ITEMS, ITEMS},
    {"behind_last_byte", wild_source, "-g", "bytes", 1021, ITEMS, ITEMS},
    {"right", size_source, "", "fits", 1, ITEMS, ITEMS},
};

static struct workload workload = {.name = "user_errors"};

static size_t bytes_of(const struct mistake *mistake)
{
    return strcmp(mistake->kernel, "bytes") == 0 ? 1021 : 1024;
}

static cl_kernel prepare(const struct mistake *mistake, cl_mem *buffer)
{
    int zeros[256] = {0};
    cl_kernel kernel;

    workload_open(&workload, mistake->source, mistake->options);
    *buffer = workload_buffer(&workload, bytes_of(mistake), zeros);
    kernel = workload_kernel(&workload, mistake->kernel);
    workload_argument(kernel, 0, sizeof *buffer, buffer);
    workload_argument(kernel, 1, mistake->source == wild_source ? 8 : 4, &mistake->value);
    return kernel;
}

static int make(const struct mistake *mistake)
{
    cl_mem buffer;
    cl_kernel kernel = prepare(mistake, &buffer);
    int result[256];

    workload_run(&workload, kernel, 1, &mistake->items, &mistake->group);
    workload_read(&workload, buffer, result, bytes_of(mistake));
    return workload_verdict(&workload, result[0] == 1, result, bytes_of(mistake));
}

static const struct mistake *find(const char *name)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
        if (strcmp(mistakes[i].name, name) == 0)
            return &mistakes[i];
    workload_fail("no mistake is named %s", name);
}

/* ---- Programs that are right, and unusual ---- */

static int run_many(unsigned count)
{
    const struct mistake *right = find("right");
    cl_mem buffer;
    cl_kernel kernel = prepare(right, &buffer);
    int result[256];

    for (unsigned i = 0; i < count; i++)
        workload_run(&workload, kernel, 1, &right->items, &right->group);
    workload_read(&workload, buffer, result, sizeof result);
    return workload_verdict(&workload, result[63] == (int)count, result, sizeof result);
}

/* The child inherits an opened device and does nothing with it; with `child_runs` it opens its own
 * before the parent has one. */
static int run_forked(bool child_runs)
{
    int child_status = 0, status = child_runs ? 0 : run_many(1);
    pid_t child = (fflush(stdout), fork());

    if (child == 0)
        exit(child_runs ? run_many(1) : 0);
    if (child_runs)
        status = run_many(1);
    waitpid(child, &child_status, 0);
    return status != 0 || child_status != 0;
}

static int crash(void)
{
    run_many(1);
    fflush(stdout);
    raise(SIGSEGV);
    return 0;
}

enum { THREADS = 4, LAUNCHES = 20 };

struct share {
    const struct mistake *right;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem buffer;
    int result[256];
    bool is_right;
};

static void *run_share(void *context)
{
    struct share *share = context;

    for (int i = 0; i < LAUNCHES; i++)
        workload_check(clEnqueueNDRangeKernel(share->queue, share->kernel, 1, NULL,
                                              &share->right->items, &share->right->group, 0, NULL,
                                              NULL),
                       "clEnqueueNDRangeKernel");
    workload_check(clEnqueueReadBuffer(share->queue, share->buffer, CL_TRUE, 0,
                                       sizeof share->result, share->result, 0, NULL, NULL),
                   "clEnqueueReadBuffer");
    share->is_right = share->result[0] == LAUNCHES && share->result[63] == LAUNCHES;
    return NULL;
}

/* Several threads, each with a queue, a kernel and a buffer of its own. */
static int run_threads(void)
{
    static struct share shares[THREADS];
    pthread_t threads[THREADS];
    int zeros[256] = {0};
    bool is_right = true;
    cl_int status;

    workload_open(&workload, find("right")->source, "");
    for (int i = 0; i < THREADS; i++) {
        struct share *share = &shares[i];

        share->right = find("right");
        share->buffer = workload_buffer(&workload, sizeof zeros, zeros);
        share->kernel = workload_kernel(&workload, "fits");
        share->queue = clCreateCommandQueue(workload.context, workload.device, 0, &status);
        workload_check(status, "clCreateCommandQueue");
        workload_argument(share->kernel, 0, sizeof share->buffer, &share->buffer);
        workload_argument(share->kernel, 1, 4, &share->right->value);
        pthread_create(&threads[i], NULL, run_share, share);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        is_right &= shares[i].is_right;
    }
    return workload_verdict(&workload, is_right, NULL, 0);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";

    if (strcmp(name, "many") == 0)
        return run_many(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    if (strcmp(name, "fork") == 0)
        return run_forked(false);
    if (strcmp(name, "fork_first") == 0)
        return run_forked(true);
    if (strcmp(name, "crash") == 0)
        return crash();
    if (strcmp(name, "threads") == 0)
        return run_threads();
    return make(find(name));
}
