/* SPDX-License-Identifier: MIT */
/*
 * What a launch costs beyond the same by hand. Kernels with 1 to 8 arrays do next to nothing. Each
 * is started by nuda_run and, in the same round on the same kind of device, by four kinds of OpenCL
 * calls. These are clSetKernelArg, clEnqueueNDRangeKernel, clFlush and clFinish. Prints
 * microseconds: medians of the differences of pairs, and the line through them.
 *
 *     overhead [--rounds N] [--check]
 *         400; --check: status 1 if it is beyond the paper's 25 us, or 6 us a parameter
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
    double *differences_us, *by_hand_us, *ours_us;
};

static void fail(const char *what, int error)
{
    fprintf(stderr, "overhead: %s: error %d\n", what, error);
    exit(1);
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
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
    pair->differences_us = calloc(rounds, sizeof(double));
    pair->by_hand_us = calloc(rounds, sizeof(double));
    pair->ours_us = calloc(rounds, sizeof(double));
    if (!pair->differences_us || !pair->by_hand_us || !pair->ours_us)
        fail("no memory", 0);
}

static double launch_nuda(struct pair *pair)
{
    const size_t count = COUNT;
    void *values[MOST_ARRAYS];
    double start = now_us();
    for (unsigned i = 0; i < pair->arrays; i++)
        values[i] = &pair->pointers[i];
    for (int k = 0; k < LAUNCHES; k++)
        if (!nuda_run(&pair->loop, &count, values, NULL))
            fail("there is no device", 0);
    return (now_us() - start) / LAUNCHES;
}

static double launch_by_hand(struct pair *pair)
{
    struct by_hand *by_hand = &pair->by_hand;
    const size_t count = COUNT, block = 64;
    const cl_ulong offset = 0, bound = COUNT;
    double start = now_us();
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
    return (now_us() - start) / LAUNCHES;
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
static int print(struct pair *pairs, unsigned rounds)
{
    double beyond_us[MOST_ARRAYS], quiet_us[MOST_ARRAYS];
    printf("arrays   by hand, us   beyond it, us   in quiet rounds, us\n");
    for (unsigned i = 0; i < MOST_ARRAYS; i++) {
        struct pair *pair = &pairs[i];
        beyond_us[i] = quantile(pair->differences_us, rounds, 0.5);
        quiet_us[i] =
            quantile(pair->ours_us, rounds, 0.1) - quantile(pair->by_hand_us, rounds, 0.1);
        printf("%6u %13.1f %15.1f %21.1f\n", pair->arrays, quantile(pair->by_hand_us, rounds, 0.5),
               beyond_us[i], quiet_us[i]);
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
        launch_nuda(&pairs[i]);
        launch_by_hand(&pairs[i]);
    }
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned i = 0; i < MOST_ARRAYS; i++) {
            double first = round % 2 ? launch_nuda(&pairs[i]) : 0;
            double by_hand = launch_by_hand(&pairs[i]);
            double ours = round % 2 ? first : launch_nuda(&pairs[i]);
            pairs[i].differences_us[round] = ours - by_hand;
            pairs[i].by_hand_us[round] = by_hand;
            pairs[i].ours_us[round] = ours;
        }
    int is_within = print(pairs, rounds);
    return is_checked && !is_within;
}
