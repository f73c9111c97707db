/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < 3)
            a[i + k++] = i; /* error at a[i: iterations may write the same element of 'a' here */
    }
}
