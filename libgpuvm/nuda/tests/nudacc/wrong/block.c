/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for block(8,n) /* error at n): block() takes one to three whole numbers */
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
