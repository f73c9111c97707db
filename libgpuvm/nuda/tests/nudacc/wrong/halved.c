/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i / 2] += i; /* error at a[i / 2]: 'a' is written here, and iterations may read */
}
