/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for blok(128) /* error at blok: unknown clause */
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
