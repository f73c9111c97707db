/* SPDX-License-Identifier: MIT */
/* One loop over all elements of a matrix, indices from / and %; 64-bit counters; empty loops. */
#include "show.h"

int main(void)
{
    int n = 30, m = 17;
    double *a = numbers(n * m, 1), *t = numbers(n * m, 2);
#pragma nuda parallel for independent
    for (size_t k = 0; k < (size_t)n * m; k++) {
        size_t i = k / m, j = k % m;
        t[j * n + i] += a[i * m + j];
    }
#pragma nuda parallel for
    for (int i = n; i < m; i++)
        a[i] = 0;
#pragma nuda parallel for block(1, 1) independent
    for (int i = 0; i < n; i++)
        for (int j = m; j < 3; j++)
            a[i * m + j] = 0;
    long low = -5;
#pragma nuda parallel for
    for (long i = low; i < 5; i++)
        a[i + 5] = (double)i;
    show_numbers("a", a, n * m);
    show_numbers("t", t, n * m);
    return 0;
}
