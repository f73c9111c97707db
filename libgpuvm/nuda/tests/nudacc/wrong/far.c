/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i] = a[3 * i + 9] + 1; /* error at a[i]: 'a' is written here, and iterations may read elements that others write */
}
