/* SPDX-License-Identifier: MIT */
/* Rows of variable length: pointers to them made before the loop, passed to functions, three
 * dimensions. */
#include "show.h"

static double trace(int n, int m, double a[n][m])
{
    double t = 0;
    for (int i = 0; i < (n < m ? n : m); i++)
        t += a[i][i] * *a[i];
    return t;
}

static void fill(int m, double row[m], double value)
{
    for (int j = 0; j < m; j++)
        row[j] = value - j;
}

static void all(int k, int n, int m, double cube[k][n][m], double out[k], double (*wide)[2 * m])
{
#pragma nuda parallel for independent
    for (int i = 0; i < k; i++) {
        out[i] = trace(n, m, cube[i]);
        fill(2 * m, wide[i], out[i]);
        fill(m, cube[i][1], *(*(*(cube + i) + 2) + 1));
    }
}

int main(void)
{
    int k = 12, n = 5, m = 7;
    double(*cube)[n][m] = (void *)numbers(k * n * m, 1), *out = numbers(k, 2),
    *wide = numbers(2 * k * m, 3);
    all(k, n, m, cube, out, (void *)wide);
    show_numbers("out", out, k);
    show_numbers("cube", &cube[0][0][0], k * n * m);
    show_numbers("wide", wide, 2 * k * m);
    return 0;
}
