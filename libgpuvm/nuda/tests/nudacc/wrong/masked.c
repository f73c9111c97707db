/* SPDX-License-Identifier: MIT */
void f(int *a, const int *b, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i & 7] += b[i]; /* error at a[i & 7]: 'a' is written here, and iterations may read */
}
