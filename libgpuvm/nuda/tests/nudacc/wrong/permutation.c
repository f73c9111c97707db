/* SPDX-License-Identifier: MIT */
void f(int *a, const int *p, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[p[i]] = i; /* error at a[p[i]]: iterations may write the same element of 'a' here */
}
