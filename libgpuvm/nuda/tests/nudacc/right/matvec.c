/* SPDX-License-Identifier: MIT */
/* The paper's figure 2: x' = A x + b, with the transposed matrix. */
#include "show.h"

static void matvecmul(double *x1, const double *a, const double *x, const double *b, int n)
{
#pragma nuda parallel for block(128)
    for (int i = 0; i < n; i++) {
        double r = b[i];
        for (int j = 0; j < n; j++)
            r += a[j * n + i] * x[j];
        x1[i] = r;
    }
}

int main(void)
{
    int n = 130;
    double *x = numbers(n, 1), *x1 = numbers(n, 2), *a = numbers(n * n, 3), *b = numbers(n, 4);
    for (int i = 0; i < n * n; i++)
        a[i] /= 2 * n;
    for (int t = 0; t < 10; t++) {
        matvecmul(x1, a, x, b, n);
        double *swap = x;
        x = x1;
        x1 = swap;
    }
    show_numbers("x", x, n);
    return 0;
}
