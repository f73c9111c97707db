/* SPDX-License-Identifier: MIT */
/*
 * What a launch costs beyond the same by hand. Kernels with 1 to 8 arrays do next to nothing. Each
 * is started by nuda_run and, in the same round on the same kind of device, by four kinds of OpenCL
 * calls. These are clSetKernelArg, clEnqueueNDRangeKernel, clFlush and clFinish. Prints
 * microseconds: medians of the differences of pairs, and the line through them. Once by the clock
 * on the wall, once by this thread's processor time, which other programs do not lengthen.
 *
 *     overhead [--rounds N] [--check]
 *         400; --check: status 1 if the processor time is beyond the paper's 25 us, or 6 us a
 *         parameter
 *
 * The paper (Adinetz, 2011; section 4) says that libgpuvm's overhead over automatic synchronisation
 * is about 6 us a parameter. Its table 2 has 25 us (1077 - 1058, and "other" time) a launch of four
 * arrays.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <nuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLOCK_WALL, CLOCK_PROCESSOR, CLOCKS };

#define MOST_ARRAYS 8
#define LAUNCHES 8 /* a side of a pair */
#define COUNT 4096
#define TEXT_BYTES 4096
#define LAUNCH_US 25.0
#define PARAMETER_US 6.0

struct by_hand {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem buffers[MOST_ARRAYS];
};

struct pair {
    unsigned arrays;
    char source[TEXT_BYTES];
    struct nuda_parameter parameters[MOST_ARRAYS];
    struct nuda_loop loop;
    float *pointers[MOST_ARRAYS];
    struct by_hand by_hand;
    struct times {
        double *differences_us, *by_hand_us, *ours_us;
    } times[CLOCKS];
};

static void fail(const char *what, int error)
{
    fprintf(stderr, "overhead: %s: error %d\n", what, error);
    exit(1);
}

static double now_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* Adds the time to us[] with sign -1 before a run and 1 after it. */
static void add_times(double us[CLOCKS], double sign)
{
    us[CLOCK_WALL] += sign * now_us(CLOCK_MONOTONIC) / LAUNCHES;
    us[CLOCK_PROCESSOR] += sign * now_us(CLOCK_THREAD_CPUTIME_ID) / LAUNCHES;
}

/* The first array is written, the others are read. */
static void write_source(struct pair *pair)
{
    size_t at = (size_t)snprintf(pair->source, TEXT_BYTES, "kernel void k(");
    for (unsigned i = 0; i < pair->arrays; i++)
        at += (size_t)snprintf(pair->source + at, TEXT_BYTES - at, "global float *a%u, ulong o%u, ",
                               i, i);
    at += (size_t)snprintf(pair->source + at, TEXT_BYTES - at,
                           "ulong count) { size_t i = get_global_id(0); if (i < count) a0[i] = i");
    for (unsigned i = 1; i < pair->arrays; i++)
        at += (size_t)snprintf(pair->source + at, TEXT_BYTES - at, " + a%u[i + o%u]", i, i);
    snprintf(pair->source + at, TEXT_BYTES - at, "; }");
}

static void open_by_hand(struct pair *pair, cl_context context, cl_device_id device,
                         cl_command_queue queue)
{
    struct by_hand *by_hand = &pair->by_hand;
    const char *text = pair->source;
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (error || (error = clBuildProgram(program, 1, &device, "", NULL, NULL)))
        fail("clBuildProgram", error);
    by_hand->queue = queue;
    by_hand->kernel = clCreateKernel(program, "k", &error);
    for (unsigned i = 0; i < pair->arrays && !error; i++)
        by_hand->buffers[i] =
            clCreateBuffer(context, CL_MEM_READ_WRITE, COUNT * sizeof(float), NULL, &error);
    if (error)
        fail("clCreateKernel, clCreateBuffer", error);
}

