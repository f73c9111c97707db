/* SPDX-License-Identifier: MIT */
/* What the programs here share: numbers to begin with, and results, printed exactly. */
#ifndef SHOW_H
#define SHOW_H
#include <stdio.h>
#include <stdlib.h>

static inline double *numbers(size_t count, unsigned seed)
{
    double *a = malloc(count * sizeof(*a));
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (double)(seed >> 8) / (1 << 23) + 0.125;
    }
    return a;
}

static inline int *integers(size_t count, unsigned seed, unsigned below)
{
    int *a = malloc(count * sizeof(*a));
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (int)((seed >> 8) % below);
    }
    return a;
}

/* Prints a few elements, and a sum of all bits. */
static inline void show(const char *name, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    unsigned long long hash = 1469598103934665603ull;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 1099511628211ull;
    printf("%s %016llx\n", name, hash);
}

static inline void show_numbers(const char *name, const double *a, size_t count)
{
    printf("%s %a %a %a\n", name, a[0], a[count / 2], a[count - 1]);
    show(name, a, count * sizeof(*a));
}
#endif
