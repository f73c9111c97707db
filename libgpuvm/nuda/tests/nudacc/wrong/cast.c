/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[(unsigned char)i] = i; /* error at a[(unsigned: iterations may write the same element of 'a' here */
}
