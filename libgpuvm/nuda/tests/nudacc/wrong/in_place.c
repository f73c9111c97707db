/* SPDX-License-Identifier: MIT */
void f(double *x, const double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        double r = 0;
        for (int j = 0; j < n; j++)
            r += a[j * n + i] * x[j];
        x[i] = r; /* error at x[i]: 'x' is written here, and iterations may read elements that others write */
    }
}
