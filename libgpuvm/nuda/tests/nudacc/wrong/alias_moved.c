/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
    int *p;
    p = a;
    p++;
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        p[i] = a[i]; /* error at p[i]: 'p' is written here, and iterations may read */
}
