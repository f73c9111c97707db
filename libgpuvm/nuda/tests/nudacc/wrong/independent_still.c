/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for independent
    for (int i = 0; i < n; i++)
        a[0] = i; /* error at a[0]: all iterations of the loop over 'i' write the same element */
}
