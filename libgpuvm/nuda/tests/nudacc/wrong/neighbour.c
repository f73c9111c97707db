/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] + 1; /* error at a[i] =: 'a' is written here, and iterations may read elements that others write */
}
