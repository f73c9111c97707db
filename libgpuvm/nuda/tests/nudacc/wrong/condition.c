/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n && a[i] > 0; i++) /* error at i < n: the loop's condition must compare its counter */
        a[i] = 0;
}
