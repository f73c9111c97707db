/* SPDX-License-Identifier: MIT */
void f(double *y, const double *a, const double *x, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 7; j++) {
            double t = a[i * 7 + j] * x[j];
            y[j] = t; /* error at y[j]: all iterations of the loop over 'i' write the same element of 'y' */
        }
}
