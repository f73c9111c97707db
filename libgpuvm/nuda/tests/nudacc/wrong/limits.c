/* SPDX-License-Identifier: MIT */
void f(int *a)
{
#pragma nuda parallel for
    for (int i = 1; i < a[0]; i++) /* error at a[0]: the loop writes an array that its own limits read */
        a[i] = 0;
}
