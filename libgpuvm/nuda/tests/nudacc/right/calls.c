/* SPDX-License-Identifier: MIT */
/* Functions of the file, with pointers to arrays, rows and local variables, and one that returns a
 * pointer. */
#include "show.h"
#include <math.h>

struct pair {
    double low, high;
};

static inline int at(int i, int j, int m)
{
    return i * m + j;
}

static double *row(double *a, int i, int m)
{
    return a + at(i, 0, m);
}

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

static double sum(const double *a, int n)
{
    double s = 0;
    for (const double *p = a; p < a + n; p++)
        s += *p;
    return s;
}

static struct pair range(const double *a, int n)
{
    struct pair r = {.low = a[0], .high = a[0]};
    int i;
    for (i = 1; i < n; i++) {
        if (a[i] < r.low)
            r.low = a[i];
        else if (a[i] > r.high)
            r.high = a[i];
    }
    return r;
}

static double polynomial(double x, const double c[static 3])
{
    return (c[2] * x + c[1]) * x + c[0];
}

static void each(double *a, double *out, int n, int m)
{
#pragma nuda parallel for independent
    for (int i = 0; i < n; i++) {
        double c[3] = {1, 0.5, -0.25}, x = sum(row(a, i, m), m),
               y = fabs(polynomial(a[at(i, 1, m)], c));
        struct pair r = range(row(a, i, m), m);
        if (x > y)
            swap(&x, &y);
        out[i] = sqrt(y - x) + sum(c, 3) * (r.high - r.low);
        swap(&a[i * m], &a[i * m + m - 1]);
    }
}

int main(void)
{
    int n = 300, m = 11;
    double *a = numbers(n * m, 3), *out = numbers(n, 1);
    each(a, out, n, m);
    show_numbers("out", out, n);
    show_numbers("a", a, n * m);
    return 0;
}
