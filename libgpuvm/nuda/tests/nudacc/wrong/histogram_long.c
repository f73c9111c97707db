/* SPDX-License-Identifier: MIT */
void f(double *y, const int *p, const double *x, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        y[p[i]] = y[p[i]] + x[i]; /* error at y[p[i]]: 'y' is updated at an index from data */
}