static void open_pair(struct pair *pair, unsigned arrays, unsigned rounds)
{
    static const char *const names[] = {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"};
    pair->arrays = arrays;
    write_source(pair);
    for (unsigned i = 0; i < arrays; i++) {
        pair->parameters[i] = (struct nuda_parameter){NUDA_ARRAY, i ? NUDA_READ : NUDA_READ_WRITE,
                                                      sizeof(float), names[i]};
        pair->pointers[i] = calloc(COUNT, sizeof(float));
        if (!pair->pointers[i])
            fail("no memory", 0);
    }
    pair->loop = (struct nuda_loop){.file = "overhead.c",
                                    .line = 1,
                                    .function = "overhead",
                                    .kernel = "k",
                                    .source = pair->source,
                                    .options = "",
                                    .dimensions = 1,
                                    .block = {64},
                                    .parameters = arrays,
                                    .parameter = pair->parameters};
    for (int clock = 0; clock < CLOCKS; clock++) {
        struct times *times = &pair->times[clock];
        times->differences_us = calloc(rounds, sizeof(double));
        times->by_hand_us = calloc(rounds, sizeof(double));
        times->ours_us = calloc(rounds, sizeof(double));
        if (!times->differences_us || !times->by_hand_us || !times->ours_us)
            fail("no memory", 0);
    }
}

static void launch_nuda(struct pair *pair, double us[CLOCKS])
{
    const size_t count = COUNT;
    void *values[MOST_ARRAYS];
    add_times(us, -1);
    for (unsigned i = 0; i < pair->arrays; i++)
        values[i] = &pair->pointers[i];
    for (int k = 0; k < LAUNCHES; k++)
        if (!nuda_run(&pair->loop, &count, values, NULL))
            fail("there is no device", 0);
    add_times(us, 1);
}

static void launch_by_hand(struct pair *pair, double us[CLOCKS])
{
    struct by_hand *by_hand = &pair->by_hand;
    const size_t count = COUNT, block = 64;
    const cl_ulong offset = 0, bound = COUNT;
    add_times(us, -1);
    for (int k = 0; k < LAUNCHES; k++) {
        cl_int error = 0;
        for (cl_uint i = 0; i < pair->arrays; i++) {
            error |= clSetKernelArg(by_hand->kernel, 2 * i, sizeof(cl_mem), &by_hand->buffers[i]);
            error |= clSetKernelArg(by_hand->kernel, 2 * i + 1, sizeof(offset), &offset);
        }
        error |= clSetKernelArg(by_hand->kernel, 2 * pair->arrays, sizeof(bound), &bound);
        error |= clEnqueueNDRangeKernel(by_hand->queue, by_hand->kernel, 1, NULL, &count, &block, 0,
                                        NULL, NULL);
        error |= clFlush(by_hand->queue) | clFinish(by_hand->queue);
        if (error)
            fail("a launch by hand", error);
    }
    add_times(us, 1);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Of 0 to 1: 0.5 is the median. */
static double quantile(double *values, unsigned count, double part)
{
    qsort(values, count, sizeof(*values), by_value);
    return values[(unsigned)(part * (count - 1))];
}

static void open_device(cl_context *context, cl_device_id *device, cl_command_queue *queue)
{
    cl_platform_id platform;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    if (!error)
        error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, device, NULL);
    if (!error)
        *context = clCreateContext(NULL, 1, device, NULL, NULL, &error);
    if (!error)
        *queue = clCreateCommandQueue(*context, *device, 0, &error);
    if (error)
        fail("no OpenCL device", error);
}

/* Prints the line through the costs beyond the same by hand; whether it is within the paper's
 * bounds. */
static int print_line(const char *title, const double beyond_us[MOST_ARRAYS])
{
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (unsigned i = 0; i < MOST_ARRAYS; i++) {
        double x = i + 1, y = beyond_us[i];
        sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y;
    }
    double slope = (MOST_ARRAYS * sum_xy - sum_x * sum_y) / (MOST_ARRAYS * sum_xx - sum_x * sum_x);
    double start = (sum_y - slope * sum_x) / MOST_ARRAYS;
    printf("%s: %.1f us a launch, and %.2f us a parameter; with four arrays %.1f us\n", title,
           start, slope, beyond_us[3]);
    return start <= LAUNCH_US && slope <= PARAMETER_US && beyond_us[3] <= LAUNCH_US;
}

/* By the quiet rounds: those tenths of either side that other programs disturbed least. */
static int print(const char *clock, struct pair *pairs, int which, unsigned rounds)
{
    double beyond_us[MOST_ARRAYS], quiet_us[MOST_ARRAYS];
    printf("%s:\narrays   by hand, us   beyond it, us   in quiet rounds, us\n", clock);
    for (unsigned i = 0; i < MOST_ARRAYS; i++) {
        struct times *times = &pairs[i].times[which];
        beyond_us[i] = quantile(times->differences_us, rounds, 0.5);
        quiet_us[i] =
            quantile(times->ours_us, rounds, 0.1) - quantile(times->by_hand_us, rounds, 0.1);
        printf("%6u %13.1f %15.1f %21.1f\n", pairs[i].arrays,
               quantile(times->by_hand_us, rounds, 0.5), beyond_us[i], quiet_us[i]);
    }
    print_line("medians of pairs", beyond_us);
    return print_line("quiet rounds", quiet_us);
}

int main(int argc, char **argv)
{
    static struct pair pairs[MOST_ARRAYS];
    unsigned rounds = 400;
    int is_checked = 0;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
            rounds = (unsigned)atoi(argv[++i]);
        else if (strcmp(argv[i], "--check") == 0)
            is_checked = 1;
        else
            fail("--rounds N, --check", 0);
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    open_device(&context, &device, &queue);
    for (unsigned i = 0; i < MOST_ARRAYS; i++) {
        open_pair(&pairs[i], i + 1, rounds);
        open_by_hand(&pairs[i], context, device, queue);
        double first[CLOCKS] = {0};
        launch_nuda(&pairs[i], first);
        launch_by_hand(&pairs[i], first);
    }
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < MOST_ARRAYS; i++) {
            double ours[CLOCKS] = {0}, by_hand[CLOCKS] = {0};
            if (round % 2)
                launch_nuda(&pairs[i], ours);
            launch_by_hand(&pairs[i], by_hand);
            if (round % 2 == 0)
                launch_nuda(&pairs[i], ours);
            for (int clock = 0; clock < CLOCKS; clock++) {
                struct times *times = &pairs[i].times[clock];
                times->differences_us[round] = ours[clock] - by_hand[clock];
                times->by_hand_us[round] = by_hand[clock];
                times->ours_us[round] = ours[clock];
            }
        }
    print("by the clock on the wall", pairs, CLOCK_WALL, rounds);
    int is_within = print("this thread's processor time", pairs, CLOCK_PROCESSOR, rounds);
    return is_checked && !is_within;
}
