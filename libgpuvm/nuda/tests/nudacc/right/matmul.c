/* SPDX-License-Identifier: MIT */
/* A product of matrices: two loops go to the device, the third stays; then a loop whose inner one
 * cannot go. */
#include "show.h"

int main(void)
{
    int n = 40;
    double *a = numbers(n * n, 1), *b = numbers(n * n, 2), *c = numbers(n * n, 3),
           *y = numbers(n, 4);
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] += c[i * n + j] * a[j];
#pragma nuda parallel for
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i * n + j] = c[j * n + i];
#pragma nuda parallel for
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            a[i * n + j] += a[(i - 1) * n + j];
    show_numbers("c", c, n * n);
    show_numbers("y", y, n);
    show_numbers("b", b, n * n);
    show_numbers("a", a, n * n);
    return 0;
}
