/* SPDX-License-Identifier: MIT */
/* Scatter and gather through arrays of indices, for which `independent` vouches. */
#include "show.h"

int main(void)
{
    int n = 600, *p = malloc(n * sizeof(int));
    double *a = numbers(n, 1), *b = numbers(n, 2), *c = numbers(2 * n, 3);
    for (int i = 0; i < n; i++)
        p[i] = i * 7 % n == i ? i : (i * 7 + 3) % n;
    for (int i = 0; i < n; i++)
        p[i] = (i * 7 + 3) % 600;
#pragma nuda parallel for independent
    for (int i = 0; i < n; i++) {
        int to = p[i];
        b[to] = a[i] + c[p[to]];
        c[2 * i] = a[p[i]];
        c[2 * i + 1] = a[n - 1 - i];
    }
    show_numbers("b", b, n);
    show_numbers("c", c, 2 * n);
    return 0;
}
