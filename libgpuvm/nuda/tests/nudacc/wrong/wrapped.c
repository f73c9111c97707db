/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i % 10] = i; /* error at a[i % 10]: iterations may write the same element of 'a' here */
}
