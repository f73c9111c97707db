/* SPDX-License-Identifier: MIT */
/* Input data that follow from the seed, and comparisons that say what differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

uint64_t workload_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

float workload_random_float(uint64_t *state, float min, float max)
{
    float draw = (float)(workload_random(state) >> 40) * 0x1p-24f;

    return min + draw * (max - min);
}

cl_uint *workload_random_words(struct workload *workload, size_t count)
{
    cl_uint *words = workload_own_memory(workload, count, sizeof *words);
    uint64_t state = workload->seed;

    for (size_t i = 0; i < count; i++)
        words[i] = (cl_uint)workload_random(&state);
    return words;
}

float *workload_random_floats(struct workload *workload, size_t count, float min, float max)
{
    float *floats = workload_own_memory(workload, count, sizeof *floats);
    uint64_t state = workload->seed;

    for (size_t i = 0; i < count; i++)
        floats[i] = workload_random_float(&state, min, max);
    return floats;
}

bool workload_is_equal(const char *what, const cl_uint *found, const cl_uint *expected,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != expected[i]) {
            printf("%s %zu is %#x, expected %#x\n", what, i, found[i], expected[i]);
            return false;
        }
    return true;
}

bool workload_is_near(const char *what, const cl_uchar *found, const cl_uchar *expected,
                      size_t count, int tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (abs(found[i] - expected[i]) > tolerance) {
            printf("%s %zu is %d, expected %d within %d\n", what, i, found[i], expected[i],
                   tolerance);
            return false;
        }
    return true;
}

bool workload_is_same(const char *what, const float *found, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != expected[i]) {
            printf("%s %zu is %.9g, expected %.9g\n", what, i, found[i], expected[i]);
            return false;
        }
    return true;
}

bool workload_is_close(const char *what, const float *found, const double *expected, size_t count,
                       double relative, double absolute)
{
    for (size_t i = 0; i < count; i++) {
        double tolerance = absolute + relative * fabs(expected[i]);

        if (!(fabs(found[i] - expected[i]) <= tolerance)) {
            printf("%s %zu is %.9g, expected %.9g within %.3g\n", what, i, found[i], expected[i],
                   tolerance);
            return false;
        }
    }
    return true;
}

uint64_t workload_checksum(const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}
