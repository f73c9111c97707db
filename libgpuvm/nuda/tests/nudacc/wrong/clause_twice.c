/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for independent block(8) independent /* error at independent /: unknown clause */
    for (int i = 0; i < n; i++)
        a[i] = i;
}
