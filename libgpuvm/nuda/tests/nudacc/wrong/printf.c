/* SPDX-License-Identifier: MIT */
#include <stdio.h>

void f(const double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        printf("%g\n", a[i]); /* error at printf: 'printf' is called, which is not in this file */
}
