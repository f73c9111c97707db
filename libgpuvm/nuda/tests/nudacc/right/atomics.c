/* SPDX-License-Identifier: MIT */
/* Atomic operations on plain arrays. */
#include "show.h"

#ifndef __clang__ /* gcc has none */
#define __atomic_fetch_max(place, value, order) (*(place) = *(place) > (value) ? *(place) : (value))
#endif

int main(void)
{
    int n = 5000, bins = 16;
    int *data = integers(n, 1, bins), *count = calloc(bins, sizeof(int)),
        *largest = calloc(bins, sizeof(int));
    unsigned long *sums = calloc(bins, sizeof(long));
    unsigned *seen = calloc(4, sizeof(unsigned)), *last = calloc(1, sizeof(unsigned));
    int *slot = malloc(n * sizeof(int)), *used = calloc(n, sizeof(int));
#pragma nuda parallel for block(64)
    for (int i = 0; i < n; i++) {
        int b = data[i];
        __atomic_fetch_add(&count[b], 1, __ATOMIC_RELAXED);
        __atomic_fetch_max(&largest[b], i, __ATOMIC_RELAXED);
        __atomic_add_fetch(sums + b, (unsigned long)i * 1000003ul, __ATOMIC_SEQ_CST);
        __atomic_fetch_or(&seen[0], 1u << b, __ATOMIC_RELAXED);
        __atomic_fetch_xor(&seen[1], (unsigned)i, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&seen[2], 3u, __ATOMIC_RELAXED);
        slot[i] = (int)__atomic_fetch_add(last, 1u, __ATOMIC_RELAXED);
    }
#pragma nuda parallel for independent
    for (int i = 0; i < n; i++)
        used[slot[i]] = 1;
    show("count", count, bins * sizeof(int));
    show("largest", largest, bins * sizeof(int));
    show("sums", sums, bins * sizeof(long));
    show("used", used, n * sizeof(int));
    printf("%x %x %u %u\n", seen[0], seen[1], seen[2], last[0]);
    return 0;
}
