/* SPDX-License-Identifier: MIT */
/*
 * How often each value occurs: many iterations count in the same place, by the compiler's atomic
 * functions.
 *
 *     histogram [values [rounds]]      1000000 3
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BINS 256

static void count_values(unsigned *bins, const uint32_t *values, size_t n)
{
#pragma nuda parallel for block(128)
    for (size_t i = 0; i < n; i++)
        __atomic_fetch_add(&bins[values[i] >> 24], 1u, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 3;
    uint32_t *values = malloc(n * sizeof(*values)), state = 1;
    unsigned *bins = calloc(BINS, sizeof(*bins));
    if (!values || !bins)
        return 1;
    for (int k = 0; k < rounds; k++) {
        for (size_t i = 0; i < n; i++) {
            state = state * 1664525u + 1013904223u;
            values[i] = i % 4 ? state : state & 0x3fffffff;
        }
        count_values(bins, values, n);
    }
    unsigned long sum = 0, most = 0;
    for (int i = 0; i < BINS; i++) {
        sum += (unsigned long)bins[i] * (unsigned long)(i + 1);
        if (bins[i] > bins[most])
            most = (unsigned long)i;
    }
    printf("%d times %zu values: most are in %lu (%u), sum %lu\n", rounds, n, most, bins[most],
           sum);
    free(values);
    free(bins);
    return 0;
}
