/* SPDX-License-Identifier: MIT */
void f(int *a, int n, int m)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i * m] = i; /* error at a[i * m]: iterations may write the same element of 'a' here */
}
