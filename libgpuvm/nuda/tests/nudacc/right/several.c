/* SPDX-License-Identifier: MIT */
/* Several pragmas in one function, in branches without braces, and one in a loop. */
#include "show.h"

static void work(double *a, double *b, int n, int twice)
{
    if (twice)
#pragma nuda parallel for
        for (int i = 0; i < n; i++)
            b[i] = 2 * a[i];
    else
#pragma nuda parallel for
        for (int i = 0; i < n; i++)
            if (i & 1)
                b[i] = a[i];
    for (int t = 0; t < 3; t++) {
#pragma nuda parallel for
        for (int i = t; i < n; i += 3)
            a[i] = b[i] + t;
    }
    switch (twice) {
    case 1:
#pragma nuda parallel for
        for (int i = 0; i < n; i++)
            b[i] -= 1;
        break;
    default:;
#pragma nuda parallel for
        for (int i = 0; i < n; i++)
            b[i] -= 3;
    }
}

int main(void)
{
    int n = 257;
    double *a = numbers(n, 1), *b = numbers(n, 2);
    work(a, b, n, 1);
    show_numbers("b", b, n);
    work(a, b, n, 0);
    show_numbers("a", a, n);
    show_numbers("b", b, n);
    return 0;
}
