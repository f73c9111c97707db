/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[n - 1 - i] = a[i] + 1; /* error at a[n - 1: 'a' is written here, and iterations may read elements that others write */
}
