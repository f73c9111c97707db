/* SPDX-License-Identifier: MIT */
/* Pointers into arrays: interior pointers, one array passed twice, row pointers in the loop. */
#include "show.h"

static void axpy(double *y, const double *x, double a, long n)
{
#pragma nuda parallel for
    for (long i = 0; i < n; i++)
        y[i] += a * x[i];
}

static void copy(double *to, double *from, int n, int m)
{
#pragma nuda parallel for block(32) independent
    for (int i = 0; i < n; i++) {
        double *t = to + (long)i * m, *end = t + m;
        const double *f = &from[i * m];
        while (t != end)
            *t++ = *f++ * 2;
    }
}

int main(void)
{
    long n = 3000;
    double *a = numbers(n, 1), *b = numbers(n, 2);
    axpy(a + 7, b + 3, 0.75, 1000);
    axpy(a, a + 1500, 1.25, 1500);
    axpy(a, b, 2, 0);
    copy(a + 1000, b + 5, 40, 25);
    copy(b, b + 2000, 20, 20);
    show_numbers("a", a, n);
    show_numbers("b", b, n);
    return 0;
}
