/* SPDX-License-Identifier: MIT */
void f(int *a, const int *mask, const int *x, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        if (mask[i])
            a[0] = x[i]; /* error at a[0]: iterations may write the same element of 'a' here */
}
