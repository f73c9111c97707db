/* SPDX-License-Identifier: MIT */
static void keep(double *best, double x)
{
    *best = x; /* error at *best: all iterations of the loop over 'i' write the same element of 'best' */
}

void f(double *best, const double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        keep(best, a[i]);
}
