/* SPDX-License-Identifier: MIT */
void f(double *a, const double *x, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[0] += x[i]; /* error at a[0]: all iterations of the loop over 'i' write the same element of 'a' */
}
