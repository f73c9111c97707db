/* SPDX-License-Identifier: MIT */
void f(int *a, int n, int m)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i * m] = a[i] + 1; /* error at a[i * m]: 'a' is written here, and iterations may read elements that others write */
}
