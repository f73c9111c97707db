/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for block(8, 8) /* error at #pragma: block() has 2 numbers, but only 1 of the loops */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[i * n + j] = 0;
}
