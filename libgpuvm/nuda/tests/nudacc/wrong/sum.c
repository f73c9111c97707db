/* SPDX-License-Identifier: MIT */
double f(const double *a, int n)
{
    double sum = 0;
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        sum += a[i]; /* error at sum: 'sum' is declared outside of the loop, whose iterations all assign it */
    return sum;
}
