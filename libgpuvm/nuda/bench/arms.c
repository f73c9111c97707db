/* SPDX-License-Identifier: MIT */
/*
 * The paper's experiment (Adinetz, 2011; section 4, figures 2 and 3, tables 2 and 3). Its program
 * is in C, compiled by nudacc: one loop with the pragma, five ways around it. Microseconds an
 * iteration, medians of rounds in which the ways take turns; bytes and transfers an iteration. All
 * ways must end with the same bits as the host's own loop.
 *
 *     arms [--n N] [--rounds N] [--iterations N] [--no-host]
 *         2048 10 6; --no-host: not compared with the host
 */
#include "arms.h"

#include <gpuvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE_BYTES 4096
#define MOST_ROUNDS 1000
#define ARMS 6

enum touch { NOTHING, EVERY_PAGE, FIRST_PAGE };

struct arm {
    const char *name;
    enum way way;
    enum touch touch;
    float *a, *x, *b, *x1;
    double total_us[MOST_ROUNDS];
    unsigned long long bytes_up, bytes_down, transfers_up, transfers_down, faults; /* in all */
};

static struct arm arms[ARMS] = {
    {.name = "full-copy", .way = FULL_COPY},
    {.name = "auto-sync", .way = AUTO_SYNC},
    {.name = "libgpuvm", .way = NUDA},
    {.name = "libgpuvm-copy", .way = NUDA, .touch = EVERY_PAGE},
    {.name = "libgpuvm-false", .way = NUDA, .touch = FIRST_PAGE},
    {.name = "host", .way = HOST},
};
static volatile float seen;

static void matvecmul(float *x1, const float *a, const float *x, const float *b, int n)
{
#pragma nuda parallel for block(128)
    for (int i = 0; i < n; i++) {
        float r = b[i];
        for (int j = 0; j < n; j++)
            r += a[(size_t)j * n + i] * x[j];
        x1[i] = r;
    }
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static float next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

static float *make(size_t count, uint32_t seed, float scale)
{
    float *array = malloc(count * sizeof(*array));
    if (!array)
        exit(1);
    for (size_t i = 0; i < count; i++)
        array[i] = scale * next_number(&seed);
    return array;
}

static void open_arm(struct arm *arm, int n)
{
    size_t vector = (size_t)n, matrix = vector * vector;
    arm->a = make(matrix, 1, 0.0383f);
    arm->x = make(vector, 2, 1);
    arm->b = make(vector, 3, 1);
    arm->x1 = make(vector, 4, 1);
    if (arm->way != FULL_COPY && arm->way != AUTO_SYNC)
        return;
    way_add_array(arm->a, matrix * sizeof(float));
    way_add_array(arm->x, vector * sizeof(float));
    way_add_array(arm->b, vector * sizeof(float));
    way_add_array(arm->x1, vector * sizeof(float));
}

/* A word of each page is read and written. */
static void touch_pages(float *array, size_t count)
{
    for (size_t i = 0; i < count; i += PAGE_BYTES / sizeof(float)) {
        volatile float *word = &array[i];
        *word = *word;
    }
}

static void touch(const struct arm *arm, int n)
{
    size_t vector = (size_t)n;
    if (arm->touch == FIRST_PAGE)
        seen = arm->x[0];
    if (arm->touch != EVERY_PAGE)
        return;
    touch_pages(arm->a, vector * vector);
    touch_pages(arm->x, vector);
    touch_pages(arm->b, vector);
    touch_pages(arm->x1, vector);
}

static void iterate(struct arm *arm, int n)
{
    touch(arm, n);
    matvecmul(arm->x1, arm->a, arm->x, arm->b, n);
    way_finish();
    float *other = arm->x;
    arm->x = arm->x1;
    arm->x1 = other;
}

static unsigned long long statistic(int parameter)
{
    unsigned long long value = 0;
    return gpuvm_stat(parameter, &value) ? 0 : value;
}

static void add_statistics(struct arm *arm, int sign)
{
    arm->bytes_up += sign * statistic(GPUVM_STAT_BYTES_TO_DEVICE);
    arm->bytes_down += sign * statistic(GPUVM_STAT_BYTES_FROM_DEVICE);
    arm->transfers_up += sign * statistic(GPUVM_STAT_TRANSFERS_TO_DEVICE);
    arm->transfers_down += sign * statistic(GPUVM_STAT_TRANSFERS_FROM_DEVICE);
    arm->faults += sign * statistic(GPUVM_STAT_PAGEFAULTS);
}

/* One iteration that is not timed, then `iterations`. The host has no use for a clock. */
static double burst(struct arm *arm, int n, int iterations)
{
    way_set(arm->way);
    iterate(arm, n);
    add_statistics(arm, -1);
    double excess_us = way_excess_us(), start = now_us();
    for (int k = 0; k < iterations; k++)
        iterate(arm, n);
    double total_us = now_us() - start;
    add_statistics(arm, 1);
    return (total_us - (way_excess_us() - excess_us)) / iterations;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void print(int rounds, int iterations, int n)
{
    double all = (double)rounds * iterations, matrix = (double)n * n * 4, vector = (double)n * 4;
    printf("%-15s %10s %12s %12s %6s %6s %7s\n", "us an iteration", "total", "bytes up",
           "bytes down", "up", "down", "faults");
    for (int i = 0; i < ARMS - 1; i++) {
        struct arm *arm = &arms[i];
        int is_full = arm->way == FULL_COPY;
        double moved = is_full ? matrix + 3 * vector : 0;
        qsort(arm->total_us, (size_t)rounds, sizeof(double), by_value);
        printf("%-15s %10.0f %12.0f %12.0f %6.2f %6.2f %7.2f\n", arm->name,
               arm->total_us[rounds / 2], moved + (double)arm->bytes_up / all,
               moved + (double)arm->bytes_down / all, 4 * is_full + (double)arm->transfers_up / all,
               4 * is_full + (double)arm->transfers_down / all, (double)arm->faults / all);
    }
}

static int check(int n, int has_host)
{
    const struct arm *reference = &arms[has_host ? ARMS - 1 : 0];
    int is_right = 1;
    way_read_array(arms[AUTO_SYNC].x);
    for (int i = 0; i < ARMS - 1; i++)
        if (memcmp(arms[i].x, reference->x, (size_t)n * sizeof(float)) != 0) {
            printf("WRONG: %s differs from %s\n", arms[i].name, reference->name);
            is_right = 0;
        }
    return is_right;
}

static int number_after(int argc, char **argv, const char *name, int otherwise)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return atoi(argv[i + 1]);
    return otherwise;
}

int main(int argc, char **argv)
{
    int n = number_after(argc, argv, "--n", 2048),
        rounds = number_after(argc, argv, "--rounds", 10);
    int iterations = number_after(argc, argv, "--iterations", 6), has_host = 1;
    for (int i = 1; i < argc; i++)
        has_host = has_host && strcmp(argv[i], "--no-host") != 0;
    if (n <= 0 || rounds <= 0 || rounds > MOST_ROUNDS || iterations <= 0)
        return 2;
    for (int i = 0; i < ARMS; i++)
        open_arm(&arms[i], n);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < ARMS - !has_host; i++)
            arms[i].total_us[round] = burst(&arms[i], n, iterations);
    printf("%s; n = %d, medians of %d rounds of %d iterations\n", way_device_name(), n, rounds,
           iterations);
    print(rounds, iterations, n);
    return check(n, has_host) ? 0 : 1;
}
