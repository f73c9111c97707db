/* SPDX-License-Identifier: MIT */
/* A nest of two loops over rows of variable length, in parameters. */
#include "show.h"

static void step(int n, int m, double to[n][m], double from[n][m])
{
#pragma nuda parallel for block(4, 16)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]) -
                       from[i][j] / 3;
}

int main(void)
{
    int n = 37, m = 53;
    double *a = numbers(n * m, 1), *b = numbers(n * m, 1);
    for (int t = 0; t < 6; t++) {
        step(n, m, (double(*)[m])b, (double(*)[m])a);
        double *swap = a;
        a = b;
        b = swap;
    }
    show_numbers("a", a, n * m);
    return 0;
}
